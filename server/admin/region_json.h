// The JSON of /api/admin/regions: what requests want, and what they are answered. Keys and names
// are printed as HBase's shell does, \xNN for what is not printable ASCII.
//
//   split     {"table":"data","region":"<region>","at":"<key>"}, or "into":4, or neither
//   merge     {"table":"data","regions":["<region>",...]}
//   rolling   {"table":"data","split":"hex:16"}; no split: goes on with the one that was ended;
//             "abandon":true instead: forgets it
//
// A region is an id, as a number or text, an encoded name, a full name, or a key in it. The table
// may be left out. Other fields are refused. Pure; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/region_admin.h"
#include "engine/region_load.h"

namespace hourcell {

struct MergeRequest {
  std::string table = "data";
  std::vector<std::string> regions = {};
};

struct RollingSplitRequest {
  std::string table = "data";
  std::string split = {};  // empty: go on
  bool abandon = false;
};

// kInvalidArgument: no object, a field there is not, one of another type, one that is missing, or
// two that do not go together.
absl::StatusOr<SplitRequest> ParseSplitJson(const std::string& body);
absl::StatusOr<MergeRequest> ParseMergeJson(const std::string& body);
absl::StatusOr<RollingSplitRequest> ParseRollingJson(const std::string& body);

// The same back, as a client sends it.
std::string SplitJson(const SplitRequest& wish);
std::string MergeJson(const MergeRequest& wish);
std::string RollingJson(const RollingSplitRequest& wish);

// {"id":1,"name":"data,,1.<md5>.","encoded":"<md5>","start":"","end":"","state":"OPEN",
// "family":"data","parents":[],"pinnedUntil":0,"references":false,"fileBytes":0,"memoryBytes":0,
// "files":0,"youngFiles":0}; if it was asked for, "explained":{"text":"...","salt":3,"metric":"m",
// "time":1356998400,"tags":[{"key":"host","value":"a"}],"rest":"00"}, of what it has.
void AppendRegion(const ListedRegion& region, std::string* out);

// An array of them.
void AppendRegions(const std::vector<ListedRegion>& regions, std::string* out);

// {"split":"hex:16","keys":15,"made":3,"there":0,"resumed":false}
void AppendRolling(const RollingProgress& progress, std::string* out);

// {"table":"<text>","step_ms":<n>,"start_ms":<n>,"steps":<n>,
//  "regions":[{"id":<n>,"start":"<key>","end":"<key>"[,"explained":{..}],"parents":[<n>,..],
//              "is_open":<bool>,"first_step":<n>,"points_written":[<n>,..],"rows_written":[..],
//              "rows_blocked":[..],"rows_read":[..],"bytes":[..]},..],
//  "events":[{"time_ms":<n>,"kind":"split|merge","parents":[..],"daughters":[..],"text":"<text>"}]}
void AppendRegionLoads(std::string_view table, const RegionLoadReport& report, std::string* out);

}  // namespace hourcell
