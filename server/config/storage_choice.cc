#include "server/config/storage_choice.h"

#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"

#ifdef HOURCELL_BIGTABLE
#include <cstdlib>

#include "engine/bigtable/bigtable_storage.h"
#endif

namespace hourcell {
namespace {

#ifdef HOURCELL_BIGTABLE

BigtableOptions BigtableOptionsOf(const Config& config) {
  BigtableOptions options;
  options.project = config.text("tsd.storage.bigtable.project");
  options.instance = config.text("tsd.storage.bigtable.instance");
  options.app_profile = config.text("tsd.storage.bigtable.app_profile");
  options.table_prefix = config.text("tsd.storage.bigtable.tables");
  const char* const emulator = std::getenv("BIGTABLE_EMULATOR_HOST");
  return AtEmulator(std::move(options), emulator == nullptr ? "" : emulator);
}

absl::StatusOr<StorageChoice> BigtableChoice(const Config& config, OtherWriter other) {
  const BigtableOptions options = BigtableOptionsOf(config);
  for (const std::string_view key :
       {"tsd.storage.bigtable.project", "tsd.storage.bigtable.instance",
        "tsd.storage.bigtable.tables"}) {
    if (!config.text(key).empty()) continue;
    return absl::InvalidArgumentError(
        fmt::format("{}: missing; tsd.storage.engine=bigtable needs it", key));
  }
  if (config.boolean("tsd.core.uid.random_metrics")) {
    return absl::InvalidArgumentError(
        "tsd.core.uid.random_metrics: got true; want false with tsd.storage.engine=bigtable");
  }
  HOURCELL_RETURN_IF_ERROR(CheckBigtableOptions(options));
  const int64_t lease_ms = config.integer("tsd.storage.bigtable.lease");
  SeatOptions seat{.lease_ms = lease_ms,
                   .beat_ms = lease_ms / 10,
                   .wait_ms = other == OtherWriter::kWaitFor ? -1 : 0};
  return StorageChoice{
      .engine = std::make_shared<BigtableStorage>(options, std::move(seat)),
      .name = fmt::format("{}/{}/{}", options.project, options.instance, options.table_prefix)};
}
#else
absl::StatusOr<StorageChoice> BigtableChoice(const Config& /*config*/, OtherWriter /*other*/) {
  return absl::InvalidArgumentError(
      "tsd.storage.engine: got bigtable; this program was built without it: build it with cmake "
      "-DHOURCELL_BIGTABLE=ON");
}
#endif

}  // namespace

absl::StatusOr<StorageChoice> StorageChoiceOf(const Config& config, OtherWriter other) {
  if (config.text("tsd.storage.engine") == "bigtable") return BigtableChoice(config, other);
  return StorageChoice{.engine = nullptr, .name = config.text("tsd.storage.directory")};
}

}  // namespace hourcell
