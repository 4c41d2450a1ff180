// The region catalogue: which regions the tables have, in the `meta` table. It is the only truth:
// column families that it does not name are dropped when the store is opened.
//
//   key                       value
//   region/<table>/<id>       start=<hex>, end=<hex>, state=<HBase's word>, family=<name>,
//                             parents=<ids with commas>, pinned_until_ms=<n>, references=<0 or 1>:
//                             a line each; what has its default is left out
//   transition/<table>/<id>   a split or merge under way, of the region that will be made of it:
//                             text for people; its rows go with the commit, or with the next open
//   last_region_id            the largest id that a change has taken, a failed one too; decimal.
//                             Without the row: the largest of the catalogue
//
// A table without a row was never cut: it is one region of all keys, of id 1.
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

// kDataLoss: not a row of the catalogue; says what was got and what is wanted.
absl::StatusOr<RegionInfo> DecodeRegion(std::string_view key, std::string_view value);

// The value of kLastRegionIdKey. kDataLoss: not a decimal number.
absl::StatusOr<RegionId> DecodeLastRegionId(std::string_view value);

// Mutations of `meta`.
Mutation SetRegion(const RegionInfo& region);
Mutation DeleteRegion(const RegionInfo& region);

}  // namespace hourcell
