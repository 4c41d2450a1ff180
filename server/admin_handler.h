// /api/admin/seal, /flush and /compact: what the store does by itself all the time, done at once
// and waited for, for backups and measurements.
//
// Thread-safe; one at a time, so that they never take up all threads that answer requests.

#pragma once

#include <atomic>
#include <functional>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "server/http_message.h"

namespace hourcell {

class AdminHandler {
 public:
  // Both are borrowed and outlive the object.
  AdminHandler(Tsdb* tsdb, Clock* clock);

  // Tsdb::Seal, Flush and Compact. Answers as Run.
  HttpResponse Seal();
  HttpResponse Flush();
  HttpResponse Compact();

  // Runs `work` on the caller's thread. 200 {"sealed":<hours>,"ms":<milliseconds>}: the hours that
  // were sealed meanwhile, and how long it took. 503 with Retry-After: another one is under way, or
  // the store cannot do it for now; 500 with the store's words: it failed.
  HttpResponse Run(const std::function<absl::Status()>& work);

 private:
  Clock* const clock_;
  Tsdb* const tsdb_;
  Counter* const sealed_;  // the engine's
  std::atomic<bool> is_busy_{false};
};

}  // namespace hourcell
