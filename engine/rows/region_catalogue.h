// The region catalogue: the regions of the tables, in the system table. It alone is authoritative:
// opening a store drops column families that are not in the catalogue.
//
//   key                       value
//   region/<table>/<id>       start=<hex>, end=<hex>, state=<HBase's word>, family=<name>,
//                             parents=<ids with commas>, pinned_until_ms=<n>, references=<0 or 1>:
//                             a line each; default values are omitted
//   transition/<table>/<id>   a running split or merge that will create the region <id>: text for
//                             people; the commit, or the next open, deletes its rows
//   last_region_id            the largest id used by a change, even a failed one; decimal.
//                             Absent = the largest of the catalogue
//
// A table without a row was never cut: it is one region of all keys, with id 1.
//
// Ids are decimal, padded to 20 digits so that rows are in the order of ids. Pure:
// rocks_table_store.h reads and writes the rows.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/regions/region_info.h"
#include "engine/table/table.h"

namespace hourcell {

inline constexpr std::string_view kRegionPrefix = "region/";
inline constexpr std::string_view kTransitionPrefix = "transition/";
inline constexpr std::string_view kLastRegionIdKey = "last_region_id";

std::string RegionKey(std::string_view table, RegionId id);
std::string TransitionKey(std::string_view table, RegionId id);

std::string EncodeRegion(const RegionInfo& region);

// kDataLoss: not a row of the catalogue; the message gives the actual and the expected value.
absl::StatusOr<RegionInfo> DecodeRegion(std::string_view key, std::string_view value);

// The value of kLastRegionIdKey. kDataLoss: not a decimal number.
absl::StatusOr<RegionId> DecodeLastRegionId(std::string_view value);

// Mutations of the system table.
Mutation SetRegion(const RegionInfo& region);
Mutation DeleteRegion(const RegionInfo& region);

}  // namespace hourcell
