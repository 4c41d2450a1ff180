// Points: writes and deletes the points of a store. Of `Tsdb::points`; lives as long as its Tsdb.
//
//   const hourcell::TagView tags[] = {{"host", "web01"}};
//   tsdb->points().Put({.metric = "cpu.user", .tags = tags,
//                       .timestamp = {.ms = 1356998400000}, .value = hourcell::Value::Integer(4)});
//
// Names are UTF-8; times are Unix milliseconds. Thread-safe. kFailedPrecondition: the store is
// closed, or this process only reads it. kUnavailable: another process writes the store now.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/point.h"
#include "engine/append.h"
#include "engine/query.h"

namespace hourcell {

class StoreGates;

// How much Points::DeletePoints deleted.
struct DeletedPoints {
  uint64_t points = 0;
  uint64_t rows = 0;  // with deleted points
  uint64_t histograms = 0;
  // With Options::undo_s: the series whose points were deleted, uncounted, and for Points::Undo the
  // id of the delete. 0: nothing was deleted, or the delete cannot be undone.
  uint64_t series = 0;
  uint64_t undo_id = 0;
  friend bool operator==(const DeletedPoints&, const DeletedPoints&) = default;
};

// A delete that can be undone, or is being removed from files (Points::Deletions).
struct Deletion {
  uint64_t id = 0;
  int64_t deleted_ms = 0;
  int64_t undo_until_ms = 0;              // then its points are removed from files
  int64_t start_ms = 0;                   // of the range of deleted points
  int64_t end_ms = 0;                     // inclusive
  std::vector<std::string> metrics = {};  // of its series; the UID in hex, without a name
  uint64_t series = 0;
  bool can_be_undone = false;
  friend bool operator==(const Deletion&, const Deletion&) = default;
};

// How many points and histograms a selection has (Points::CountPoints).
struct CountedPoints {
  uint64_t metrics = 0;  // with points
  uint64_t series = 0;   // with points
  uint64_t points = 0;
  uint64_t histograms = 0;
  friend bool operator==(const CountedPoints&, const CountedPoints&) = default;
};

class Points final {
 public:
  explicit Points(StoreGates* gates) : gates_(gates) {}  // for Tsdb; borrowed

  // Stores a batch. Bad points are refused one by one, in `*refused` (may be null), ascending by
  // index; the others are stored. Of two points of one series and instant the later wins, whatever
  // their types and precisions. New names and series are created as the options allow.
  CommitTicket Append(std::span<const PointView> points,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options = {});

  // Append for points of lines; their names are parsed only if the store does not know them.
  // Errors of a line's tags are those of PointText::ParseSeries.
  CommitTicket Append(std::span<const LinePoint> points,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options = {});

  // Append of one point, and Wait. kInvalidArgument, kNotFound (a name that may not be created),
  // kUnavailable.
  absl::Status Put(const PointView& point);

  // Stores a batch of histograms, and returns when they are acknowledged: OK means that kill -9
  // cannot undo them, and a power failure neither with options.sync or Durability::kAlways. Bad
  // ones are refused one by one, in `*refused` (may be null); the others are stored together, or
  // none. A histogram replaces an earlier one of its series and instant; numbers of the same series
  // and instant stay. Of the options, `items` and `all_or_none` are ignored. Histograms
  // are read by queries with percentiles (SubQuery).
  //
  // Also kUnimplemented: the store has an observer that does not take histograms
  // (StoreObserver::TakesHistograms); the error of an observer that refuses them. Other errors are
  // storage's.
  absl::Status AppendHistograms(std::span<const HistogramPoint> histograms,
                                std::vector<RefusedPoint>* refused,
                                const AppendOptions& options = {});

  // Deletes the points and histograms with start <= t <= end of all series the sub queries select;
  // how they aggregate does not matter. When it returns they are gone for good: no later read,
  // crash or power failure shows them. Points that are put while it runs may stay. Names stay;
  // series without points and histograms are dropped later (Options::drop_empty_series). Seals
  // everything, and holds up sealing while it runs. A sub query without a metric and without tsuids
  // selects the series of all metrics that pass its filters; it needs a filter. A sub query of a
  // metric also deletes the points of its rollups with such times, unless its rollup_usage is kRaw;
  // of rollups by Options::rollup_rules also the interval that begins before, which the store
  // computes again from the remaining points.
  // On an error a part may be deleted. Errors as Queries::Query's, and those of storage;
  // kInvalidArgument: a sub query has functions.
  //
  // With Options::undo_s, points are hidden and not counted, and Undo shows them again until that
  // time has passed; the delete takes effect completely or not at all, and disk space is not freed
  // before. Histograms are deleted at once.
  absl::StatusOr<DeletedPoints> DeletePoints(const QuerySpec& spec,
                                             QueryControl* control = nullptr);

  // The deletes whose points are still stored, by id.
  absl::StatusOr<std::vector<Deletion>> Deletions();

  // Brings the points of a delete back. A point that was put since stays if it has the same
  // instant. Points that another delete hides stay hidden, and expired points do not come back.
  // Its cost depends on the rows of deleted points that got points since, not on the number of
  // deleted points. kNotFound: no such delete, or its points were removed. kFailedPrecondition: its
  // points are being removed, or the storage removes points at once (Options::undo_s).
  absl::Status Undo(uint64_t id);

  // Removes the points of a delete from files now; it cannot be undone any more. kNotFound: no such
  // delete. kCancelled: the store is being closed; the next process continues. kFailedPrecondition
  // as Undo's.
  absl::Status Forget(uint64_t id);

  // How many points and histograms DeletePoints would delete. Changes nothing. A point, a
  // series or a metric that two sub queries select counts twice. Errors as DeletePoints'.
  absl::StatusOr<CountedPoints> CountPoints(const QuerySpec& spec, QueryControl* control = nullptr);

 private:
  StoreGates* const gates_;
};

}  // namespace hourcell
