#include "engine/bigtable/api/retry.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell {

bool MayBeRepeated(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
    case grpc::StatusCode::INTERNAL:  // a stream that was reset
      return true;
    default:
      return false;
  }
}

RetryLoop::RetryLoop(const RetryPolicy& policy, const RetryHooks* hooks)
    : policy_(policy),
      hooks_(*hooks),
      end_ms_(hooks->monotonic_ms() + policy.total_ms),
      bound_ms_(policy.first_ms) {
  HOURCELL_DCHECK(policy.first_ms >= 0 && policy.max_ms >= 0 && policy.total_ms >= 0);
}

bool RetryLoop::WaitFor(grpc::StatusCode code) {
  if (!MayBeRepeated(code)) return false;
  const int64_t wait_ms =
      static_cast<int64_t>(hooks_.random_below(static_cast<uint64_t>(bound_ms_) + 1));
  if (hooks_.monotonic_ms() + wait_ms >= end_ms_) return false;
  hooks_.sleep(wait_ms);
  bound_ms_ = std::min(2 * bound_ms_, policy_.max_ms);
  return true;
}

absl::Status FromGrpc(const grpc::Status& status, std::string_view what) {
  if (status.ok()) return absl::OkStatus();
  const auto code = MayBeRepeated(status.error_code())
                        ? absl::StatusCode::kUnavailable
                        : static_cast<absl::StatusCode>(status.error_code());
  return {code, fmt::format("bigtable: {}: {}", what, status.error_message())};
}

}  // namespace hourcell
