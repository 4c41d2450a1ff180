// UnlistedSeries: the series that lists of series, metrics and tags leave out, because deletes hide
// all their points. Queries of points do not use it: they find no points anyway.
//
// Announced series are not left out yet. The announcer looks for their points, and then leaves out
// the series without points that are still announced. So no point that is put meanwhile is missed:
//
//   Announce          Show of each series that gets a point       Leave
//      |  look for open hours, then for rows and histograms         |
//
// Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "codec/base/mutex.h"
#include "codec/rows/uid.h"
#include "engine/rows/series_key.h"

namespace hourcell {

// A set of series numbers. Immutable; thread-safe.
class SeriesSet {
 public:
  using Pointer = std::shared_ptr<const SeriesSet>;  // null: an empty set

  SeriesSet();
  ~SeriesSet();
  SeriesSet(const SeriesSet&) = delete;
  SeriesSet& operator=(const SeriesSet&) = delete;

  bool Contains(SeriesNumber number) const;

  // False: no series of the metric is in the set.
  bool MayContainOf(Uid metric) const;

  // The numbers that are in `a` and not in `b`, ascending.
  static std::vector<SeriesNumber> Difference(const Pointer& a, const Pointer& b);
  // The numbers that are in both.
  static Pointer Intersection(const Pointer& a, const Pointer& b);

 private:
  friend class UnlistedSeries;
  struct Bits;
  std::unique_ptr<Bits> bits_;
};

class UnlistedSeries {
 public:
  UnlistedSeries();
  ~UnlistedSeries();

  // The series that are left out now.
  SeriesSet::Pointer Now() const;

  // False if Show does nothing.
  bool is_any() const { return is_any_.load(); }

  // These series, and no others, are announced.
  void Announce(std::span<const SeriesNumber> numbers);

  // Leaves out those of `numbers` that are still announced. `metrics`: the metrics of all of them.
  void Leave(std::span<const Uid> metrics, std::span<const SeriesNumber> numbers);

  // Lists show these series again, and they are not announced any more.
  void Show(std::span<const SeriesNumber> numbers);

 private:
  std::atomic<bool> is_any_{false};
  mutable Mutex mutex_;
  SeriesSet::Pointer unlisted_ ABSL_GUARDED_BY(mutex_);
  SeriesSet announced_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
