// Columns and Span: points on their way through a query, as arrays rather than as objects.
//
// A source yields ColumnBlocks: the points of one series in one row. A Span is the points of one
// series in the scanned range, ascending. Stages take spans and give spans.

#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codec/point.h"

namespace hourcell {

// One row's worth of one series, as a reader source yields it.
struct ColumnBlock {
  uint64_t series = 0;  // series number
  uint32_t base_time_s = 0;
  std::vector<int64_t> t;      // Unix milliseconds, ascending strictly
  std::vector<uint64_t> v;     // int64 two's complement or bits of a binary64
  std::vector<uint8_t> flags;  // bit 3 (8) set: floating point
};

// INVARIANT: the three arrays have one size; t ascends strictly.
struct Span {
  std::vector<int64_t> t;
  std::vector<uint64_t> v;
  std::vector<uint8_t> is_float;  // 0 or 1
  // The number of stored points that each point replaces; empty: one each. Only spans of a query
  // with windows have weights, and their values are floating point.
  std::vector<uint32_t> weights = {};

  size_t size() const { return t.size(); }
  bool empty() const { return t.empty(); }

  Value value(size_t i) const {
    return is_float[i] != 0 ? Value::Float(std::bit_cast<double>(v[i]))
                            : Value::Integer(static_cast<int64_t>(v[i]));
  }
  double ToDouble(size_t i) const {
    return is_float[i] != 0 ? std::bit_cast<double>(v[i])
                            : static_cast<double>(static_cast<int64_t>(v[i]));
  }
  void push_back(int64_t ms, Value value) {
    t.push_back(ms);
    v.push_back(value.is_integer() ? static_cast<uint64_t>(value.integer())
                                   : std::bit_cast<uint64_t>(value.floating()));
    is_float.push_back(value.is_integer() ? 0 : 1);
  }

  friend bool operator==(const Span&, const Span&) = default;
};

// Memory of a point of a Span.
inline constexpr size_t kSpanPointBytes = sizeof(int64_t) + sizeof(uint64_t) + sizeof(uint8_t);

// A part of a Span, borrowed.
struct SpanView {
  std::span<const int64_t> t;
  std::span<const uint64_t> v;
  std::span<const uint8_t> is_float;
  std::span<const uint32_t> weights = {};  // as Span's

  size_t size() const { return t.size(); }
  bool empty() const { return t.empty(); }
  Value value(size_t i) const {
    return is_float[i] != 0 ? Value::Float(std::bit_cast<double>(v[i]))
                            : Value::Integer(static_cast<int64_t>(v[i]));
  }
  double ToDouble(size_t i) const {
    return is_float[i] != 0 ? std::bit_cast<double>(v[i])
                            : static_cast<double>(static_cast<int64_t>(v[i]));
  }
};

}  // namespace hourcell
