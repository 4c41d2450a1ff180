#include "engine/rows/store_format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::array<std::string_view, 5> kReadFormats = {
    "1", "2", kStoreFormat, kStoreFormatOfDays, kStoreFormatOfHistograms};
constexpr std::string_view kReadFormatsText = "1, 2, 4, 7 and 8";

}  // namespace

absl::Status CheckStoreFormat(std::string_view path, std::string_view format) {
  if (std::ranges::find(kReadFormats, format) != kReadFormats.end()) return absl::OkStatus();
  const std::optional<uint64_t> version = ParseUnsigned(format);
  if (version.has_value() && *version > *ParseUnsigned(kStoreFormatOfHistograms)) {
    return absl::FailedPreconditionError(NewerFormatMessage(
        fmt::format("open {}: store format {}", path, *version), kReadFormatsText));
  }
  return absl::DataLossError(fmt::format("open {}: store format {}; expected 1, 2, 4, 7 or 8", path,
                                         QuoteForMessage(format)));
}

}  // namespace hourcell
