// The payload of a journal block: points, and the names of series that are new.
//
//   payload    = defines: 1 | { section }            01 if there is a definition, else 00
//   section    = ff | { record }                        each lane's part; deltas begin anew
//   definition = fe | varint number | name metric | varint n | n x (name tagk | name tagv)
//   name       = varint UID | varint length | bytes, UTF-8
//   point      = token: [series: 2 bits][time: 2 bits][value: 4 bits] | series | time | value
//     series   0 the series before; 1 its number + 1; 2 zigzag varint of the difference
//     time     0 the time and precision before; 1 zigzag varint of the difference in seconds,
//              seconds precision; 2 in milliseconds, milliseconds precision
//     value    0 integer: zigzag varint; 1 binary64 that is a binary32: 4 bytes;
//              2 binary64: 8 bytes; 3 + n: the integer n, 0 to 12
//
// Floats are little-endian. A series is defined in the journal before its first point, as long as
// the rows that define it in the tables are not synced. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "codec/point.h"
#include "codec/tsuid.h"
#include "codec/uid.h"
#include "engine/series_key.h"

namespace hourcell {

// What a series is called and numbered: all that is needed to make it again. Borrows.
struct SeriesDefinition {
  SeriesNumber number = 0;
  Uid metric_uid = kNoUid;
  std::string_view metric;
  std::span<const TagView> tags;      // in any order
  std::span<const TagUids> tag_uids;  // tag_uids[i] belongs to tags[i]
};

// Writes the section of one lane. Thread-compatible.
class PointLogWriter {
 public:
  void Add(SeriesNumber series, Timestamp time, Value value);
  void Define(const SeriesDefinition& definition);

  bool has_definitions() const { return has_definitions_; }

  // The section so far; empty if nothing was added.
  std::string_view bytes() const { return {reinterpret_cast<const char*>(data_.get()), size_}; }

  // Begins anew; the memory stays for the next section unless it is much.
  void Clear();

 private:
  uint8_t* Reserve(size_t bytes);

  std::unique_ptr<uint8_t[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
  bool has_definitions_ = false;
  SeriesNumber series_ = 0;
  Timestamp time_;
};

// The first byte of a payload.
inline constexpr std::string_view kPayloadWithoutDefinitions("\0", 1);
inline constexpr std::string_view kPayloadWithDefinitions("\1", 1);
inline bool HasDefinitions(std::string_view payload) {
  return payload.starts_with(kPayloadWithDefinitions);
}

// Reads a payload. Bounded on any bytes. Thread-compatible.
class PointLogReader {
 public:
  explicit PointLogReader(std::string_view payload)
      : next_(reinterpret_cast<const uint8_t*>(payload.data())),
        end_(next_ + payload.size()),
        is_readable_(payload.starts_with(kPayloadWithoutDefinitions) || HasDefinitions(payload)) {
    if (is_readable_) ++next_;
  }

  enum class Event : uint8_t { kPoint, kDefinition, kEnd, kDamaged };
  Event Next();

  // Of the last kPoint.
  SeriesNumber series() const { return series_; }
  const Timestamp& time() const { return time_; }
  const Value& value() const { return value_; }
  // Of the last kDefinition; borrows from the payload, and from this object until the next one.
  const SeriesDefinition& definition() const { return definition_; }

 private:
  bool TakePoint(uint8_t token);
  bool TakeDefinition();
  bool TakeVarint(uint64_t* value);
  bool TakeName(Uid* uid, std::string_view* name);

  const uint8_t* next_;
  const uint8_t* end_;
  const bool is_readable_;
  SeriesNumber series_ = 0;
  Timestamp time_;
  Value value_;
  SeriesDefinition definition_;
  std::vector<TagView> tags_;
  std::vector<TagUids> tag_uids_;
};

}  // namespace hourcell
