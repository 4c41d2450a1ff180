// PutWriter: writes the points of requests to the store, for /api/put and the inputs of other
// formats (server/inputs), and counts the results. An acknowledged point means the same for all of
// these. Thread-safe.

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

// Takes this number of points in place of Points::Append; for tests of failing stores.
using AppendInPlace =
    std::function<CommitTicket(size_t, std::vector<RefusedPoint>*, const AppendOptions&)>;

// How the points of one request are written.
struct PutMode {
  bool sync = false;      // fsync before they are acknowledged
  bool may_wait = false;  // HttpRequest::may_wait
  // The item of each point; an item is stored whole or not at all (AppendOptions::items). Borrowed.
  std::span<const size_t> items = {};
  // Limit for the series that the points create (AppendOptions::new_series); borrowed, null = none.
  const NewSeriesQuota* new_series = nullptr;
  // Servers that have forwarded the points; borrowed.
  std::string_view via = {};
};

class PutWriter {
 public:
  // `tsdb` is borrowed and outlives the object. `in_place` may be null. Counts rpc.put.points and
  // rpc.put.errors.
  PutWriter(Tsdb* tsdb, AppendInPlace in_place);

  // Hands a batch to the store, as Points::Append. If a request that may not wait had to, the
  // ticket is kAborted, and no point is stored. REQUIRES: `points` is not empty.
  CommitTicket Append(std::span<const PointView> points,
                      std::vector<RefusedPoint>* refused,
                      const PutMode& mode) const;
  CommitTicket Append(std::span<const LinePoint> points,
                      std::vector<RefusedPoint>* refused,
                      const PutMode& mode) const;

  // Stores histograms as Points::AppendHistograms. REQUIRES: `histograms` is not empty, and
  // mode.may_wait.
  absl::Status AppendHistograms(std::span<const HistogramPoint> histograms,
                                std::vector<RefusedPoint>* refused,
                                const PutMode& mode) const;

  // Count points: acknowledged; not in time; refused; not acknowledged because their batch failed
  // with `failure`.
  void CountAcknowledged(size_t points) const { points_->Add(points); }
  void CountLate(size_t points) const { timeouts_->Add(points); }
  void CountRefused(PointErrorKind kind, size_t points) const;
  void CountFailed(const absl::Status& failure, size_t points) const;

 private:
  template <typename Point>
  CommitTicket AppendAll(std::span<const Point> points,
                         std::vector<RefusedPoint>* refused,
                         const PutMode& mode) const;

  Tsdb* const tsdb_;
  const AppendInPlace in_place_;
  Counter* const points_;
  Counter* const invalid_values_;
  Counter* const illegal_arguments_;
  Counter* const unknown_names_;
  Counter* const no_such_rollups_;
  Counter* const throttled_;
  Counter* const storage_errors_;
  Counter* const timeouts_;
};

// The client's message for a point that the store refused.
std::string RefusalText(const PointError& error);

// Whether the store may take the same points later. REQUIRES: `failure` is not OK.
bool IsForLater(const absl::Status& failure);
// Whether a StoreObserver refused the points themselves.
bool IsUnwanted(const absl::Status& failure);

}  // namespace hourcell
