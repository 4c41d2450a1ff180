// The work of /api/admin/seal, /flush and /compact: what the store does by itself all the time,
// done at once, for backups and measurements. Thread-safe.

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
  AdminHandler(Tsdb* tsdb, Clock* clock);

  // Tsdb::Seal, Flush and Compact. Each tells the watch how far it is and ends when that is
  // cancelled; null: nobody watches. Answers as Run.
  HttpResponse Seal(JobWatch* watch = nullptr);
  HttpResponse Flush(JobWatch* watch = nullptr);
  HttpResponse Compact(JobWatch* watch);

  // Runs `work` on the caller's thread. 200 {"sealed":<hours>,"ms":<milliseconds>}: the hours that
  // were sealed meanwhile, and how long it took. Errors: as WorkFailure (http_status.h).
  HttpResponse Run(const std::function<absl::Status()>& work);

 private:
  Clock* const clock_;
  Tsdb* const tsdb_;
  Counter* const sealed_;  // the engine's
};

}  // namespace hourcell
