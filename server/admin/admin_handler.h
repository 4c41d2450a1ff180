// The work of /api/admin/seal, /flush and /compact: starts background work of the store at once,
// for backups and measurements. Thread-safe.

#pragma once

#include <functional>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/admin/job_registry.h"
#include "server/http/http_message.h"

namespace hourcell {

class AdminHandler {
 public:
  // Both are borrowed and outlive the object.
  AdminHandler(Tsdb* tsdb, MonotonicClock* clock);

  // Maintenance::Seal, Flush and Compact. Each reports progress to its watch, and ends when it
  // is cancelled; the watch of Seal and Flush may be null. Answers as Run.
  HttpResponse Seal(JobWatch* watch = nullptr);
  HttpResponse Flush(JobWatch* watch = nullptr);
  HttpResponse Compact(JobWatch* watch);

  // Runs `work` on the caller's thread. 200 {"sealed":<hours>,"ms":<milliseconds>}: the number of
  // hours sealed meanwhile, and the duration. Errors: as WorkFailure (http_status.h).
  HttpResponse Run(const std::function<absl::Status()>& work);

 private:
  MonotonicClock* const clock_;
  Tsdb* const tsdb_;
  Counter* const sealed_;  // owned by the engine
};

}  // namespace hourcell
