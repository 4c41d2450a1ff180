// /api/put: points in a JSON body to a Tsdb; and /api/rollup: rollups.
//
// A reply of 2xx means that kill -9 cannot undo the points; with ?sync, that power loss cannot
// either. Of a body that is not JSON, no point is stored; of a body with bad points, the good ones
// are.
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tsdb.h"
#include "server/http/http_message.h"
#include "server/put/body_work.h"
#include "server/put/put_json.h"
#include "server/put/put_writer.h"

namespace hourcell {

// The flags of the URL.
struct PutFlags {
  bool summary = false;
  bool details = false;
  bool sync = false;
  int64_t sync_timeout_ms = 0;                 // 0 or less: none
  bool may_wait = false;                       // HttpRequest::may_wait
  const NewSeriesQuota* new_series = nullptr;  // HttpRequest::new_series_limit
  std::string_view via = {};  // of the request: servers that have forwarded the points
};

class PutHandler {
 public:
  struct Settings {
    size_t tags_max = 0;                   // tsd.storage.max_tags
    std::string tag_header;                // tsd.http.header_tag in lower case; empty = none
    const RollupRules* rollups = nullptr;  // of /api/rollup; borrowed; null = /api/put
    AppendInPlace append = {};
  };

  // `tsdb` is borrowed and outlives the object. Counts rpc.put.points and rpc.put.errors.
  PutHandler(Tsdb* tsdb, Settings settings);

  // Answers a POST. 204 without a flag and 200 with summary or details if all points are stored;
  // 400 if points are refused; 400 or 403 if a StoreObserver refuses the batch with
  // kInvalidArgument or kPermissionDenied; 503 with Retry-After if the store is full or
  // unavailable, 500 if it is broken. 400 to all rollups while they are off.
  //
  // With ?sync&sync_timeout=N, 400 if the points are not synced N milliseconds after the store
  // received them: "The put call has timedout with ...", or the summary with its timeouts. The
  // points may still be stored, now or later.
  //
  // New series may have to wait for others that are being created: a request that may not wait then
  // returns must_wait, with no point stored.
  //
  // `work` is borrowed, and may be null.
  HttpResponse Handle(const HttpRequest& request, BodyWork* work = nullptr);

 private:
  // Stores a body of the usual form; nothing for other forms.
  std::optional<HttpResponse> StoreUsual(const HttpRequest& request,
                                         const PutRules& rules,
                                         const PutFlags& flags,
                                         BodyWork* work) const;
  // Parses a body of any form.
  HttpResponse StoreOther(const HttpRequest& request,
                          const PutRules& rules,
                          const PutFlags& flags,
                          BodyWork* work) const;
  // Stores the points, waiting for their commit.
  template <typename Point>
  absl::Status Store(std::span<const Point> points,
                     const PutFlags& flags,
                     std::vector<RefusedPoint>* refused) const;
  // Counts and answers the results for the points of `json`.
  HttpResponse Finish(const PutJson& json,
                      const absl::Status& stored,
                      std::span<const RefusedPoint> refused,
                      const PutFlags& flags) const;

  const Settings settings_;
  const PutWriter writer_;
};

}  // namespace hourcell
