#include "codec/rows/uid.h"

#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/strings.h"

namespace hourcell {

std::string_view KindName(UidKind kind) {
  switch (kind) {
    case UidKind::kMetric:
      return "metrics";
    case UidKind::kTagk:
      return "tagk";
    case UidKind::kTagv:
      return "tagv";
  }
  HOURCELL_CHECK(false);
}

absl::StatusOr<UidKind> ParseKindName(std::string_view name) {
  for (const UidKind kind : kUidKinds) {
    if (name == KindName(kind)) return kind;
  }
  return absl::InvalidArgumentError(
      fmt::format("uid kind: expected metrics, tagk or tagv, got {}", QuoteForMessage(name)));
}

absl::StatusOr<std::string> UidToBytes(Uid uid, size_t width) {
  if (width < 1 || width > 8 || uid > MaxUnsigned(width)) {
    return absl::InvalidArgumentError(fmt::format(
        "uid: {} does not fit {} bytes; expected 1 to 8 bytes that hold it", uid, width));
  }
  std::string bytes;
  AppendBigEndian(uid, width, &bytes);
  return bytes;
}

absl::StatusOr<Uid> UidFromBytes(std::string_view bytes, size_t width) {
  if (width < 1 || width > 8 || bytes.size() != width) {
    return absl::InvalidArgumentError(fmt::format("uid {}: expected {}, of 1 to 8, got {} bytes",
                                                  ToHex(bytes.substr(0, 16)), width, bytes.size()));
  }
  return LoadBigEndian(bytes.data(), width);
}

absl::StatusOr<std::string> UidBytesFromHex(std::string_view hex, size_t width) {
  if (hex.empty()) {
    return absl::InvalidArgumentError("uid hex: empty; expected hex digits");
  }
  std::string even = hex.size() % 2 == 0 ? "" : "0";
  even += hex;
  absl::StatusOr<std::string> bytes = FromHex(even);
  if (bytes.ok() && bytes->size() < width) bytes->insert(0, width - bytes->size(), '\0');
  return bytes;
}

}  // namespace hourcell
