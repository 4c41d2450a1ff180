// /api/admin/regions and the paths below it: lists, checks, splits and merges regions
// (engine/region_admin.h). region_json.h documents bodies and answers.
//
//   GET   regions[?table=data&explain]   {"table":"data","regions":[...]}; "rolling":{...} if a
//                                        rolling split is unfinished
//   GET   regions/check[?table=data]     {"table":"data","findings":["..."]}
//   POST  regions/split                  {"table":"data","parent":1,"daughters":[...]}, or of a
//                                        dry run the plan
//   POST  regions/merge                  {"table":"data","merged":{...}}
//   POST  regions/rolling                {"table":"data","rolling":{...}}, or {"table":"data",
//                                        "abandoned":true}
//
// Errors: as http_status.h. 400: an invalid request; 409: the split settings refuse it; 404: no
// such region; 503: another change is under way, or storage is temporarily unavailable; 500 with
// storage's message.
//
// POSTs run as jobs (job_handler.h), one at a time. Thread-safe.

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

  // The error of a POST that is invalid for any regions; nothing if it is valid. Quick.
  static std::optional<HttpResponse> RefuseSplit(const HttpRequest& request);
  static std::optional<HttpResponse> RefuseMerge(const HttpRequest& request);
  static std::optional<HttpResponse> RefuseRolling(const HttpRequest& request);

  // The progress of the running rolling split of a table: the number of keys that begin a region,
  // and of all keys. Nothing if none runs.
  std::optional<RollingProgress> RollingSoFar(const std::string& table) const;

 private:
  Tsdb* const tsdb_;
};

}  // namespace hourcell
