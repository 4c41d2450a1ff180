#include "server/query_run.h"

#include <memory>
#include <utility>

#include "server/http_error.h"

namespace hourcell {
namespace {

// A query's place in the registry. One that ends by an exception is listed as failed.
class Listing {
 public:
  Listing(QueryRegistry* registry,
          const QueryRequest& query,
          const HttpRequest& request,
          std::shared_ptr<QueryControl> control)
      : registry_(registry), id_(registry->Begin(query, request.remote, std::move(control))) {}
  ~Listing() { registry_->End(id_, std::move(outcome_)); }
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;

  void set_outcome(QueryOutcome outcome) { outcome_ = std::move(outcome); }

 private:
  QueryRegistry* const registry_;
  const uint64_t id_;
  QueryOutcome outcome_ = {.status = 500, .exception = "An unknown exception occurred"};
};

}  // namespace

absl::Status RunListedQuery(const QueryService& service,
                            const HttpRequest& request,
                            const QueryRequest& query,
                            QuerySink* sink,
                            const std::function<void(const QueryControl&)>& finish,
                            BodyWriter* body) {
  const auto control = std::make_shared<QueryControl>();
  Listing listing(service.registry, query, request, control);
  body->Bind(control);
  const absl::Status status = service.tsdb->Query(query.spec, sink, control.get());
  if (status.ok()) {
    finish(*control);
    listing.set_outcome({});
  } else {
    listing.set_outcome({.status = QueryErrorStatus(status.code()),
                         .exception = std::string(status.message()),
                         .sent = !body->started()});
  }
  return status;
}

int QueryErrorStatus(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kUnimplemented:
      return 400;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kDeadlineExceeded:
      return 413;
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kFailedPrecondition:
      return 503;
    default:
      return 500;
  }
}

HttpResponse QueryError(const absl::Status& status) {
  const std::string text(status.message());
  HttpResponse response = HttpError(QueryErrorStatus(status.code()), text, text);
  if (response.status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace hourcell
