// StatsdAggregator: the samples of an interval, added up by series, and the points that they are at
// its end.
//
//   counter   <name>                           what was added, divided by the rate of its samples
//   gauge     <name>                           the last value, if there was a sample
//   timer     <name>.count .sum .mean          of all samples, each counted as 1/rate
//             <name>.lower .upper .p90 ...     of the samples that were sent
//   set       <name>                           how many different words there were
//
// Two series that would write the same metric with the same tags are not held together: a counter
// and a gauge of one name, or a timer `a` and a gauge `a.count`. The samples of the later one are
// refused as long as the first is held: a gauge for an hour, others to the end of the interval. A
// timer and a counter of one name are different metrics.
//
// Memory is bounded: by the number of series, by the values that are held for percentiles and sets,
// and by the bytes of it all, which StatsdBytes counts until the points are written. Thread-
// compatible; an interval that was taken may be visited while samples of the next are added.

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

// Bytes of a series' metric and tags; a longer one is refused.
inline constexpr size_t kStatsdSeriesBytesMax = 2048;
// Values of all timers and words of all sets in one interval. Percentiles are of those that are
// held; words beyond are not counted.
inline constexpr size_t kStatsdValuesMax = 1'000'000;
// A gauge without a sample for so long is forgotten: a change of it then begins at 0.
inline constexpr int64_t kStatsdGaugeMs = 3'600'000;
// What a series costs beside its name, and a value, at most: a vector and a table grow by doubling.
inline constexpr size_t kStatsdSeriesCost = 384;
inline constexpr size_t kStatsdValueCost = 24;

// Bytes of series and values that are held, of intervals that are being written too. Thread-safe.
using StatsdBytes = std::atomic<size_t>;

// The samples of a series. Its key does not change once it is made.
struct StatsdSeries {
  StatsdType type = StatsdType::kCounter;
  size_t metric_bytes = 0;  // of the key, from its second byte; tags follow
  std::string key;
  bool has_samples = false;
  int64_t sampled_ms = 0;
  double count = 0;  // of a timer
  double sum = 0;    // of a counter and a timer; the value of a gauge
  double lower = 0;
  double upper = 0;
  std::vector<double> values = {};           // of a timer
  absl::flat_hash_set<uint64_t> words = {};  // of a set: their hashes

  std::string_view metric() const { return std::string_view(key).substr(1, metric_bytes); }
  std::string_view tags() const { return std::string_view(key).substr(metric_bytes + 1); }
};

// A series whose interval has ended. A gauge is held on, so its value is here.
struct StatsdEnded {
  std::shared_ptr<StatsdSeries> series;
  double gauge = 0;
  bool is_held = false;  // by the aggregator, for the next interval
};

class StatsdAggregator {
 public:
  // What became of a line.
  enum class Added : uint8_t {
    kAll,
    kBadValue,    // a value is no number, or not finite; those before it are added
    kBadSeries,   // a name is too long
    kOtherType,   // a series of another type that writes the same metric is held: other_type()
    kNoSeries,    // as many series are held as may be
    kNoMemory,    // as many bytes are held as may be; counts and sums of a timer that is held are
                  // right all the same
    kSomeValues,  // as many values are held as may be; counts, sums and bounds are right all the
                  // same
  };

  // All are borrowed. `values_max`: kStatsdValuesMax, but for tests.
  StatsdAggregator(const NameRule* names,
                   const StatsdSettings* settings,
                   StatsdBytes* bytes,
                   size_t values_max = kStatsdValuesMax)
      : names_(names), settings_(settings), bytes_(bytes), values_max_(values_max) {}

  // Adds the samples of a line. `default_tag` is that of a series that has none. `now_ms` is
  // monotonic. REQUIRES: the line has samples.
  Added Add(const StatsdLine& line, std::string_view default_tag, int64_t now_ms);

  // After kOtherType: the word of the type that is held, "a gauge".
  std::string_view other_type() const { return other_type_; }

  // Ends the interval: the series that had samples, in no order. Their bytes stay counted until
  // ReleaseStatsd.
  std::vector<StatsdEnded> End(int64_t now_ms);

  size_t series() const { return series_.size(); }

 private:
  // The key of a line's series in key_: whether it is a timer, its metric, its tags.
  // False: too long.
  bool MakeKey(const StatsdLine& line, std::string_view default_tag);
  // The series of key_ for samples of that type. Null, and `*fault` is why.
  StatsdSeries* SeriesFor(StatsdType type, Added* fault);
  // A held series of another type that writes a metric of the series of key_; null: there is none.
  const StatsdSeries* Rival(StatsdType type);
  const StatsdSeries* Find(std::string_view metric, std::string_view tags, bool is_timer);

  Added AddNumber(double number, const StatsdSample& sample, StatsdSeries* series);
  Added AddWord(std::string_view word, StatsdSeries* series);
  Added AddTime(double time, double rate, StatsdSeries* series);
  // Counts a value to be held. kAll: there is room for it.
  Added CountValue();

  const NameRule* const names_;
  const StatsdSettings* const settings_;
  StatsdBytes* const bytes_;
  const size_t values_max_;
  // By the key of the series, which has its bytes.
  absl::flat_hash_map<std::string_view, std::shared_ptr<StatsdSeries>, StringHash, StringEq>
      series_;
  size_t values_ = 0;  // held
  std::string key_;
  size_t metric_bytes_ = 0;  // of key_
  std::string other_key_;
  std::string_view other_type_;
  std::vector<TagView> tags_;  // of the line, by key
};

// Takes the points of a series: what follows the metric's name, and the value. Sorts its values.
using TakeStatsdPoint = std::function<void(std::string_view suffix, Value value)>;
void VisitStatsdPoints(const StatsdEnded& ended,
                       std::span<const StatsdPercentile> percentiles,
                       const TakeStatsdPoint& take);

// Frees a series whose points are written, and takes it off the bytes that are held.
void ReleaseStatsd(StatsdEnded* ended, StatsdBytes* bytes);

}  // namespace hourcell
