// ImportRoutes: which worker of an import appends the points of a series.
//
// Of two points of one series and instant the later line wins, so all lines of a series go to one
// worker, however they spell it: with tags in another order, other blanks, or another encoding. A
// spelling is taken apart once, when it is new; after that its hash leads to the worker. Two
// spellings of one hash of 64 bits would share a route, which is harmless unless one of them
// is spelled in another way, too, and the same instant comes in both.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <absl/container/flat_hash_map.h>

#include "codec/base/mutex.h"
#include "codec/point.h"

namespace hourcell {

// Beyond so many spellings the routes are forgotten and learned again: about 100 MB.
inline constexpr size_t kImportRoutesMax = 4'000'000;

class ImportRoutes {
 public:
  // REQUIRES: 1 <= workers <= 256.
  explicit ImportRoutes(size_t workers, size_t routes_max = kImportRoutesMax)
      : workers_(workers), routes_max_(routes_max) {}

  // workers[i] is the one of points[i]; false, and nothing said, if a spelling is new.
  // REQUIRES: as many of both, or more workers.
  bool FindAll(std::span<const LinePoint> points, std::span<uint8_t> workers) const;

  // Learns the new ones among the spellings of `points`.
  void Learn(std::span<const LinePoint> points);

 private:
  const size_t workers_;
  const size_t routes_max_;
  mutable SharedMutex mutex_;
  absl::flat_hash_map<uint64_t, uint8_t> worker_of_ ABSL_GUARDED_BY(mutex_);  // by spelling's hash
};

}  // namespace hourcell
