#include "server/cluster/storage_choice.h"

#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/config/engine_options.h"

#ifdef HOURCELL_BIGTABLE
#include <algorithm>
#include <cstdlib>

#include "engine/bigtable/bigtable_opentsdb_tables.h"
#include "engine/bigtable/bigtable_storage.h"
#include "server/cluster/service_account.h"
#endif

namespace hourcell {
namespace {

#ifdef HOURCELL_BIGTABLE

constexpr std::string_view kCredentials = "tsd.storage.bigtable.credentials";
constexpr std::string_view kDataTable = "tsd.storage.bigtable.data_table";

absl::StatusOr<BigtableOptions> BigtableOptionsOf(const Config& config) {
  BigtableOptions options;
  options.project = config.text("tsd.storage.bigtable.project");
  options.instance = config.text("tsd.storage.bigtable.instance");
  options.app_profile = config.text("tsd.storage.bigtable.app_profile");
  options.table_prefix = config.text("tsd.storage.bigtable.tables");
  options.data_table = config.text(kDataTable);
  options.endpoint = config.text("tsd.storage.bigtable.endpoint");
  options.admin_endpoint = config.text("tsd.storage.bigtable.admin_endpoint");
  options.call_timeout_ms = config.integer("tsd.storage.bigtable.timeout");
  options.attempt_timeout_ms = std::min(options.attempt_timeout_ms, options.call_timeout_ms);
  const char* const emulator = std::getenv("BIGTABLE_EMULATOR_HOST");
  if (emulator != nullptr && *emulator != '\0') return AtEmulator(std::move(options), emulator);
  if (const std::string path = config.text(kCredentials); !path.empty()) {
    absl::StatusOr<std::string> account = LoadServiceAccount(path);
    if (!account.ok()) {
      return absl::Status(
          account.status().code(),
          fmt::format("{}: {}", kCredentials, std::string(account.status().message())));
    }
    options.credentials = BigtableCredentials::kServiceAccount;
    options.service_account = *std::move(account);
  }
  return options;
}

absl::Status CheckNames(const Config& config, std::string_view who) {
  for (const std::string_view key :
       {"tsd.storage.bigtable.project", "tsd.storage.bigtable.instance",
        "tsd.storage.bigtable.tables"}) {
    if (!config.text(key).empty()) continue;
    return absl::InvalidArgumentError(fmt::format("{}: missing; {} needs it", key, who));
  }
  return absl::OkStatus();
}

absl::StatusOr<StorageChoice> BigtableChoice(const Config& config,
                                             OtherWriter other,
                                             bool is_adopting) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtableOptions options, BigtableOptionsOf(config));
  HOURCELL_RETURN_IF_ERROR(CheckNames(config, "tsd.storage.engine=bigtable"));
  if (config.boolean("tsd.core.uid.random_metrics")) {
    return absl::InvalidArgumentError(
        "tsd.core.uid.random_metrics: expected false with tsd.storage.engine=bigtable, got true");
  }
  HOURCELL_RETURN_IF_ERROR(CheckBigtableOptions(options));
  const int64_t lease_ms = config.integer("tsd.storage.bigtable.lease");
  LeaseOptions lease{.lease_ms = lease_ms,
                     .heartbeat_ms = lease_ms / 10,
                     .wait_ms = other == OtherWriter::kWaitFor ? -1 : 0};
  return StorageChoice{
      .engine = std::make_shared<BigtableStorage>(
          options, std::move(lease), is_adopting ? SharedRows::kToAdopt : SharedRows::kAdopted),
      .name = fmt::format("{}/{}/{}", options.project, options.instance, options.table_prefix)};
}

absl::StatusOr<std::unique_ptr<OpenTsdbTables>> BigtableTables(const Config& config) {
  HOURCELL_RETURN_IF_ERROR(CheckNames(config, "hourcell opentsdb"));
  HOURCELL_ASSIGN_OR_RETURN(BigtableOptions options, BigtableOptionsOf(config));
  if (options.data_table.empty()) options.data_table = "tsdb";
  HOURCELL_RETURN_IF_ERROR(CheckBigtableOptions(options));
  return OpenBigtableOpenTsdbTables(options, config.text("tsd.storage.bigtable.uid_table"));
}

absl::Status CheckIsNoTableOfStore(const Config& config,
                                   const BigtableOptions& options,
                                   std::string_view key) {
  const std::string table = config.text(key);
  if (!IsTableOfStore(options, table)) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: expected a table of OpenTSDB, got {}, a table of the store itself", key, table));
}

absl::StatusOr<Config> ExportedBigtableStore(const Config& config) {
  HOURCELL_ASSIGN_OR_RETURN(const BigtableOptions options, BigtableOptionsOf(config));
  HOURCELL_RETURN_IF_ERROR(CheckNames(config, "tsd.storage.engine=bigtable"));
  HOURCELL_RETURN_IF_ERROR(CheckIsNoTableOfStore(config, options, kDataTable));
  HOURCELL_RETURN_IF_ERROR(
      CheckIsNoTableOfStore(config, options, "tsd.storage.bigtable.uid_table"));
  // Without this setting, only a store that shares no data table can be opened.
  if (options.data_table.empty()) return config;
  HOURCELL_ASSIGN_OR_RETURN(const std::string shared, SharedDataTableOf(options));
  Config store = config;
  HOURCELL_RETURN_IF_ERROR(store.Set(kDataTable, shared));
  return store;
}
#else
absl::Status WithoutBigtable(std::string_view what) {
  return absl::InvalidArgumentError(fmt::format(
      "{}; this program was built without Bigtable: build it with cmake -DHOURCELL_BIGTABLE=ON",
      what));
}

absl::StatusOr<StorageChoice> BigtableChoice(const Config& /*config*/,
                                             OtherWriter /*other*/,
                                             bool /*is_adopting*/) {
  return WithoutBigtable("tsd.storage.engine: got bigtable");
}

absl::StatusOr<std::unique_ptr<OpenTsdbTables>> BigtableTables(const Config& /*config*/) {
  return WithoutBigtable("OpenTSDB's tables on Bigtable were asked for");
}

absl::StatusOr<Config> ExportedBigtableStore(const Config& /*config*/) {
  return WithoutBigtable("tsd.storage.engine: got bigtable");
}
#endif

}  // namespace

absl::StatusOr<StorageChoice> StorageChoiceOf(const Config& config, OtherWriter other) {
  if (config.text("tsd.storage.engine") == "bigtable") {
    return BigtableChoice(config, other, /*is_adopting=*/false);
  }
  return StorageChoice{.engine = nullptr, .name = config.text("tsd.storage.directory")};
}

absl::StatusOr<Options> OptionsOfStore(const Config& config, OtherWriter other) {
  HOURCELL_ASSIGN_OR_RETURN(Options options, EngineOptionsOf(config));
  HOURCELL_ASSIGN_OR_RETURN(StorageChoice choice, StorageChoiceOf(config, other));
  options.path = std::move(choice.name);
  options.storage = std::move(choice.engine);
  return options;
}

absl::StatusOr<StorageChoice> AdoptingChoiceOf(const Config& config) {
  if (config.text("tsd.storage.engine") != "bigtable") {
    return absl::InvalidArgumentError(
        fmt::format("tsd.storage.engine: expected bigtable, to share OpenTSDB's tables, got {}",
                    config.text("tsd.storage.engine")));
  }
  if (config.text("tsd.storage.bigtable.data_table").empty()) {
    return absl::InvalidArgumentError(
        "tsd.storage.bigtable.data_table: missing; expected the name of OpenTSDB's data table, "
        "tsdb in most cases");
  }
  return BigtableChoice(config, OtherWriter::kRefuse, /*is_adopting=*/true);
}

absl::StatusOr<std::unique_ptr<OpenTsdbTables>> OpenTsdbTablesOf(const Config& config) {
  return BigtableTables(config);
}

absl::StatusOr<Config> ExportedStoreOf(const Config& config) {
  if (config.text("tsd.storage.engine") != "bigtable") return config;
  return ExportedBigtableStore(config);
}

}  // namespace hourcell
