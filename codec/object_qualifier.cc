#include "codec/object_qualifier.h"

#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/limits.h"

namespace hourcell {

ObjectQualifier ObjectQualifierAt(uint8_t type, const Timestamp& time) {
  HOURCELL_DCHECK(time.ms >= 0 && time.ms <= kTimestampMsMax);
  const bool is_whole_second = time.ms % 1000 == 0;
  HOURCELL_DCHECK(time.is_ms || is_whole_second);
  return {.type = type,
          .offset_ms = static_cast<uint32_t>(time.ms % kQualifierSpanMs),
          .is_ms = time.is_ms && !(type == kAnnotationType && is_whole_second)};
}

void AppendObjectQualifier(const ObjectQualifier& qualifier, std::string* out) {
  HOURCELL_DCHECK(qualifier.offset_ms < kQualifierSpanMs);
  HOURCELL_DCHECK(qualifier.is_ms || qualifier.offset_ms % 1000 == 0);
  out->push_back(static_cast<char>(qualifier.type));
  if (qualifier.is_ms) {
    AppendBigEndian(qualifier.offset_ms, 4, out);
  } else {
    AppendBigEndian(qualifier.offset_ms / 1000, 2, out);
  }
}

absl::StatusOr<ObjectQualifier> ParseObjectQualifier(std::string_view bytes) {
  if (bytes.size() != 3 && bytes.size() != 5) {
    return absl::DataLossError(fmt::format("object qualifier {}: expected 3 or 5, got {} bytes",
                                           ToHex(bytes.substr(0, 16)), bytes.size()));
  }
  const bool is_ms = bytes.size() == 5;
  const uint64_t number = LoadBigEndian(bytes.data() + 1, bytes.size() - 1);
  const uint64_t offset_ms = is_ms ? number : number * 1000;
  if (offset_ms >= kQualifierSpanMs) {
    return absl::DataLossError(
        fmt::format("object qualifier {}: offset {} ms; expected less than {}", ToHex(bytes),
                    offset_ms, kQualifierSpanMs));
  }
  return ObjectQualifier{.type = static_cast<uint8_t>(bytes.front()),
                         .offset_ms = static_cast<uint32_t>(offset_ms),
                         .is_ms = is_ms};
}

}  // namespace hourcell
