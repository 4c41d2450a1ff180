// QueryRegistry: the queries that run over HTTP, and the last of those that did: what
// /api/stats/query lists and cancels. Look-ups of last points, series and names are queries, too;
// their "query" begins with "type": "LAST", "LOOKUP", "SUGGEST".
//
//   {"completed":[{"queryId":1,"query":{...},"remote":"127.0.0.1:50000",
//                  "queryStartTimestamp":ms,"stats":{"series":...,"rows":...,...},
//                  "explain":[{"query":0,"method":"skip scan",...}],
//                  "queryCompletedTimestamp":ms,"httpResponse":{"code":200,"reasonPhrase":"OK"},
//                  "exception":null,"sentToClient":true}, ...],
//    "running":[{"queryId":2,"query":{...},...,"stats":{...},"explain":[],"elapsed":ms}, ...]}
//
// "explain" says how each sub query was read, as in an answer of /api/query; a running query has it
// of those sub queries that are done.
// Times are milliseconds since 1970; completed ones come newest first. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/query.h"
#include "server/query/query_request.h"

namespace hourcell {

// Completed queries that are kept.
inline constexpr size_t kCompletedQueriesMax = 100;
// Of a request with many sub queries, those after so much text are counted instead of listed.
inline constexpr size_t kListedQueryBytesMax = 16 * 1024;
// One whose text is longer all the same is listed as {"bytesNotListed":...}: a hundred are kept.
inline constexpr size_t kListedTextBytesMax = 4 * kListedQueryBytesMax;

// What a request of /api/query asks, as JSON, with its lists cut at kListedQueryBytesMax.
std::string ListedQueryText(const QueryRequest& query);

// So many of its sub queries are explained, at most.
inline constexpr size_t kListedPlansMax = 64;

// How a query ended.
struct QueryOutcome {
  int status = 200;            // HTTP's
  std::string exception = {};  // why it failed; empty = it did not
  bool sent = true;            // the client got its response, not only its beginning
};

class QueryRegistry {
 public:
  // `clock` is borrowed.
  explicit QueryRegistry(Clock* clock) : clock_(clock) {}

  // Lists a query that begins, and returns its id. `text` is what it asks, as JSON; `remote` is the
  // client's address; `user` may be empty, and is not listed then.
  uint64_t Begin(std::string text,
                 std::string_view remote,
                 std::shared_ptr<QueryControl> control,
                 std::string_view user = {});
  // REQUIRES: `id` is running.
  void End(uint64_t id, QueryOutcome outcome);
  // As if it had never begun. REQUIRES: `id` is running.
  void Forget(uint64_t id);

  // Cancels a running query; how it stands is returned as in "running".
  // kNotFound: none that runs has this id.
  absl::StatusOr<std::string> Cancel(uint64_t id);

  std::string Json() const;

 private:
  struct Query {
    uint64_t id = 0;
    std::string text;  // "query"
    std::string remote;
    std::string user;
    int64_t start_ms = 0;  // Unix milliseconds
    int64_t begun_ms = 0;  // the same moment, by the monotonic clock
    std::shared_ptr<QueryControl> control;
    int64_t end_ms = 0;
    QueryCost cost;                 // once it has ended
    std::vector<PlanReport> plans;  // the same
    QueryOutcome outcome;
  };
  static void AppendRunning(const Query& query, int64_t now_ms, std::string* out);
  static void AppendCompleted(const Query& query, std::string* out);

  Clock* const clock_;
  mutable Mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Query> running_ ABSL_GUARDED_BY(mutex_);
  std::deque<Query> completed_ ABSL_GUARDED_BY(mutex_);  // newest first
};

}  // namespace hourcell
