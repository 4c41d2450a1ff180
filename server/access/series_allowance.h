// Limits of the new series per hour that clients without a login create. Names and their UIDs are
// permanent, and any client that may write without a login can send any name.
//
//   SeriesAllowance    one limit for all clients: Graphite and StatsD, where UDP addresses can be
//                      forged
//   ClientAllowances   one limit for each address: telnet and HTTP
//
// A burst of one hour's allowance is possible; the allowance refills evenly over an hour.
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "codec/base/clock.h"
#include "codec/base/mutex.h"
#include "codec/base/strings.h"
#include "engine/append.h"
#include "engine/stats.h"

namespace hourcell {

// The addresses that have an allowance of their own at a time.
inline constexpr size_t kAllowancesMax = 256;

// The series that may be created now. Thread-compatible.
class HourlySeries {
 public:
  HourlySeries(int64_t per_hour, int64_t now_ms)
      : per_hour_(static_cast<double>(per_hour)), left_(per_hour_), filled_ms_(now_ms) {}

  // Takes up to `wanted`; returns how many.
  size_t Take(size_t wanted, int64_t now_ms);
  // True if an hour's series are left: nothing was taken in the last hour.
  bool IsFull(int64_t now_ms) const { return LeftAt(now_ms) >= per_hour_; }

 private:
  double LeftAt(int64_t now_ms) const;

  double per_hour_;
  double left_;
  int64_t filled_ms_;
};

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
  HourlySeries series_ ABSL_GUARDED_BY(mutex_);
};

class ClientAllowances {
 public:
  // `clock` and `stats` as above; `per_hour` is more than 0. Counts rpc.put.new_series, by result.
  ClientAllowances(int64_t per_hour, MonotonicClock* clock, Stats* stats);

  // The limit of a client at `address` (no port), for the store. Valid as long as this object. An
  // IPv6 address shares it with the others of its 64-bit prefix, which one host can own. While
  // kAllowancesMax addresses have taken series within an hour, all further ones share one.
  NewSeriesQuota QuotaOf(std::string_view address);

 private:
  size_t Take(std::string_view key, size_t wanted);
  HourlySeries* Of(std::string_view key, int64_t now_ms) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t per_hour_;
  MonotonicClock* const clock_;
  Counter* const created_;
  Counter* const refused_;
  Mutex mutex_;
  StringMap<HourlySeries> by_client_ ABSL_GUARDED_BY(mutex_);  // at most kAllowancesMax
  HourlySeries others_ ABSL_GUARDED_BY(mutex_);
  int64_t looked_ms_ ABSL_GUARDED_BY(mutex_) = 0;  // when full allowances were last removed
};

}  // namespace hourcell
