// Retry: which calls are retried, and the backoff. Each wait is random, from 0 to a bound that
// doubles, so that clients that failed together do not retry together.

#pragma once

#include <grpcpp/support/status.h>

#include <cstdint>
#include <functional>

#include <absl/status/status.h>

namespace hourcell {

struct RetryPolicy {
  int64_t first_ms = 10;      // upper bound of the wait before the first retry
  int64_t max_ms = 2'000;     // upper bound of any wait
  int64_t total_ms = 60'000;  // from the first attempt until no new one starts
};

// Time and randomness, replaced in tests. Called on the thread that makes the call.
struct RetryHooks {
  std::function<int64_t()> monotonic_ms;
  std::function<void(int64_t ms)> sleep;
  std::function<uint64_t(uint64_t bound)> random_below;
};

// True if an idempotent call that ended with this code may be retried: the service is down or
// overloaded, or the outcome is unknown.
bool MayBeRepeated(grpc::StatusCode code);

// One call and its retries. Thread-compatible.
class RetryLoop {
 public:
  RetryLoop(const RetryPolicy& policy, const RetryHooks* hooks);

  // After an attempt that failed with `code`: waits and returns true, or returns false if no
  // further attempt is allowed.
  bool WaitFor(grpc::StatusCode code);
  // Call it after an attempt made progress: resets the backoff, but not the total time.
  void Restart() { bound_ms_ = policy_.first_ms; }

 private:
  const RetryPolicy policy_;
  const RetryHooks& hooks_;
  const int64_t end_ms_;
  int64_t bound_ms_;
};

// Maps a gRPC error to the storage port's: kUnavailable if retryable, else the same code. `what`
// names the call and its table.
absl::Status FromGrpc(const grpc::Status& status, std::string_view what);

}  // namespace hourcell
