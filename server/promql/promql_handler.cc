#include "server/promql/promql_handler.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/query_watch.h"
#include "engine/tsdb.h"
#include "promql/evaluation/evaluator.h"
#include "promql/text/expression.h"
#include "promql/text/parser.h"
#include "server/http/body/body_writer.h"
#include "server/promql/prom_response.h"
#include "server/promql/request_params.h"
#include "server/promql/store_source.h"
#include "server/promql/value_writer.h"
#include "server/query/query_run.h"

namespace hourcell {
namespace {

struct PromqlRequest {
  std::string text;
  promql::ExpressionPtr expression;
  promql::Steps steps;
  bool is_instant = false;
  int64_t lookback_ms = promql::EvaluationOptions().lookback_ms;
  int64_t deadline_ms = 0;  // by MonotonicClock; 0 = none
};

std::optional<HttpResponse> ReadInstant(const PromParams& params,
                                        int64_t now_ms,
                                        PromqlRequest* parsed) {
  parsed->is_instant = true;
  const absl::StatusOr<int64_t> ms = PromTimeOf(params, "time", now_ms);
  if (!ms.ok()) return PromBadParameter("time", ms.status());
  parsed->steps = {.start_ms = *ms, .step_ms = 1, .count = 1};
  return std::nullopt;
}

std::optional<HttpResponse> ReadRange(const PromParams& params, PromqlRequest* parsed) {
  const absl::StatusOr<int64_t> start_ms = ParsePromTime(params.Get("start"));
  if (!start_ms.ok()) return PromBadParameter("start", start_ms.status());
  const absl::StatusOr<int64_t> end_ms = ParsePromTime(params.Get("end"));
  if (!end_ms.ok()) return PromBadParameter("end", end_ms.status());
  if (*end_ms < *start_ms) {
    return PromBadParameter("end", "end timestamp must not be before start time");
  }
  const absl::StatusOr<int64_t> step_ms = ParsePromDuration(params.Get("step"));
  if (!step_ms.ok()) return PromBadParameter("step", step_ms.status());
  if (*step_ms <= 0) {
    return PromBadParameter("step",
                            "zero or negative query resolution step widths are not accepted. Try "
                            "a positive integer");
  }
  const int64_t last = (*end_ms - *start_ms) / *step_ms;
  if (last > kRangePointsMax) {
    return PromBadData(
        "exceeded maximum resolution of 11,000 points per timeseries. Try decreasing the query "
        "resolution (?step=XX)");
  }
  parsed->steps = {
      .start_ms = *start_ms, .step_ms = *step_ms, .count = static_cast<size_t>(last) + 1};
  return std::nullopt;
}

std::optional<HttpResponse> ReadTimeout(const PromParams& params,
                                        MonotonicClock* clock,
                                        PromqlRequest* parsed) {
  const std::string_view text = params.Get("timeout");
  if (text.empty()) return std::nullopt;
  const absl::StatusOr<int64_t> timeout_ms = ParsePromDuration(text);
  if (!timeout_ms.ok()) return PromBadParameter("timeout", timeout_ms.status());
  const int64_t ends_ms = clock->MonotonicMs() + std::min(*timeout_ms, kPromTimeMsMax);
  // 0 is no deadline.
  const int64_t deadline_ms = std::max<int64_t>(ends_ms, 1);
  parsed->deadline_ms =
      parsed->deadline_ms == 0 ? deadline_ms : std::min(parsed->deadline_ms, deadline_ms);
  return std::nullopt;
}

std::optional<HttpResponse> ReadLookback(const PromParams& params, PromqlRequest* parsed) {
  const std::string_view text = params.Get("lookback_delta");
  if (text.empty()) return std::nullopt;
  const absl::StatusOr<int64_t> lookback_ms = ParsePromDuration(text);
  if (!lookback_ms.ok()) {
    return PromBadData(
        fmt::format("error parsing lookback delta duration: {}", MessageOf(lookback_ms.status())));
  }
  if (*lookback_ms > 0) parsed->lookback_ms = *lookback_ms;
  return std::nullopt;
}

std::optional<HttpResponse> ReadExpression(const PromParams& params, PromqlRequest* parsed) {
  parsed->text = params.Get("query");
  absl::StatusOr<promql::ExpressionPtr> expression = promql::ParseQuery(parsed->text);
  if (!expression.ok()) {
    // As in Prometheus, only an instant query names the parameter.
    return parsed->is_instant ? PromBadParameter("query", expression.status())
                              : PromBadData(MessageOf(expression.status()));
  }
  const promql::ValueType type = (*expression)->type;
  if (!parsed->is_instant && type != promql::ValueType::kScalar &&
      type != promql::ValueType::kVector) {
    return PromBadData(fmt::format(
        "invalid expression type \"{}\" for range query, must be Scalar or instant Vector",
        promql::ValueTypeText(type)));
  }
  parsed->expression = *std::move(expression);
  return std::nullopt;
}

// The text in the list of queries.
std::string ListedQueryOf(const PromqlRequest& parsed) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", "PROMQL");
  json.Field("query", parsed.text);
  json.Field("start", parsed.steps.start_ms);
  json.Field("end", parsed.steps.end_ms());
  if (!parsed.is_instant) json.Field("step", parsed.steps.step_ms);
  json.CloseObject();
  return text;
}

absl::Status EvaluateInto(const PromqlRequest& parsed,
                          const PromSeriesReader& reader,
                          QueryControl* control,
                          BodyWriter* body) {
  const QueryService& service = reader.service();
  const std::unique_ptr<MemoryAccount> account = service.tsdb->queries().LeaseQueryMemory(control);
  if (account == nullptr) return absl::UnavailableError("The store is closed");
  MemoryHold memory(account.get());
  StoreSource source(&reader, {.deadline_ms = parsed.deadline_ms, .control = control}, &memory);
  const QueryWatch watch(service.clock, control, parsed.deadline_ms, /*timeout_ms=*/0);
  const auto check = [&watch] { return watch.Check(); };
  absl::FunctionRef<absl::Status()> check_now(check);
  HOURCELL_RETURN_IF_ERROR(check_now());
  const promql::EvaluationOptions options{.steps = parsed.steps,
                                          .is_instant = parsed.is_instant,
                                          .lookback_ms = parsed.lookback_ms,
                                          .memory = &memory,
                                          .check = &check_now};
  HOURCELL_ASSIGN_OR_RETURN(const promql::Evaluation evaluation,
                            promql::Evaluate(*parsed.expression, options, &source));
  return WriteEvaluation(evaluation, parsed.steps, parsed.is_instant, body);
}

HttpResponse AnswerPromql(const HttpRequest& request,
                          const PromSeriesReader& reader,
                          bool is_instant) {
  if (request.only_if_quick) {
    HttpResponse response;
    response.must_wait = true;
    return response;
  }
  const absl::StatusOr<PromParams> params = PromParams::Of(request);
  if (!params.ok()) return PromBadData(MessageOf(params.status()));
  const auto parsed = std::make_shared<PromqlRequest>();
  parsed->deadline_ms = request.deadline_ms;
  Clock* const clock = reader.service().clock;
  if (auto refusal = is_instant ? ReadInstant(*params, clock->NowMs(), parsed.get())
                                : ReadRange(*params, parsed.get())) {
    return *std::move(refusal);
  }
  if (auto refusal = ReadTimeout(*params, clock, parsed.get())) return *std::move(refusal);
  if (auto refusal = ReadLookback(*params, parsed.get())) return *std::move(refusal);
  if (auto refusal = ReadExpression(*params, parsed.get())) return *std::move(refusal);
  const auto print = [&reader, parsed](QueryControl* control, BodyWriter* body) {
    return EvaluateInto(*parsed, reader, control, body);
  };
  return ListedResponse(reader.service(), request, ListedQueryOf(*parsed), print, &PromFailure);
}

}  // namespace

HttpResponse HandlePromQuery(const HttpRequest& request, const PromSeriesReader& reader) {
  return AnswerPromql(request, reader, /*is_instant=*/true);
}

HttpResponse HandlePromQueryRange(const HttpRequest& request, const PromSeriesReader& reader) {
  return AnswerPromql(request, reader, /*is_instant=*/false);
}

}  // namespace hourcell
