// The common part of all queries over HTTP: each is listed while it runs, is cancelled when its
// client hangs up, and maps its errors to HTTP statuses.
//
// Thread-safe.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_message.h"
#include "server/query/query_registry.h"
#include "server/query/query_request.h"

namespace hourcell {

// The dependencies of queries. Pointers are borrowed.
struct QueryService {
  Tsdb* tsdb = nullptr;
  Clock* clock = nullptr;
  QueryRegistry* registry = nullptr;
  std::string timezone = {};  // default of requests; empty = UTC
  bool allow_delete = false;
  // Limits for queries on the socket thread (HttpRequest::only_if_quick).
  QuickBounds quick = {};
};

// The limits for a query that a socket thread answers itself; the other connections of that thread
// wait meanwhile. A row in the cache takes 2 to 4 microseconds, decoding a point and adding it to a
// bucket about 10 nanoseconds. The default of 128 rows and 65,536 points thus takes a millisecond.
// A full read of lines (256 KiB) makes those connections wait as long.
QuickBounds QuickBoundsOf(int64_t rows);

// Calls `run`, which prints the answer to `request` into `body`, and lists it as `listed`. The
// query is cancelled if its client hangs up. It is listed as completed when this
// returns; not with kAborted, since it is run again. Errors: those of `run`.
absl::Status RunListed(const QueryService& service,
                       const HttpRequest& request,
                       ListedQuery listed,
                       absl::FunctionRef<absl::Status(QueryControl* control)> run,
                       BodyWriter* body);

// Runs `query` of `request` into `sink`, which prints to `body`; then `finish`, which prints the
// end after the series. Errors: as Queries::Query; those of the sink. Listed as by RunListed.
absl::Status RunListedQuery(const QueryService& service,
                            const HttpRequest& request,
                            const std::shared_ptr<const QueryRequest>& query,
                            QuerySink* sink,
                            absl::FunctionRef<void(const QueryControl&)> finish,
                            BodyWriter* body);

// Makes a response whose body `print` writes while it is sent, as RunListed. `failure` makes the
// response if `print` fails before anything was sent. `service` and `request` are borrowed until
// the body is done.
using PrintListed = std::function<absl::Status(QueryControl* control, BodyWriter* body)>;
HttpResponse ListedResponse(const QueryService& service,
                            const HttpRequest& request,
                            std::string text,
                            PrintListed print,
                            HttpResponse (*failure)(const absl::Status& status));

// Makes a response from `work`, which takes long and prints only at its end, such as storing a
// large body. It is listed with `text` (JSON) while it runs, but not as completed, and is cancelled
// if its client hangs up. `service` and `request` are borrowed until the body is done.
using WorkListed = std::function<HttpResponse(const QueryControl& control)>;
HttpResponse ListedWork(const QueryService& service,
                        const HttpRequest& request,
                        std::string text,
                        WorkListed work);

// HttpStatusOf(Failed::kQuery, code).
int QueryErrorStatus(absl::StatusCode code);

// The response with that status.
HttpResponse QueryError(const absl::Status& status);

}  // namespace hourcell
