// SelfStats: stores the server's statistics as points, tsd.<name> with the tags of /api/stats, so
// that a dashboard can show them over time.
//
// Thread-compatible.

#pragma once

#include <cstdint>

#include "engine/tsdb.h"
#include "server/text/stats_text.h"

namespace hourcell {

class SelfStats {
 public:
  // `tsdb` is borrowed and outlives the object. Counts failures as stats.self_errors.
  SelfStats(Tsdb* tsdb, StatOrigin origin);

  // Puts one point per statistic, at `now_ms` in whole seconds.
  void Put(int64_t now_ms);

 private:
  Tsdb* const tsdb_;
  const StatOrigin origin_;
  Counter* const errors_;
};

}  // namespace hourcell
