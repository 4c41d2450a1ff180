// Series of native histograms, the same in each run: counters with resets, gauges, schemas and zero
// buckets that change, stale markers, and series that were numbers before.

#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "promql/columns.h"
#include "tests/server/inputs/prometheus/prom_messages.h"

namespace hourcell {

// Every 15 seconds, 120 points from kNativeStartS on.
inline constexpr int64_t kNativeStartS = 1'700'000'000;
inline constexpr int64_t kNativeIntervalMs = 15'000;
inline constexpr int64_t kNativePoints = 120;

class NativeSeriesMaker {
 public:
  std::vector<PromTestSeries> Make() {
    Add("a", {.schema = 3, .zero_threshold = 0x1p-128}, [](int64_t i) { return i % 50 == 37; });
    Add("c", {.schema = 2, .zero_threshold = 0.001}, [](int64_t) { return false; });
    Add("d", {.schema = 0, .hint = 3}, [](int64_t i) { return i % 3 == 1; });
    Add("e", {.schema = 3, .zero_threshold = 0.5}, [](int64_t i) { return i == 80; });
    // The last one: Prometheus 2.42 reads the series of integers after one of floats wrongly.
    Add("z", {.schema = 1, .is_float = true}, [](int64_t) { return false; });
    AddMixed();
    AddClassic();
    return std::move(series_);
  }

 private:
  static int64_t TimeOf(int64_t i) { return kNativeStartS * 1000 + i * kNativeIntervalMs; }
  // In [0, below).
  int32_t Random(int32_t below) {
    state_ = state_ * 6'364'136'223'846'793'005 + 1'442'695'040'888'963'407;
    return static_cast<int32_t>((state_ >> 33) % static_cast<uint64_t>(below));
  }

  static void AddTo(int32_t index, double count, std::vector<std::pair<int32_t, double>>* buckets) {
    const auto at =
        std::ranges::lower_bound(*buckets, index, {}, &std::pair<int32_t, double>::first);
    if (at != buckets->end() && at->first == index) {
      at->second += count;
    } else {
      buckets->insert(at, {index, count});
    }
  }

  // Observes some values: mostly positive ones.
  void Grow(PromTestNative* native) {
    const double unit = native->is_float ? 0.5 : 1;
    for (int32_t n = 2 + Random(4); n > 0; --n) {
      const int32_t kind = Random(10);
      const double count = unit * (1 + Random(5));
      native->sum += count * 0.75 * (kind == 8 ? -1 : 1);
      if (kind == 9) {
        native->zero_count += count;
      } else {
        AddTo((Random(12) << std::max(native->schema - 1, 0)) / 2, count,
              kind == 8 ? &native->negative : &native->positive);
      }
    }
  }

  template <typename IsReset>
  void Add(const std::string& instance, PromTestNative native, IsReset is_reset) {
    // Prometheus gives histograms empty buckets for later ones of their block. With these from the
    // beginning, no side of the zero bucket is without buckets.
    native.positive = {{3, 1}};
    native.negative = {{3, 1}};
    const PromTestNative start = native;
    PromTestSeries series{.labels = {{"__name__", "native"},
                                     {"instance", instance},
                                     {"job", instance < "c" ? "x" : "y"}}};
    for (int64_t i = 0; i < kNativePoints; ++i) {
      if (instance == "e" && i >= 40 && i < 60) {
        if (i == 40) series.native.push_back(StaleNative(TimeOf(i)));
        continue;
      }
      if (is_reset(i)) native = start;
      if (instance == "c" && i == 60) {
        native = start;
        native.schema = 0;
        native.zero_threshold = 1;
      }
      Grow(&native);
      native.ms = TimeOf(i);
      if (i % 31 != 5) series.native.push_back(PromNativeMessage(native));
    }
    series_.push_back(std::move(series));
  }

  static std::string StaleNative(int64_t ms) {
    return PromNativeMessage({.sum = promql::kStale, .ms = ms});
  }

  // Numbers, and then histograms.
  void AddMixed() {
    PromTestSeries series{.labels = {{"__name__", "mixed"}, {"instance", "a"}, {"job", "x"}}};
    PromTestNative native{.schema = 1};
    for (int64_t i = 0; i < kNativePoints; ++i) {
      if (i < 60) {
        series.samples.push_back({static_cast<double>(i), TimeOf(i)});
        continue;
      }
      Grow(&native);
      native.ms = TimeOf(i);
      series.native.push_back(PromNativeMessage(native));
    }
    series_.push_back(std::move(series));
    PromTestSeries numbers{.labels = {{"__name__", "number"}, {"instance", "a"}, {"job", "x"}}};
    for (int64_t i = 0; i < kNativePoints; ++i)
      numbers.samples.push_back({static_cast<double>(i % 7), TimeOf(i)});
    series_.push_back(std::move(numbers));
  }

  // A classic histogram with the name and labels of a native one, which begins later.
  void AddClassic() {
    PromTestSeries native{.labels = {{"__name__", "both"}, {"job", "x"}}};
    PromTestNative counts{.schema = 2};
    for (int64_t i = 0; i < kNativePoints; ++i) {
      Grow(&counts);
      counts.ms = TimeOf(i);
      if (i >= 50) native.native.push_back(PromNativeMessage(counts));
    }
    series_.push_back(std::move(native));
    for (const std::string le : {"1", "4", "+Inf"}) {
      PromTestSeries bucket{.labels = {{"__name__", "both"}, {"job", "x"}, {"le", le}}};
      const double share = le == "1" ? 1 : le == "4" ? 3 : 4;
      for (int64_t i = 0; i < 90; ++i)
        bucket.samples.push_back({share * static_cast<double>(i), TimeOf(i)});
      series_.push_back(std::move(bucket));
    }
  }

  uint64_t state_ = 42;
  std::vector<PromTestSeries> series_;
};

}  // namespace hourcell
