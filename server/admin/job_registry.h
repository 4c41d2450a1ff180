// JobRegistry: work that may take longer than a client waits for an answer. One request begins it,
// others read its state. A client that lost its connection can read the outcome until later jobs of
// its kind have ended.
//
// Each job runs on a separate thread, so that it does not occupy a thread for requests. One job of
// a group runs at a time. Jobs are not stored on disk: a restarted server does not list earlier
// jobs. Thread-safe.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/base/named_thread.h"
#include "server/http/http_message.h"

namespace hourcell {

// The number of ended jobs kept of each kind; the oldest is dropped first.
inline constexpr size_t kEndedJobsKept = 2;

struct JobProgress {
  std::string phase = {};  // the present step; may be empty
  uint64_t done = 0;
  uint64_t total = 0;          // 0 = not known
  std::string_view unit = "";  // of both: "bytes"; a literal
};

// Receives the progress of a job from its work. Thread-safe.
class JobWatch {
 public:
  // False: the job is cancelled, and should end soon without finishing.
  bool Report(JobProgress progress);
  bool is_cancelled() const { return is_cancelled_.load(); }
  // is_cancelled(), for work that reads the flag directly.
  std::atomic<bool>* cancelled() { return &is_cancelled_; }

 private:
  friend class JobRegistry;
  std::atomic<bool> is_cancelled_{false};
  mutable Mutex mutex_;
  JobProgress progress_ ABSL_GUARDED_BY(mutex_);
};

// The description of a job.
struct JobSpec {
  std::string_view kind;   // "compact"; a literal
  std::string_view group;  // one job of a group runs at a time; a literal
  // The client's name for this job; empty = none. A client that does not know if its request has
  // begun the job repeats it with the same key, and gets the existing job.
  std::string key = {};
  // Runs the job and makes the answer to a request that waits for it. An exception is a 500.
  std::function<HttpResponse(JobWatch* watch)> work;
  // If not null, the registry calls this for the progress while the job runs, and ignores the
  // reports of the work. Borrowed objects outlive the registry.
  std::function<JobProgress()> probe = nullptr;
};

enum class JobState : uint8_t { kRunning, kDone, kFailed, kCancelled };
// "running", "done".
std::string_view JobStateName(JobState state);

// The state of a job at one moment.
struct JobView {
  uint64_t id = 0;  // 1, 2, ... since the server was started
  std::string kind = {};
  JobState state = JobState::kRunning;
  int64_t started_ms = 0;  // Unix
  int64_t elapsed_ms = 0;
  JobProgress progress = {};
  // The answer to a request that waits for the job; null while the job runs.
  std::shared_ptr<const HttpResponse> answer = nullptr;
};

class JobRegistry {
 public:
  // `clock` is borrowed.
  explicit JobRegistry(Clock* clock) : clock_(clock) {}
  ~JobRegistry() { Stop(); }
  JobRegistry(const JobRegistry&) = delete;
  JobRegistry& operator=(const JobRegistry&) = delete;

  // Begins a job, or finds the job of the same kind and key. kUnavailable: another job of the group
  // runs; the message names it. kFailedPrecondition: the registry is stopped.
  absl::StatusOr<JobView> Start(JobSpec spec);

  // Nothing: the registry does not have such a job, or has dropped it.
  std::optional<JobView> Find(uint64_t id) const;
  std::optional<JobView> LastOf(std::string_view kind) const;
  std::vector<JobView> List() const;  // ascending by id

  // Waits until the job has ended. Nothing: as Find.
  std::optional<JobView> Wait(uint64_t id) const;

  // Cancels a job, which ends soon; some kinds continue to their end. False: no such job runs.
  bool Cancel(uint64_t id);

  // Cancels all jobs, and refuses new ones.
  void CancelAll();
  // CancelAll, and waits until all jobs have ended. Idempotent.
  void Stop();

 private:
  struct Job;
  using JobPtr = std::shared_ptr<Job>;

  void Run(const JobPtr& job);
  void DropOld(std::string_view kind) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  JobView ViewOf(const Job& job, JobProgress probed) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  JobView View(const JobPtr& job) const;
  JobPtr FindJob(uint64_t id) const;

  Clock* const clock_;
  mutable Mutex mutex_;
  mutable CondVar ended_;
  uint64_t last_id_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::map<uint64_t, JobPtr> jobs_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string_view, NamedThread> threads_ ABSL_GUARDED_BY(mutex_);  // by group
};

// {"id":<n>,"kind":"<kind>","state":"running|done|failed|cancelled","started_ms":<n>,"ms":<n>,
//  "phase":"<text>","done":<n>,"total":<n>,"unit":"<text>"[,"status":<n>,"answer":<JSON>]}
void AppendJob(const JobView& job, std::string* out);

}  // namespace hourcell
