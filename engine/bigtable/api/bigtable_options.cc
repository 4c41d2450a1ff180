#include "engine/bigtable/api/bigtable_options.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace hourcell {

absl::Status CheckBigtableOptions(const BigtableOptions& options) {
  const std::array<std::pair<std::string_view, const std::string*>, 5> names = {{
      {"project", &options.project},
      {"instance", &options.instance},
      {"table prefix", &options.table_prefix},
      {"endpoint", &options.endpoint},
      {"admin endpoint", &options.admin_endpoint},
  }};
  for (const auto& [name, value] : names) {
    if (value->empty()) return absl::InvalidArgumentError(fmt::format("bigtable: no {}", name));
  }
  const std::array<std::pair<std::string_view, int64_t>, 6> amounts = {{
      {"attempt timeout", options.attempt_timeout_ms},
      {"call timeout", options.call_timeout_ms},
      {"first retry wait", options.retry_first_ms},
      {"longest retry wait", options.retry_max_ms},
      {"rows of a page", static_cast<int64_t>(options.page_rows)},
      {"bytes of a page", static_cast<int64_t>(options.page_bytes)},
  }};
  for (const auto& [name, value] : amounts) {
    if (value <= 0) {
      return absl::InvalidArgumentError(
          fmt::format("bigtable: {} is {}; expected more than 0", name, value));
    }
  }
  return absl::OkStatus();
}

BigtableOptions AtEmulator(BigtableOptions options, const std::string& host) {
  if (host.empty()) return options;
  options.endpoint = host;
  options.admin_endpoint = host;
  options.credentials = BigtableCredentials::kInsecure;
  return options;
}

}  // namespace hourcell
