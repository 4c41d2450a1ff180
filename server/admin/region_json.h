// The JSON of /api/admin/regions in requests and answers. Keys and names are printed as in HBase's
// shell, with \xNN for bytes outside printable ASCII.
//
//   split     {"table":"data","region":"<region>","at":"<key>"}, or "at":"hottest", or "into":4, or
//             neither; with "dryRun":true: only planned
//   merge     {"table":"data","regions":["<region>",...]}
//   rolling   {"table":"data","split":"hex:16"}; without "split": continues the interrupted split;
//             with "abandon":true instead: forgets it
//
// A region is an id, as a number or text, an encoded name, a full name, or a key in it. The table
// is optional. Other fields are refused. Pure; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/json_writer.h"
#include "engine/region_admin.h"
#include "engine/region_load.h"

namespace hourcell {

struct SplitBody {
  SplitRequest split = {};
  bool is_dry_run = false;
};

struct MergeRequest {
  std::string table = "data";
  std::vector<std::string> regions = {};
};

struct RollingSplitRequest {
  std::string table = "data";
  std::string split = {};  // empty: continue
  bool abandon = false;
};

// kInvalidArgument: not an object; an unknown or missing field, a wrong type, or two fields that
// exclude each other.
absl::StatusOr<SplitBody> ParseSplitJson(const std::string& body);
absl::StatusOr<MergeRequest> ParseMergeJson(const std::string& body);
absl::StatusOr<RollingSplitRequest> ParseRollingJson(const std::string& body);

// The body that a client sends.
std::string SplitJson(const SplitBody& body);
std::string MergeJson(const MergeRequest& request);
std::string RollingJson(const RollingSplitRequest& request);

// {"id":1,"name":"data,,1.<md5>.","encoded":"<md5>","start":"","end":"","state":"OPEN",
// "family":"data","parents":[],"pinnedUntil":0,"references":false,"fileBytes":0,"memoryBytes":0,
// "files":0,"youngFiles":0}; with ?explain also "explained":{"text":"...","salt":3,"metric":"m",
// "time":1356998400,"tags":[{"key":"host","value":"a"}],"rest":"00"}, each field if it exists.
void AppendRegion(const ListedRegion& region, std::string* out);

// Appends an array of regions.
void AppendRegions(const std::vector<ListedRegion>& regions, std::string* out);

// "parent":1,"dryRun":true,"source":"writes","note":"<text>","sampledWrites":97,"daughters":[
// {"start":"","end":"\x01","hex":"","explained":{...},"bytes":4096,"writeShare":0.49},...]: the
// fields of an object. The source is writes, settings or request. Without sampled writes the shares
// are left out.
void AppendSplitPlan(const SplitPlan& plan, JsonWriter* json);

// {"split":"hex:16","keys":15,"made":3,"there":0,"resumed":false}
void AppendRolling(const RollingProgress& progress, std::string* out);

// {"table":"<text>","step_ms":<n>,"start_ms":<n>,"steps":<n>,
//  "regions":[{"id":<n>,"start":"<key>","end":"<key>"[,"explained":{..}],"parents":[<n>,..],
//              "is_open":<bool>,"first_step":<n>,"points_written":[<n>,..],"rows_written":[..],
//              "rows_blocked":[..],"rows_read":[..],"bytes":[..]},..],
//  "events":[{"time_ms":<n>,"kind":"split|merge","parents":[..],"daughters":[..],"text":"<text>"}]}
void AppendRegionLoads(std::string_view table, const RegionLoadReport& report, std::string* out);

}  // namespace hourcell
