#include "server/delete_handler.h"

#include <string>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/body_writer.h"
#include "server/http_error.h"
#include "server/query_handler.h"
#include "server/query_writer.h"

namespace hourcell {

HttpResponse DeleteRefused() {
  return HttpError(400, "Bad request",
                   "Deleting data is not enabled (tsd.http.query.allow_delete=false)");
}

HttpResponse DeleteForbidden() {
  return HttpError(403, "Forbidden", "Deleting data needs the role admin");
}

namespace {

// Keeps the answer until the points are gone.
class WholeBody : public BodyWriter {
 public:
  std::string Finish() {
    whole_ += buffer();
    return std::move(whole_);
  }

 protected:
  absl::Status Take(std::string* piece) override {
    whole_ += *piece;
    piece->clear();
    return absl::OkStatus();
  }

 private:
  std::string whole_;
};

}  // namespace

HttpResponse AnswerDelete(const QueryRequest& query, int64_t start_ms, Tsdb* tsdb, Clock* clock) {
  WholeBody body;
  QueryWriter writer(query.spec, query.printing, &body);
  QueryControl control;
  const absl::Status answered = tsdb->Query(query.spec, &writer, &control);
  if (!answered.ok()) return QueryError(answered);
  writer.Finish(control, clock->NowMs() - start_ms);
  const absl::StatusOr<DeletedPoints> deleted = tsdb->DeletePoints(query.spec);
  if (!deleted.ok()) return QueryError(deleted.status());
  HttpResponse response;
  response.body = body.Finish();
  return response;
}

}  // namespace hourcell
