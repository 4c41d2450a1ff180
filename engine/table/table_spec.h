// TableSpec: one row for each table, with all that the storage port and its stores must know about
// it. Code that treats tables differently reads the row, so a new table is a new row here, a
// TableId, and a merge (engine/rows/merge_operands.h) if its kind is new.
//
// The specs are constants, and SpecOf is an array access. A backup has all tables.
//
//   table        span   merge      regions     writes      expiry      fsck          in groups
//   kSystem      -      none       one         logged      -           records       as listed
//   kUid         -      none       one         logged      -           names         by kind
//   kSeries      -      postings   one         logged      -           series        by kind
//   kData        hour   cells      automatic   journaled   of metric   rows          any
//   kAnnotation  hour   none       by hand     logged      -           annotations   as listed

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "codec/rows/row_span.h"

namespace hourcell {

enum class TableId : uint8_t {
  kSystem,      // format, layout, region catalogue (engine/rows/system_table.h)
  kUid,         // names and UIDs (engine/rows/uid_key.h)
  kSeries,      // series numbers and posting sets (engine/rows/series_key.h)
  kData,        // rows of points (codec/rows/row_key.h, codec/cells/cell.h)
  kAnnotation,  // annotations and histograms (engine/rows/annotation_key.h)
};

// How the operands of a row become its value.
enum class TableMerge : uint8_t {
  kNone,      // rows are only set and deleted
  kPostings,  // the union of posting sets
  kCells,     // the points of all cells; the last write wins for an instant
};

enum class TableRegions : uint8_t {
  kOne,        // one region, always
  kByHand,     // regions that a user splits and merges
  kAutomatic,  // also split and merged by their size and load, which are recorded
};

// How a row survives a crash before its table is flushed.
enum class TableWrites : uint8_t {
  kLogged,     // by the storage's log
  kJournaled,  // by the journal of points: Tables::ApplyUnlogged writes such rows
};

// When rows expire.
enum class TableExpiry : uint8_t {
  kNever,
  kOfMetric,  // by the TTL of the metric in the row's key (retention.h)
};

// The check that fsck makes of a table's rows. It also checks the regions of all tables.
enum class TableCheck : uint8_t { kRecords, kNames, kSeries, kRows, kAnnotations };

// The order of neighbours of one table in a group that matters (tables.h).
enum class GroupOrder : uint8_t {
  kAsListed,  // merges alone may be reordered
  kByKind,    // also sets, or deletes, of keys with the same first byte
  kAny,
};

// How often a row is written, for stores that keep each write as a cell until a row compaction.
enum class RowWrites : uint8_t {
  kFew,
  kManyOfSome,  // the key and the kind of the write decide
  kMany,
};

// The memory and the files of a table.
enum class FileTuning : uint8_t {
  kNames,  // small memory; rows are looked up, mostly in vain
  kIndex,  // the same with the full write buffer
  kRows,   // most of the store: compressed with dictionaries; scans bypass the cache
};

struct TableSpec {
  TableId id = TableId::kSystem;
  // Frozen: of the column family, followed by ".<region id>" if the table may have several regions,
  // and of Bigtable's table after the prefix. Also in messages and arguments.
  std::string_view name = {};
  RowSpan row_span = {};  // of keys that begin with a row key (codec/rows/row_key.h)
  TableMerge merge = TableMerge::kNone;
  TableRegions regions = TableRegions::kOne;
  TableWrites writes = TableWrites::kLogged;
  TableExpiry expiry = TableExpiry::kNever;
  TableCheck check = TableCheck::kRecords;
  GroupOrder group_order = GroupOrder::kAsListed;
  RowWrites row_writes = RowWrites::kFew;
  FileTuning files = FileTuning::kNames;
  bool has_counters = false;   // of UIDs or series numbers, 8 bytes each
  bool may_be_shared = false;  // on Bigtable, with the rows of an OpenTSDB

  constexpr bool has_regions() const { return regions != TableRegions::kOne; }
  constexpr bool merges() const { return merge != TableMerge::kNone; }
};

// In the order of TableId.
inline constexpr TableSpec kTableSpecs[] = {
    {.id = TableId::kSystem, .name = "meta", .row_writes = RowWrites::kMany},
    {.id = TableId::kUid,
     .name = "uid",
     .check = TableCheck::kNames,
     .group_order = GroupOrder::kByKind,
     .row_writes = RowWrites::kManyOfSome,
     .has_counters = true},
    {.id = TableId::kSeries,
     .name = "series",
     .merge = TableMerge::kPostings,
     .check = TableCheck::kSeries,
     .group_order = GroupOrder::kByKind,
     .row_writes = RowWrites::kManyOfSome,
     .files = FileTuning::kIndex,
     .has_counters = true},
    {.id = TableId::kData,
     .name = "data",
     .row_span = kHourSpan,
     .merge = TableMerge::kCells,
     .regions = TableRegions::kAutomatic,
     .writes = TableWrites::kJournaled,
     .expiry = TableExpiry::kOfMetric,
     .check = TableCheck::kRows,
     .group_order = GroupOrder::kAny,
     .files = FileTuning::kRows,
     .may_be_shared = true},
    {.id = TableId::kAnnotation,
     .name = "annotation",
     .row_span = kHourSpan,
     .regions = TableRegions::kByHand,
     .check = TableCheck::kAnnotations,
     .row_writes = RowWrites::kMany},
};

// The ids of all tables.
inline constexpr auto kTableIds = [] {
  std::array<TableId, std::size(kTableSpecs)> ids{};
  for (size_t i = 0; i < ids.size(); ++i)
    ids[i] = kTableSpecs[i].id;
  return ids;
}();

constexpr const TableSpec& SpecOf(TableId table) {
  return kTableSpecs[static_cast<size_t>(table)];
}

constexpr std::string_view TableName(TableId table) {
  return SpecOf(table).name;
}

// The span of a row of points.
inline constexpr RowSpan kDataRowSpan = SpecOf(TableId::kData).row_span;

}  // namespace hourcell
