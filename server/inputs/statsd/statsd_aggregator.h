// StatsdAggregator: adds up the samples of an interval by series, and makes the points at its end.
//
//   counter   <name>                           the sum of the values, each divided by its rate
//   gauge     <name>                           the last value, if there was a sample
//   timer     <name>.count .sum .mean          of all samples, each counted as 1/rate
//             <name>.lower .upper .p90 ...     of the received samples
//   set       <name>                           the number of different words
//
// Two series that would write the same metric with the same tags cannot coexist: a counter and a
// gauge of one name, or a timer `a` and a gauge `a.count`. Samples of the later one are refused
// while the first exists: a gauge for an hour, others to the end of the interval. A timer and a
// counter of one name are different metrics.
//
// Limits bound the number of series, the values kept for percentiles and sets, and the total bytes,
// which StatsdBytes counts until the points are written. Thread-compatible; a finished interval may
// be visited while samples of the next are added.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

#include "codec/base/strings.h"
#include "codec/point.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/statsd/statsd_line.h"
#include "server/inputs/statsd/statsd_settings.h"

namespace hourcell {

// Limit of the bytes of a series' metric and tags; longer ones are refused.
inline constexpr size_t kStatsdSeriesBytesMax = 2048;
// Limit of timer values and set words in one interval. Beyond that, percentiles use only the values
// kept, and new set members are not counted.
inline constexpr size_t kStatsdValuesMax = 1'000'000;
// A gauge without samples for this long is dropped: a later change then starts at 0.
inline constexpr int64_t kStatsdGaugeMs = 3'600'000;
// Upper bounds of the memory of a series without its name, and of a value: vectors and tables grow
// by doubling.
inline constexpr size_t kStatsdSeriesCost = 384;
inline constexpr size_t kStatsdValueCost = 24;

// Bytes of series and values, including intervals being written. Thread-safe.
using StatsdBytes = std::atomic<size_t>;

// The samples of a series. Its key never changes.
struct StatsdSeries {
  StatsdType type = StatsdType::kCounter;
  size_t metric_bytes = 0;  // of the key, from its second byte; tags follow
  std::string key;
  bool has_samples = false;
  int64_t sampled_ms = 0;
  double count = 0;  // timers only
  double sum = 0;    // counters and timers; the value of a gauge
  double lower = 0;
  double upper = 0;
  std::vector<double> values = {};           // timers only
  absl::flat_hash_set<uint64_t> words = {};  // sets only: hashes

  std::string_view metric() const { return std::string_view(key).substr(1, metric_bytes); }
  std::string_view tags() const { return std::string_view(key).substr(metric_bytes + 1); }
};

// A series of a finished interval. A gauge's series lives on, so its value is copied here.
struct StatsdEnded {
  std::shared_ptr<StatsdSeries> series;
  double gauge = 0;
  bool is_held = false;  // also used by the aggregator, for the next interval
};

class StatsdAggregator {
 public:
  // The result for a line.
  enum class Added : uint8_t {
    kAll,
    kBadValue,    // a value is not a finite number; earlier ones are added
    kBadSeries,   // the metric and tags are too long
    kOtherType,   // a series of another type writes the same metric: other_type()
    kNoSeries,    // the limit of series is reached
    kNoMemory,    // the limit of bytes is reached; an existing timer's counts and sums are still
                  // right
    kSomeValues,  // the limit of values is reached; counts, sums and bounds are still right
  };

  // All are borrowed. `values_max` differs from kStatsdValuesMax only in tests.
  StatsdAggregator(const NameRule* names,
                   const StatsdSettings* settings,
                   StatsdBytes* bytes,
                   size_t values_max = kStatsdValuesMax)
      : names_(names), settings_(settings), bytes_(bytes), values_max_(values_max) {}

  // Adds the samples of a line. `default_tag` is used if the line has no tags. `now_ms` is
  // monotonic. REQUIRES: the line has samples.
  Added Add(const StatsdLine& line, std::string_view default_tag, int64_t now_ms);

  // After kOtherType: the existing type, "a gauge".
  std::string_view other_type() const { return other_type_; }

  // Ends the interval. Returns the series with samples, in no particular order. Their bytes count
  // until ReleaseStatsd.
  std::vector<StatsdEnded> End(int64_t now_ms);

  size_t series() const { return series_.size(); }

 private:
  // Sets key_ for a line: whether it is a timer, its metric, its tags. False: too long.
  bool MakeKey(const StatsdLine& line, std::string_view default_tag);
  // The series of key_ for samples of that type. Null: `*fault` is the reason.
  StatsdSeries* SeriesFor(StatsdType type, Added* fault);
  // An existing series of another type that writes a metric of key_; null: none.
  const StatsdSeries* Rival(StatsdType type);
  const StatsdSeries* Find(std::string_view metric, std::string_view tags, bool is_timer);

  Added AddNumber(double number, const StatsdSample& sample, StatsdSeries* series);
  Added AddWord(std::string_view word, StatsdSeries* series);
  Added AddTime(double time, double rate, StatsdSeries* series);
  // Counts a value to be kept. kAll: there is room.
  Added CountValue();

  const NameRule* const names_;
  const StatsdSettings* const settings_;
  StatsdBytes* const bytes_;
  const size_t values_max_;
  // By the series' key, which owns the bytes.
  absl::flat_hash_map<std::string_view, std::shared_ptr<StatsdSeries>, StringHash, StringEq>
      series_;
  size_t values_ = 0;  // number kept
  std::string key_;
  size_t metric_bytes_ = 0;  // of key_
  std::string other_key_;
  std::string_view other_type_;
  std::vector<TagView> tags_;  // of the line, sorted by key
};

// Called with the points of a series: the suffix of the metric's name, and the value. Sorts its
// values.
using TakeStatsdPoint = std::function<void(std::string_view suffix, Value value)>;
void VisitStatsdPoints(const StatsdEnded& ended,
                       std::span<const StatsdPercentile> percentiles,
                       const TakeStatsdPoint& take);

// Frees a series after its points were written, and subtracts its bytes.
void ReleaseStatsd(StatsdEnded* ended, StatsdBytes* bytes);

}  // namespace hourcell
