#include "server/query/delete_handler.h"

#include <utility>

#include <absl/status/status.h>

#include "codec/base/status_macros.h"
#include "engine/tsdb.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/query/query_registry.h"
#include "server/query/query_writer.h"

namespace hourcell {

HttpResponse DeleteRefused() {
  return HttpError(400, "Bad request",
                   "Deleting data is not enabled (tsd.http.query.allow_delete=false)");
}

HttpResponse DeleteForbidden() {
  return HttpError(403, "Forbidden", "Deleting data needs the role admin");
}

HttpResponse AnswerDelete(QueryRequest query,
                          int64_t start_ms,
                          const HttpRequest& request,
                          const QueryService& service) {
  HttpResponse response;
  response.produce = [&request, &service, start_ms, query = std::move(query)](
                         BodyWriter* body, HttpResponse* failure) {
    const auto run = [&](QueryControl* control) -> absl::Status {
      QueryWriter writer(query.spec, query.printing, body);
      HOURCELL_RETURN_IF_ERROR(service.tsdb->queries().Query(query.spec, &writer, control));
      // The end of the body stays in the buffer until the points are deleted.
      writer.Finish(*control, 1000 * (service.clock->MonotonicMs() - start_ms));
      return service.tsdb->points().DeletePoints(query.spec, control).status();
    };
    const absl::Status status = RunListed(service, request, ListedQueryText(query), run, body);
    if (!status.ok()) *failure = QueryError(status);
    return status.ok();
  };
  return response;
}

}  // namespace hourcell
