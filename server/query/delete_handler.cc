#include "server/query/delete_handler.h"

#include <string>
#include <utility>

#include <absl/status/status.h>

#include "codec/base/json_writer.h"
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

HttpResponse AnswerDeleteCounts(QueryRequest query,
                                const HttpRequest& request,
                                const QueryService& service) {
  std::string text = ListedQueryText(query);
  const auto print = [&service, query = std::move(query)](QueryControl* control,
                                                          BodyWriter* body) -> absl::Status {
    Points& points = service.tsdb->points();
    HOURCELL_ASSIGN_OR_RETURN(CountedPoints counted, points.CountPoints(query.spec, control));
    DeletedPoints deleted;
    if (!query.dry_run) {
      // Others may put and delete between the two.
      HOURCELL_ASSIGN_OR_RETURN(deleted, points.DeletePoints(query.spec, control));
      // Points of a delete that can be undone are not counted.
      if (deleted.undo_id == 0) counted.points = deleted.points;
      counted.histograms = deleted.histograms;
    }
    JsonWriter json(&body->buffer());
    json.OpenObject();
    json.Field("metrics", counted.metrics);
    json.Field("series", counted.series);
    json.Field("points", counted.points);
    if (counted.histograms > 0) json.Field("histograms", counted.histograms);
    if (deleted.undo_id != 0) json.Field("undoId", deleted.undo_id);
    json.Field("dryRun", query.dry_run);
    json.CloseObject();
    return absl::OkStatus();
  };
  return ListedResponse(service, request, std::move(text), print, &QueryError);
}

}  // namespace hourcell
