// TableStore: ordered tables of rows, the only thing the engine needs of a storage engine. RocksDB
// is one implementation (rocks_table_store.h); the tests have one in memory; a Bigtable-like
// service can be another. No type of RocksDB appears here.
//
// A table is a key space in unsigned byte order, one value a row. One row's mutations are atomic
// and applied in order; rows are independent, except that an implementation with multi-row
// atomicity applies a whole group at once. Groups are therefore listed in an order that is safe to
// be cut anywhere: counters, reverse names, forward names, series, postings, then data.
//
// Thread-safe. Errors: kUnavailable (try again), kDataLoss (stored bytes are damaged),
// kFailedPrecondition (closed, read-only).

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

#include "engine/regions/region_info.h"
#include "engine/regions/split/split_point.h"

namespace hourcell {

class RowExpiry;
class TableFiles;

enum class TableId : uint8_t {
  kMeta,        // format, layout, region catalogue; sets only
  kUid,         // names and UIDs; sets only
  kSeries,      // series numbers and postings; merges OR posting sets (series_key.h)
  kData,        // rows of points; merges are cells (codec/cells/cell.h)
  kAnnotation,  // annotations of series and global ones (annotation_key.h); sets only
};
inline constexpr TableId kTableIds[] = {TableId::kMeta, TableId::kUid, TableId::kSeries,
                                        TableId::kData, TableId::kAnnotation};
std::string_view TableName(TableId table);

struct Mutation {
  enum class Kind : uint8_t { kSet, kMerge, kDelete };
  TableId table = TableId::kData;
  Kind kind = Kind::kSet;
  std::string key;
  std::string value;
};

// Which data rows of a range a reader wants: those that have each tagk with one of its tagvs.
// Structured, so that an engine can push it down; never relied on: the reader checks again.
struct RowFilter {
  struct Tag {
    std::string tagk;                // UID bytes
    std::vector<std::string> tagvs;  // UID bytes, ascending
  };
  size_t tags_offset = 0;  // where the tag pairs begin in a key
  size_t tagk_width = 0;
  size_t tagv_width = 0;
  std::vector<Tag> tags;  // empty = all rows

  bool Matches(std::string_view key) const;
};

struct ScanRange {
  std::string begin;  // inclusive
  std::string end;    // exclusive; empty = no end
  // So much is to be read that it should leave alone what is cached. For a RowCursor.
  bool is_large = false;
};

// A place in a range of rows. Key and value are borrowed until the cursor moves. Thread-compatible.
class RowCursor {
 public:
  virtual ~RowCursor() = default;

  // To the first row at or after `key`.
  virtual void Seek(std::string_view key) = 0;
  // To the last row before `key`, or of the range.
  virtual void SeekBefore(std::string_view key) = 0;
  virtual void SeekToLast() = 0;
  // REQUIRES: valid().
  virtual void Next() = 0;

  // False at the end of the range, and after an error.
  virtual bool valid() const = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual absl::Status status() const = 0;
};

// A frozen view of all tables. Reads through it see one moment. Thread-safe.
class TableView {
 public:
  virtual ~TableView() = default;

  virtual absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) = 0;

  // values->at(i) belongs to keys[i]; nothing for an absent row. Keys in any order.
  virtual absl::Status GetMany(TableId table,
                               std::span<const std::string> keys,
                               std::vector<std::optional<std::string>>* values) = 0;

  // Rows in key order until the end or until `visit` returns false. The views live for the call.
  virtual absl::Status Scan(
      TableId table,
      const ScanRange& range,
      const RowFilter& filter,
      const std::function<bool(std::string_view key, std::string_view value)>& visit) = 0;

  // A cursor over a range, at no row yet. It must not outlive the view.
  virtual std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) = 0;
};

// Where regions begin.
struct RegionCut {
  std::vector<std::string> keys;  // ascending, none empty
  // The normaliser does not merge the regions that come of it before.
  uint64_t pinned_until_ms = 0;
};

// What a region takes at the moment.
struct RegionUse {
  RegionInfo region;
  uint64_t file_bytes = 0;    // of what is in its range, about
  uint64_t memory_bytes = 0;  // not yet in files
  uint64_t files = 0;
  uint64_t young_files = 0;  // of them, those not yet merged with the rest: level 0
  // Rows since it was opened: written, and those that had to wait as it was behind.
  uint64_t rows_written = 0;
  uint64_t rows_blocked = 0;
};

// May be used for as long as the store is open.
struct RegionProbe {
  std::vector<FileSpan> files;
  SplitProbe probe;
};

class TableStore {
 public:
  virtual ~TableStore() = default;

  // Applies a group, in order. When it returns, kill -9 cannot undo it; with `sync`, nor can a
  // power failure.
  virtual absl::Status Apply(std::span<const Mutation> group, bool sync) = 0;

  // As Apply, but kUnavailable at once where Apply would wait for a region that is behind: for whom
  // others wait meanwhile.
  virtual absl::Status ApplyAtOnce(std::span<const Mutation> group, bool sync) {
    return Apply(group, sync);
  }

  // As Apply, but the group survives a crash only from the next Flush of its tables on: for what is
  // in the journal until then.
  virtual absl::Status ApplyUnlogged(std::span<const Mutation> group) = 0;

  // True if the region that has the key takes no rows for now, as its files come faster than they
  // are merged: a group with such a row waits for it, and fails with kUnavailable after a while.
  // One that is left out of a group because of it is counted as blocked.
  virtual bool IsBehind(TableId table, std::string_view key) = 0;

  // Not OK, kUnavailable: some of what is to be read may not survive kill -9, as a disk failed and
  // its Apply was, or will be, refused. Whoever is about to acknowledge something by what he has
  // read asks after he has read it.
  virtual absl::Status CheckWritten() { return absl::OkStatus(); }

  // Makes everything applied so far survive a power failure, but for what is unlogged.
  virtual absl::Status Sync() = 0;

  // The present, frozen.
  virtual std::unique_ptr<TableView> Snapshot() = 0;

  // Adds `delta` to the 8-byte big-endian counter of a row (absent = 0) and returns the sum.
  virtual absl::StatusOr<uint64_t> Increment(TableId table,
                                             std::string_view key,
                                             uint64_t delta) = 0;

  // Sets a row if it holds `expected` (nothing: if it is absent). False if it does not.
  virtual absl::StatusOr<bool> CompareAndSet(TableId table,
                                             std::string_view key,
                                             std::optional<std::string_view> expected,
                                             std::string_view value) = 0;

  // Keys at which a range of the table can be cut for parallel work, ascending; may be empty.
  virtual absl::StatusOr<std::vector<std::string>> SplitPoints(TableId table) = 0;

  // Cuts a table that is empty, and has never been cut: a region for each range between the keys.
  // kInvalidArgument: keys that do not ascend, an empty one. kFailedPrecondition: the table has
  // rows, or regions already, or cannot have any.
  virtual absl::Status Presplit(TableId table, const RegionCut& cut) = 0;

  // Cuts the region that has the keys there, while writes and reads go on. kInvalidArgument: the
  // region begins with one of them, or does not have all, or the table can have one region only.
  // kFailedPrecondition: no region may begin with that.
  virtual absl::Status Split(TableId table, const RegionCut& cut) = 0;

  // Makes one region of neighbours, while writes and reads go on. Ids in any order. Those that are
  // empty cost no more than a line of the catalogue. kInvalidArgument: fewer than two, or not
  // neighbours. kNotFound: there is none of that id.
  virtual absl::Status MergeRegions(TableId table, std::span<const RegionId> ids) = 0;

  // Gives back what regions that were split hold of their sisters', those of one region at most:
  // true if there may be more.
  virtual absl::StatusOr<bool> TrimRegions(TableId table) = 0;

  // The regions of a table, ascending by start; there is always one.
  virtual std::vector<RegionInfo> Regions(TableId table) = 0;

  // The same with what they take.
  virtual absl::StatusOr<std::vector<RegionUse>> RegionUses(TableId table) = 0;

  // Of keys and values in a range, compressed where they are in files; to about a tenth. No row is
  // read.
  virtual absl::StatusOr<uint64_t> ApproximateBytes(TableId table, const ScanRange& range) = 0;

  // What FindSplitPoint asks about a region. kNotFound: there is none of that id.
  virtual absl::StatusOr<RegionProbe> ProbeRegion(TableId table, RegionId id) = 0;

  // Writes what a table has in memory to files.
  virtual absl::Status Flush(TableId table) = 0;

  // Merges all files of a table into as few as there can be, and waits until that is done.
  // kCancelled: `*cancelled` became true; what was merged by then stays. It may be null.
  virtual absl::Status Compact(TableId table, std::atomic<bool>* cancelled = nullptr) = 0;

  // From now on rows of the data table that are expired may vanish at any moment, in parts too:
  // reads leave them out by themselves. `expiry` is borrowed and outlives the store. Before this
  // call nothing expires.
  virtual void SetExpiry(const RowExpiry* expiry) = 0;

  // Gives back the space of expired rows where that is worth its work, a bounded piece of it at a
  // time: to be called every minute or so. Returns the bytes freed.
  virtual absl::StatusOr<uint64_t> DropExpired() = 0;

  // Calls `work` while no table changes its regions, and returns what it returns.
  virtual absl::Status WithRegionsAtRest(const std::function<absl::Status()>& work);

  // The files that all tables consist of now (engine/table/table_files.h); reads and writes go on.
  // What is in them is all that was applied, but for what is unlogged and not yet flushed.
  // REQUIRES: the regions are at rest. kUnimplemented: its tables are no files.
  virtual absl::StatusOr<std::unique_ptr<TableFiles>> PinFiles();

  // Flushes and closes; afterwards every call fails with kFailedPrecondition. Views must be gone.
  virtual absl::Status Close() = 0;
};

}  // namespace hourcell
