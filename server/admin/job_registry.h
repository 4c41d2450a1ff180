// JobRegistry: work that may take longer than a client waits for an answer. One request begins it,
// others look at it, and its outcome can be read until later jobs of its kind have ended: a client
// whose connection was lost asks again.
//
// Each job has a thread of its own, so that it keeps none of those that answer requests. One job of
// a group runs at a time. Nothing is kept on disk: a server that is started again knows no earlier
// job. Thread-safe.

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

// Jobs of a kind that are kept once they have ended; the oldest goes first.
inline constexpr size_t kEndedJobsKept = 2;

struct JobProgress {
  std::string phase = {};  // what it is at; may be empty
  uint64_t done = 0;
  uint64_t total = 0;          // 0 = not known
  std::string_view unit = "";  // of both: "bytes"; lives for ever
};

// How the work of a job tells how far it is. Thread-safe.
class JobWatch {
 public:
  // False: the job is to end soon, without what is left of its work.
  bool Report(JobProgress progress);
  bool is_cancelled() const { return is_cancelled_.load(); }
  // The same, for work that looks at it by itself.
  std::atomic<bool>* cancelled() { return &is_cancelled_; }

 private:
  friend class JobRegistry;
  std::atomic<bool> is_cancelled_{false};
  mutable Mutex mutex_;
  JobProgress progress_ ABSL_GUARDED_BY(mutex_);
};

// What is to be done.
struct JobSpec {
  std::string_view kind;   // "compact"; lives for ever, as does the next
  std::string_view group;  // of which one runs at a time
  // What its client calls this job; empty = nothing. A client that does not know whether it has
  // begun the job begins it again with the same key, and gets the one there is.
  std::string key = {};
  // Does it and makes the answer, as to a request that waited for it. An exception is a 500.
  std::function<HttpResponse(JobWatch* watch)> work;
  // How far it is, asked while it runs, instead of what the work reports. May be null. What it
  // borrows outlives the registry.
  std::function<JobProgress()> probe = nullptr;
};

enum class JobState : uint8_t { kRunning, kDone, kFailed, kCancelled };
// "running", "done".
std::string_view JobStateName(JobState state);

// A job as it is at one moment.
struct JobView {
  uint64_t id = 0;  // 1, 2, ... since the server was started
  std::string kind = {};
  JobState state = JobState::kRunning;
  int64_t started_ms = 0;  // Unix
  int64_t elapsed_ms = 0;
  JobProgress progress = {};
  // Of one that has ended: what a request that waited for it is answered with.
  std::shared_ptr<const HttpResponse> answer = nullptr;
};

class JobRegistry {
 public:
  // `clock` is borrowed.
  explicit JobRegistry(Clock* clock) : clock_(clock) {}
  ~JobRegistry() { Stop(); }
  JobRegistry(const JobRegistry&) = delete;
  JobRegistry& operator=(const JobRegistry&) = delete;

  // Begins a job, or finds the one of its kind and key. kUnavailable: another one of its group
  // runs; the message names it. kFailedPrecondition: the registry is stopped.
  absl::StatusOr<JobView> Start(JobSpec spec);

  // Nothing: there is no such job, or none any more.
  std::optional<JobView> Find(uint64_t id) const;
  std::optional<JobView> LastOf(std::string_view kind) const;
  std::vector<JobView> List() const;  // ascending by id

  // The job when it has ended. Nothing: there is no such job, or none any more.
  std::optional<JobView> Wait(uint64_t id) const;

  // Asks a job to end soon; kinds that cannot go on to their end. False: no such job runs.
  bool Cancel(uint64_t id);

  // Begins no job any more, and asks all to end.
  void CancelAll();
  // The same, and waits until they have ended. Idempotent.
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
