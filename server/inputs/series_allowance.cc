#include "server/inputs/series_allowance.h"

#include <algorithm>

namespace hourcell {
namespace {

constexpr double kMsOfAnHour = 3'600'000;

}  // namespace

SeriesAllowance::SeriesAllowance(int64_t per_hour, MonotonicClock* clock, Stats* stats)
    : per_hour_(per_hour),
      clock_(clock),
      created_(stats->counter("rpc.inputs.new_series", {{"result", "created"}})),
      refused_(stats->counter("rpc.inputs.new_series", {{"result", "refused"}})),
      quota_([this](size_t wanted) { return Take(wanted); }),
      left_(static_cast<double>(per_hour)),
      filled_ms_(clock->MonotonicMs()) {}

size_t SeriesAllowance::Take(size_t wanted) {
  MutexLock lock(&mutex_);
  const int64_t now_ms = clock_->MonotonicMs();
  const auto most = static_cast<double>(per_hour_);
  left_ = std::min(most, left_ + static_cast<double>(now_ms - filled_ms_) * most / kMsOfAnHour);
  filled_ms_ = now_ms;
  const size_t allowed = std::min(wanted, static_cast<size_t>(left_));
  left_ -= static_cast<double>(allowed);
  created_->Add(allowed);
  refused_->Add(wanted - allowed);
  return allowed;
}

}  // namespace hourcell
