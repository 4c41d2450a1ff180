// StatsdAggregator: the samples of an interval, added up by series, and the points that they are at
// its end.
//
//   counter   <name>                           what was added, divided by the rate of its samples
//   gauge     <name>                           the last value, if there was a sample
//   timer     <name>.count .sum .mean          of all samples, each counted as 1/rate
//             <name>.lower .upper .p90 ...     of the samples that were sent
//   set       <name>                           how many different words there were
//
// Memory is bounded: by the series that are held, the bytes of their names, and the values that are
// held for percentiles and sets. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "codec/base/strings.h"
#include "codec/point.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/statsd/statsd_line.h"
#include "server/inputs/statsd/statsd_settings.h"

namespace hourcell {

// Bytes of a series' metric and tags; a longer one is refused.
inline constexpr size_t kStatsdSeriesBytesMax = 2048;
// Values of all timers and words of all sets in one interval, some 16 bytes each. Percentiles are
// of those that are held; words beyond are not counted.
inline constexpr size_t kStatsdValuesMax = 1'000'000;
// A gauge without a sample for so long is forgotten: a change of it then begins at 0.
inline constexpr int64_t kStatsdGaugeMs = 3'600'000;

// A point to be written, with its names by the rule.
struct StatsdPoint {
  std::string metric;
  std::string tags;  // "host=web01 dc=lga", by key
  Value value;
};

class StatsdAggregator {
 public:
  // What became of a line.
  enum class Added : uint8_t {
    kAll,
    kBadValue,    // a value is no number, or not finite; those before it are added
    kBadSeries,   // a name is too long
    kNoSeries,    // as many series are held as may be
    kSomeValues,  // as many values are held as may be; counts, sums and bounds are right all the
                  // same
  };

  // Both are borrowed. `values_max`: kStatsdValuesMax, but for tests.
  StatsdAggregator(const NameRule* names,
                   const StatsdSettings* settings,
                   size_t values_max = kStatsdValuesMax)
      : names_(names), settings_(settings), values_max_(values_max) {}

  // Adds the samples of a line. `default_tag` is that of a series that has none. `now_ms` is
  // monotonic. REQUIRES: the line has samples.
  Added Add(const StatsdLine& line, std::string_view default_tag, int64_t now_ms);

  // Ends the interval: the points of the series that had samples, in no order. Gauges are held on.
  std::vector<StatsdPoint> Flush(int64_t now_ms);

  size_t series() const { return series_.size(); }

 private:
  struct Series {
    StatsdType type = StatsdType::kCounter;
    size_t metric_bytes = 0;  // of the key, from its second byte; tags follow after a blank
    bool has_samples = false;
    int64_t sampled_ms = 0;
    double count = 0;  // of a timer
    double sum = 0;    // of a counter and a timer; the value of a gauge
    double lower = 0;
    double upper = 0;
    std::vector<double> values = {};           // of a timer
    absl::flat_hash_set<uint64_t> words = {};  // of a set: their hashes
  };

  // The key of a line's series in key_: its type, its metric, a blank, its tags. False: too long.
  bool MakeKey(const StatsdLine& line, std::string_view default_tag, size_t* metric_bytes);
  Added AddValue(std::string_view text, double rate, Series* series);
  Added AddWord(std::string_view word, Series* series);
  Added AddTime(double time, double rate, Series* series);
  void AddPoints(std::string_view key, Series* series, std::vector<StatsdPoint>* points) const;

  const NameRule* const names_;
  const StatsdSettings* const settings_;
  const size_t values_max_;
  StringMap<Series> series_;  // by key
  size_t values_ = 0;         // held
  std::string key_;
  std::vector<TagView> tags_;  // of the line, by key
};

}  // namespace hourcell
