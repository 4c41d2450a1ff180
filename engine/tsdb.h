// Tsdb: the embeddable time-series store. Open it on a directory, put points, query them.
//
//   hourcell::Options options;
//   options.path = "/var/lib/hourcell";
//   auto tsdb = hourcell::Tsdb::Open(options);
//   const hourcell::TagView tags[] = {{"host", "web01"}};
//   (*tsdb)->Put({.metric = "cpu.user", .tags = tags,
//                 .timestamp = {.ms = 1356998400000}, .value = hourcell::Value::Integer(42)});
//
// One process has a store open at a time. Thread-safe, but for Close.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/point.h"
#include "codec/rows/uid.h"
#include "engine/append.h"
#include "engine/cluster_view.h"
#include "engine/deleted_points.h"
#include "engine/metric_ttl.h"
#include "engine/options.h"
#include "engine/parallel_scan.h"
#include "engine/query.h"
#include "engine/scanned_row.h"
#include "engine/seal_control.h"
#include "engine/stats.h"
#include "engine/store_health.h"
#include "engine/store_observer.h"

namespace hourcell {

class AdoptionAdmin;
class BackupAdmin;
class FsckAdmin;
class RegionAdmin;
class SaltAdmin;

// A mapping as the uid tool prints it.
struct UidRow {
  UidKind kind = UidKind::kMetric;
  std::string name;
  std::string uid_bytes;  // as wide as the layout says
};

struct UidFsckResult {
  std::vector<std::string> lines;  // findings, in order
  uint64_t mappings = 0;
  uint64_t errors = 0;
  uint64_t warnings = 0;
};

// How a long merge of files is watched and ended.
struct CompactControl {
  std::atomic<bool>* cancelled = nullptr;  // borrowed; null: it cannot be cancelled
  // Called with the name of each table as its merge begins, and how many are done. May be null.
  std::function<void(std::string_view table, size_t done, size_t total)> progress = {};
};

class Tsdb {
  class Impl;

 public:
  // Opens or creates the store of options.path.
  //
  // Errors:
  //   kInvalidArgument     options.Validate() fails
  //   kNotFound            no store there and create_if_missing is false
  //   kFailedPrecondition  the store has another layout (each difference is named), or is newer
  //   kUnavailable         another process has it open (it is named)
  //   kDataLoss            stored bytes are damaged
  static absl::StatusOr<std::unique_ptr<Tsdb>> Open(const Options& options);

  explicit Tsdb(std::unique_ptr<Impl> impl);  // for Open: Impl is private
  ~Tsdb();
  Tsdb(const Tsdb&) = delete;
  Tsdb& operator=(const Tsdb&) = delete;

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

  // Answers a query; see query_spec.h and query_result.h.
  // kInvalidArgument: the query is wrong; kNotFound: a name is unknown; kResourceExhausted: a
  // limit; kDeadlineExceeded: the timeout; kDataLoss: a cell it needs is damaged; kAborted:
  // QuerySpec.quick.
  absl::StatusOr<QueryResult> Query(const QuerySpec& spec);

  // Query, series by series, so that only a part of the result is in memory. `control` may be null.
  // kCancelled: by it; else as above. On an error the sink may have got a part.
  absl::Status Query(const QuerySpec& spec, QuerySink* sink, QueryControl* control);

  // Visits the last point at or before now, and not expired, of each series of any sub query,
  // ascending by tsuid, each once. Skips series without such a point, and tsuids of unknown series.
  // `control` may be null.
  // kInvalidArgument: an invalid tsuid; kNotFound: a name is unknown; kCancelled: by `control`,
  // which `visit` may do; kResourceExhausted: the memory of queries; kDeadlineExceeded: the
  // timeout; kDataLoss: a cell it needs is damaged.
  absl::Status LastPoints(const LastQuery& query,
                          const std::function<void(const LastPoint&)>& visit,
                          QueryControl* control = nullptr);

  // Visits series by their metric and tags, ascending by tsuid, until `visit` returns false or the
  // query's limit is reached; returns how many there are in all (fewer if `visit` ended it).
  // `control` may be null. kNotFound: a name is unknown; kCancelled, kResourceExhausted,
  // kDeadlineExceeded as above.
  absl::StatusOr<uint64_t> LookupSeries(const LookupQuery& query,
                                        const std::function<bool(const FoundSeries&)>& visit,
                                        QueryControl* control = nullptr);

  // Deletes the points with start <= t <= end of all series the sub queries select; how they
  // aggregate does not matter. When it returns the points are gone for good: no later read, crash
  // or power failure shows them. Points that are put while it runs may stay. Names stay; series
  // without points are dropped later (Options::drop_empty_series). Seals everything, and holds up
  // sealing while it runs.
  // On an error a part may be deleted. Errors as Query's, and those of storage; kInvalidArgument: a
  // sub query has functions.
  absl::StatusOr<DeletedPoints> DeletePoints(const QuerySpec& spec,
                                             QueryControl* control = nullptr);

  // Budget for memory that a caller builds from results, out of Options::query_memory_bytes: Take
  // fails with kResourceExhausted when queries have used it all. Destroy the account before the
  // store is closed; that returns the memory. `control` is borrowed. Null: the store is closed.
  std::unique_ptr<MemoryAccount> LeaseQueryMemory(QueryControl* control);

  // Up to `max` names of the kind that begin with `prefix`, in byte order.
  absl::StatusOr<std::vector<std::string>> Suggest(UidKind kind,
                                                   std::string_view prefix,
                                                   size_t max);

  // Visits the names of the query until `visit` returns false. `control` may be null. kCancelled:
  // by it; kDeadlineExceeded: the timeout.
  absl::Status VisitNames(const NameQuery& query,
                          const std::function<bool(std::string_view name)>& visit,
                          QueryControl* control = nullptr);

  // Visits stored rows in key order until `visit` returns false, or `should_stop` returns true.
  // `should_stop` may be null; it is called at every stored row, also at rows that are not visited.
  absl::Status Scan(const ScanSpec& spec,
                    const std::function<bool(const ScannedRow&)>& visit,
                    const std::function<bool()>& should_stop = {});

  // The rows of this moment as work for several threads: engine/parallel_scan.h. Destroy the scan
  // before the store is closed. kNotFound: a name is unknown.
  absl::StatusOr<std::unique_ptr<ParallelScan>> PlanScan(const ScanSpec& spec,
                                                         const ParallelScanOptions& options = {});

  // Annotations: notes of series (by tsuid in hex) or global ones (an empty tsuid), one for each
  // instant. Times of one are seconds, or milliseconds if they do not fit 32 bits. A write is
  // acknowledged when it returns. Query results contain them, too.
  //
  // kInvalidArgument: a tsuid that does not fit this store's layout, an invalid time, an edit that
  // sets nothing, has an expired instant, is too long or not UTF-8. See
  // engine/annotations/annotation_store.h.

  // nullopt: not found.
  absl::StatusOr<std::optional<Annotation>> GetAnnotation(std::string_view tsuid,
                                                          int64_t start_time);

  // Creates or changes annotations, all or none; returns each in its new state. Their memory,
  // including printed ones, counts in `memory`, from LeaseQueryMemory; null: during the call only.
  absl::StatusOr<std::vector<Annotation>> PutAnnotations(std::span<const AnnotationEdit> edits,
                                                         AnnotationWrite write,
                                                         MemoryAccount* memory = nullptr);

  // Removes an annotation; OK if it does not exist.
  absl::Status DeleteAnnotation(std::string_view tsuid, int64_t start_time);

  // Removes annotations of the series and, with `global`, global ones, that start in [start_ms,
  // end_ms]. Returns the number removed.
  absl::StatusOr<uint64_t> DeleteAnnotations(std::span<const std::string> tsuids,
                                             bool global,
                                             int64_t start_ms,
                                             int64_t end_ms);

  // Visits all annotations that have not expired, in key order, until `visit` returns an error,
  // which is returned.
  absl::Status VisitAnnotations(const std::function<absl::Status(const Annotation&)>& visit);

  // Global ones that start at or after `start_ms` and end by `end_ms`, by start. Also
  // kInvalidArgument: an end below 1 or before the start; kResourceExhausted: too many. `memory` as
  // of PutAnnotations.
  absl::StatusOr<std::vector<Annotation>> GlobalAnnotations(int64_t start_ms,
                                                            int64_t end_ms,
                                                            MemoryAccount* memory = nullptr);

  // The uid tools; errors as UidDirectory's.
  absl::StatusOr<UidRow> AssignUid(UidKind kind, std::string_view name);
  // Gives names the UIDs that they have elsewhere, those of each kind in one commit. UIDs that are
  // assigned later are above them. Also kInvalidArgument: UIDs of another width.
  absl::Status AssignGivenUids(std::span<const UidRow> rows);
  absl::StatusOr<UidRow> FindUid(UidKind kind, std::string_view name);
  absl::StatusOr<UidRow> FindName(UidKind kind, Uid uid);
  absl::Status GrepUids(UidKind kind,
                        std::string_view expression,
                        bool ignore_case,
                        const std::function<bool(UidRow row)>& visit);
  absl::Status RenameUid(UidKind kind, std::string_view name, std::string_view new_name);
  absl::Status DeleteUid(UidKind kind, std::string_view name);
  absl::StatusOr<UidFsckResult> CheckUids(bool repair);

  // Sets the TTL of a metric's points in seconds, counted from their timestamps. It takes
  // precedence over store_ttl_s(). 0 = never expire; nullopt: store_ttl_s() again. Stored in the
  // store. Older points are invisible at once, and deleted from disk later. A later, longer TTL may
  // not restore expired points.
  // kNotFound: no such metric; kInvalidArgument: negative, or above the range of times.
  absl::Status SetMetricTtl(std::string_view metric, std::optional<int64_t> ttl_s);

  // options.ttl_s of this open, or of the last open that had one.
  int64_t store_ttl_s() const;

  // The TTLs of metrics, by name.
  absl::StatusOr<std::vector<MetricTtl>> MetricTtls();

  // Frees disk space of expired points, a bounded piece of that work; returns the bytes freed. The
  // store also does it every minute.
  absl::StatusOr<uint64_t> DropExpired();

  // Empties the name and series caches.
  void DropCaches();

  // Seals hours that are due by the clock or by pressure, as the store does in the background. For
  // tests with a clock.
  absl::Status SealDue();

  // Seals all open hours: every point is in a cell. The hours open again with their next point.
  // kCancelled: by `control`; hours sealed by then stay sealed, and the points of the others are in
  // the journal as before.
  absl::Status Seal(const SealControl& control = {});

  // Seals, writes all memory to files, and deletes the journal's blocks up to then.
  // kCancelled: as for Seal; the journal still has everything.
  absl::Status Flush(const SealControl& control = {});

  // Flushes, merges all files of each table, and returns when nothing is left to be merged: the
  // store at rest, as a backup or a measurement needs it. kCancelled: by `control`; hours and files
  // sealed and merged by then stay so.
  absl::Status Compact(const CompactControl& control = {});

  // Region management: engine/region_admin.h. Lives as long as this object.
  RegionAdmin* regions();

  // The salt's buckets: engine/salt_admin.h. Lives as long as this object.
  SaltAdmin* salt();

  // Backups of the store: engine/backup_admin.h. Lives as long as this object.
  BackupAdmin* backups();

  // Checks of the open store: engine/fsck_admin.h. Lives as long as this object.
  FsckAdmin* fsck();

  // Adoption of other programs' rows in the data table: engine/adoption_admin.h. Lives as long as
  // this object.
  AdoptionAdmin* adoption();

  // Whether the store can store and keep points now. Cheap, except for one query of the file
  // system's free space.
  StoreHealth Health();

  // The processes that share the store, in their last known state, without a read.
  ClusterView Cluster();

  // The registry this store counts into. Others may add to it.
  Stats& stats();

  const Layout& layout() const;

  // Flushes and closes. Further calls fail with kFailedPrecondition. The destructor closes too, but
  // cannot report.
  absl::Status Close();

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
