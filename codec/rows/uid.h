// Uid: the number of a name in row keys; UidKind: its name space, one of three.
//
// A Uid is stored big-endian in the width the layout gives its kind, so its numeric order is its
// byte order. 0 is never assigned.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// ON DISK: do not renumber.
enum class UidKind : uint8_t { kMetric = 0, kTagk = 1, kTagv = 2 };

inline constexpr UidKind kUidKinds[] = {UidKind::kMetric, UidKind::kTagk, UidKind::kTagv};

// "metrics", "tagk", "tagv": OpenTSDB's qualifiers and the words of its tools and messages.
std::string_view KindName(UidKind kind);

// The kind of such a word; kInvalidArgument for another.
absl::StatusOr<UidKind> ParseKindName(std::string_view name);

using Uid = uint64_t;
inline constexpr Uid kNoUid = 0;

// The stored bytes of `uid`. kInvalidArgument if it does not fit `width` bytes.
absl::StatusOr<std::string> UidToBytes(Uid uid, size_t width);

// The number in `bytes`. kInvalidArgument unless it has exactly `width` bytes.
absl::StatusOr<Uid> UidFromBytes(std::string_view bytes, size_t width);

// UID bytes of hex text as OpenTSDB reads it: either case, odd length gets a leading 0, shorter
// than `width` bytes is padded on the left with zeros (width 0: no padding).
// kInvalidArgument: empty, not hex.
absl::StatusOr<std::string> UidBytesFromHex(std::string_view hex, size_t width);

}  // namespace hourcell
