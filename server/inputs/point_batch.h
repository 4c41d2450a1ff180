// PointBatch: points of one request on their way into the store, with the text of their names.
//
//   char* const tags = batch.Reserve(bytes_max);
//   ... write to it ...
//   const std::string_view text = batch.Keep(tags, end);
//   batch.Add({.metric = ..., .tags = text, ...}, line);
//
// Names stay where they are until the batch is cleared. Room is kept for the next points: a point
// allocates nothing once the batch has seen some. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codec/point.h"
#include "server/inputs/name_rule.h"

namespace hourcell {

// When a batch is full: points, and bytes of their names. Each costs 72 bytes besides its names.
inline constexpr size_t kBatchPoints = 16'384;
inline constexpr size_t kBatchTextBytes = size_t{1} << 20;

class PointBatch {
 public:
  // Room for `bytes`. What is not kept of it is given out again.
  char* Reserve(size_t bytes);

  // The text from `begin` to `end`, valid until the batch is cleared. REQUIRES: `begin` is of the
  // last Reserve, or the end of what was kept of it since, and `end` within its room.
  std::string_view Keep(const char* begin, const char* end);

  // A point whose names the rule has made, and whose tags are as KeepTags writes them. `item`
  // counts what the point came from: lines or series of the request.
  void Add(const LinePoint& point, size_t item);

  // In the order in which they were added.
  std::span<const LinePoint> points() const { return points_; }
  size_t ItemOf(size_t point) const { return items_[point]; }

  // Whether the batch is to be handed on before more is added.
  bool is_full() const { return points_.size() >= kBatchPoints || text_bytes_ >= kBatchTextBytes; }

  void Clear();

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
  };

  std::vector<LinePoint> points_;
  std::vector<size_t> items_;
  std::vector<Chunk> chunks_;  // the last that is used has room
  size_t chunks_used_ = 0;
  size_t used_ = 0;        // bytes of the last chunk
  size_t text_bytes_ = 0;  // kept
};

// Tags as a LinePoint has them, named by the rule; kept by the batch. REQUIRES: there are tags, and
// no name of them is empty.
std::string_view KeepTags(const NameRule& names, std::span<const TagView> tags, PointBatch* batch);

// A time of milliseconds, in seconds where that says the same: they are stored in less.
inline Timestamp TimestampOfMs(int64_t ms) {
  return {.ms = ms, .is_ms = ms % 1000 != 0};
}

}  // namespace hourcell
