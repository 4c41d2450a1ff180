// /api/admin/regions and what is below it: regions listed, checked, split and merged by hand
// (engine/region_admin.h). Bodies and answers are those of region_json.h.
//
//   GET   regions[?table=data&explain]   {"table":"data","regions":[...]}; "rolling":{...} if a
//                                        rolling split is not through
//   GET   regions/check[?table=data]     {"table":"data","findings":["..."]}
//   POST  regions/split                  {"table":"data","parent":1,"daughters":[...]}
//   POST  regions/merge                  {"table":"data","merged":{...}}
//   POST  regions/rolling                {"table":"data","rolling":{...}}, or {"table":"data",
//                                        "abandoned":true}
//
// Errors: as http_status.h has it. 400: the request makes no sense; 409: the split settings refuse
// it; 404: no such region; 503: another change is under way, or storage cannot for now; 500 with
// storage's words.
//
// The POSTs are work of jobs (job_handler.h), one at a time. Thread-safe.

#pragma once

#include <optional>
#include <string>

#include "engine/region_admin.h"
#include "engine/tsdb.h"
#include "server/http/http_message.h"

namespace hourcell {

class RegionHandler {
 public:
  // Borrowed.
  explicit RegionHandler(Tsdb* tsdb) : tsdb_(tsdb) {}

  HttpResponse List(const HttpRequest& request);
  HttpResponse Check(const HttpRequest& request);
  HttpResponse Loads(const HttpRequest& request);
  HttpResponse Split(const HttpRequest& request);
  HttpResponse Merge(const HttpRequest& request);
  HttpResponse Rolling(const HttpRequest& request);

  // Why a POST makes no sense whatever the regions are; nothing if it does. Quick.
  static std::optional<HttpResponse> RefuseSplit(const HttpRequest& request);
  static std::optional<HttpResponse> RefuseMerge(const HttpRequest& request);
  static std::optional<HttpResponse> RefuseRolling(const HttpRequest& request);

  // Of the rolling split of a table that runs: the keys that begin a region, and all of them.
  // Nothing if none runs.
  std::optional<RollingProgress> RollingSoFar(const std::string& table) const;

 private:
  Tsdb* const tsdb_;
};

}  // namespace hourcell
