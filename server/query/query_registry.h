// QueryRegistry: the running and the last completed queries over HTTP, which /api/stats/query lists
// and cancels. Look-ups of last points, series and names are queries, too; their "query" begins
// with "type": "LAST", "LOOKUP", "SUGGEST".
//
//   {"completed":[{"queryId":1,"query":{...},"remote":"127.0.0.1:50000",
//                  "queryStartTimestamp":ms,"stats":{"series":...,"rows":...,...},
//                  "explain":[{"query":0,"method":"skip scan",...}],
//                  "queryCompletedTimestamp":ms,"httpResponse":{"code":200,"reasonPhrase":"OK"},
//                  "exception":null,"sentToClient":true}, ...],
//    "running":[{"queryId":2,"query":{...},...,"stats":{...},"explain":[],"elapsed":ms}, ...],
//    "slow":[{"queryId":0,...}, ...]}
//
// "slow" has the slowest queries of a day that are no longer in "completed", the slowest first;
// absent without such queries.
// "explain" describes the read of each sub query, as in an answer of /api/query; that of a running
// query has the finished sub queries.
// Times are milliseconds since 1970; completed queries come newest first. Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
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

// The number of completed queries kept.
inline constexpr size_t kCompletedQueriesMax = 100;
// The number of slow queries kept in addition, and for how long.
inline constexpr size_t kSlowQueriesMax = 100;
inline constexpr int64_t kSlowQueriesKeptMs = int64_t{24} * 3600 * 1000;
// Background queries are kept if they took longer, or failed.
inline constexpr int64_t kQuickBackgroundMs = 1000;
// A text lists sub queries up to this size, and the number of the others.
inline constexpr size_t kListedQueryBytesMax = 16 * 1024;
// A query with a longer text is listed as {"bytesNotListed":...}, to bound the memory of the list.
inline constexpr size_t kListedTextBytesMax = 4 * kListedQueryBytesMax;

// The text of a request to /api/query in the list, as JSON, with at most kListedQueryBytesMax of
// sub queries and the whole of the last one.
std::string ListedQueryText(const QueryRequest& query);

// The text of "query" in the list. A small request is kept as it is, and its text made when the
// list is printed: most requests are forgotten before.
class ListedQuery {
 public:
  // `text`: JSON.
  ListedQuery(std::string text);  // NOLINT(google-explicit-constructor): one of two equal forms
  explicit ListedQuery(std::shared_ptr<const QueryRequest> request);

  // JSON of at most kListedTextBytesMax.
  std::string Text() const;

 private:
  std::string text_;                             // empty with a request
  std::shared_ptr<const QueryRequest> request_;  // or null
};

// "explain" has at most this number of sub queries.
inline constexpr size_t kListedPlansMax = 64;

// How a query ended.
struct QueryOutcome {
  int status = 200;            // of HTTP
  std::string exception = {};  // why it failed; empty = it did not
  bool sent = true;            // the client got its response, not only its beginning
  bool background = false;     // no person asked for it: a page's small charts
};

class QueryRegistry {
 public:
  // `clock` is borrowed.
  explicit QueryRegistry(Clock* clock) : clock_(clock) {}

  // Lists a query that begins, and returns its id. `remote` is the client's address; an empty
  // `user` is not listed.
  uint64_t Begin(ListedQuery query,
                 std::string_view remote,
                 std::shared_ptr<QueryControl> control,
                 std::string_view user = {});
  // REQUIRES: `id` is running.
  void End(uint64_t id, QueryOutcome outcome);
  // Removes a query from the list. REQUIRES: `id` is running.
  void Forget(uint64_t id);

  // Cancels a running query, and returns its state as an object of "running".
  // kNotFound: no running query has this id.
  absl::StatusOr<std::string> Cancel(uint64_t id);

  std::string Json() const;

 private:
  struct Query {
    uint64_t id = 0;
    ListedQuery query;
    std::string remote;
    std::string user;
    int64_t start_ms = 0;  // Unix milliseconds
    int64_t begun_ms = 0;  // the same moment, by the monotonic clock
    std::shared_ptr<QueryControl> control;
    int64_t end_ms = 0;
    int64_t took_ms = 0;            // by the monotonic clock
    QueryCost cost;                 // after its end
    std::vector<PlanReport> plans;  // after its end
    QueryOutcome outcome;
  };
  std::list<Query>::iterator FindRunning(uint64_t id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves the oldest completed query to the slow ones if it is slow, or drops it.
  void PassOnOldest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static void AppendRunning(const Query& query, int64_t now_ms, std::string* out);
  static void AppendCompleted(const Query& query, std::string* out);

  Clock* const clock_;
  mutable Mutex mutex_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  std::list<Query> running_ ABSL_GUARDED_BY(mutex_);    // by id
  std::list<Query> completed_ ABSL_GUARDED_BY(mutex_);  // newest first
  std::list<Query> slow_ ABSL_GUARDED_BY(mutex_);       // slowest first
  int64_t slow_swept_ms_ ABSL_GUARDED_BY(mutex_) = 0;   // when old ones were dropped
};

}  // namespace hourcell
