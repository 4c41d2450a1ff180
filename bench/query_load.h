// Stores for measurements of queries: one metric, `host=h0` and so on, each host in one of `dc=d0`
// to `dc=d9`; a point every 10 s. Values walk within 0..100, rounded to hundredths. Seeded.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/point.h"
#include "engine/tsdb.h"

namespace hourcell {

inline constexpr int64_t kLoadStartMs = 1704067200000;  // a full hour
inline constexpr int64_t kLoadStepMs = 10'000;
inline constexpr size_t kLoadHourPoints = 360;
inline constexpr std::string_view kLoadMetric = "bench.metric";

// A walk within 0..100 by steps of up to 3.
class LoadGauge {
 public:
  explicit LoadGauge(uint64_t seed) : random_(seed), at_(random_.Fraction() * 100) {}

  double Next() {
    at_ = std::clamp(at_ + 6 * (random_.Fraction() - 0.5), 0.0, 100.0);
    return std::round(at_ * 100) / 100;
  }

 private:
  Random random_;
  double at_;
};

// Puts `points` points of each of `series` series, a step apart, seals each hour, and flushes at
// the end. Points go in small batches, so that a load of any size needs little memory.
inline void FillStore(Tsdb* tsdb, size_t series, size_t points) {
  constexpr size_t kBatchPoints = 1000;
  std::vector<std::string> tags;
  std::vector<LinePoint> batch;
  CommitTicket all;
  const auto flush = [&] {
    std::vector<RefusedPoint> refused;
    const CommitTicket ticket = tsdb->points().Append(batch, &refused);
    all.Cover(ticket);
    HOURCELL_CHECK(refused.empty() && !ticket.took_nothing());
    batch.clear();
    tags.clear();
  };
  tags.reserve(kBatchPoints);
  // Hour by hour, in order of arrival; within an hour series by series, for the caches.
  for (size_t first = 0; first < points; first += kLoadHourPoints) {
    const size_t count = std::min(kLoadHourPoints, points - first);
    for (size_t s = 0; s < series; ++s) {
      LoadGauge gauge(s * 1'000'003 + first);
      tags.push_back(fmt::format("host=h{} dc=d{}", s, s % 10));
      for (size_t i = 0; i < count; ++i) {
        batch.push_back(
            {.metric = kLoadMetric,
             .tags = tags.back(),
             .timestamp = {.ms = kLoadStartMs + static_cast<int64_t>(first + i) * kLoadStepMs},
             .value = Value::Float(gauge.Next())});
      }
      if (batch.size() + count > kBatchPoints || tags.size() == kBatchPoints) flush();
    }
    if (!batch.empty()) flush();
    HOURCELL_CHECK(tsdb->maintenance().Seal().ok());
  }
  HOURCELL_CHECK(all.Wait().ok());
  HOURCELL_CHECK(tsdb->maintenance().Flush().ok());
}

// `<aggregator>:[<downsample>:]bench.metric{filters}` over `points` points from the first.
inline QuerySpec LoadQuery(Aggregator aggregator,
                           const char* downsample,
                           std::vector<TagFilterSpec> filters,
                           size_t points) {
  QuerySpec spec;
  spec.start_ms = kLoadStartMs;
  spec.end_ms = kLoadStartMs + static_cast<int64_t>(points) * kLoadStepMs - 1;
  SubQuery query{.aggregator = aggregator,
                 .metric = std::string(kLoadMetric),
                 .filters = std::move(filters),
                 .downsample = {},
                 .rate = {}};
  if (downsample != nullptr) {
    const auto parsed = ParseDownsampleSpec(downsample);
    HOURCELL_CHECK(parsed.ok());
    query.downsample = *parsed;
  }
  spec.queries.push_back(std::move(query));
  return spec;
}

}  // namespace hourcell
