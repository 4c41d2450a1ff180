// The bytes of a spool: blocks of points with their names, and the note of what was sent. Pure
// functions; engine/spool/point_spool.h says what a spool is.
//
// A block is the payload of a journal block, which has the length and the checksum
// (engine/journal/journal_block.h). Integers of a fixed width are big-endian.
//
//   block   = 01 | points before: 8 | points: 4 | time: 8 | { point }
//   point   = flags: 1 | [name metric] | [varint n | n x (name key | name value)] | time | value
//   name    = varint length | bytes, UTF-8
//   time    = varint, seconds, or milliseconds
//   value   = zigzag varint of an integer, or 8 bytes of a binary64
//
//   flags   1 time in milliseconds; 2 value is a binary64; 4 metric of the point before; 8 tags of
//           the point before. Others are 0.
//
// points before: how many points were in all blocks in front of this one, over the life of the
// spool, so that a reader who misses blocks knows how many points they had. time: of the clock, in
// milliseconds since 1970, when the block was written.
//
//   position, 20 bytes = sequence: 8 | points: 8 | CRC32C of those: 4
//
// All blocks below `sequence` are done with; `points` is "points before" of the block that has it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/point.h"

namespace hourcell {

inline constexpr size_t kSpoolBlockHeaderBytes = 21;

struct SpoolBlockHeader {
  uint64_t points_before = 0;
  uint32_t points = 0;
  int64_t time_ms = 0;
  friend bool operator==(const SpoolBlockHeader&, const SpoolBlockHeader&) = default;
};

struct SpoolPosition {
  uint64_t sequence = 0;
  uint64_t points = 0;
  friend bool operator==(const SpoolPosition&, const SpoolPosition&) = default;
};

// Points and the lists of their tags, which several may share.
struct SpooledPoints {
  std::deque<std::vector<TagView>> tags;
  std::vector<PointView> points;
};

// Appends the points. The first refers to none before it.
void AppendSpooledPoints(std::span<const PointView> points, std::string* out);

// Writes the header over the first bytes of `block`. REQUIRES: it has kSpoolBlockHeaderBytes.
void SetSpoolBlockHeader(const SpoolBlockHeader& header, std::string* block);

// kDataLoss: it is cut short, or its version is another.
absl::StatusOr<SpoolBlockHeader> DecodeSpoolBlockHeader(std::string_view block);

// Appends the points of a block, which borrow of it. kDataLoss: the block is no block; `*out` may
// have some of its points then.
absl::Status DecodeSpoolBlock(std::string_view block, SpooledPoints* out);

std::string EncodeSpoolPosition(const SpoolPosition& position);
// Nothing: these are not the bytes of one.
std::optional<SpoolPosition> DecodeSpoolPosition(std::string_view bytes);

}  // namespace hourcell
