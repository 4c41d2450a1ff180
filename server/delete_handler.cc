#include "server/delete_handler.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/http_error.h"
#include "server/query_handler.h"
#include "server/query_writer.h"

namespace hourcell {

HttpResponse DeleteRefused() {
  return HttpError(400, "Bad request",
                   "Deleting data is not enabled (tsd.http.query.allow_delete=false)");
}

HttpResponse AnswerDelete(const QueryRequest& query, int64_t start_ms, Tsdb* tsdb, Clock* clock) {
  const absl::StatusOr<QueryResult> result = tsdb->Query(query.spec);
  if (!result.ok()) return QueryError(result.status());
  HttpResponse response;
  const absl::Status written = AppendQueryResult(query.spec, *result, query.printing,
                                                 clock->NowMs() - start_ms, &response.body);
  if (!written.ok()) return QueryError(written);
  const absl::StatusOr<DeletedPoints> deleted = tsdb->DeletePoints(query.spec);
  return deleted.ok() ? response : QueryError(deleted.status());
}

}  // namespace hourcell
