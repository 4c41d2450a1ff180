// A data point as callers pass it: names as text, time, value. Views only borrow.

#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

namespace hourcell {

// A value as OpenTSDB distinguishes them: an integer or a floating-point number.
class Value {
 public:
  constexpr Value() : bits_(0), is_integer_(true) {}
  static constexpr Value Integer(int64_t value) { return {static_cast<uint64_t>(value), true}; }
  static constexpr Value Float(double value) { return {std::bit_cast<uint64_t>(value), false}; }

  constexpr bool is_integer() const { return is_integer_; }
  // REQUIRES: is_integer().
  constexpr int64_t integer() const { return static_cast<int64_t>(bits_); }
  // REQUIRES: !is_integer().
  constexpr double floating() const { return std::bit_cast<double>(bits_); }
  // Either kind as a double.
  constexpr double ToDouble() const {
    return is_integer_ ? static_cast<double>(integer()) : floating();
  }

  // Special values are the floats that are not finite: infinities, NaN, and the NaN with which
  // Prometheus marks the end of a series. They are stored bit for bit; queries omit them unless
  // they request them. NaN has the bits with which Prometheus writes it.
  static constexpr uint64_t kSpecialBits = 0x7FF0000000000000;  // all set: a special value
  static constexpr uint64_t kStaleMarkerBits = 0x7FF0000000000002;
  static constexpr uint64_t kNanBits = 0x7FF8000000000001;
  static constexpr Value StaleMarker() { return {kStaleMarkerBits, false}; }
  static constexpr Value NotANumber() { return {kNanBits, false}; }
  constexpr bool is_special() const {
    return !is_integer_ && (bits_ & kSpecialBits) == kSpecialBits;
  }
  constexpr bool is_stale_marker() const { return !is_integer_ && bits_ == kStaleMarkerBits; }

  // Bit for bit, so that a NaN equals itself and 0.0 differs from -0.0.
  friend constexpr bool operator==(const Value&, const Value&) = default;

 private:
  constexpr Value(uint64_t bits, bool is_integer) : bits_(bits), is_integer_(is_integer) {}

  uint64_t bits_;
  bool is_integer_;
};

// An instant and the precision it was given in, which the stored qualifier keeps.
struct Timestamp {
  int64_t ms = 0;      // since 1970; a multiple of 1000 if !is_ms
  bool is_ms = false;  // given in milliseconds, stored with a 4-byte qualifier
  friend bool operator==(const Timestamp&, const Timestamp&) = default;
};

struct TagView {
  std::string_view key;
  std::string_view value;
  friend bool operator==(const TagView&, const TagView&) = default;
};

// One point to store. Names are UTF-8. INVARIANT: tag keys do not repeat; their order is free.
struct PointView {
  std::string_view metric;
  std::span<const TagView> tags;
  Timestamp timestamp;
  Value value;
  // Its names may have every character that the store accepts; else only OpenTSDB's.
  bool has_any_names = false;
  // Its value may be special; else the stale marker is the only special value that is accepted.
  bool may_be_special = false;
};

// One point of a line whose series is still text: the line without its time and value. Equal bytes
// mean the same series, so a store that has seen them does not parse them again.
struct LinePoint {
  std::string_view metric;  // a word as received
  std::string_view tags;    // the text after the value: "host=web01 dc=lga", unchecked
  Timestamp timestamp;
  Value value;
  // As in PointView. If true, the names are UTF-8, and kTagSeparator precedes each name of the
  // tags: "\1host\1web 01\1dc\1lga".
  bool has_any_names = false;
  bool may_be_special = false;  // as in PointView
};

// A control character, which names cannot contain.
inline constexpr char kTagSeparator = '\1';

}  // namespace hourcell
