// PointWriter: the way in. A batch of points finds its series, goes into their open hours and into
// the lanes' sections of the next journal block, and is acknowledged when that block is written.
//
// A point whose series was seen before, spelled as before, costs a hash and a lookup; for others
// the names are checked and their UIDs and series looked up or made. Within a batch the order of
// points is kept, so that the later of two points of one instant wins. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
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
  // What the writer works on; borrowed, outlives it.
  struct Parts {
    SeriesTable* series = nullptr;
    SeriesCache* cache = nullptr;
    OpenHours* open_hours = nullptr;
    GroupCommit* commit = nullptr;
    Admission* admission = nullptr;
    UidDirectory* uids = nullptr;
    const RowExpiry* expiry = nullptr;
    ObservedPuts* observed_puts = nullptr;  // of observers; null: there are none
    ReadPins* puts = nullptr;     // has a pin for each put under way; null: nobody asks for them
    PutSample* sample = nullptr;  // of what is put; null: nobody asks for it
    Clock* clock = nullptr;
    Stats* stats = nullptr;
  };
  PointWriter(const Options& options, const Parts& parts);

  // Tsdb::Append.
  CommitTicket Append(std::span<const PointView> points,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options);
  CommitTicket Append(std::span<const LinePoint> points,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options);

  // What names a point may have, and how many of them.
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
  // A batch of observers whose points are in their hours, and the block that has the last of them.
  struct Appended {
    uint64_t batch = 0;
    uint64_t block = 0;
  };
  // Ends a batch that was appended.
  CommitTicket Commit(Batch* batch_of_points,
                      const Appended& appended,
                      std::vector<RefusedPoint>* refused,
                      const AppendOptions& options);
  // The series of points whose spelling is known.
  template <typename Point>
  void FindKnown(std::span<const Point> points, Batch* batch);
  // What observers are asked about, with its number; or why it is refused. REQUIRES: there are
  // observers.
  template <typename Point>
  absl::StatusOr<AskedPoints> AskObservers(std::span<const Point> points,
                                           const Batch& batch,
                                           std::string_view via) const;
  // Shows them those that are stored.
  void ShowObservers(const AskedPoints& asked, const Batch& batch) const;
  // Leaves out points that are wrong, and those that are expired.
  template <typename Point>
  void CheckPoints(std::span<const Point> points, Batch* batch) const;
  template <typename Point>
  void ResolveMissing(std::span<const Point> points, const AppendOptions& options, Batch* batch);
  template <typename Point>
  void Place(std::span<const Point> points, Batch* batch) const;
  // Returns the block that has the last of them.
  uint64_t AppendPlaced(Batch* batch);

  const NameLimits limits_;
  const bool always_sync_;
  const Parts parts_;
  Counter* const points_added_;
  Counter* const points_refused_;
  Counter* const points_expired_;
};

// Why a point that was put alone was refused, as Tsdb::Put says it.
absl::Status StatusOfRefused(std::string_view metric, const PointError& error);

}  // namespace hourcell
