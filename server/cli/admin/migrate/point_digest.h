// PointDigest: a digest of a set of points, independent of their order and storage: their number,
// and the sum of their hashes (XXH3 of names, time and value). Two stores with the same points have
// the same digest; others have the same one with a probability of about 2^-64. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>

#include "engine/tsdb.h"

namespace hourcell {

class PointDigest {
 public:
  // Adds the points of a row from a scan.
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
