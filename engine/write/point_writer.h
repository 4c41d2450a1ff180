// PointWriter: appends points. It finds the series of each point of a batch, adds the points to
// their open hours and to the lanes' sections of the next journal block, and acknowledges the batch
// when that block is written.
//
// A point costs a hash and a lookup if its series was seen before in the same spelling. Otherwise
// the writer checks the names and looks up, or creates, UIDs and series. It keeps the order of
// points within a batch: of two points with one time, the later wins. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/point.h"
#include "engine/append.h"
#include "engine/hours/open_hours.h"
#include "engine/hours/read_pins.h"
#include "engine/hours/series_cache.h"
#include "engine/options.h"
#include "engine/regions/live/put_sample.h"
#include "engine/series/series_table.h"
#include "engine/stats.h"
#include "engine/table/retention.h"
#include "engine/write/admission.h"
#include "engine/write/group_commit.h"
#include "engine/write/observed_puts.h"
#include "uid/uid_directory.h"

namespace hourcell {

class PointWriter {
 public:
  // Borrowed; they outlive the writer.
  struct Parts {
    SeriesTable* series = nullptr;
    SeriesCache* cache = nullptr;
    OpenHours* open_hours = nullptr;
    GroupCommit* commit = nullptr;
    Admission* admission = nullptr;
    UidDirectory* uids = nullptr;
    const RowExpiry* expiry = nullptr;
    ObservedPuts* observed_puts = nullptr;  // of observers; may be null
    ReadPins* puts = nullptr;               // has a pin for each put under way; may be null
    PutSample* sample = nullptr;            // samples puts; may be null
    MonotonicClock* clock = nullptr;
    Stats* stats = nullptr;
  };
  PointWriter(const Options& options, const Parts& parts);

  // Points::Append.
  CommitTicket Append(std::span<const PointView> points,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options);
  CommitTicket Append(std::span<const LinePoint> points,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options);

  // Limits of a point's names and of the number of its tags.
  struct NameLimits {
    size_t tags_max = 0;
    bool only_opentsdb = false;  // of points that may not have any names
    std::string extra_name_chars = {};
  };

 private:
  struct Batch;        // the working memory of one Append
  struct AskedPoints;  // of one batch, which observers were asked about

  template <typename Point>
  CommitTicket AppendBatch(std::span<const Point> points,
                           std::vector<RefusedPoint>* refused,
                           const AppendOptions& options);
  template <typename Point>
  CommitTicket TakeBatch(std::span<const Point> points,
                         std::vector<RefusedPoint>* refused,
                         const AppendOptions& options);
  // An appended batch: its number for observers, and the block of its last point.
  struct Appended {
    uint64_t batch = 0;
    uint64_t block = 0;
  };
  // Ends a batch that was appended.
  CommitTicket Commit(Batch* batch_of_points,
                      const Appended& appended,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options);
  // Finds the series of points with a known spelling.
  template <typename Point>
  void FindKnown(std::span<const Point> points, Batch* batch);
  // The points to ask observers about, with the number of the batch; or the error that refuses
  // them. REQUIRES: observers.
  template <typename Point>
  absl::StatusOr<AskedPoints> AskObservers(std::span<const Point> points,
                                           const Batch& batch,
                                           std::string_view via) const;
  // Shows observers the stored points.
  void ShowObservers(const AskedPoints& asked, const Batch& batch) const;
  // found[i] is the series of *points[i].
  void ShowNewSeries(std::span<const PointView* const> points,
                     std::span<const Parsed<SeriesRef>> found) const;
  // Leaves out wrong and expired points.
  template <typename Point>
  void CheckPoints(std::span<const Point> points, Batch* batch) const;
  template <typename Point>
  void ResolveMissing(std::span<const Point> points, const AppendOptions& options, Batch* batch);
  // Refuses the other points of an item with a refused point.
  static void RefuseItems(std::span<const size_t> items, Batch* batch);
  template <typename Point>
  void Place(std::span<const Point> points, Batch* batch) const;
  // Returns the block of the last point.
  uint64_t AppendPlaced(Batch* batch);

  const NameLimits limits_;
  const bool always_sync_;
  const Parts parts_;
  Counter* const points_added_;
  Counter* const points_refused_;
  Counter* const points_expired_;
};

// The error of a point's time or value, if any. `may_be_special` as in PointView.
std::optional<PointError> ContentFault(const Timestamp& time,
                                       const Value& value,
                                       bool may_be_special);

// The error of the number or the keys of the tags, if any; for points of any input.
std::optional<PointError> TagsFault(const PointView& point, size_t tags_max);

// The status of Points::Put for a refused point.
absl::Status StatusOfRefused(std::string_view metric, const PointError& error);

}  // namespace hourcell
