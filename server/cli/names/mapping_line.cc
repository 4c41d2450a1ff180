#include "server/cli/names/mapping_line.h"

#include <string>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/strings.h"

namespace hourcell {

absl::StatusOr<std::optional<UidRow>> MappingLine::Read(std::string_view line) {
  simdjson::dom::object object;
  std::string_view name;
  std::string_view uid;
  const auto fault = [line] {
    return absl::DataLossError(fmt::format("not a mapping: {}", QuoteForMessage(line)));
  };
  if (parser_.parse(line.data(), line.size()).get(object)) return fault();
  if (object["lines"].error() == simdjson::SUCCESS) return std::optional<UidRow>();
  std::string_view error;
  if (object["error"].get(error) == simdjson::SUCCESS) {
    return absl::UnavailableError(std::string(error));
  }
  if (object["name"].get(name) || object["uid"].get(uid)) return fault();
  absl::StatusOr<std::string> bytes = FromHex(uid);
  if (!bytes.ok()) return fault();
  return UidRow{.kind = kind_, .name = std::string(name), .uid_bytes = *std::move(bytes)};
}

}  // namespace hourcell
