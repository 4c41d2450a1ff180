// ImportRoutes: assigns the series of an import to its workers.
//
// The later of two lines with the same series and instant wins, so all lines of a series go to one
// worker, in every spelling: with tags in another order, other blanks, or another encoding. Each
// new spelling is parsed once; then its hash leads to the worker. Two spellings with the same
// 64-bit hash would share a route. This is harmless unless a series also has another spelling, and
// both spellings give the same instant.
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

// With more spellings, the routes are dropped and learned again. This limit needs about 100 MB.
inline constexpr size_t kImportRoutesMax = 4'000'000;

class ImportRoutes {
 public:
  // REQUIRES: 1 <= workers <= 256.
  explicit ImportRoutes(size_t workers, size_t routes_max = kImportRoutesMax)
      : workers_(workers), routes_max_(routes_max) {}

  // Sets workers[i] to the worker of points[i]; false, with `workers` unspecified, if a spelling is
  // new. REQUIRES: workers.size() >= points.size().
  bool FindAll(std::span<const LinePoint> points, std::span<uint8_t> workers) const;

  // Adds routes for the new spellings of `points`.
  void Learn(std::span<const LinePoint> points);

 private:
  const size_t workers_;
  const size_t routes_max_;
  mutable SharedMutex mutex_;
  absl::flat_hash_map<uint64_t, uint8_t> worker_of_ ABSL_GUARDED_BY(mutex_);  // by spelling's hash
};

}  // namespace hourcell
