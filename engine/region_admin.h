// RegionAdmin: regions managed by hand, for people and the tools they use. What it does, background
// policies do as well, and both may at any time: a region that was listed may be gone.
//
//   RegionAdmin* regions = tsdb->regions();
//   for (const ListedRegion& region : *regions->List("data", ListDetail::kPlain)) ...
//   regions->Split({.region = "1356998400000", .at = "\\x00\\x00\\x02"});
//
// Keys are texts here, in and out, as HBase's shell prints them: printable ASCII as it is, the
// backslash and all other bytes as \xNN (Bytes.toStringBinary). Tables are named as in
// engine/table/table.h: data and annotation can have several regions, the others have one.
//
// Thread-safe. Calls that change regions wait for each other, and writers of the regions concerned
// for some milliseconds. Every call fails with kFailedPrecondition once the store is closed, and
// with what storage says. kInvalidArgument: a table there is not, or a text that makes no sense.

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

#include "engine/explained_key.h"
#include "engine/region_load.h"

namespace hourcell {

class Clock;
class RegionHistory;
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
  uint64_t young_files = 0;                    // of them, those of level 0
  std::optional<ExplainedKey> explained = {};  // the start, if asked for
};

enum class ListDetail : uint8_t { kPlain, kExplained };

// Which region of which table, and where it is cut.
struct SplitRequest {
  std::string table = "data";
  std::string region = {};             // region_selector.h
  std::optional<std::string> at = {};  // a key; nothing: where the policy says
  uint32_t into = 2;                   // parts; more than 2 only without `at`
};

struct SplitDone {
  uint64_t parent = 0;
  std::vector<ListedRegion> daughters = {};  // ascending by start
};

// A rolling split, as far as it is.
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
    RegionStore* regions = nullptr;           // of the same store
    TableMaintenance* maintenance = nullptr;  // of the same store
    const RowKeyCodec* row_keys = nullptr;
    UidDirectory* uids = nullptr;
    Clock* clock = nullptr;
    const RegionHistory* history = nullptr;  // of the data table; null: none is kept
    // Before an answer or an acknowledgement: kUnavailable if another process may be the writer by
    // now. None: no other process can be.
    std::function<absl::Status()> check_is_writer = {};
  };

  RegionAdmin(const SplitSettings& settings, Parts parts);
  ~RegionAdmin();
  RegionAdmin(const RegionAdmin&) = delete;
  RegionAdmin& operator=(const RegionAdmin&) = delete;

  // Ascending by start.
  absl::StatusOr<std::vector<ListedRegion>> List(std::string_view table, ListDetail detail);

  // What a key of the table says.
  absl::StatusOr<ExplainedKey> Explain(std::string_view table, std::string_view key);

  // Cuts one region. Without a key it is found as the split settings say, of more than two parts by
  // bytes; a daughter may be as small as one row, whatever daughter_bytes_min says. The normaliser
  // leaves the daughters alone for 30 days.
  // kNotFound: no such region. kInvalidArgument: the key is outside, or is the region's start, or
  // becomes that by the restriction of the settings; `at` with `into`, or parts out of 2 to 1024.
  // kFailedPrecondition: the settings allow no splits, or no key parts the rows.
  absl::StatusOr<SplitDone> Split(const SplitRequest& request);

  // Makes one region of neighbours, in any order. kNotFound: there is no such region.
  // kInvalidArgument: fewer than two, one of them twice, or not neighbours. kUnavailable: one has
  // rows of its sister still; try again.
  absl::StatusOr<ListedRegion> Merge(std::string_view table,
                                     const std::vector<std::string>& regions);

  // What the regions took of late, step by step, from the first step that begins at or after
  // `since_ms`; and how they changed. kInvalidArgument also: a table whose regions are not watched,
  // which is any but data. Empty if the store does not look after its regions by itself.
  absl::StatusOr<RegionLoadReport> Loads(std::string_view table,
                                         uint64_t since_ms,
                                         ListDetail detail);

  // What is wrong with the regions in use, and with what the catalogue on disk says, as lines;
  // empty if they tile the key space. Reads no rows of the table.
  absl::StatusOr<std::vector<std::string>> Check(std::string_view table);

  // Cuts a table with rows until each key of `split` (regions/presplit.h, but for file:) is the
  // start of a region, one cut after the other, the middle one first. Regions that begin elsewhere
  // stay. If it is ended before it is through, the next call with the same text, or an empty one,
  // goes on; another text is kFailedPrecondition until then, unless it was abandoned. So is an
  // empty one if there is nothing to go on with, and settings that allow no splits.
  // kInvalidArgument: a text that does not parse, goes not with the layout, or has a key that the
  // restriction of the settings moves. kUnavailable: another one runs.
  absl::StatusOr<RollingProgress> RollingSplit(std::string_view table, std::string_view split);

  // The rolling split that was ended before it was through, or runs; nothing if there is none.
  absl::StatusOr<std::optional<RollingProgress>> UnfinishedRollingSplit(std::string_view table);

  // Forgets it; what was cut stays. kNotFound: there is none. kUnavailable: it runs.
  absl::Status AbandonRollingSplit(std::string_view table);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

// The specification `keys:...` of a splits file: one key a line (regions/presplit.h).
// kInvalidArgument: a line that is no key, none at all, or too many.
absl::StatusOr<std::string> SplitOfFile(std::string_view file_text);

}  // namespace hourcell
