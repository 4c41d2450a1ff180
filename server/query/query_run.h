// What every query over HTTP has in common, whatever it prints: it is listed while it runs, it is
// cancelled when its client goes, and its errors have statuses.
//
// Thread-safe.

#pragma once

#include <functional>
#include <string>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_message.h"
#include "server/query/query_registry.h"
#include "server/query/query_request.h"

namespace hourcell {

// What queries need. Pointers are borrowed.
struct QueryService {
  Tsdb* tsdb = nullptr;
  Clock* clock = nullptr;
  QueryRegistry* registry = nullptr;
  std::string timezone = {};  // of requests that name none; empty = UTC
  bool allow_delete = false;
  // What queries may take that the thread which read them answers (HttpRequest::only_if_quick).
  QuickBounds quick = {};
};

// What a query may take that the thread which read it answers itself, while the other connections
// of that thread wait. A row takes 2 to 4 microseconds if it is in the cache, a point that is
// decoded and added to a bucket about 10 nanoseconds: the default of 128 rows and 65,536 points
// comes to a millisecond, as long as a full read of lines (256 KiB) takes, for which those
// connections wait as well.
QuickBounds QuickBoundsOf(int64_t rows);

// Calls `run`, which prints to `body` what `request` asks for, as a query that is listed with
// `text` (JSON). It is cancelled with its client. The query is listed as completed when this
// returns; with kAborted it is not, since it is run again. Errors: those of `run`.
absl::Status RunListed(const QueryService& service,
                       const HttpRequest& request,
                       std::string text,
                       const std::function<absl::Status(QueryControl* control)>& run,
                       BodyWriter* body);

// Runs `query` of `request` into `sink`, which prints to `body`; then `finish`, which prints what
// follows the series. Errors: as Tsdb::Query; those of the sink. Listed as by RunListed.
absl::Status RunListedQuery(const QueryService& service,
                            const HttpRequest& request,
                            const QueryRequest& query,
                            QuerySink* sink,
                            const std::function<void(const QueryControl&)>& finish,
                            BodyWriter* body);

// The answer whose body `print` writes while it is sent, as RunListed. `failure` makes what is
// answered instead if `print` fails before anything was sent. `service` and `request` are borrowed
// until the body is done.
using PrintListed = std::function<absl::Status(QueryControl* control, BodyWriter* body)>;
HttpResponse ListedResponse(const QueryService& service,
                            const HttpRequest& request,
                            std::string text,
                            PrintListed print,
                            HttpResponse (*failure)(const absl::Status& status));

// The answer of `work`, which is long and prints nothing before its end, as what stores a large
// body: it is listed with `text` (JSON) while it runs, and cancelled with its client. It is not
// among the completed ones. `service` and `request` are borrowed until the body is done.
using WorkListed = std::function<HttpResponse(const QueryControl& control)>;
HttpResponse ListedWork(const QueryService& service,
                        const HttpRequest& request,
                        std::string text,
                        WorkListed work);

// The HTTP status for a query that failed: HttpStatusOf(Failed::kQuery, code).
int QueryErrorStatus(absl::StatusCode code);

// The response with that status.
HttpResponse QueryError(const absl::Status& status);

}  // namespace hourcell
