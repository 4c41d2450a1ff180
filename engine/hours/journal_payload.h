// The payload of a journal block: points, and the names of series that are new.
//
//   payload    = defines: 1 | { section }            01 if there is a definition, else 00
//   section    = fd | varint bytes | varint defining | varint stride | varint residue
//                   | { definition } | { point }     each lane's part; deltas begin anew
//              | ff | { record }                     the same, in any order, of any series
//   record     = definition | point
//   definition = fe | varint number | name metric | varint n | n x (name tagk | name tagv)
//   name       = varint UID | varint length | bytes, UTF-8
//   point      = token: [series: 2 bits][time: 2 bits][value: 4 bits] | series | time | value
//     series   0 the series before; 1 its number + 1; 2 zigzag varint of the difference
//     time     0 the time and precision before; 1 zigzag varint of the difference in seconds,
//              seconds precision; 2 in milliseconds, milliseconds precision
//     value    0 integer: zigzag varint; 1 binary64 that is a binary32: 4 bytes;
//              2 binary64: 8 bytes; 3 + n: the integer n, 0 to 12
//
// bytes: the length after the header; the first `defining` bytes are definitions. Each point's
// series is `residue` modulo `stride`; with stride 0 it is `residue` itself. So a replay knows
// whose lane a section is, however many lanes there are by now, and skips other lanes' sections. A
// section ff goes to the next ff or fd; no lane writes it any more.
//
// Floats are little-endian. A series is defined in the journal before its first point, as long as
// the rows that define it in the tables are not synced. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/point.h"
#include "codec/rows/tsuid.h"
#include "codec/rows/uid.h"
#include "engine/hours/series_definition.h"
#include "engine/rows/series_key.h"

namespace hourcell {

// All series of a section: those that are `residue` modulo `stride`; of stride 0, `residue` alone.
struct SeriesClass {
  uint64_t stride = 1;
  SeriesNumber residue = 0;

  // True if all series of the class are the same modulo `count`.
  bool IsOneOf(size_t count) const { return stride % count == 0; }
  friend bool operator==(const SeriesClass&, const SeriesClass&) = default;
};

// Writes the section of one lane. Thread-compatible.
class JournalPayloadWriter {
 public:
  void Add(SeriesNumber series, Timestamp time, Value value);
  void Define(const SeriesDefinition& definition);

  // Completes the section with its header and its definitions; does nothing to an empty one.
  // REQUIRES: all series added are of the class; nothing is added from now on, but for Clear.
  void Finish(const SeriesClass& series);

  bool has_definitions() const { return !definitions_.empty(); }

  // The section; empty if nothing was added. Before Finish, a section ff without the definitions.
  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(data_.get()) + begin_, size_ - begin_};
  }

  // Begins anew; the memory stays for the next section unless it is much.
  void Clear();

 private:
  uint8_t* Reserve(size_t bytes);

  std::unique_ptr<uint8_t[]> data_;
  size_t begin_ = 0;  // of the header, after room for a longer one
  size_t size_ = 0;
  size_t capacity_ = 0;
  std::string definitions_;
  SeriesNumber series_ = 0;
  Timestamp time_;
};

// The first byte of a payload.
inline constexpr std::string_view kPayloadWithoutDefinitions("\0", 1);
inline constexpr std::string_view kPayloadWithDefinitions("\1", 1);
inline bool HasDefinitions(std::string_view payload) {
  return payload.starts_with(kPayloadWithDefinitions);
}

// A section of a payload, which it borrows from.
struct PointSection {
  SeriesClass series;
  std::string_view records;
  bool is_sorted = false;  // the definitions come first, `defining` bytes
  size_t defining = 0;

  // The records among which the definitions are, and the points.
  std::string_view definitions() const { return is_sorted ? records.substr(0, defining) : records; }
  std::string_view points() const { return records.substr(defining); }
};

// Finds the sections of a payload by their headers. An ff and everything after it is one section.
// False if they are damaged. Bounded on any bytes.
bool SplitPayload(std::string_view payload, std::vector<PointSection>* sections);

// Reads a payload, or a part of a section. Bounded on any bytes. Thread-compatible.
class JournalPayloadReader {
 public:
  explicit JournalPayloadReader(std::string_view payload);

  // Reads `part` of the records of a section.
  JournalPayloadReader(const PointSection& section, std::string_view part) { Enter(section, part); }

  enum class Event : uint8_t { kPoint, kDefinition, kEnd, kDamaged };
  Event Next();

  // Series, time and value of the last kPoint.
  SeriesNumber series() const { return series_; }
  const Timestamp& time() const { return time_; }
  const Value& value() const { return value_; }
  // The last kDefinition; borrows from the payload, and from this object until the next one.
  const SeriesDefinition& definition() const { return definition_; }

 private:
  void Enter(const PointSection& section, std::string_view records);
  bool EnterNext();
  bool TakePoint(uint8_t token);
  template <bool is_checked>
  bool TakePointAt(const uint8_t* begin, uint8_t token);
  bool IsOfClass(uint64_t step);
  bool TakeDefinition();
  bool TakeVarint(uint64_t* value);
  bool TakeName(Uid* uid, std::string_view* name);

  std::string_view rest_;  // of the payload, after the section
  bool is_readable_ = true;
  bool is_sorted_ = false;
  const uint8_t* next_ = nullptr;
  const uint8_t* end_ = nullptr;
  SeriesClass class_;
  uint64_t checked_step_ = 0;  // stays in the class
  SeriesNumber series_ = 0;
  Timestamp time_;
  Value value_;
  SeriesDefinition definition_;
  std::vector<TagView> tags_;
  std::vector<TagUids> tag_uids_;
};

}  // namespace hourcell
