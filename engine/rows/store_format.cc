#include "engine/rows/store_format.h"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {

absl::Status CheckStoreFormat(std::string_view path, std::string_view format) {
  if (format == kStoreFormat || format == kStoreFormatWithEpochs) return absl::OkStatus();
  const std::optional<uint64_t> version = ParseUnsigned(format);
  if (version.has_value() && *version > *ParseUnsigned(kStoreFormatWithEpochs)) {
    return absl::FailedPreconditionError(
        NewerFormatMessage(fmt::format("open {}: store format {}", path, *version),
                           fmt::format("{} and {}", kStoreFormat, kStoreFormatWithEpochs)));
  }
  return absl::DataLossError(fmt::format("open {}: store format {}; expected {} or {}", path,
                                         QuoteForMessage(format), kStoreFormat,
                                         kStoreFormatWithEpochs));
}

}  // namespace hourcell
