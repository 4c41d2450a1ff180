// SeriesAllowance: limits the new series per hour that inputs without logins create in total. Names
// and their UIDs are permanent, any client that reaches such a port can send any name, and UDP
// addresses can be forged.
//
// A burst of one hour's allowance is possible; the allowance refills evenly over an hour.
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "engine/stats.h"
#include "engine/tsdb.h"

namespace hourcell {

class SeriesAllowance {
 public:
  // `clock` and `stats` are borrowed; the clock's monotonic time counts. `per_hour`: 0 = no limit.
  // Counts rpc.inputs.new_series, by result: created and refused.
  SeriesAllowance(int64_t per_hour, MonotonicClock* clock, Stats* stats);

  // For the store; null without a limit. Valid as long as this object.
  const NewSeriesQuota* quota() const { return per_hour_ == 0 ? nullptr : &quota_; }

 private:
  size_t Take(size_t wanted);

  const int64_t per_hour_;
  MonotonicClock* const clock_;
  Counter* const created_;
  Counter* const refused_;
  const NewSeriesQuota quota_;
  Mutex mutex_;
  double left_ ABSL_GUARDED_BY(mutex_);
  int64_t filled_ms_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace hourcell
