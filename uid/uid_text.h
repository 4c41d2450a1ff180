// The text of UIDs and of their faults, in OpenTSDB's words where it has some; and the number of
// UIDs of a width. For the files of uid/ only. Pure.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/strings.h"
#include "codec/rows/uid.h"

namespace hourcell {

// The largest UID of `width` bytes. With 8 bytes it is OpenTSDB's maximum, whose UIDs are signed.
inline Uid MaxUid(size_t width) {
  return std::min(MaxUnsigned(width), uint64_t{std::numeric_limits<int64_t>::max()});
}

// "00002A": upper case, two digits a byte of `width`.
inline std::string UidHex(Uid uid, size_t width) {
  return fmt::format("{:0{}X}", uid, 2 * width);
}

inline absl::Status NoSuchName(UidKind kind, std::string_view name) {
  return absl::NotFoundError(
      fmt::format("No such name for '{}': '{}'", KindName(kind), TextForMessage(name)));
}

inline absl::Status NoSuchUid(UidKind kind, Uid uid, size_t width) {
  return absl::NotFoundError(
      fmt::format("No such unique ID for '{}': {}", KindName(kind), UidHex(uid, width)));
}

}  // namespace hourcell
