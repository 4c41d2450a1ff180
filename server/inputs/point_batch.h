// PointBatch: collects points of one request for the store, with the text of their names.
//
//   char* const tags = batch.Reserve(bytes_max);
//   ... write to it ...
//   const std::string_view text = batch.Keep(tags, end);
//   batch.Add({.metric = ..., .tags = text, ...}, line);
//
// Names are valid until the batch is cleared. Buffers are reused: once warm, adding a point
// allocates nothing. Thread-compatible.

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

// Limits of a full batch: points, and bytes of their names. A point costs 72 bytes plus its names.
inline constexpr size_t kBatchPoints = 16'384;
inline constexpr size_t kBatchTextBytes = size_t{1} << 20;

class PointBatch {
 public:
  // Room for `bytes`. Bytes that are not kept are reused.
  char* Reserve(size_t bytes);

  // Keeps the text from `begin` to `end`, valid until the batch is cleared. REQUIRES: `begin` is
  // the result of the last Reserve, or the end of the text kept since, and `end` is within its
  // room.
  std::string_view Keep(const char* begin, const char* end);

  // Adds a point with names made by the rule, and tags as written by KeepTags. `item` is the number
  // of its line or series in the request.
  void Add(const LinePoint& point, size_t item);

  // In the order in which they were added.
  std::span<const LinePoint> points() const { return points_; }
  size_t ItemOf(size_t point) const { return items_[point]; }
  // The item of each point.
  std::span<const size_t> items() const { return items_; }

  // True if the batch must be handed on before more is added.
  bool is_full() const { return points_.size() >= kBatchPoints || text_bytes_ >= kBatchTextBytes; }

  void Clear();

 private:
  struct Chunk {
    std::unique_ptr<char[]> bytes;
    size_t size = 0;
  };

  std::vector<LinePoint> points_;
  std::vector<size_t> items_;
  std::vector<Chunk> chunks_;  // the last one in use has room
  size_t chunks_used_ = 0;
  size_t used_ = 0;        // bytes used in the last chunk
  size_t text_bytes_ = 0;  // bytes kept
};

// Writes tags in the form of LinePoint, with names made by the rule, into the batch. REQUIRES:
// there are tags, and their names are not empty.
std::string_view KeepTags(const NameRule& names, std::span<const TagView> tags, PointBatch* batch);

// Converts whole seconds from milliseconds to seconds, which take less space in the store.
inline Timestamp TimestampOfMs(int64_t ms) {
  return {.ms = ms, .is_ms = ms % 1000 != 0};
}

}  // namespace hourcell
