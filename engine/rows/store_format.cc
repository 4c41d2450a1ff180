#include "engine/rows/store_format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::array<std::string_view, 6> kReadFormats = {
    "1", "2", kStoreFormat, kStoreFormatOfDays, kStoreFormatOfHistograms, kStoreFormatOfDeletions};
constexpr std::string_view kReadFormatsText = "1, 2, 4, 7, 8 and 30";

}  // namespace

absl::Status CheckStoreFormat(std::string_view path, std::string_view format) {
  if (std::ranges::find(kReadFormats, format) != kReadFormats.end()) return absl::OkStatus();
  const std::optional<uint64_t> version = ParseUnsigned(format);
  if (version.has_value() && *version > *ParseUnsigned(kStoreFormatOfDeletions)) {
    return absl::FailedPreconditionError(NewerFormatMessage(
        fmt::format("open {}: store format {}", path, *version), kReadFormatsText));
  }
  return absl::DataLossError(fmt::format("open {}: store format {}; expected 1, 2, 4, 7, 8 or 30",
                                         path, QuoteForMessage(format)));
}

bool IsFormatFrom(std::string_view format, std::string_view other) {
  const std::optional<uint64_t> version = ParseUnsigned(format);
  const std::optional<uint64_t> from = ParseUnsigned(other);
  HOURCELL_DCHECK(version.has_value() && from.has_value());
  return version.value_or(0) >= from.value_or(0);
}

}  // namespace hourcell
