#include "server/expressions/exp_handler.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codec/base/status_macros.h"
#include "engine/query/query_watch.h"
#include "server/expressions/exp_request.h"
#include "server/expressions/exp_writer.h"
#include "server/http/http_error.h"

// Why all sets are in memory before an expression is calculated: it has the times of all its
// series, and is printed row by row. Queries of gexp, which are printed series by series, pass
// their series on.

namespace hourcell {
namespace {

// Adds the series of one query of the storage to the sets of its metrics.
class SetCollector : public QuerySink {
 public:
  // All are borrowed. `sets`: of all metrics.
  SetCollector(const ExpRequest& request,
               size_t fetch,
               MemoryHold* hold,
               std::vector<ExpressionSet>* sets)
      : request_(request), fetch_(fetch), hold_(*hold), sets_(*sets) {}

  absl::Status OnSeries(const SeriesView& series) override {
    for (size_t i = 0; i < request_.metrics.size(); ++i) {
      const ExpRequest::Metric& metric = request_.metrics[i];
      if (metric.fetch != fetch_ || metric.sub_query != series.query_index) continue;
      const size_t before = sets_[i].series.size();
      HOURCELL_RETURN_IF_ERROR(AddSeries(series, &hold_, &sets_[i]));
      if (sets_[i].series.size() == before) continue;
      for (int64_t& ms : sets_[i].series.back().points.t)
        ms += request_.fetches[fetch_].offset_ms;
    }
    return absl::OkStatus();
  }

 private:
  const ExpRequest& request_;
  const size_t fetch_;
  MemoryHold& hold_;
  std::vector<ExpressionSet>& sets_;
};

class ExpRun {
 public:
  // All are borrowed.
  ExpRun(const ExpRequest& request,
         const QueryService& service,
         int64_t deadline_ms,
         QueryControl* control)
      : request_(request),
        tsdb_(*service.tsdb),
        deadline_ms_(deadline_ms),
        control_(*control),
        watch_(service.clock, control, deadline_ms, /*timeout_ms=*/0),
        memory_(tsdb_.queries().LeaseQueryMemory(control)),
        hold_(memory_.get()),
        sets_(request.metrics.size() + request.expressions.size()) {}

  absl::Status Run(BodyWriter* body) {
    HOURCELL_RETURN_IF_ERROR(FetchMetrics());
    HOURCELL_RETURN_IF_ERROR(EvaluateAll());
    return Print(body);
  }

 private:
  absl::Status FetchMetrics() {
    for (size_t i = 0; i < request_.metrics.size(); ++i) {
      sets_[i].missing.value = request_.metrics[i].fill.value;
      sets_[i].query_tags = request_.metrics[i].query_tags;
    }
    for (size_t i = 0; i < request_.fetches.size(); ++i) {
      QuerySpec spec = request_.fetches[i].spec;
      spec.deadline_ms = deadline_ms_;
      SetCollector collector(request_, i, &hold_, &sets_);
      HOURCELL_RETURN_IF_ERROR(tsdb_.queries().Query(spec, &collector, &control_));
    }
    return absl::OkStatus();
  }

  absl::Status EvaluateAll() {
    for (const size_t i : request_.order) {
      const ExpRequest::Expression& expression = request_.expressions[i];
      std::vector<const ExpressionSet*> inputs;
      for (const size_t input : expression.inputs)
        inputs.push_back(&sets_[input]);
      HOURCELL_ASSIGN_OR_RETURN(
          ExpressionSet result,
          Evaluate(expression.joined, inputs, [this] { return watch_.Check(); }, &hold_));
      result.missing.value = expression.fill.has_value() ? expression.fill->value
                                                         : std::numeric_limits<double>::quiet_NaN();
      sets_[request_.metrics.size() + i] = std::move(result);
    }
    return absl::OkStatus();
  }

  absl::Status Print(BodyWriter* body) {
    body->buffer() += "{\"outputs\":[";
    bool is_first = true;
    for (const ExpRequest::Output& output : request_.outputs) {
      HOURCELL_RETURN_IF_ERROR(watch_.Check());
      if (!std::exchange(is_first, false)) body->buffer().push_back(',');
      PrintedOutput printed{.id = {}, .alias = output.alias, .set = &sets_[output.set]};
      if (output.set < request_.metrics.size()) {
        const ExpRequest::Metric& metric = request_.metrics[output.set];
        HOURCELL_RETURN_IF_ERROR(AlignPoints(&hold_, &sets_[output.set]));
        printed.id = metric.id;
        printed.nan_as_null = metric.fill.nan_as_null;
      } else {
        const ExpRequest::Expression& expression =
            request_.expressions[output.set - request_.metrics.size()];
        printed.id = expression.id;
        printed.nan_as_null = expression.fill.has_value() && expression.fill->nan_as_null;
      }
      HOURCELL_RETURN_IF_ERROR(AppendOutput(printed, body));
    }
    body->buffer() += "],\"query\":";
    body->buffer() += request_.body;
    body->buffer() += '}';
    return absl::OkStatus();
  }

  const ExpRequest& request_;
  Tsdb& tsdb_;
  const int64_t deadline_ms_;
  QueryControl& control_;
  const QueryWatch watch_;
  const std::unique_ptr<MemoryAccount> memory_;
  MemoryHold hold_;
  std::vector<ExpressionSet> sets_;  // of the metrics, then of the expressions
};

}  // namespace

HttpResponse HandleExp(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<ExpRequest> parsed =
      ParseExpJson(request.body, service.clock->NowMs(), service.timezone);
  if (!parsed.ok()) return HttpError(400, parsed.status());
  std::string listed = parsed->body;
  const auto print = [&request, &service,
                      query = std::make_shared<const ExpRequest>(*std::move(parsed))](
                         QueryControl* control, BodyWriter* body) {
    return ExpRun(*query, service, request.deadline_ms, control).Run(body);
  };
  return ListedResponse(service, request, std::move(listed), print, &QueryError);
}

}  // namespace hourcell
