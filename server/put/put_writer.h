// PutWriter: points of requests into the store, as /api/put and the inputs of other formats
// (server/inputs) write them, and the counters of what became of them. An acknowledged point means
// the same whichever of them took it. Thread-safe.

#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/point.h"
#include "codec/text/point_error.h"
#include "engine/stats.h"
#include "engine/tsdb.h"

namespace hourcell {

// Takes so many points in place of Tsdb::Append; for tests of stores that fail.
using AppendInPlace =
    std::function<CommitTicket(size_t, std::vector<RefusedPoint>*, const AppendOptions&)>;

// How the points of one request are written.
struct PutWish {
  bool sync = false;      // fsync before they are acknowledged
  bool may_wait = false;  // HttpRequest::may_wait
  // Of servers that have forwarded the points; borrowed.
  std::string_view via = {};
};

class PutWriter {
 public:
  // `tsdb` is borrowed and outlives the object. `in_place` may be null. `new_series`, which is
  // borrowed and may be null, limits the series that its points create. Counts rpc.put.points and
  // rpc.put.errors.
  PutWriter(Tsdb* tsdb, AppendInPlace in_place, const NewSeriesQuota* new_series = nullptr);

  // Hands a batch to the store, as Tsdb::Append. A request that may not wait is not made to: the
  // ticket is kAborted where it would have to, and none of the points is taken. REQUIRES: there are
  // points.
  CommitTicket Append(std::span<const PointView> points,
                      std::vector<RefusedPoint>* refused,
                      const PutWish& wish) const;
  CommitTicket Append(std::span<const LinePoint> points,
                      std::vector<RefusedPoint>* refused,
                      const PutWish& wish) const;

  // What became of points: acknowledged; not in time; refused; not acknowledged, as `failure` says
  // of their batch.
  void CountAcknowledged(size_t points) const { points_->Add(points); }
  void CountLate(size_t points) const { timeouts_->Add(points); }
  void CountRefused(PointErrorKind kind, size_t points) const;
  void CountFailed(const absl::Status& failure, size_t points) const;

 private:
  template <typename Point>
  CommitTicket AppendAll(std::span<const Point> points,
                         std::vector<RefusedPoint>* refused,
                         const PutWish& wish) const;

  Tsdb* const tsdb_;
  const AppendInPlace in_place_;
  const NewSeriesQuota* const new_series_;
  Counter* const points_;
  Counter* const invalid_values_;
  Counter* const illegal_arguments_;
  Counter* const unknown_names_;
  Counter* const throttled_;
  Counter* const storage_errors_;
  Counter* const timeouts_;
};

// What a client is told of a point that the store refused.
std::string RefusalText(const PointError& error);

// Whether the same points may be taken later. REQUIRES: `failure` is not OK.
bool IsForLater(const absl::Status& failure);
// Whether it is the points that are not wanted, as a StoreObserver may say of them.
bool IsUnwanted(const absl::Status& failure);

}  // namespace hourcell
