// /api/query: a query from the query string or a JSON body, its result as JSON. /api/stats/query:
// the running and completed queries.
//
// Thread-safe.

#pragma once

#include <memory>
#include <utility>

#include <absl/status/statusor.h>

#include "server/http/body/body_writer.h"
#include "server/http/http_message.h"
#include "server/query/query_request.h"
#include "server/query/query_run.h"
#include "server/query/query_trace.h"

namespace hourcell {

class QueryHandler {
 public:
  // The objects that `service` borrows outlive the handler.
  explicit QueryHandler(QueryService service) : service_(std::move(service)) {}

  // Answers GET, POST and DELETE of /api/query. The response has a producer, which borrows
  // `request` and this object.
  HttpResponse Handle(const HttpRequest& request);

  // Answers a parsed query in the form of /api/query, with its parameters arrays, explain and
  // show_trace. `trace` begins before the request was parsed. The response borrows as above.
  HttpResponse Answer(const HttpRequest& request, QueryRequest query, QueryTrace trace);

  // Answers GET and DELETE of /api/stats/query: the lists of query_registry.h, or, to a DELETE with
  // an id, {"cancelled":{...}} with the query's last state. 404: no such query runs.
  HttpResponse HandleList(const HttpRequest& request);

  const QueryService& service() const { return service_; }

 private:
  absl::StatusOr<QueryRequest> Parse(const HttpRequest& request, QueryTrace* trace) const;
  bool Print(const HttpRequest& request,
             const std::shared_ptr<const QueryRequest>& query,
             QueryTrace* trace,
             BodyWriter* body,
             HttpResponse* failure) const;

  const QueryService service_;
};

}  // namespace hourcell
