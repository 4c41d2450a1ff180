#include "engine/rows/annotation_key.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/object_qualifier.h"

namespace hourcell {
namespace {

// The size of the qualifier at the end of the key, if the key ends with one.
size_t QualifierSize(const RowKeyCodec& row_keys, std::string_view key) {
  constexpr size_t kMs = 5;
  constexpr size_t kSeconds = 3;
  if (key.size() < row_keys.tags_offset() + kMs) return kSeconds;
  const size_t tag_bytes = key.size() - row_keys.tags_offset() - kMs;
  const bool is_ms =
      tag_bytes % row_keys.layout().pair_width() == 0 && key[key.size() - kMs + 1] == '\0';
  return is_ms ? kMs : kSeconds;
}

absl::Status Damaged(std::string_view key, std::string_view fault) {
  return absl::DataLossError(fmt::format("annotation key {}: {}", ToHex(key.substr(0, 64)), fault));
}

}  // namespace

void AppendAnnotationKey(const RowKeyCodec& row_keys,
                         std::string_view tsuid,
                         const Timestamp& start,
                         std::string* out) {
  HOURCELL_DCHECK(start.ms >= 0 && start.ms <= kTimestampMsMax);
  const uint32_t base_time_s = kAnnotationRowSpan.BaseS(start.ms);
  if (tsuid.empty()) {
    row_keys.AppendGlobal(base_time_s, out);
  } else {
    row_keys.Append(tsuid, base_time_s, out);
  }
  AppendObjectQualifier(ObjectQualifierAt(kAnnotationType, start), out);
}

// An instant has one key, whether it was given in seconds or in milliseconds.
void AppendHistogramKey(const RowKeyCodec& row_keys,
                        std::string_view tsuid,
                        int64_t time_ms,
                        std::string* out) {
  HOURCELL_DCHECK(time_ms >= 0 && time_ms <= kTimestampMsMax);
  row_keys.Append(tsuid, kAnnotationRowSpan.BaseS(time_ms), out);
  AppendObjectQualifier(
      ObjectQualifierAt(kHistogramType, {.ms = time_ms, .is_ms = time_ms % 1000 != 0}), out);
}

absl::StatusOr<AnnotationKeyView> ParseAnnotationKey(const RowKeyCodec& row_keys,
                                                     std::string_view key) {
  const size_t size = std::min(key.size(), QualifierSize(row_keys, key));
  const std::string_view row = key.substr(0, key.size() - size);
  HOURCELL_ASSIGN_OR_RETURN(const ObjectQualifier qualifier,
                            ParseObjectQualifier(key.substr(row.size())));
  if (qualifier.type != kAnnotationType && qualifier.type != kHistogramType) {
    return Damaged(key,
                   fmt::format("expected {} or {}, got an object of type {}", int{kAnnotationType},
                               int{kHistogramType}, int{qualifier.type}));
  }
  const int64_t offset_ms = qualifier.offset_ms;
  if (const std::optional<uint32_t> base_time_s = row_keys.ParseGlobal(row)) {
    if (qualifier.type != kAnnotationType) return Damaged(key, "a histogram without a series");
    return AnnotationKeyView{.metric = {},
                             .tags = {},
                             .start_ms = int64_t{*base_time_s} * 1000 + offset_ms,
                             .type = qualifier.type};
  }
  HOURCELL_ASSIGN_OR_RETURN(const RowKeyView parsed, row_keys.Parse(row));
  return AnnotationKeyView{.metric = parsed.metric,
                           .tags = parsed.tags,
                           .start_ms = int64_t{parsed.base_time_s} * 1000 + offset_ms,
                           .type = qualifier.type};
}

}  // namespace hourcell
