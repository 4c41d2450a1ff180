#include "server/admin/fsck_handler.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/clock.h"
#include "codec/base/strings.h"
#include "engine/fsck.h"
#include "engine/fsck_admin.h"
#include "server/admin/fsck_json.h"
#include "server/admin/job_handler.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/http/http_status.h"

namespace hourcell {
namespace {

constexpr std::string_view kFsckKind = "fsck";
constexpr size_t kExamplesDefault = 10;
constexpr size_t kExamplesMax = 10'000;

std::optional<size_t> ParseExamples(std::string_view text) {
  size_t examples = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), examples);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || examples > kExamplesMax) return std::nullopt;
  return examples;
}

HttpResponse Check(size_t examples, Tsdb* tsdb, MonotonicClock* clock, JobWatch* watch) {
  const int64_t start_ms = clock->MonotonicMs();
  FsckOptions options{.examples_max = examples};
  options.progress = [watch](const FsckProgress& progress) {
    return watch->Report(
        {.phase = std::string(progress.phase), .done = progress.points, .unit = "points"});
  };
  const absl::StatusOr<FsckReport> report = tsdb->maintenance().fsck()->Check(std::move(options));
  if (!report.ok()) return WorkFailure(Failed::kStore, "The check was stopped", report.status());
  HttpResponse response;
  AppendFsckReport(*report, clock->MonotonicMs() - start_ms, &response.body);
  return response;
}

HttpResponse Start(const HttpRequest& request,
                   Tsdb* tsdb,
                   MonotonicClock* clock,
                   JobRegistry* jobs) {
  const std::string* const text = request.param("examples");
  const std::optional<size_t> examples = text == nullptr ? kExamplesDefault : ParseExamples(*text);
  if (!examples.has_value()) {
    return HttpError(
        400, "Not a number of examples",
        fmt::format("examples: expected 0 to {}, got {}", kExamplesMax, QuoteForMessage(*text)));
  }
  return StartJob(request,
                  {.kind = kFsckKind,
                   .group = kFsckKind,
                   .work = [examples = *examples, tsdb, clock](
                               JobWatch* watch) { return Check(examples, tsdb, clock, watch); }},
                  jobs, JobReply::kAtOnce);
}

}  // namespace

HttpResponse HandleFsck(const HttpRequest& request,
                        Tsdb* tsdb,
                        MonotonicClock* clock,
                        JobRegistry* jobs) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (method == HttpMethod::kPost) return Start(request, tsdb, clock, jobs);
  std::optional<JobView> last = jobs->LastOf(kFsckKind);
  if (!last.has_value()) return HttpError(404, "No such job", "no check was begun");
  if (method == HttpMethod::kDelete) {
    jobs->Cancel(last->id);
    last = jobs->LastOf(kFsckKind);
  }
  HttpResponse response;
  AppendJob(*last, &response.body);
  return response;
}

}  // namespace hourcell
