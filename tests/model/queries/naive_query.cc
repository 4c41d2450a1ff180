#include "tests/model/queries/naive_query.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/limits.h"
#include "codec/rows/row_span.h"
#include "tests/model/queries/naive_buckets.h"
#include "tests/model/queries/naive_numbers.h"

namespace hourcell {
namespace {

using PointMap = std::map<int64_t, Value>;

// For ASCII letters; the names of the test have no other letters with case.
std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::set<std::string> PartsOf(std::string_view text) {
  std::set<std::string> parts;
  std::string part;
  for (const char c : std::string(text) + "|") {
    if (c != '|') {
      part += c;
      continue;
    }
    if (!part.empty()) parts.insert(part);
    part.clear();
  }
  return parts;
}

// Which prefixes of the value the prefixes of the pattern match, pattern character by character.
bool GlobFits(std::string_view pattern, std::string_view value) {
  std::vector<bool> fits(value.size() + 1, false);
  fits[0] = true;
  for (const char c : pattern) {
    std::vector<bool> next(value.size() + 1, false);
    for (size_t i = 0; i <= value.size(); ++i) {
      if (c == '*') {
        next[i] = fits[i] || (i > 0 && next[i - 1]);
      } else if (i > 0) {
        next[i] = fits[i - 1] && value[i - 1] == c;
      }
    }
    fits = std::move(next);
  }
  return fits.back();
}

// `value` is null if the series lacks the key.
bool Passes(const TagFilterSpec& filter, const std::string* value) {
  if (value == nullptr) return filter.type == FilterType::kNotKey;
  switch (filter.type) {
    case FilterType::kLiteralOr:
      return PartsOf(filter.filter).contains(*value);
    case FilterType::kILiteralOr:
      return PartsOf(Lower(filter.filter)).contains(Lower(*value));
    case FilterType::kNotLiteralOr:
      return !PartsOf(filter.filter).contains(*value);
    case FilterType::kNotILiteralOr:
      return !PartsOf(Lower(filter.filter)).contains(Lower(*value));
    case FilterType::kWildcard:
      return GlobFits(filter.filter, *value);
    case FilterType::kIWildcard:
      return GlobFits(Lower(filter.filter), Lower(*value));
    case FilterType::kRegexp:
      return std::ranges::find(NaiveRegexps(), filter.filter, &NaiveRegexp::pattern)->fits(*value);
    case FilterType::kNotKey:
      return false;
  }
  return false;
}

const std::string* FindTag(const NaiveTags& tags, const std::string& key) {
  const auto found = tags.find(key);
  return found == tags.end() ? nullptr : &found->second;
}

// Point by point, as the reference has it: the rate at the later of two, none for a dropped reset.
PointMap RatesOf(const PointMap& points, const RateSpec& spec) {
  PointMap rates;
  for (auto at = points.begin(); at != points.end(); ++at) {
    if (at == points.begin()) continue;
    const auto before = std::prev(at);
    const bool are_integers = before->second.is_integer() && at->second.is_integer();
    // `from` - before + now: with integers as Java's long does it.
    const auto difference = [&](int64_t from) {
      if (are_integers) {
        return static_cast<double>(static_cast<int64_t>(
            static_cast<uint64_t>(from) - static_cast<uint64_t>(before->second.integer()) +
            static_cast<uint64_t>(at->second.integer())));
      }
      return static_cast<double>(from) - before->second.ToDouble() + at->second.ToDouble();
    };
    const double seconds = static_cast<double>(at->first - before->first) / 1000.0;
    double rate = difference(0) / seconds;
    if (spec.counter && difference(0) < 0) {
      if (spec.drop_resets) continue;
      rate = difference(spec.counter_max) / seconds;
      if (spec.reset_value > 0 && rate > static_cast<double>(spec.reset_value)) rate = 0;
    }
    rates[at->first] = Value::Float(rate);
  }
  return rates;
}

// The value of a missing member.
enum class Missing : uint8_t { kLine, kZero, kLargest, kSmallest, kLatest };

Missing MissingOf(const SubQuery& query) {
  if (query.rate.has_value()) return Missing::kLatest;
  const std::string_view name = AggregatorName(query.aggregator);
  if (name == "count" || name == "zimsum" || name == "squareSum" || name == "first" ||
      name == "last") {
    return Missing::kZero;
  }
  if (name == "mimmin") return Missing::kLargest;
  if (name == "mimmax") return Missing::kSmallest;
  return name == "pfsum" ? Missing::kLatest : Missing::kLine;
}

int64_t OnLine(int64_t t, int64_t x0, int64_t y0, int64_t x1, int64_t y1) {
  const uint64_t rise = static_cast<uint64_t>(y1) - static_cast<uint64_t>(y0);
  const auto product = static_cast<int64_t>(static_cast<uint64_t>(t - x0) * rise);
  return static_cast<int64_t>(static_cast<uint64_t>(y0) +
                              static_cast<uint64_t>(product / (x1 - x0)));
}

double OnLine(int64_t t, int64_t x0, double y0, int64_t x1, double y1) {
  return y0 + static_cast<double>(t - x0) * (y1 - y0) / static_cast<double>(x1 - x0);
}

template <typename T>
T NumberOf(Value value) {
  if constexpr (std::is_same_v<T, double>) {
    return value.ToDouble();
  } else {
    return value.integer();
  }
}

// A member at one time: its current point and the next one, where there is one.
struct Place {
  const PointMap::value_type* current = nullptr;
  const PointMap::value_type* next = nullptr;
  bool has_ended(int64_t t) const {
    return current != nullptr && current->first < t && next == nullptr;
  }
};

Place PlaceOf(const PointMap& points, int64_t t) {
  const auto after = points.upper_bound(t);
  Place place;
  if (after != points.end()) place.next = &*after;
  if (after != points.begin()) place.current = &*std::prev(after);
  return place;
}

template <typename T>
T Contribution(const Place& place, int64_t t, Missing missing) {
  const T y0 = NumberOf<T>(place.current->second);
  if (place.current->first == t) return y0;
  switch (missing) {
    case Missing::kZero:
      return 0;
    case Missing::kLargest:
      return std::numeric_limits<T>::max();
    case Missing::kSmallest:
      return std::numeric_limits<T>::lowest();
    case Missing::kLatest:
      return y0;
    case Missing::kLine:
      break;
  }
  return OnLine(t, place.current->first, y0, place.next->first, NumberOf<T>(place.next->second));
}

template <typename T>
std::vector<T> Contributions(const std::vector<Place>& places, int64_t t, Missing missing) {
  std::vector<T> values;
  for (const Place& place : places) {
    if (place.current != nullptr) values.push_back(Contribution<T>(place, t, missing));
  }
  return values;
}

// The value of a group at `t`, which is a time of one of its members.
Value ValueAt(const std::vector<const PointMap*>& members, const SubQuery& query, int64_t t) {
  std::vector<Place> places;
  bool is_integer = true;
  for (const PointMap* points : members) {
    const Place place = PlaceOf(*points, t);
    if (place.has_ended(t)) continue;
    places.push_back(place);
    for (const auto* point : {place.current, place.next}) {
      if (point != nullptr && !point->second.is_integer()) is_integer = false;
    }
  }
  const Missing missing = MissingOf(query);
  if (query.aggregator == Aggregator::kNone) {
    HOURCELL_CHECK(places.size() == 1);
    return is_integer ? places[0].current->second
                      : Value::Float(places[0].current->second.ToDouble());
  }
  if (is_integer) {
    return Value::Integer(
        NaiveAggregate(query.aggregator, Contributions<int64_t>(places, t, missing)));
  }
  return Value::Float(NaiveAggregate(query.aggregator, Contributions<double>(places, t, missing)));
}

bool HasExplicitTags(const SubQuery& query, const NaiveTags& tags) {
  std::set<std::string> wanted;
  for (const TagFilterSpec& filter : query.filters) {
    if (filter.type != FilterType::kNotKey) wanted.insert(filter.tagk);
  }
  if (!query.explicit_tags || wanted.empty()) return true;
  std::set<std::string> keys;
  for (const auto& [key, value] : tags)
    keys.insert(key);
  return keys == wanted;
}

}  // namespace

const std::vector<NaiveRegexp>& NaiveRegexps() {
  using Text = std::string_view;
  static const std::vector<NaiveRegexp> kRegexps = {
      {".*", [](Text /*value*/) { return true; }},
      {"^web", [](Text value) { return value.starts_with("web"); }},
      {"0[12]$", [](Text value) { return value.ends_with("01") || value.ends_with("02"); }},
      {"a|b", [](Text value) { return value.find_first_of("ab") != Text::npos; }},
      {"^[a-d]+$",
       [](Text value) { return !value.empty() && value.find_first_not_of("abcd") == Text::npos; }},
      {"W", [](Text value) { return value.find('W') != Text::npos; }},
      {"x/1$", [](Text value) { return value.ends_with("x/1"); }},
      {"^a?b?$",
       [](Text value) { return value.empty() || value == "a" || value == "b" || value == "ab"; }},
  };
  return kRegexps;
}

void NaiveStore::AddName(UidKind kind, const std::string& name, const std::string& uid_bytes) {
  uids_[{kind, name}] = uid_bytes;
}

void NaiveStore::Rename(UidKind kind, const std::string& name, const std::string& new_name) {
  uids_[{kind, new_name}] = uids_.at({kind, name});
  uids_.erase({kind, name});
  for (auto& [tsuid, series] : series_) {
    if (kind == UidKind::kMetric && series.metric == name) series.metric = new_name;
    NaiveTags tags;
    for (const auto& [key, value] : series.tags) {
      tags[kind == UidKind::kTagk && key == name ? new_name : key] =
          kind == UidKind::kTagv && value == name ? new_name : value;
    }
    series.tags = std::move(tags);
  }
}

void NaiveStore::Put(
    const std::string& metric, const NaiveTags& tags, int64_t ms, Value value, bool is_ms) {
  NaiveSeries& series = series_[TsuidOf(metric, tags)];
  series.metric = metric;
  series.tags = tags;
  series.points[ms] = {.value = value, .is_ms = is_ms};
}

std::optional<NaiveDeletion> NaiveStore::Delete(const SubQuery& query,
                                                int64_t start_ms,
                                                int64_t end_ms) {
  const auto selected = Select(query);
  if (!selected.has_value()) return std::nullopt;
  NaiveDeletion deletion;
  for (const std::string& tsuid : *selected) {
    auto& points = series_.at(tsuid).points;
    std::set<int64_t> hours;
    for (auto at = points.lower_bound(start_ms); at != points.end() && at->first <= end_ms;) {
      hours.insert(at->first / (kHourSpan.ms()));
      ++deletion.points;
      at = points.erase(at);
    }
    deletion.rows += hours.size();
  }
  return deletion;
}

void NaiveStore::Expire(const std::function<int64_t(const std::string& metric)>& before_ms) {
  for (auto& [tsuid, series] : series_)
    series.points.erase(series.points.begin(), series.points.lower_bound(before_ms(series.metric)));
}

std::optional<std::vector<std::string>> NaiveStore::Select(const SubQuery& query) const {
  if (!KnowsNames(query)) return std::nullopt;
  std::vector<std::string> selected;
  for (const auto& [tsuid, series] : series_) {
    if (Selects(query, series, tsuid)) selected.push_back(tsuid);
  }
  return selected;
}

std::vector<std::pair<std::string, std::string>> NaiveStore::InUidOrder(
    const NaiveTags& tags) const {
  std::vector<std::pair<std::string, std::string>> ordered(tags.begin(), tags.end());
  std::ranges::sort(ordered, {},
                    [&](const auto& tag) { return uids_.at({UidKind::kTagk, tag.first}); });
  return ordered;
}

std::string NaiveStore::TsuidOf(const std::string& metric, const NaiveTags& tags) const {
  std::string bytes = uids_.at({UidKind::kMetric, metric});
  for (const auto& [key, value] : InUidOrder(tags)) {
    bytes += uids_.at({UidKind::kTagk, key});
    bytes += uids_.at({UidKind::kTagv, value});
  }
  return ToUpperHex(bytes);
}

bool NaiveStore::KnowsNames(const SubQuery& query) const {
  if (!query.tsuids.empty()) return true;
  if (!uids_.contains({UidKind::kMetric, query.metric})) return false;
  for (const TagFilterSpec& filter : query.filters) {
    if (filter.type == FilterType::kNotKey) continue;
    if (!uids_.contains({UidKind::kTagk, filter.tagk})) return false;
    if (filter.type != FilterType::kLiteralOr) continue;
    for (const std::string& value : PartsOf(filter.filter)) {
      if (!uids_.contains({UidKind::kTagv, value})) return false;
    }
  }
  return true;
}

bool NaiveStore::Selects(const SubQuery& query,
                         const NaiveSeries& series,
                         const std::string& tsuid) const {
  if (!query.tsuids.empty()) return std::ranges::count(query.tsuids, tsuid) > 0;
  if (series.metric != query.metric || !HasExplicitTags(query, series.tags)) return false;
  return std::ranges::all_of(query.filters, [&](const TagFilterSpec& filter) {
    return Passes(filter, FindTag(series.tags, filter.tagk));
  });
}

// Members in the order of their UIDs, groups in that of the values they share.
std::vector<std::vector<NaiveStore::Member>> NaiveStore::Groups(const SubQuery& query,
                                                                std::vector<Member> members) const {
  std::map<std::string, std::string> keys;  // to group by, by their UIDs
  for (const TagFilterSpec& filter : query.filters) {
    if (filter.group_by && filter.type != FilterType::kNotKey && query.tsuids.empty()) {
      keys[uids_.at({UidKind::kTagk, filter.tagk})] = filter.tagk;
    }
  }
  std::map<std::string, std::vector<Member>> groups;
  for (Member& member : members) {
    std::string values;
    for (const auto& [uid, key] : keys)
      values += uids_.at({UidKind::kTagv, member.tags->at(key)});
    if (query.aggregator == Aggregator::kNone) values = member.tsuid;
    groups[values].push_back(std::move(member));
  }
  std::vector<std::vector<Member>> ordered;
  for (auto& [values, group] : groups)
    ordered.push_back(std::move(group));
  return ordered;
}

// A key whose value differs in a later member is aggregated; one that is missing there is not.
ResultSeries NaiveStore::Describe(const SubQuery& query, const std::vector<Member>& group) const {
  ResultSeries series;
  series.metric = series_.at(group[0].tsuid).metric;
  series.nan_as_null = query.downsample.has_value() && query.downsample->fill == FillPolicy::kNull;
  NaiveTags first;
  std::set<std::string> aggregated;
  for (const Member& member : group) {
    series.tsuids.push_back(member.tsuid);
    for (const auto& [key, value] : *member.tags) {
      const auto [found, is_new] = first.try_emplace(key, value);
      if (!is_new && found->second != value) aggregated.insert(key);
    }
  }
  for (const auto& [key, value] : InUidOrder(first)) {
    if (aggregated.contains(key)) {
      series.aggregate_tags.push_back(key);
    } else {
      series.tags.emplace_back(key, value);
    }
  }
  std::ranges::sort(series.tags);
  return series;
}

namespace {

// The value of a series for a function; nothing: all its points are NaN.
std::optional<double> NaiveRank(const ResultSeries& series, FunctionSpec::By by) {
  std::vector<double> values;
  for (const ResultPoint& point : series.points) {
    if (!std::isnan(point.value.ToDouble())) values.push_back(point.value.ToDouble());
  }
  if (values.empty()) return std::nullopt;
  const double sum = std::accumulate(values.begin() + 1, values.end(), values[0]);
  double rank = values.back();
  if (by == FunctionSpec::By::kMax) rank = *std::ranges::max_element(values);
  if (by == FunctionSpec::By::kMin) rank = *std::ranges::min_element(values);
  if (by == FunctionSpec::By::kSum) rank = sum;
  if (by == FunctionSpec::By::kAvg) rank = sum / static_cast<double>(values.size());
  return std::isnan(rank) ? std::nullopt : std::optional(rank);
}

// Takes the best series one after another, then sorts them back.
std::vector<ResultSeries> NaiveRanked(std::vector<ResultSeries> groups, const FunctionSpec& spec) {
  std::vector<bool> is_taken(groups.size(), false);
  for (size_t taken = 0; taken < std::min(spec.count, groups.size()); ++taken) {
    std::optional<size_t> best;
    for (size_t i = 0; i < groups.size(); ++i) {
      if (is_taken[i]) continue;
      const std::optional<double> rank = NaiveRank(groups[i], spec.by);
      const std::optional<double> rank_of_best =
          best.has_value() ? NaiveRank(groups[*best], spec.by) : std::nullopt;
      const bool is_better =
          rank.has_value() &&
          (!rank_of_best.has_value() ||
           (spec.kind == FunctionSpec::Kind::kTop ? *rank > *rank_of_best : *rank < *rank_of_best));
      if (!best.has_value() || is_better) best = i;
    }
    is_taken[*best] = true;
  }
  std::vector<ResultSeries> ranked;
  for (size_t i = 0; i < groups.size(); ++i)
    if (is_taken[i]) ranked.push_back(std::move(groups[i]));
  return ranked;
}

}  // namespace

void NaiveStore::AddSubQuery(const QuerySpec& spec, size_t index, NaiveAnswer* answer) const {
  const SubQuery& query = spec.queries[index];
  if (!KnowsNames(query)) {
    answer->errors.insert(absl::StatusCode::kNotFound);
    return;
  }
  const NaiveRange range = NaiveRangeOf(spec.start_ms, spec.end_ms, query.downsample);
  std::vector<Member> members;
  for (const auto& [tsuid, series] : series_) {
    if (!Selects(query, series, tsuid)) continue;
    Member member{.tsuid = tsuid, .tags = &series.tags, .points = {}};
    for (auto at = series.points.lower_bound(range.scan_begin_ms);
         at != series.points.end() && at->first < range.scan_end_ms; ++at) {
      member.points.emplace_hint(member.points.end(), at->first, at->second.value);
    }
    if (member.points.empty()) continue;
    if (query.downsample.has_value()) {
      member.points = NaiveDownsample(member.points, *query.downsample, range);
    }
    if (query.rate.has_value()) member.points = RatesOf(member.points, *query.rate);
    members.push_back(std::move(member));
  }
  std::vector<ResultSeries> groups;
  for (const std::vector<Member>& group : Groups(query, std::move(members))) {
    ResultSeries series = Describe(query, group);
    series.query_index = index;
    std::set<int64_t> times;
    std::vector<const PointMap*> points;
    for (const Member& member : group) {
      points.push_back(&member.points);
      for (const auto& [ms, value] : member.points)
        times.insert(ms);
    }
    for (const int64_t ms : times) {
      const Value value = ValueAt(points, query, ms);
      const bool is_shown = spec.keep_scanned || (ms >= spec.start_ms && ms <= spec.end_ms);
      if (is_shown) series.points.push_back({.ms = ms, .value = value});
      if (is_shown && !value.is_integer() && std::isinf(value.floating())) {
        answer->errors.insert(absl::StatusCode::kInvalidArgument);
      }
    }
    groups.push_back(std::move(series));
  }
  for (size_t i = query.functions.size(); i-- > 0;)
    groups = NaiveRanked(std::move(groups), query.functions[i]);
  std::ranges::move(groups, std::back_inserter(answer->series));
}

NaiveAnswer NaiveStore::Query(const QuerySpec& spec) const {
  NaiveAnswer answer;
  for (size_t i = 0; i < spec.queries.size(); ++i)
    AddSubQuery(spec, i, &answer);
  return answer;
}

}  // namespace hourcell
