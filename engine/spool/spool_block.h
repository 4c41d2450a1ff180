// The bytes of a spool: blocks of points with their names, and the position of the reader. Pure
// functions; engine/spool/point_spool.h describes the spool.
//
// A block is the payload of a journal block, which has the length and the checksum
// (engine/journal/journal_block.h). Integers of a fixed width are big-endian.
//
//   block   = 01 | points before: 8 | points: 4 | time: 8 | { point }
//   block   = 02 | points before: 8 | points: 4 | time: 8 | name via | { point }
//   block   = 03 or 04: as 01 and 02, with histograms among the points
//   point   = flags: 1 | [name metric] | [varint n | n x (name key | name value)] | time | value
//   name    = varint length | bytes, UTF-8
//   time    = varint, seconds, or milliseconds
//   value   = zigzag varint of an integer, or 8 bytes of a binary64
//           = varint length | cell of a histogram (engine/rows/histogram_cell.h)
//
//   flags   1 time in milliseconds; 2 value is a binary64; 4 metric of the point before; 8 tags of
//           the point before; 16 histogram, in blocks 03 and 04. Others are 0.
//
// points before: the number of points in all earlier blocks, over the life of the spool, so that a
// reader that misses blocks knows how many points they had. time: when the block was written, in
// milliseconds since 1970. via: the ids of the servers that have forwarded the points to this one,
// the latest first, separated by commas; a block of points from clients has version 01 or 03.
//
//   position, 44 bytes = sequence: 8 | points: 8 | dropped: 8 | dropped after: 8 | total: 8
//                        | CRC32C of these: 4
//
// All blocks below `sequence` are done; `points` is "points before" of the block `sequence`. Before
// that block, `dropped` points were dropped and not sent; after it, `dropped after` points could
// not be written. `total` is "points before" of the next block to be written. Earlier versions
// wrote 20 bytes, without the three.

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
// Bytes of the ids of servers, 16 hexadecimal digits each.
inline constexpr size_t kViaBytesMax = 16 * 17;

struct SpoolBlockHeader {
  uint64_t points_before = 0;
  uint32_t points = 0;
  int64_t time_ms = 0;
  bool has_histograms = false;
  friend bool operator==(const SpoolBlockHeader&, const SpoolBlockHeader&) = default;
};

struct SpoolPosition {
  uint64_t sequence = 0;
  uint64_t points = 0;
  uint64_t dropped = 0;
  uint64_t dropped_after = 0;
  uint64_t total = 0;
  friend bool operator==(const SpoolPosition&, const SpoolPosition&) = default;
};

// Points and the lists of their tags, which several may share.
struct SpooledPoints {
  std::deque<std::vector<TagView>> tags;
  std::vector<PointView> points;
  std::vector<std::string_view> cells;  // of each point; empty: it is a number

  void Truncate(size_t size) {
    points.resize(size);
    cells.resize(size);
  }
};

// True if these are ids in the format of `via`; empty is valid, and means that clients sent the
// points.
bool IsVia(std::string_view via);

// Appends the bytes of `via` between the header and the points of a block; nothing if it is empty.
// REQUIRES: IsVia.
void AppendSpoolVia(std::string_view via, std::string* out);

// Appends the points. The first does not refer to an earlier point. `cells` is empty, or has the
// histogram of each point; an empty one: the point is a number.
void AppendSpooledPoints(std::span<const PointView> points,
                         std::string* out,
                         std::span<const std::string_view> cells = {});

// Writes the header over the first bytes of `block`; its `via`, if any, follows. REQUIRES: `block`
// has kSpoolBlockHeaderBytes.
void SetSpoolBlockHeader(const SpoolBlockHeader& header, bool has_via, std::string* block);

// kDataLoss: the block is truncated, or has another version.
absl::StatusOr<SpoolBlockHeader> DecodeSpoolBlockHeader(std::string_view block);

// Appends the points and histograms of a block; they borrow from it. kDataLoss: the block is
// invalid; `*out` may have some of its points then.
absl::Status DecodeSpoolBlock(std::string_view block, SpooledPoints* out);

// The `via` of a block, borrowed from it; empty if the block lacks one or is invalid.
std::string_view SpoolViaOf(std::string_view block);

std::string EncodeSpoolPosition(const SpoolPosition& position);
// nullopt: the bytes are not a position.
std::optional<SpoolPosition> DecodeSpoolPosition(std::string_view bytes);

}  // namespace hourcell
