#include "server/query/query_run.h"

#include <memory>
#include <string_view>
#include <utility>

#include "codec/base/status_macros.h"
#include "server/http/http_error.h"
#include "server/http/http_status.h"

namespace hourcell {
namespace {

// The Explorer's small charts, look-ups and dashboards send this as X-Requested-With.
constexpr std::string_view kBackgroundClient = "explorer-background";

// A query's entry in the registry. A query that throws is listed as failed.
class Listing {
 public:
  Listing(QueryRegistry* registry,
          ListedQuery listed,
          const HttpRequest& request,
          std::shared_ptr<QueryControl> control)
      : registry_(registry),
        id_(registry->Begin(std::move(listed), request.remote, std::move(control), request.user)),
        is_background_(request.header("x-requested-with") == kBackgroundClient) {}
  ~Listing() {
    if (is_forgotten_) {
      registry_->Forget(id_);
    } else {
      outcome_.background = is_background_;
      registry_->End(id_, std::move(outcome_));
    }
  }
  Listing(const Listing&) = delete;
  Listing& operator=(const Listing&) = delete;

  void set_outcome(QueryOutcome outcome) { outcome_ = std::move(outcome); }
  void Forget() { is_forgotten_ = true; }

 private:
  QueryRegistry* const registry_;
  const uint64_t id_;
  const bool is_background_;
  bool is_forgotten_ = false;
  QueryOutcome outcome_ = {.status = 500, .exception = "An unknown exception occurred"};
};

}  // namespace

QuickBounds QuickBoundsOf(int64_t rows) {
  constexpr uint64_t kSeriesOfRow = 8;    // a filter takes 0.1 microseconds for each
  constexpr uint64_t kPointsOfRow = 512;  // a point each 10 s makes 360
  constexpr uint64_t kBytes = size_t{4} << 20;
  const auto count = static_cast<uint64_t>(rows);
  return {.series = count * kSeriesOfRow,
          .rows = count,
          .points = count * kPointsOfRow,
          .bytes = kBytes};
}

absl::Status RunListed(const QueryService& service,
                       const HttpRequest& request,
                       ListedQuery listed,
                       absl::FunctionRef<absl::Status(QueryControl* control)> run,
                       BodyWriter* body) {
  const auto control = std::make_shared<QueryControl>();
  Listing listing(service.registry, std::move(listed), request, control);
  body->Bind(control);
  const absl::Status status = run(control.get());
  if (status.ok()) {
    listing.set_outcome({});
  } else if (absl::IsAborted(status)) {
    listing.Forget();
  } else {
    listing.set_outcome({.status = QueryErrorStatus(status.code()),
                         .exception = std::string(status.message()),
                         .sent = !body->started()});
  }
  return status;
}

absl::Status RunListedQuery(const QueryService& service,
                            const HttpRequest& request,
                            const std::shared_ptr<const QueryRequest>& query,
                            QuerySink* sink,
                            absl::FunctionRef<void(const QueryControl&)> finish,
                            BodyWriter* body) {
  const auto run = [&](QueryControl* control) -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(service.tsdb->queries().Query(query->spec, sink, control));
    finish(*control);
    return absl::OkStatus();
  };
  return RunListed(service, request, ListedQuery(query), run, body);
}

HttpResponse ListedResponse(const QueryService& service,
                            const HttpRequest& request,
                            std::string text,
                            PrintListed print,
                            HttpResponse (*failure)(const absl::Status& status)) {
  HttpResponse response;
  response.produce = [&service, &request, text = std::move(text), print = std::move(print),
                      failure](BodyWriter* body, HttpResponse* instead) {
    const auto run = [&](QueryControl* control) { return print(control, body); };
    const absl::Status status = RunListed(service, request, text, run, body);
    if (!status.ok()) *instead = failure(status);
    return status.ok();
  };
  return response;
}

HttpResponse ListedWork(const QueryService& service,
                        const HttpRequest& request,
                        std::string text,
                        WorkListed work) {
  HttpResponse response;
  response.produce = [&service, &request, text = std::move(text), work = std::move(work)](
                         BodyWriter* body, HttpResponse* answer) {
    const auto control = std::make_shared<QueryControl>();
    Listing listing(service.registry, text, request, control);
    listing.Forget();
    body->Bind(control);
    *answer = work(*control);
    return false;  // `answer` is sent
  };
  return response;
}

int QueryErrorStatus(absl::StatusCode code) {
  return HttpStatusOf(Failed::kQuery, code);
}

HttpResponse QueryError(const absl::Status& status) {
  const std::string text(status.message());
  return HttpError(QueryErrorStatus(status.code()), text, text);
}

}  // namespace hourcell
