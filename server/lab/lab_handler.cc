#include "server/lab/lab_handler.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "bench/lab/layouts/cases/case_matrix.h"
#include "bench/lab/layouts/cases/case_report.h"
#include "codec/base/status_macros.h"
#include "server/admin/job_handler.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/http/http_status.h"
#include "server/lab/lab_choices.h"
#include "server/lab/layouts_request.h"
#include "server/lab/simulate_request.h"
#include "server/lab/simulate_run.h"
#include "server/lab/store_fleet.h"

namespace hourcell {
namespace {

constexpr std::string_view kLabGroup = "lab";

HttpResponse ResponseOf(absl::StatusOr<std::string> body, std::string_view ended) {
  // A run fails because of its request, as a query does.
  if (!body.ok()) return WorkFailure(Failed::kQuery, ended, body.status());
  HttpResponse response;
  response.body = *std::move(body);
  return response;
}

// The progress of a simulation, in minutes of simulated time.
JobProgress ProgressOf(const SimulateStage& stage) {
  constexpr uint64_t kMinuteMs = 60'000;
  const uint64_t each = stage.progress.total_ms / kMinuteMs;
  return {.phase = fmt::format("{} ({} of {})", stage.design, stage.index + 1, stage.designs),
          .done = each * stage.index + stage.progress.done_ms / kMinuteMs,
          .total = each * stage.designs,
          .unit = "minutes"};
}

HttpResponse Simulate(const SimulateRequest& request, MonotonicClock* clock, JobWatch* watch) {
  const auto report = [watch](const SimulateStage& stage) {
    return watch->Report(ProgressOf(stage));
  };
  return ResponseOf(RunSimulateRequest(request, SimulateLimits(), clock, report),
                    "The simulation was stopped");
}

HttpResponse Choices(const HttpRequest& request, Tsdb* tsdb, Clock* clock) {
  const int64_t now_ms = clock->NowMs();
  StoreFleet store;
  if (request.has_param("store")) {
    absl::StatusOr<StoreFleet> found = FleetOfStore(tsdb, now_ms, request.deadline_ms);
    if (!found.ok()) return FailureResponse(Failed::kQuery, found.status());
    store = *std::move(found);
  }
  HttpResponse response;
  response.body = LabChoicesJson(store, now_ms);
  return response;
}

absl::StatusOr<std::string> RunCases(const std::vector<layouts::CaseSpec>& cases, JobWatch* watch) {
  const auto report = [&](size_t index, const layouts::CaseSpec& spec) {
    return watch->Report(
        {.phase = layouts::CaseName(spec), .done = index, .total = cases.size(), .unit = "cases"});
  };
  std::vector<layouts::CaseResult> results;
  HOURCELL_RETURN_IF_ERROR(layouts::RunMatrix(
      cases, /*directory=*/"", {.before = report, .cancelled = watch->cancelled()}, &results));
  return layouts::JsonReport(layouts::Summarize(results),
                             {.measured = results.size(), .planned = cases.size()});
}

}  // namespace

HttpResponse HandleSimulate(const HttpRequest& request,
                            Tsdb* tsdb,
                            Clock* clock,
                            JobRegistry* jobs) {
  if (EffectiveMethod(request) == HttpMethod::kGet) return Choices(request, tsdb, clock);
  absl::StatusOr<SimulateRequest> wanted = ParseSimulateJson(request.body);
  if (!wanted.ok()) return HttpError(400, wanted.status());
  return StartJob(request,
                  {.kind = "simulate",
                   .group = kLabGroup,
                   .work = [wanted = *std::move(wanted),
                            clock](JobWatch* watch) { return Simulate(wanted, clock, watch); }},
                  jobs, JobReply::kAtOnce);
}

HttpResponse HandleLayouts(const HttpRequest& request, JobRegistry* jobs) {
  absl::StatusOr<std::vector<layouts::CaseSpec>> cases = ParseLayoutsJson(request.body);
  if (!cases.ok()) return HttpError(400, cases.status());
  return StartJob(request,
                  {.kind = "layouts",
                   .group = kLabGroup,
                   .work =
                       [cases = *std::move(cases)](JobWatch* watch) {
                         return ResponseOf(RunCases(cases, watch), "The benchmark was stopped");
                       }},
                  jobs, JobReply::kAtOnce);
}

}  // namespace hourcell
