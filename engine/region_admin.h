// RegionAdmin: manages regions by hand, for people and tools. Background policies make the same
// changes at any time: a listed region may be gone.
//
//   RegionAdmin* regions = tsdb->maintenance().regions();
//   for (const ListedRegion& region : *regions->List("data", ListDetail::kPlain)) ...
//   regions->Split({.region = "1356998400000", .at = "\\x00\\x00\\x02"});
//
// Keys are texts here, in and out, in the format of HBase's shell: printable ASCII as it is, the
// backslash and all other bytes as \xNN (Bytes.toStringBinary). Tables have the names of
// engine/table/table.h: data and annotation can have several regions, the others have one.
//
// Thread-safe. Calls that change regions wait for each other, and make writers of these regions
// wait for some milliseconds. Every call fails with kFailedPrecondition once the store is closed,
// and with errors of storage. kInvalidArgument: an unknown table, or an invalid text.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/region_load.h"

namespace hourcell {

class WallClock;
class RegionHistory;
class RegionList;
class RegionStore;
class RowKeyCodec;
class TableMaintenance;
class Tables;
class UidDirectory;
struct SplitSettings;

struct ListedRegion {
  uint64_t id = 0;
  std::string name = {};          // HBase's, with the start escaped
  std::string encoded_name = {};  // 32 hex digits
  std::string start = {};         // empty: below all keys
  std::string end = {};           // exclusive; empty: above all keys
  std::string state = {};         // HBase's word
  std::string column_family = {};
  std::vector<uint64_t> parents = {};
  uint64_t pinned_until_ms = 0;  // the normaliser leaves it alone until then; 0 = it does not
  bool has_references = false;   // its files still have rows of its sisters
  uint64_t file_bytes = 0;       // of rows in its range, about
  uint64_t memory_bytes = 0;     // not yet in files
  uint64_t files = 0;
  uint64_t young_files = 0;                    // at level 0
  std::optional<ExplainedKey> explained = {};  // the start, if asked for
};

enum class ListDetail : uint8_t { kPlain, kExplained };

// SplitRequest::at for the key that divides the recent writes; where no key does, the policy says.
// The key with these letters is "\\x68ottest".
inline constexpr std::string_view kAtHottest = "hottest";

// A region of a table, and where to cut it.
struct SplitRequest {
  std::string table = "data";
  std::string region = {};             // region_selector.h
  std::optional<std::string> at = {};  // a key or kAtHottest; nothing: where the policy says
  uint32_t into = 2;                   // parts; more than 2 only without `at`
};

enum class SplitSource : uint8_t {
  kGiven,   // the request has the key
  kPolicy,  // the split settings, for example the middle of the bytes
  kWrites,  // the sampled writes
};

// A daughter of a split that was not made.
struct PlannedRegion {
  std::string start = {};  // as ListedRegion has them
  std::string end = {};
  std::string start_hex = {};
  ExplainedKey explained = {};  // the start
  uint64_t bytes = 0;           // about
  // The share of the sampled writes that it would get a day later; 0 to 1.
  double write_share = 0;
};

struct SplitPlan {
  uint64_t parent = 0;
  SplitSource source = SplitSource::kPolicy;
  // Keys of recent writes, up to 10 minutes old, that stay in the region as time passes. 0: the
  // shares are unknown.
  size_t sampled_writes = 0;
  std::string undivided = {};                 // with kAtHottest: why no key divides the writes
  std::vector<PlannedRegion> daughters = {};  // ascending by start
};

struct SplitDone {
  uint64_t parent = 0;
  std::vector<ListedRegion> daughters = {};  // ascending by start
};

// The progress of a rolling split.
struct RollingProgress {
  std::string split = {};  // the specification
  uint64_t keys = 0;
  uint64_t made = 0;   // cuts it made, those before a restart included
  uint64_t there = 0;  // keys that were starts of regions already, at the end
  bool is_resumed = false;

  friend bool operator==(const RollingProgress&, const RollingProgress&) = default;
};

class RegionAdmin {
 public:
  // All are borrowed.
  struct Parts {
    Tables* tables = nullptr;
    RegionList* list = nullptr;               // of the same store
    RegionStore* regions = nullptr;           // of the same store; may be null
    std::string_view engine = {};             // the name of the storage engine, for errors
    TableMaintenance* maintenance = nullptr;  // of the same store
    const RowKeyCodec* row_keys = nullptr;
    UidDirectory* uids = nullptr;
    WallClock* clock = nullptr;
    const RegionHistory* history = nullptr;  // of the data table; null: none is kept
    // Before a change: kFailedPrecondition if the store is closed, or this process only reads it;
    // kUnavailable if another process is known to be the writer. None: no check.
    std::function<absl::Status()> before_change = {};
    // Before an answer or an acknowledgement: kUnavailable if another process may be the writer by
    // now. None: no other process can be.
    std::function<absl::Status()> check_is_writer = {};
  };

  RegionAdmin(const SplitSettings& settings, const Parts& parts);
  ~RegionAdmin();
  RegionAdmin(const RegionAdmin&) = delete;
  RegionAdmin& operator=(const RegionAdmin&) = delete;

  // Ascending by start.
  absl::StatusOr<std::vector<ListedRegion>> List(std::string_view table, ListDetail detail);

  // The fields of a key of the table.
  absl::StatusOr<ExplainedKey> Explain(std::string_view table, std::string_view key);

  // Cuts one region. Without a key, the split settings decide, and for more than two parts the
  // bytes; a daughter may be as small as one row, whatever daughter_bytes_min says. The normaliser
  // does not touch the daughters for 30 days.
  // kNotFound: no such region. kInvalidArgument: the key is outside, or is the region's start, or
  // becomes that by the restriction of the settings; `at` with `into`, or parts outside 2 to 1024.
  // kFailedPrecondition: the settings allow no splits, or no key divides the rows.
  absl::StatusOr<SplitDone> Split(const SplitRequest& request);

  // The daughters that Split would make now, or its error. Changes no region; may write memory to
  // files.
  absl::StatusOr<SplitPlan> PlanSplit(const SplitRequest& request);

  // Merges neighbours, given in any order, into one region. kNotFound: a region is unknown.
  // kInvalidArgument: fewer than two, one of them twice, or not neighbours. kUnavailable: one still
  // has rows of its sister; retry.
  absl::StatusOr<ListedRegion> Merge(std::string_view table,
                                     const std::vector<std::string>& regions);

  // The recent load of the regions, step by step, from the first step that begins at or after
  // `since_ms`, and their changes. kInvalidArgument also: a table other than data, because only
  // data's regions are watched. Empty if the store does not maintain its regions.
  absl::StatusOr<RegionLoadReport> Loads(std::string_view table,
                                         uint64_t since_ms,
                                         ListDetail detail);

  // The errors of the regions in use and of the catalogue on disk, as lines; empty if they tile the
  // key space. Reads no rows of the table.
  absl::StatusOr<std::vector<std::string>> Check(std::string_view table);

  // Cuts a table with rows until each key of `split` (regions/presplit.h, except file:) is the
  // start of a region, one cut after the other, the middle one first. Regions that begin elsewhere
  // stay. If the call ends early, the next call with the same text, or an empty one, continues.
  // Until then another text is kFailedPrecondition, unless the split was abandoned. So are an empty
  // text without a split to continue, and settings that allow no splits.
  // kInvalidArgument: a text that does not parse, does not fit the layout, or has a key that the
  // restriction of the settings moves. kUnavailable: another rolling split runs.
  absl::StatusOr<RollingProgress> RollingSplit(std::string_view table, std::string_view split);

  // The rolling split that ended early, or runs; nullopt without one.
  absl::StatusOr<std::optional<RollingProgress>> UnfinishedRollingSplit(std::string_view table);

  // Forgets the rolling split; its cuts stay. kNotFound: no unfinished one. kUnavailable: it runs.
  absl::Status AbandonRollingSplit(std::string_view table);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

// The specification `keys:...` of a splits file: one key a line (regions/presplit.h).
// kInvalidArgument: an invalid key, an empty file, or too many keys.
absl::StatusOr<std::string> SplitOfFile(std::string_view file_text);

}  // namespace hourcell
