// PointDigest: what a set of points is, whatever their order and however they are stored: how many,
// and the sum of their hashes (XXH3 of names, time and value). Two stores that have the same points
// have the same digest; others have it with a probability of about 2^-64. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>

#include "engine/tsdb.h"

namespace hourcell {

class PointDigest {
 public:
  // The points of a row as a scan shows it.
  void Add(const ScannedRow& row);

  uint64_t points() const { return points_; }

  friend bool operator==(const PointDigest& a, const PointDigest& b) {
    return a.points_ == b.points_ && a.sum_ == b.sum_;
  }

 private:
  std::string series_;  // of the row: metric and tags by name
  uint64_t points_ = 0;
  uint64_t sum_ = 0;  // modulo 2^64
};

}  // namespace hourcell
