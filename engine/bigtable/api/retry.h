// Retry: which calls are made again, and when. The wait before a repetition is random between none
// and a bound that doubles, so that clients that failed together do not come back together.

#pragma once

#include <grpcpp/support/status.h>

#include <cstdint>
#include <functional>

#include <absl/status/status.h>

namespace hourcell {

struct RetryPolicy {
  int64_t first_ms = 10;      // the longest wait before the first repetition
  int64_t max_ms = 2'000;     // the longest wait before any
  int64_t total_ms = 60'000;  // from the first attempt until no other is begun
};

// Time and chance, which tests replace. All are called by the thread that makes the call.
struct RetryHooks {
  std::function<int64_t()> monotonic_ms;
  std::function<void(int64_t ms)> sleep;
  std::function<uint64_t(uint64_t bound)> random_below;
};

// True if a call that ended so may be made again, if it may happen twice: the service is away or
// full, or nobody knows how it ended.
bool MayBeRepeated(grpc::StatusCode code);

// One call and its repetitions. Thread-compatible.
class RetryLoop {
 public:
  RetryLoop(const RetryPolicy& policy, const RetryHooks* hooks);

  // After an attempt that failed with `code`: waits and returns true, or returns false if it is to
  // be the last one.
  bool WaitFor(grpc::StatusCode code);
  // The last attempt got somewhere, so the waits are short again. The time that is left is not.
  void Restart() { bound_ms_ = policy_.first_ms; }

 private:
  const RetryPolicy policy_;
  const RetryHooks& hooks_;
  const int64_t end_ms_;
  int64_t bound_ms_;
};

// The error that the port has for it: kUnavailable for what may be repeated, else the same code.
// `what` is the call and its table.
absl::Status FromGrpc(const grpc::Status& status, std::string_view what);

}  // namespace hourcell
