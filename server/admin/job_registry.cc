#include "server/admin/job_registry.h"

#include <exception>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/json_writer.h"
#include "server/http/http_error.h"
#include "server/log/log.h"

namespace hourcell {
namespace {

constexpr int kHttpOk = 200;

HttpResponse AnswerOf(const JobSpec& spec, JobWatch* watch) {
  try {
    return spec.work(watch);
  } catch (const std::exception& exception) {
    // Only the log gets the message: it may name files.
    LogError("{}: {}", spec.kind, exception.what());
    return HttpError(500, "An unknown exception occurred");
  }
}

}  // namespace

struct JobRegistry::Job {
  uint64_t id = 0;
  JobSpec spec;
  JobWatch watch;
  int64_t started_ms = 0;  // Unix
  int64_t begun_ms = 0;    // by the monotonic clock
  // Guarded by the registry's mutex.
  JobState state = JobState::kRunning;
  int64_t elapsed_ms = 0;
  std::shared_ptr<const HttpResponse> answer;
};

std::string_view JobStateName(JobState state) {
  switch (state) {
    case JobState::kRunning:
      return "running";
    case JobState::kDone:
      return "done";
    case JobState::kFailed:
      return "failed";
    case JobState::kCancelled:
      return "cancelled";
  }
  HOURCELL_CHECK(false);
}

bool JobWatch::Report(JobProgress progress) {
  MutexLock lock(&mutex_);
  progress_ = std::move(progress);
  return !is_cancelled_;
}

absl::StatusOr<JobView> JobRegistry::Start(JobSpec spec) {
  MutexLock lock(&mutex_);
  for (const auto& [id, job] : jobs_) {
    const bool is_it = !spec.key.empty() && job->spec.key == spec.key;
    if (is_it && job->spec.kind == spec.kind) return ViewOf(*job, {});
  }
  if (is_stopped_) return absl::FailedPreconditionError("the server stops");
  for (const auto& [id, job] : jobs_) {
    if (job->spec.group != spec.group || job->state != JobState::kRunning) continue;
    return absl::UnavailableError(
        fmt::format("job {} ({}) is under way, see /api/admin/jobs?id={}", id, job->spec.kind, id));
  }
  NamedThread& thread = threads_[spec.group];
  thread.Join();  // its job has ended
  const auto job = std::make_shared<Job>();
  job->id = ++last_id_;
  job->spec = std::move(spec);
  job->started_ms = clock_->NowMs();
  job->begun_ms = clock_->MonotonicMs();
  thread = NamedThread("hc-job", [this, job] { Run(job); });
  jobs_.emplace(job->id, job);
  return ViewOf(*job, {});
}

void JobRegistry::Run(const JobPtr& job) {
  auto answer = std::make_shared<const HttpResponse>(AnswerOf(job->spec, &job->watch));
  job->spec.work = nullptr;  // frees the data of the request
  MutexLock lock(&mutex_);
  job->elapsed_ms = clock_->MonotonicMs() - job->begun_ms;
  if (answer->status == kHttpOk) {
    job->state = JobState::kDone;  // even if it was cancelled: the cancellation came too late
  } else {
    job->state = job->watch.is_cancelled() ? JobState::kCancelled : JobState::kFailed;
  }
  job->answer = std::move(answer);
  DropOld(job->spec.kind);
  ended_.NotifyAll();
}

// Drops the ended jobs of the kind except the newest.
void JobRegistry::DropOld(std::string_view kind) {
  size_t kept = 0;
  for (auto it = jobs_.end(); it != jobs_.begin();) {
    --it;
    const Job& job = *it->second;
    if (job.spec.kind != kind || job.state == JobState::kRunning) continue;
    if (++kept > kEndedJobsKept) it = jobs_.erase(it);
  }
}

JobRegistry::JobPtr JobRegistry::FindJob(uint64_t id) const {
  MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : found->second;
}

// The probe may read the store, so no lock is held meanwhile.
JobView JobRegistry::View(const JobPtr& job) const {
  {
    MutexLock lock(&mutex_);
    if (job->state != JobState::kRunning || job->spec.probe == nullptr) return ViewOf(*job, {});
  }
  JobProgress probed = job->spec.probe();
  MutexLock lock(&mutex_);
  return ViewOf(*job, std::move(probed));
}

JobView JobRegistry::ViewOf(const Job& job, JobProgress probed) const {
  JobView view{.id = job.id,
               .kind = std::string(job.spec.kind),
               .state = job.state,
               .started_ms = job.started_ms,
               .elapsed_ms = job.elapsed_ms,
               .progress = std::move(probed),
               .answer = job.answer};
  if (job.state == JobState::kRunning) view.elapsed_ms = clock_->MonotonicMs() - job.begun_ms;
  if (job.spec.probe == nullptr) {
    MutexLock lock(&job.watch.mutex_);
    view.progress = job.watch.progress_;
  }
  return view;
}

std::optional<JobView> JobRegistry::Find(uint64_t id) const {
  const JobPtr job = FindJob(id);
  if (job == nullptr) return std::nullopt;
  return View(job);
}

std::optional<JobView> JobRegistry::LastOf(std::string_view kind) const {
  JobPtr last;
  {
    MutexLock lock(&mutex_);
    for (const auto& [id, job] : jobs_) {
      if (job->spec.kind == kind) last = job;
    }
  }
  if (last == nullptr) return std::nullopt;
  return View(last);
}

std::vector<JobView> JobRegistry::List() const {
  std::vector<JobPtr> jobs;
  {
    MutexLock lock(&mutex_);
    for (const auto& [id, job] : jobs_)
      jobs.push_back(job);
  }
  std::vector<JobView> views;
  for (const JobPtr& job : jobs)
    views.push_back(View(job));
  return views;
}

std::optional<JobView> JobRegistry::Wait(uint64_t id) const {
  const JobPtr job = FindJob(id);
  if (job == nullptr) return std::nullopt;
  MutexLock lock(&mutex_);
  while (job->state == JobState::kRunning)
    ended_.Wait(&mutex_);
  return ViewOf(*job, {});
}

bool JobRegistry::Cancel(uint64_t id) {
  MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || found->second->state != JobState::kRunning) return false;
  found->second->watch.is_cancelled_ = true;
  return true;
}

void JobRegistry::CancelAll() {
  MutexLock lock(&mutex_);
  is_stopped_ = true;
  for (const auto& [id, job] : jobs_)
    job->watch.is_cancelled_ = true;
}

void JobRegistry::Stop() {
  CancelAll();
  std::map<std::string_view, NamedThread> threads;
  {
    MutexLock lock(&mutex_);
    threads = std::exchange(threads_, {});
  }
  for (auto& [group, thread] : threads) {
    thread.Join();
  }
}

void AppendJob(const JobView& job, std::string* out) {
  JsonWriter json(out);
  json.OpenObject();
  json.Field("id", job.id);
  json.Field("kind", job.kind);
  json.Field("state", JobStateName(job.state));
  json.Field("started_ms", job.started_ms);
  json.Field("ms", job.elapsed_ms);
  json.Field("phase", job.progress.phase);
  json.Field("done", job.progress.done);
  json.Field("total", job.progress.total);
  json.Field("unit", job.progress.unit);
  if (job.answer != nullptr) {
    json.Field("status", job.answer->status);
    json.Key("answer");
    json.RawValue()->append(job.answer->body);
  }
  json.CloseObject();
}

}  // namespace hourcell
