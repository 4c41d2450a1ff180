// SeriesTable: which series exist, by number, by tsuid and by tag (series_key.h has the rows).
//
// A new series is written in one group with the UIDs its names need: counters, reverse names,
// forward names, number, tsuid, postings. So a series that has a point is found by its tags (crash
// contract C8), and every UID in a row key has its name (C2). Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/layout.h"
#include "codec/number.h"
#include "codec/point.h"
#include "codec/point_error.h"
#include "codec/tsuid.h"
#include "engine/ingest/point_log.h"
#include "engine/series_key.h"
#include "engine/table.h"
#include "engine/table_uid_store.h"
#include "uid/uid_directory.h"

namespace hourcell {

// A series as a put finds or makes it.
struct SeriesRef {
  SeriesNumber number = 0;
  std::string tsuid;
  Uid metric = kNoUid;
  std::vector<TagUids> tags;  // tags[i] belongs to the point's tags[i]
  friend bool operator==(const SeriesRef&, const SeriesRef&) = default;
};

class SeriesTable {
 public:
  // What the table works on; borrowed, outlives it.
  struct Parts {
    TableStore* tables = nullptr;
    TableUidStore* uid_store = nullptr;
    UidDirectory* uids = nullptr;
  };

  // Reads the counter. kDataLoss if it is damaged. `sync`: new series are synced at once.
  static absl::StatusOr<std::unique_ptr<SeriesTable>> Open(const Layout& layout,
                                                           const Parts& parts,
                                                           bool sync);

  SeriesTable(const Layout& layout, const Parts& parts, bool sync, SeriesNumber last_number);

  // The series of each point, created where it is new; results->at(i) belongs to points[i]. Names
  // are checked here. Errors: kIllegalArgument "Invalid metric name (...)", kUnknownName "No such
  // name for ...", kThrottled and kStorage from storage.
  void GetOrCreate(std::span<const PointView* const> points,
                   std::vector<Parsed<SeriesRef>>* results);

  // Series numbers ascending: all of a metric, or those with a tag.
  absl::StatusOr<std::vector<SeriesNumber>> OfMetric(TableView* view, Uid metric) const;
  absl::StatusOr<std::vector<SeriesNumber>> WithTag(TableView* view,
                                                    Uid metric,
                                                    const TagUids& tag) const;

  // The tsuids of numbers; tsuids->at(i) belongs to numbers[i]. kDataLoss: a number has none.
  absl::Status TsuidsOf(TableView* view,
                        std::span<const SeriesNumber> numbers,
                        std::vector<std::string>* tsuids) const;

  // The same as the table is now.
  absl::Status TsuidsOfNow(std::span<const SeriesNumber> numbers,
                           std::vector<std::string>* tsuids) const {
    return TsuidsOf(parts_.tables->Snapshot().get(), numbers, tsuids);
  }

  // Every series of a metric with its tsuid, ascending by tsuid.
  absl::Status VisitMetric(
      TableView* view,
      Uid metric,
      const std::function<void(SeriesNumber, std::string_view tsuid)>& visit) const;

  // Makes a series of the journal again if the tables lost it in a power failure: its names with
  // their UIDs, its number, its postings. One that is there is left alone.
  // kDataLoss: one of its names or UIDs belongs to something else by now; both are named.
  absl::Status Restore(const SeriesDefinition& definition);

  // How many series were created since open.
  uint64_t created() const { return created_.load(std::memory_order_relaxed); }

  // The highest number given. Numbers begin at 1.
  SeriesNumber last_number() const { return last_number_.load(std::memory_order_relaxed); }

  // Series up to `number` survive a power failure. What was there at open does.
  void MarkSynced(SeriesNumber number) { synced_number_.store(number); }
  bool IsSynced(SeriesNumber number) const { return sync_ || number <= synced_number_.load(); }

 private:
  // A point whose series does not exist yet, and its place among the results.
  struct Missing {
    const PointView* point;
    Parsed<SeriesRef>* result;
  };
  class Creation;

  absl::StatusOr<std::optional<SeriesNumber>> NumberOf(TableView* view,
                                                       std::string_view tsuid) const;
  void Create(std::span<const Missing> missing, SeriesNumber last_seen);
  absl::StatusOr<std::vector<SeriesNumber>> Postings(TableView* view,
                                                     const std::string& prefix) const;

  const Layout layout_;
  const Parts parts_;
  const bool sync_;
  std::atomic<SeriesNumber> last_number_;  // changed under the assignment lock of parts_.uids
  std::atomic<SeriesNumber> synced_number_;
  std::atomic<uint64_t> created_{0};
};

}  // namespace hourcell
