// SeriesTable: which series exist, by number, by tsuid and by tag (series_key.h has the rows).
//
// A new series is written in one group with the UIDs its names need: counters, reverse names,
// forward names, and a log row with the tsuids of all that are new. So every UID in a row key has
// its name (crash contract C2). How many reads and writes of the tables this takes does not depend
// on how many series are new. The rows it is found by wait in memory until there are many, and are
// then written past RocksDB's log, in key order, together with the number up to which this is done
// (series_rows.h has them all). A log row goes with the last of its series. Open makes missing rows
// again from the log rows, and lookups look into memory too. So a series that has a point is found
// by its tags (C8).
//
// One thread at a time creates series: it has the turn. Before it takes the turn, a thread waits
// for everything that may take long: the turn itself, tables whose LSM compactions lag, and memory
// for series without index rows, which another thread writes (SetIndexer). A caller that may not
// wait gets kUnavailable and may try again. Thread-safe.

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

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/mutex.h"
#include "codec/point.h"
#include "codec/rows/layout.h"
#include "codec/rows/tsuid.h"
#include "codec/text/number.h"
#include "codec/text/point_error.h"
#include "engine/hidden/unlisted_series.h"
#include "engine/hours/new_series.h"
#include "engine/hours/series_definition.h"
#include "engine/names/metrics_in_use.h"
#include "engine/names/table_uid_store.h"
#include "engine/names/virtual_metrics.h"
#include "engine/query/memory_account.h"
#include "engine/rows/series_key.h"
#include "engine/series/creation_turn.h"
#include "engine/series/dropping_series.h"
#include "engine/series/series_reads.h"
#include "engine/series/series_ref.h"
#include "engine/table/tables.h"
#include "uid/name_batch.h"
#include "uid/uid_directory.h"

namespace hourcell {

class SeriesTable {
 public:
  // The objects that the table uses; borrowed, outlive it.
  struct Parts {
    Tables* tables = nullptr;
    TableUidStore* uid_store = nullptr;
    UidDirectory* uids = nullptr;
    // Metrics that are calculated and cannot have series; null: none are.
    const VirtualMetrics* virtual_metrics = nullptr;
    // Another process makes the series: they are found (CatchUp), and never made or indexed here.
    bool is_followed = false;
  };

  // Reads the counter, and the log rows that are left. kDataLoss if one is damaged.
  // `sync`: new series are synced at once.
  static absl::StatusOr<std::unique_ptr<SeriesTable>> Open(const Layout& layout,
                                                           const Parts& parts,
                                                           bool sync);

  SeriesTable(const Layout& layout, const Parts& parts, bool sync, SeriesNumber last_number);
  const Layout& layout() const { return layout_; }
  bool is_followed() const { return parts_.is_followed; }

  // The series of each point, created where it is new; results->at(i) belongs to points[i]. Names
  // are checked here. `wait_ms`: the longest wait until it may create series; existing ones are
  // found without waiting. Errors: kIllegalArgument "Invalid metric name (...)", kUnknownName "No
  // such name for ...", kThrottled and kStorage from storage, kThrottled for new series that would
  // have to wait longer, kIllegalArgument for new series of a virtual metric, and beyond `quota`,
  // which returns how many of the given number may be created now (AppendOptions::new_series).
  void GetOrCreate(std::span<const PointView* const> points,
                   std::vector<Parsed<SeriesRef>>* results,
                   int64_t wait_ms = kCreateWaitMs,
                   const std::function<size_t(size_t)>* quota = nullptr);

  // `wake` makes another thread call WriteIndex soon. Without it, the creator of series calls it.
  // Not thread-safe: before series are created by several threads.
  void SetIndexer(std::function<void()> wake) { wake_indexer_ = std::move(wake); }

  // True if it is time for WriteIndex.
  bool WantsIndex() const;

  // The number of a series; 0 if the tsuid is unknown.
  absl::StatusOr<SeriesNumber> NumberOf(const std::string& tsuid) const;

  // Series numbers now, ascending: all of a metric, or those with a tag. `hold` takes the memory
  // they need as they are read; null: it is not counted.
  absl::StatusOr<std::vector<SeriesNumber>> OfMetric(Uid metric, MemoryHold* hold = nullptr) const;
  absl::StatusOr<std::vector<SeriesNumber>> WithTag(Uid metric,
                                                    const TagUids& tag,
                                                    MemoryHold* hold = nullptr) const;

  // The tsuids of numbers; tsuids->at(i) belongs to numbers[i], and is empty if that was dropped
  // since it was looked up. kDataLoss: the tsuid of a number is missing for another reason.
  absl::Status TsuidsOf(std::span<const SeriesNumber> numbers,
                        std::vector<std::string>* tsuids) const;

  // The same, but every missing tsuid is empty.
  absl::Status TsuidsFound(std::span<const SeriesNumber> numbers,
                           std::vector<std::string>* tsuids) const;

  // Every series of a metric with its tsuid, ascending by tsuid, until `visit` returns false.
  absl::Status VisitMetric(
      Uid metric, const std::function<bool(SeriesNumber, std::string_view tsuid)>& visit) const {
    return Visit(metric, visit);
  }

  // The same for all metrics, if `metric` is not set.
  absl::Status Visit(std::optional<Uid> metric,
                     const std::function<bool(SeriesNumber, std::string_view tsuid)>& visit) const;

  // The same for all metrics, but `visit` returns the next visit: it may skip the rest of a metric.
  absl::Status VisitAll(
      const std::function<NextVisit(SeriesNumber, std::string_view tsuid)>& visit) const;

  // Every series of a metric with a number above `above`, in any order. Reads rows only for series
  // that have left memory.
  absl::Status VisitNewer(
      Uid metric,
      SeriesNumber above,
      const std::function<void(SeriesNumber, std::string_view tsuid)>& visit) const;

  // Whether a metric has series.
  absl::StatusOr<bool> HasSeries(Uid metric) const;

  // Whether a metric has series that lists do not leave out.
  absl::StatusOr<bool> HasListedSeries(Uid metric) const;

  // The highest number of the metric's series, or of all at open if it got none since: grows
  // whenever the metric gets a new series, before that series' first point is acknowledged, and
  // with no other's. All others that the metric gets later have higher numbers.
  SeriesNumber VersionOf(Uid metric) const;

  // True of a series that only the journal has: the tables lost it in a power failure.
  bool NeedsRestore(SeriesNumber number) const {
    return number > number_at_open_ && !restored_.contains(number);
  }

  // Makes series of the journal again that need it, in any order: their names with their UIDs,
  // their numbers. Those that are there are left alone. For a replay: not thread-safe.
  // kDataLoss: one of their names or UIDs belongs to something else by now; both are named.
  absl::Status Restore(std::span<const SeriesDefinition> definitions);

  // Gives none of the numbers up to `number` to a new series: points of series that are lost name
  // them. For a replay: not thread-safe. kDataLoss: it is too far after the last one.
  absl::Status Reserve(SeriesNumber number);

  // For a table that another process writes: finds the series up to `number`, which an acknowledged
  // point names. One thread at a time. kAborted: the process has given another series the number of
  // one that was found here, and was never acknowledged; all lists of series that were made here
  // may be wrong. The call may be repeated then. kDataLoss: the series does not exist.
  absl::Status CatchUp(SeriesNumber number);

  // For such a table: finds all series there are now. Lists of series that were made before may
  // lack some. One thread at a time, and not concurrently with CatchUp.
  absl::Status FindAll();

  // Writes the rows that wait in memory, but for those of less than 64 series. After an error, the
  // next call retries.
  absl::Status WriteIndex();

  // Calls `work` while no thread creates series or writes their index rows; returns its result.
  // `work` may read and change those rows.
  absl::Status WhileAtRest(const std::function<absl::Status()>& work);

  // The series whose rows are removed while puts continue.
  DroppingSeries* dropping() { return &dropping_; }
  bool WasDropped(SeriesNumber number) const { return dropping_.WasDropped(number); }
  uint64_t DropsOf(Uid metric) const { return dropping_.DropsOf(metric); }

  // The series that lists leave out.
  UnlistedSeries* unlisted() const { return unlisted_.get(); }

  // How many series were created since open.
  uint64_t created() const { return created_.load(std::memory_order_relaxed); }

  // The highest number given. Numbers begin at 1.
  SeriesNumber last_number() const { return last_number_.load(std::memory_order_relaxed); }

  // How many series wait in memory.
  size_t not_indexed() const;

  // Series up to `number` survive a power failure, as do those that existed at open.
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
  static constexpr int64_t kCreateWaitMs = 10'000;

  // The numbers given, and DroppingSeries::changes(), before series were looked for.
  struct Seen {
    SeriesNumber last_number;
    uint64_t drops;
  };

  // Whether a new series would have to wait, and for what. May write the index.
  absl::Status CheckRoom();

  absl::Status LoadNotIndexed();
  absl::Status LoadLogRow(std::string_view key, std::string_view list);
  // Takes over rows up to the one with `number`; false: a row has another tsuid than here.
  bool AddFound(const SeriesLog& log, SeriesNumber number);
  std::vector<Wanted> FindNames(std::span<const PointView* const> points,
                                NameBatch* names,
                                std::vector<Parsed<SeriesRef>>* results);
  absl::Status FindNumbers(std::vector<Wanted*> wanted);
  SeriesNumber NumberInMemory(std::string_view tsuid) const;
  static void RefuseAll(std::span<const Wanted> wanted, const absl::Status& why) {
    for (const Wanted& one : wanted)
      *one.result = NameError(why, "series");
  }
  bool CreateMissing(std::span<Wanted> wanted, const Seen& seen, NameBatch* names);
  // Numbers with their tsuids, ascending.
  using Made = std::vector<std::pair<SeriesNumber, std::string>>;
  void AddNew(const Made& series, std::span<const NewSeries::LogRow> log_rows);
  void AddNewLocked(SeriesNumber number, std::string_view tsuid)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(new_mutex_);
  // Series that are in memory, and the owners of their tsuids.
  struct InMemory {
    std::shared_ptr<const NewSeries> owners[2];
    std::vector<NewSeries::Entry> series;
  };
  // The series in memory of a metric, or of all, ascending by tsuid.
  InMemory NewOf(std::optional<Uid> metric) const;
  bool HasNewSeries(Uid metric) const {
    ReaderLock lock(&new_mutex_);
    return !new_->OfMetric(metric).empty() ||
           (indexing_ != nullptr && !indexing_->OfMetric(metric).empty());
  }

  const Layout layout_;
  const Parts parts_;
  const bool sync_;
  std::atomic<SeriesNumber> last_number_;  // changed under the assignment lock of parts_.uids
  std::atomic<SeriesNumber> synced_number_;
  std::atomic<uint64_t> created_{0};
  const SeriesNumber number_at_open_;
  absl::flat_hash_set<SeriesNumber> restored_;  // by the replay

  std::function<void()> wake_indexer_;

  CreationTurn turn_;
  DroppingSeries dropping_;
  mutable MetricsInUse in_use_;  // of a table that no other process writes
  const std::unique_ptr<UnlistedSeries> unlisted_ = std::make_unique<UnlistedSeries>();

  Mutex index_mutex_;  // one WriteIndex at a time
  mutable SharedMutex new_mutex_;
  absl::Status last_index_ ABSL_GUARDED_BY(new_mutex_);  // the result of the last WriteIndex
  // For a followed table: series up to it are found for good; only CatchUp changes it.
  std::atomic<SeriesNumber> found_number_{0};
  // For a followed table: metrics have this version or a later one.
  SeriesNumber version_floor_ ABSL_GUARDED_BY(new_mutex_) = 0;
  // By metric: the highest number since open.
  absl::flat_hash_map<Uid, SeriesNumber> versions_ ABSL_GUARDED_BY(new_mutex_);
  std::shared_ptr<NewSeries> new_ ABSL_GUARDED_BY(new_mutex_);
  // The series whose index is being written, or null. Unchanged as long as it is here.
  std::shared_ptr<const NewSeries> indexing_ ABSL_GUARDED_BY(new_mutex_);
};

}  // namespace hourcell
