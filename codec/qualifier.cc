#include "codec/qualifier.h"

#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/limits.h"

namespace hourcell {

size_t StoreQualifier(const Qualifier& qualifier, char* out) {
  HOURCELL_DCHECK(qualifier.offset_ms < kQualifierSpanMs && qualifier.flags <= kFlagsMask);
  if (qualifier.is_ms) {
    StoreBigEndian(0xF0000000U | (qualifier.offset_ms << 6) | qualifier.flags, 4, out);
    return 4;
  }
  HOURCELL_DCHECK(qualifier.offset_ms % 1000 == 0);
  StoreBigEndian((qualifier.offset_ms / 1000 << 4) | qualifier.flags, 2, out);
  return 2;
}

void AppendQualifier(const Qualifier& qualifier, std::string* out) {
  char buffer[kQualifierBytesMax];
  out->append(buffer, StoreQualifier(qualifier, buffer));
}

absl::StatusOr<Qualifier> ParseQualifier(std::string_view bytes) {
  const size_t want = !bytes.empty() && IsMsQualifier(bytes.front()) ? 4 : 2;
  if (bytes.size() < want) {
    return absl::DataLossError(fmt::format("qualifier {}: cut short; expected {} bytes, got {}",
                                           ToHex(bytes), want, bytes.size()));
  }
  const auto number = static_cast<uint32_t>(LoadBigEndian(bytes.data(), want));
  const Qualifier qualifier{
      .offset_ms = want == 4 ? (number & 0x0FFFFFC0U) >> 6 : (number >> 4) * 1000,
      .is_ms = want == 4,
      .flags = static_cast<uint8_t>(number & kFlagsMask)};
  if (qualifier.offset_ms >= kQualifierSpanMs) {
    return absl::DataLossError(fmt::format("qualifier {}: offset {} ms; expected less than {}",
                                           ToHex(bytes.substr(0, want)), qualifier.offset_ms,
                                           kQualifierSpanMs));
  }
  return qualifier;
}

bool AreReadableFlags(uint8_t flags) {
  constexpr uint32_t kReadable =
      1U << 0x0 | 1U << 0x1 | 1U << 0x3 | 1U << 0x7 | 1U << 0xB | 1U << 0xF;
  return flags <= kFlagsMask && (kReadable >> flags & 1U) != 0;
}

}  // namespace hourcell
