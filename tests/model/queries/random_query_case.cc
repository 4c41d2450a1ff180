#include "tests/model/queries/random_query_case.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>

#include <absl/time/time.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "engine/query/query_time.h"
#include "tests/model/queries/naive_buckets.h"
#include "tests/model/queries/naive_query.h"
#include "tests/support/times.h"

namespace hourcell {
namespace {

constexpr int64_t kPointsMax = 600;   // of a store
constexpr int64_t kFilledMax = 1500;  // buckets of a series with a fill policy

const std::vector<std::string> kMetrics = {"m", "sys.cpu", "other"};
const std::vector<std::string> kTagks = {"host", "dc", "cpu", "role"};
const std::vector<std::string> kTagvs = {
    "web01", "web02", "WEB01", "Web02", "lga", "sjc", "db-a", "a", "ab", "b", "äb", "0", "web.x/1"};

template <typename T>
T Pick(std::initializer_list<T> choices, Random* random) {
  return choices.begin()[random->Below(choices.size())];
}

const std::string& Pick(const std::vector<std::string>& choices, Random* random) {
  return choices[random->Below(choices.size())];
}

// True once in `n`.
bool OneIn(uint64_t n, Random* random) {
  return random->Below(n) == 0;
}

int64_t Between(int64_t low, int64_t high, Random* random) {
  return low + static_cast<int64_t>(random->Below(static_cast<uint64_t>(high - low + 1)));
}

template <typename T>
void Shuffle(std::vector<T>* items, Random* random) {
  for (size_t i = items->size(); i > 1; --i)
    std::swap((*items)[i - 1], (*items)[random->Below(i)]);
}

// A finite double of any size.
double AnyDouble(Random* random) {
  const auto value = std::bit_cast<double>(random->Next());
  return std::isfinite(value) ? value : 1e300;
}

// The values of one series.
class ValueMaker {
 public:
  explicit ValueMaker(Random* random) : random_(*random), style_(random->Below(8)) {}

  Value Next() {
    switch (style_) {
      case 0:
        return Value::Integer(Between(-20, 20, &random_));
      case 1:
        return Value::Integer(static_cast<int64_t>(random_.Next()));
      case 2:
        if (OneIn(30, &random_)) return Value::Float(-0.0);
        return Value::Float(static_cast<double>(Between(-5000, 5000, &random_)) / 100);
      case 3:
        return Value::Float(random_.Fraction() * 1e6);
      case 4:
        return Counter();
      case 5:
        return Value::Float(static_cast<double>(Counter().integer()) / 10);
      case 6:
        return OneIn(4, &random_) ? Value::Float(static_cast<double>(Between(-9, 9, &random_)) / 2)
                                  : Value::Integer(Between(0, 1'000'000, &random_));
      default:
        return OneIn(10, &random_) ? Value::Float(AnyDouble(&random_))
                                   : Value::Float(random_.Fraction() - 0.5);
    }
  }

 private:
  Value Counter() {
    counter_ = OneIn(8, &random_) ? Between(0, 5, &random_)
                                  : (counter_ + Between(0, 30'000, &random_)) % 65'536;
    return Value::Integer(counter_);
  }

  Random& random_;
  const uint64_t style_;
  int64_t counter_ = 0;
};

// The properties that the series of a store have in common.
struct Times {
  int64_t begin_ms = 0;
  int64_t step_ms = 0;
  int64_t points = 0;
  bool aligned = false;
  bool is_ms = false;
};

class CaseMaker {
 public:
  CaseMaker(Sealing sealing, Random* random) : sealing_(sealing), random_(*random) {}

  QueryCase Make() {
    AddNames();
    const int64_t series = Pick({1, 2, 3, 5, 8, 16, 40}, &random_);
    times_.begin_ms =
        Pick<int64_t>({0, 1356998400, 1382846400, 1382313600, 1404135000, 4294900000}, &random_) *
            1000 +
        Pick<int64_t>({0, kHourMs - 30'000, 1'800'000}, &random_);
    times_.step_ms = Pick<int64_t>({1000, 10'000, 60'000, 300'000, 4'000'000}, &random_);
    times_.points = std::min(Pick<int64_t>({1, 3, 20, 60, 200}, &random_), kPointsMax / series);
    times_.aligned = OneIn(2, &random_);
    times_.is_ms = OneIn(3, &random_);
    std::set<std::pair<std::string, NaiveTags>> made;
    for (int64_t i = 0; i < series; ++i) {
      const std::string metric = OneIn(4, &random_) ? Pick(kMetrics, &random_) : kMetrics[0];
      const NaiveTags tags = RandomTags();
      if (made.emplace(metric, tags).second) AddSeries(metric, tags);
    }
    OrderSteps();
    return std::move(case_);
  }

 private:
  // All names of all kinds, shuffled, so that no UID goes by the alphabet.
  void AddNames() {
    const std::vector<std::string>* const names[] = {&kMetrics, &kTagks, &kTagvs};
    for (const UidKind kind : kUidKinds) {
      std::vector<std::string> shuffled = *names[static_cast<size_t>(kind)];
      Shuffle(&shuffled, &random_);
      for (const std::string& name : shuffled)
        case_.names.emplace_back(kind, name);
    }
  }

  NaiveTags RandomTags() {
    NaiveTags tags;
    if (!OneIn(5, &random_)) tags["host"] = Pick(kTagvs, &random_);
    for (const std::string& key : kTagks) {
      if (OneIn(2, &random_)) tags.emplace(key, Pick(kTagvs, &random_));
    }
    if (tags.empty()) tags["dc"] = Pick(kTagvs, &random_);
    return tags;
  }

  void AddSeries(const std::string& metric, const NaiveTags& tags) {
    ValueMaker values(&random_);
    int64_t ms = times_.begin_ms;
    if (!times_.aligned) ms += Between(0, times_.step_ms, &random_);
    const int64_t points = OneIn(6, &random_) ? 1 : times_.points;
    const bool has_jitter = !times_.aligned && OneIn(2, &random_);
    for (int64_t i = 0; i < points; ++i) {
      Add(metric, tags, ms, values.Next());
      if (OneIn(25, &random_)) Add(metric, tags, ms, values.Next());  // again
      ms += times_.step_ms;
      if (has_jitter) ms += Between(0, times_.step_ms / 3, &random_);
      if (OneIn(15, &random_)) ms += Between(1, 20, &random_) * times_.step_ms;  // a gap
    }
  }

  void Add(const std::string& metric, const NaiveTags& tags, int64_t ms, Value value) {
    bool is_ms = times_.is_ms && !OneIn(4, &random_);
    if (is_ms && OneIn(3, &random_)) ms += Between(0, 999, &random_);
    if (!is_ms) ms -= ms % 1000;
    if (OneIn(40, &random_)) is_ms = true;
    if (ms <= 0 || ms > kTimestampMsMax) return;
    case_.steps.push_back(
        {.metric = metric, .tags = tags, .time = {.ms = ms, .is_ms = is_ms}, .value = value});
  }

  // Those of one instant stay in their order.
  static void SortByTime(std::vector<CaseStep>* steps) {
    std::map<int64_t, std::vector<CaseStep>> by_time;
    for (CaseStep& step : *steps)
      by_time[step.time.ms].push_back(std::move(step));
    steps->clear();
    for (auto& [ms, of_instant] : by_time) {
      for (CaseStep& step : of_instant)
        steps->push_back(std::move(step));
    }
  }

  // By time as senders do it, but for some that are late, and the sealing.
  void OrderSteps() {
    std::vector<CaseStep> late;
    std::vector<CaseStep> steps;
    for (CaseStep& step : case_.steps)
      (OneIn(12, &random_) ? late : steps).push_back(std::move(step));
    if (!OneIn(4, &random_)) SortByTime(&steps);
    if (sealing_ == Sealing::kHalf) {
      // Later steps open some of the sealed hours again.
      const auto half = static_cast<ptrdiff_t>(random_.Below(steps.size() + 1));
      steps.insert(steps.begin() + half, {.kind = CaseStep::Kind::kSeal});
      if (OneIn(2, &random_)) steps.insert(steps.begin() + half, {.kind = CaseStep::Kind::kFlush});
      if (OneIn(2, &random_)) late.insert(late.begin(), {.kind = CaseStep::Kind::kSeal});
    }
    Shuffle(&late, &random_);
    for (CaseStep& step : late)
      steps.push_back(std::move(step));
    if (sealing_ == Sealing::kAll) {
      steps.push_back(
          {.kind = OneIn(2, &random_) ? CaseStep::Kind::kSeal : CaseStep::Kind::kFlush});
    }
    case_.steps = std::move(steps);
  }

  const Sealing sealing_;
  Random& random_;
  Times times_;
  QueryCase case_;
};

class QueryMaker {
 public:
  QueryMaker(const QueryCase& stored, Random* random) : case_(stored), random_(*random) {
    for (const CaseStep& step : stored.steps) {
      if (step.kind != CaseStep::Kind::kPut) continue;
      puts_.push_back(&step);
      first_ms_ = std::min(first_ms_, step.time.ms);
      last_ms_ = std::max(last_ms_, step.time.ms);
    }
    first_ms_ = std::min(first_ms_, last_ms_);
  }

  QuerySpec Make() {
    QuerySpec spec;
    SetRange(&spec);
    spec.keep_scanned = OneIn(10, &random_);
    const size_t queries = OneIn(6, &random_) ? 2 : OneIn(12, &random_) ? 5 : 1;
    for (size_t i = 0; i < queries; ++i)
      spec.queries.push_back(MakeSubQuery(spec));
    return spec;
  }

 private:
  void SetRange(QuerySpec* spec) {
    const int64_t span_ms = std::max<int64_t>(last_ms_ - first_ms_, 0);
    if (OneIn(30, &random_)) {  // nothing there
      spec->start_ms = std::min(last_ms_ + 40 * kHourMs, kTimestampMsMax - kHourMs);
      spec->end_ms = spec->start_ms + kHourMs;
      return;
    }
    // To the last instant there can be: 2106-02-07.
    int64_t start_ms = first_ms_ - kHourMs + Between(0, span_ms + kHourMs, &random_);
    if (OneIn(4, &random_)) start_ms = first_ms_;
    if (OneIn(3, &random_) && !puts_.empty()) {
      start_ms = AnyPut().time.ms - Between(0, 600'000, &random_);
    }
    if (!OneIn(3, &random_)) start_ms -= start_ms % 1000;
    int64_t length_ms = Pick<int64_t>(
        {0, 1, 500, 59'999, kHourMs, 3 * kHourMs, span_ms, Between(0, span_ms, &random_)},
        &random_);
    if (!OneIn(3, &random_)) length_ms = span_ms + kHourMs;
    spec->start_ms = std::max<int64_t>(start_ms, 0);
    int64_t end_ms = spec->start_ms + length_ms;
    if (OneIn(5, &random_) && !puts_.empty()) end_ms = AnyPut().time.ms;
    if (OneIn(5, &random_)) {
      end_ms += Pick<int64_t>({-1, -1000, 0, 1000}, &random_) - end_ms % kHourMs;
    }
    spec->end_ms = std::clamp(end_ms, spec->start_ms, kTimestampMsMax);
  }

  SubQuery MakeSubQuery(const QuerySpec& spec) {
    SubQuery query;
    query.aggregator = static_cast<Aggregator>(random_.Below(AggregatorNames().size()));
    query.metric =
        puts_.empty() || OneIn(12, &random_) ? Pick(kMetrics, &random_) : AnyPut().metric;
    if (OneIn(80, &random_)) query.metric = "unknown";
    if (OneIn(10, &random_)) {
      query.tsuids = RandomTsuids(query.metric);
      if (!query.tsuids.empty()) query.metric.clear();
    } else {
      const int64_t filters = Pick({0, 0, 1, 1, 1, 1, 2, 2, 3}, &random_);
      for (int64_t i = 0; i < filters; ++i)
        query.filters.push_back(MakeFilter());
      query.explicit_tags = OneIn(8, &random_);
    }
    if (!OneIn(3, &random_)) query.downsample = MakeDownsample(spec);
    if (OneIn(3, &random_)) query.rate = MakeRate();
    while (query.functions.size() < kQueryFunctionsMax && OneIn(4, &random_))
      query.functions.push_back(MakeFunction());
    return query;
  }

  FunctionSpec MakeFunction() {
    return {.kind = static_cast<FunctionSpec::Kind>(random_.Below(2)),
            .count = 1 + random_.Below(5),
            .by = static_cast<FunctionSpec::By>(random_.Below(5))};
  }

  std::vector<std::string> RandomTsuids(const std::string& metric) {
    std::map<std::pair<UidKind, std::string>, std::string> uids;
    std::map<UidKind, uint64_t> last;
    for (const auto& name : case_.names)
      AppendBigEndian(++last[name.first], 3, &uids[name]);
    std::vector<std::string> tsuids;
    const int64_t wanted = Between(1, 5, &random_);
    while (static_cast<int64_t>(tsuids.size()) < wanted) {
      // Mostly of a series that is stored, sometimes of one that is not.
      NaiveTags tags{{"host", Pick(kTagvs, &random_)}};
      if (!puts_.empty() && !OneIn(8, &random_)) {
        const CaseStep& put = AnyPut();
        if (put.metric == metric) tags = put.tags;
      }
      if (!uids.contains({UidKind::kMetric, metric})) return {};
      std::map<std::string, std::string> ordered;
      for (const auto& [key, value] : tags)
        ordered[uids.at({UidKind::kTagk, key})] = uids.at({UidKind::kTagv, value});
      std::string tsuid = uids.at({UidKind::kMetric, metric});
      for (const auto& [key, value] : ordered)
        tsuid += key + value;
      tsuids.push_back(ToUpperHex(tsuid));
    }
    return tsuids;
  }

  TagFilterSpec MakeFilter() {
    TagFilterSpec filter;
    filter.tagk = OneIn(2, &random_) ? "host" : Pick(kTagks, &random_);
    if (OneIn(100, &random_)) filter.tagk = "unknown";
    filter.type = static_cast<FilterType>(random_.Below(8));
    if (OneIn(4, &random_)) filter.type = FilterType::kWildcard;
    filter.group_by = OneIn(2, &random_);
    switch (filter.type) {
      case FilterType::kNotKey:
        filter.group_by = false;
        break;
      case FilterType::kWildcard:
      case FilterType::kIWildcard:
        filter.filter = Pick<std::string>({"*", "*", "*", "*", "*", "w*", "*1", "web*1", "*b*",
                                           "W*b0*", "**", "*.x*", "*a", "db*a", "a*b", "äb*"},
                                          &random_);
        break;
      case FilterType::kRegexp:
        filter.filter = NaiveRegexps()[random_.Below(NaiveRegexps().size())].pattern;
        break;
      default: {
        const int64_t values = Between(1, 4, &random_);
        for (int64_t i = 0; i < values; ++i)
          filter.filter += (i > 0 ? "|" : "") + AnyValueOf(filter.tagk);
        if (OneIn(100, &random_)) filter.filter += "|nobody";
      }
    }
    return filter;
  }

  const std::string& AnyValueOf(const std::string& tagk) {
    if (!puts_.empty() && !OneIn(3, &random_)) {
      const NaiveTags& tags = AnyPut().tags;
      if (const auto found = tags.find(tagk); found != tags.end()) return found->second;
    }
    return Pick(kTagvs, &random_);
  }

  DownsampleSpec MakeDownsample(const QuerySpec& range) {
    DownsampleSpec spec;
    spec.function = static_cast<Aggregator>(random_.Below(AggregatorNames().size()));
    if (spec.function == Aggregator::kNone) spec.function = Aggregator::kAvg;
    spec.fill = static_cast<FillPolicy>(random_.Below(4));
    if (spec.fill == FillPolicy::kZero && OneIn(3, &random_)) spec.fill_value = -2.5;
    spec.all = OneIn(8, &random_);
    if (spec.all) return spec;
    SetInterval(&spec);
    spec.calendar = OneIn(3, &random_);
    if (spec.calendar) spec.timezone = RandomZone();
    // Few enough buckets for maps. The scanned range is never smaller than the requested one.
    const bool has_many = (range.end_ms - range.start_ms) / spec.interval_ms > kFilledMax;
    const NaiveRange scan =
        NaiveRangeOf(range.start_ms, range.end_ms, has_many ? std::nullopt : std::optional(spec));
    if (has_many || (scan.scan_end_ms - scan.scan_begin_ms) / spec.interval_ms > kFilledMax) {
      spec.fill = FillPolicy::kNone;
      spec.calendar = false;
    }
    return spec;
  }

  void SetInterval(DownsampleSpec* spec) {
    spec->unit = static_cast<DurationUnit>(random_.Below(8));
    // The short ones, which data of minutes has buckets of, more often.
    if (OneIn(2, &random_))
      spec->unit = Pick({DurationUnit::kSecond, DurationUnit::kMinute}, &random_);
    switch (spec->unit) {
      case DurationUnit::kMs:
        spec->count = Pick<int64_t>({1, 7, 250, 500, 700, 1000, 1500, 90'000}, &random_);
        break;
      case DurationUnit::kSecond:
        spec->count = Pick<int64_t>({1, 7, 10, 30, 45, 60, 100}, &random_);
        break;
      case DurationUnit::kMinute:
        spec->count = Pick<int64_t>({1, 1, 3, 5, 7, 15, 45, 60, 90}, &random_);
        break;
      case DurationUnit::kHour:
        spec->count = Pick<int64_t>({1, 1, 2, 5, 6, 7, 24, 25}, &random_);
        break;
      default:
        spec->count = Pick<int64_t>({1, 1, 2, 5, 7}, &random_);
    }
    const std::string text = fmt::format("{}{}", spec->count, DurationUnitName(spec->unit));
    const auto duration = ParseDurationText(text);
    HOURCELL_CHECK(duration.ok());
    spec->interval_ms = duration->ms;
  }

  absl::TimeZone RandomZone() {
    const auto zone = ParseTimezone(
        Pick<std::string_view>({"UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo",
                                "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia"},
                               &random_));
    HOURCELL_CHECK(zone.ok());
    return *zone;
  }

  RateSpec MakeRate() {
    RateSpec rate;
    rate.counter = !OneIn(3, &random_);
    if (!rate.counter) return rate;
    rate.counter_max = Pick<int64_t>({INT64_MAX, INT64_MAX, 65'535, 100, 4294967295}, &random_);
    rate.reset_value = Pick<int64_t>({0, 0, 5, 1000}, &random_);
    rate.drop_resets = OneIn(3, &random_);
    return rate;
  }

  // A point that is stored, more often than not of a series of many.
  const CaseStep& AnyPut() { return *puts_[random_.Below(puts_.size())]; }

  const QueryCase& case_;
  Random& random_;
  std::vector<const CaseStep*> puts_;
  int64_t first_ms_ = INT64_MAX;
  int64_t last_ms_ = 0;
};

}  // namespace

QueryCase RandomCase(Sealing sealing, Random* random) {
  return CaseMaker(sealing, random).Make();
}

QuerySpec RandomQuery(const QueryCase& stored, Random* random) {
  return QueryMaker(stored, random).Make();
}

}  // namespace hourcell
