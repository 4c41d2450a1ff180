// SeriesTable: which series exist, by number, by tsuid and by tag (series_key.h has the rows).
//
// A new series is written in one group with the UIDs its names need: counters, reverse names,
// forward names, and a log row with the tsuids of all that are new. So every UID in a row key has
// its name (crash contract C2). The rows it is found by wait in memory until there are many, and
// are then written past RocksDB's log, in key order, together with the number up to which this is
// done (series_rows.h has them all). A log row goes with the last of its series. Open makes what is
// missing again from the log rows, and lookups look into memory too. So a series that has a point
// is found by its tags (C8). Thread-safe.

#pragma once

#include <array>
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

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/layout.h"
#include "codec/number.h"
#include "codec/point.h"
#include "codec/point_error.h"
#include "codec/tsuid.h"
#include "engine/ingest/new_series.h"
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

  // Reads the counter, and the log rows that are left. kDataLoss if one is damaged.
  // `sync`: new series are synced at once.
  static absl::StatusOr<std::unique_ptr<SeriesTable>> Open(const Layout& layout,
                                                           const Parts& parts,
                                                           bool sync);

  SeriesTable(const Layout& layout, const Parts& parts, bool sync, SeriesNumber last_number);

  // The series of each point, created where it is new; results->at(i) belongs to points[i]. Names
  // are checked here. Errors: kIllegalArgument "Invalid metric name (...)", kUnknownName "No such
  // name for ...", kThrottled and kStorage from storage.
  void GetOrCreate(std::span<const PointView* const> points,
                   std::vector<Parsed<SeriesRef>>* results);

  // The number of a series; 0 if there is none of that tsuid.
  absl::StatusOr<SeriesNumber> NumberOf(const std::string& tsuid) const;

  // Series numbers ascending: all of a metric, or those with a tag, as of now.
  absl::StatusOr<std::vector<SeriesNumber>> OfMetric(Uid metric) const;
  absl::StatusOr<std::vector<SeriesNumber>> WithTag(Uid metric, const TagUids& tag) const;

  // The tsuids of numbers; tsuids->at(i) belongs to numbers[i]. kDataLoss: a number has none.
  absl::Status TsuidsOf(std::span<const SeriesNumber> numbers,
                        std::vector<std::string>* tsuids) const;

  // The same, but a number that has none gets an empty one.
  absl::Status TsuidsFound(std::span<const SeriesNumber> numbers,
                           std::vector<std::string>* tsuids) const;

  // Every series of a metric with its tsuid, ascending by tsuid, until `visit` returns false.
  absl::Status VisitMetric(
      Uid metric, const std::function<bool(SeriesNumber, std::string_view tsuid)>& visit) const;

  // The same of all metrics, if `metric` is nothing.
  absl::Status Visit(std::optional<Uid> metric,
                     const std::function<bool(SeriesNumber, std::string_view tsuid)>& visit) const;

  // Changes whenever the metric gets a new series, before that series' first point is acknowledged;
  // and sometimes for another metric's.
  uint64_t VersionOf(Uid metric) const {
    return versions_[metric % kVersions].load(std::memory_order_acquire);
  }

  // True of a series that only the journal has: the tables lost it in a power failure.
  bool NeedsRestore(SeriesNumber number) const {
    return number > number_at_open_ && !restored_.contains(number);
  }

  // Makes series of the journal again that need it, in any order: their names with their UIDs,
  // their numbers. Those that are there are left alone. For a replay: not thread-safe.
  // kDataLoss: one of their names or UIDs belongs to something else by now; both are named.
  absl::Status Restore(std::span<const SeriesDefinition> definitions);

  // Writes the rows that wait in memory, but for those of less than 64 series. What fails is tried
  // again by the next call.
  absl::Status WriteIndex();

  // How many series were created since open.
  uint64_t created() const { return created_.load(std::memory_order_relaxed); }

  // The highest number given. Numbers begin at 1.
  SeriesNumber last_number() const { return last_number_.load(std::memory_order_relaxed); }

  // How many series wait in memory.
  size_t not_indexed() const;

  // Series up to `number` survive a power failure. What was there at open does.
  void MarkSynced(SeriesNumber number) { synced_number_.store(number); }
  bool IsSynced(SeriesNumber number) const { return sync_ || number <= synced_number_.load(); }

 private:
  // A point, the UIDs its names have (kNoUid: none yet), and its place among the results.
  struct Wanted {
    const PointView* point;
    SeriesRef ref;
    Parsed<SeriesRef>* result;
  };
  class Creation;

  absl::Status LoadNotIndexed();
  absl::Status LoadLogRow(std::string_view key, std::string_view list);
  std::vector<Wanted> FindNames(std::span<const PointView* const> points,
                                std::vector<Parsed<SeriesRef>>* results);
  absl::Status FindNumbers(std::span<Wanted> wanted) const;
  SeriesNumber NumberInMemory(std::string_view tsuid) const;
  // Numbers with their tsuids, ascending.
  using Made = std::vector<std::pair<SeriesNumber, std::string>>;
  void AddNew(const Made& series, std::span<const NewSeries::LogRow> log_rows);
  absl::Status WriteIndexOf(const NewSeries& series);
  absl::Status ReadBlocks(std::span<const SeriesNumber> numbers,
                          std::span<const size_t> places,
                          std::vector<std::string>* tsuids) const;
  std::vector<std::pair<std::string, SeriesNumber>> NewOf(std::optional<Uid> metric) const;
  absl::Status AppendPostings(const std::string& prefix, std::vector<SeriesNumber>* numbers) const;

  static constexpr size_t kVersions = 1024;

  const Layout layout_;
  const Parts parts_;
  const bool sync_;
  std::atomic<SeriesNumber> last_number_;  // changed under the assignment lock of parts_.uids
  std::atomic<SeriesNumber> synced_number_;
  std::atomic<uint64_t> created_{0};
  const SeriesNumber number_at_open_;
  absl::flat_hash_set<SeriesNumber> restored_;  // by the replay

  std::array<std::atomic<uint64_t>, kVersions> versions_{};  // by metric; changed with new_

  Mutex index_mutex_;  // one WriteIndex at a time
  mutable SharedMutex new_mutex_;
  std::unique_ptr<NewSeries> new_ ABSL_GUARDED_BY(new_mutex_);
  // Of which the index is being written; null if of none. Unchanged as long as it is here.
  std::shared_ptr<const NewSeries> indexing_ ABSL_GUARDED_BY(new_mutex_);
};

}  // namespace hourcell
