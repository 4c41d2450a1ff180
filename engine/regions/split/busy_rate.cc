#include "engine/regions/split/busy_rate.h"

#include "codec/base/check.h"

// Why the state is outside of the policy: a policy is then a pure function of facts, which the
// simulator and tests give it without a clock or a store.

namespace hourcell {

double BusyRate::Update(uint64_t now_ms, Counts counts, uint64_t window_ms) {
  HOURCELL_DCHECK(window_ms > 0 && now_ms >= baseline_ms_);
  constexpr double kNoDivisionByZero = 1e-5;  // HBase's; it makes a rate a little too small
  const double rate = static_cast<double>(counts.blocked - baseline_.blocked) /
                      (static_cast<double>(counts.writes - baseline_.writes) + kNoDivisionByZero);
  const uint64_t elapsed_ms = now_ms - baseline_ms_;
  if (elapsed_ms >= window_ms) {
    baseline_rate_ = rate;
    baseline_ms_ = now_ms;
    baseline_ = counts;
    return rate;
  }
  if (now_ms - open_ms_ < window_ms) return 0;
  const double weight = static_cast<double>(elapsed_ms) / static_cast<double>(window_ms);
  return (1 - weight) * baseline_rate_ + weight * rate;
}

}  // namespace hourcell
