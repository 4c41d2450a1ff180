#include "server/admin/job_handler.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

constexpr int kAccepted = 202;

HttpResponse Refused(const absl::Status& status) {
  const std::string why(status.message());
  if (absl::IsUnavailable(status)) return HttpError(409, "Busy", why);
  return HttpError(503, "No job is begun", why);
}

HttpResponse Show(const JobView& job, int status) {
  HttpResponse response;
  response.status = status;
  AppendJob(job, &response.body);
  return response;
}

HttpResponse ListJobs(const JobRegistry& jobs) {
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Key("jobs");
  json.OpenArray();
  for (const JobView& job : jobs.List())
    AppendJob(job, json.RawValue());
  json.CloseArray();
  json.CloseObject();
  return response;
}

JobReply ReplyOf(const HttpRequest& request, JobReply usual) {
  if (request.has_param("wait")) return JobReply::kAtEnd;
  if (request.has_param("async")) return JobReply::kAtOnce;
  return EqualsIgnoringCase(request.header("prefer"), "respond-async") ? JobReply::kAtOnce : usual;
}

HttpResponse NoSuchJob(uint64_t id) {
  return HttpError(
      404, "No such job",
      fmt::format("id {}: not in /api/admin/jobs, which lists the last {} jobs of each "
                  "kind since the server started",
                  id, kEndedJobsKept));
}

}  // namespace

HttpResponse StartJob(const HttpRequest& request, JobSpec spec, JobRegistry* jobs, JobReply usual) {
  if (const std::string* const key = request.param("key"); key != nullptr) {
    if (key->empty() || key->size() > kJobKeyBytesMax) {
      return HttpError(
          400, "Not a job's key",
          fmt::format("key: expected 1 to {} bytes, got {}", kJobKeyBytesMax, key->size()));
    }
    spec.key = *key;
  }
  const absl::StatusOr<JobView> job = jobs->Start(std::move(spec));
  if (!job.ok()) return Refused(job.status());
  if (ReplyOf(request, usual) == JobReply::kAtEnd) {
    const std::optional<JobView> ended = jobs->Wait(job->id);
    return ended.has_value() ? *ended->answer : NoSuchJob(job->id);
  }
  HttpResponse response = Show(*job, kAccepted);
  response.headers.emplace_back("Location", fmt::format("/api/admin/jobs?id={}", job->id));
  return response;
}

HttpResponse HandleJobs(const HttpRequest& request, JobRegistry* jobs) {
  const std::string* const text = request.param("id");
  const bool is_delete = EffectiveMethod(request) == HttpMethod::kDelete;
  if (text == nullptr) {
    return is_delete ? HttpError(400, "Missing parameter <code>id</code>") : ListJobs(*jobs);
  }
  const std::optional<uint64_t> id = ParseUnsigned(*text);
  if (!id.has_value()) {
    return HttpError(
        400, "Not a job",
        fmt::format("id: expected the number of a job, got {}", QuoteForMessage(*text)));
  }
  if (is_delete) jobs->Cancel(*id);
  const std::optional<JobView> job = jobs->Find(*id);
  if (job.has_value()) return Show(*job, 200);
  return NoSuchJob(*id);
}

}  // namespace hourcell
