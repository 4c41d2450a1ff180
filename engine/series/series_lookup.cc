#include "engine/series/series_lookup.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "engine/names/series_names.h"
#include "engine/series/series_reads.h"

namespace hourcell {
namespace {

// Series between two looks at the watch, and those whose tsuids are read together.
constexpr size_t kSeriesAtOnce = 4096;
// When all metrics are visited, this number of series of a metric is tried one by one before its
// posting sets are read: a metric of a few costs less to try than to look up, and there may be as
// many metrics as series.
constexpr size_t kTriedBeforePostings = 256;
// Visited series between two looks at the watch: a visit may wait for a client.
constexpr size_t kVisitsBetweenChecks = 64;

// Days that are read at once: less than ActiveSets knows of.
constexpr uint64_t kDaysAtOnce = 31;

bool IsAny(std::string_view text) {
  return text.empty() || text == "*";
}

void SortUnique(std::vector<std::string>* values) {
  std::ranges::sort(*values);
  values->erase(std::unique(values->begin(), values->end()), values->end());
}

}  // namespace

absl::StatusOr<std::vector<SeriesLookup::Condition>> SeriesLookup::Resolve(
    std::span<const TagMatch> tags, bool skip_unresolved_tagvs) const {
  std::map<std::string, std::vector<std::string_view>> values_of;  // by key; "" is any
  for (const TagMatch& tag : tags)
    values_of[IsAny(tag.tagk) ? std::string() : tag.tagk].push_back(tag.tagv);
  std::vector<Condition> conditions;
  for (const auto& [tagk, values] : values_of) {
    Condition condition;
    if (!tagk.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(condition.tagk_uid, uids_.Get(UidKind::kTagk, tagk));
      AppendBigEndian(condition.tagk_uid, layout_.tagk_width, &condition.tagk);
    }
    bool any_value = false;
    for (const std::string_view value : values) {
      any_value = any_value || IsAny(value);
      if (IsAny(value)) continue;
      const absl::StatusOr<Uid> uid = uids_.Get(UidKind::kTagv, value);
      if (skip_unresolved_tagvs && absl::IsNotFound(uid.status())) continue;
      HOURCELL_RETURN_IF_ERROR(uid.status());
      AppendBigEndian(*uid, layout_.tagv_width, &condition.tagvs.emplace_back());
      condition.tagv_uids.push_back(*uid);
    }
    condition.is_never = !any_value && condition.tagvs.empty();
    if (any_value) {
      condition.tagvs.clear();
      condition.tagv_uids.clear();
    }
    SortUnique(&condition.tagvs);
    // Every series has some tag.
    if (!condition.tagk.empty() || !condition.tagvs.empty() || condition.is_never) {
      conditions.push_back(std::move(condition));
    }
  }
  return conditions;
}

bool SeriesLookup::Matches(std::span<const Condition> conditions, std::string_view tsuid) const {
  const std::string_view all_pairs = tsuid.substr(layout_.metric_width);
  return std::ranges::all_of(conditions, [&](const Condition& condition) {
    for (std::string_view pairs = all_pairs; !pairs.empty();
         pairs.remove_prefix(layout_.pair_width())) {
      const std::string_view tagk = pairs.substr(0, layout_.tagk_width);
      const std::string_view tagv = pairs.substr(layout_.tagk_width, layout_.tagv_width);
      if (!condition.tagk.empty() && tagk != condition.tagk) continue;
      if (condition.tagvs.empty()) return true;
      if (std::binary_search(condition.tagvs.begin(), condition.tagvs.end(), tagv)) return true;
    }
    return false;
  });
}

absl::StatusOr<std::optional<std::vector<SeriesNumber>>> SeriesLookup::Intersect(
    Uid metric, std::span<const Condition> conditions, MemoryHold* hold) const {
  std::optional<std::vector<SeriesNumber>> both;
  for (const Condition& condition : conditions) {
    if (!condition.IsPosting()) continue;
    std::vector<SeriesNumber> with_any;  // of its values
    for (const Uid tagv : condition.tagv_uids) {
      MemoryHold of_tag(memory_);
      HOURCELL_ASSIGN_OR_RETURN(
          const std::vector<SeriesNumber> with_tag,
          series_.WithTag(metric, {.tagk = condition.tagk_uid, .tagv = tagv}, &of_tag));
      HOURCELL_RETURN_IF_ERROR(hold->Take(with_tag.size() * sizeof(SeriesNumber)));
      with_any.insert(with_any.end(), with_tag.begin(), with_tag.end());
    }
    if (condition.tagv_uids.size() > 1) {
      std::ranges::sort(with_any);
      with_any.erase(std::unique(with_any.begin(), with_any.end()), with_any.end());
    }
    if (!both.has_value()) {
      both = std::move(with_any);
      continue;
    }
    std::vector<SeriesNumber> narrowed;
    MemoryHold of_narrowed(memory_);
    HOURCELL_RETURN_IF_ERROR(
        of_narrowed.Take(std::min(both->size(), with_any.size()) * sizeof(SeriesNumber)));
    std::ranges::set_intersection(*both, with_any, std::back_inserter(narrowed));
    both = std::move(narrowed);
  }
  return both;
}

absl::StatusOr<SeriesLookup::MaybeNumbers> SeriesLookup::Narrow(
    Uid metric,
    std::span<const Condition> conditions,
    const std::optional<PointTimes>& times,
    MemoryHold* hold) const {
  HOURCELL_ASSIGN_OR_RETURN(MaybeNumbers tagged, Intersect(metric, conditions, hold));
  if (!times.has_value()) return tagged;
  HOURCELL_ASSIGN_OR_RETURN(MaybeNumbers active, SeriesWithPoints(active_, metric, *times, hold));
  if (!active.has_value()) return tagged;
  if (!tagged.has_value()) return active;
  std::erase_if(*tagged, [&active](SeriesNumber number) {
    return !std::ranges::binary_search(*active, number);
  });
  return tagged;
}

absl::Status SeriesLookup::SelectAmong(std::span<const SeriesNumber> numbers,
                                       std::span<const Condition> conditions,
                                       const QueryWatch& watch,
                                       std::vector<SelectedSeries>* selected) const {
  const auto begin = static_cast<ptrdiff_t>(selected->size());
  std::vector<std::string> tsuids;
  while (!numbers.empty()) {
    HOURCELL_RETURN_IF_ERROR(watch.Check());
    const auto some = numbers.first(std::min(numbers.size(), kSeriesAtOnce));
    numbers = numbers.subspan(some.size());
    HOURCELL_RETURN_IF_ERROR(series_.TsuidsOf(some, &tsuids));
    size_t bytes = 0;
    for (size_t i = 0; i < some.size(); ++i) {
      if (tsuids[i].empty() || !Matches(conditions, tsuids[i])) continue;
      bytes += 2 * sizeof(SelectedSeries) + tsuids[i].capacity();
      selected->push_back({.number = some[i], .tsuid = std::move(tsuids[i])});
    }
    HOURCELL_RETURN_IF_ERROR(Take(bytes));
  }
  std::ranges::sort(selected->begin() + begin, selected->end(), {}, &SelectedSeries::tsuid);
  return absl::OkStatus();
}

absl::Status SeriesLookup::Select(std::string_view metric,
                                  std::span<const TagMatch> tags,
                                  const QueryWatch& watch,
                                  std::vector<SelectedSeries>* selected,
                                  bool skip_unresolved_tagvs) const {
  HOURCELL_ASSIGN_OR_RETURN(const Uid uid, uids_.Get(UidKind::kMetric, metric));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Condition> conditions,
                            Resolve(tags, skip_unresolved_tagvs));
  if (std::ranges::any_of(conditions, &Condition::is_never)) return absl::OkStatus();
  MemoryHold hold(memory_);
  HOURCELL_ASSIGN_OR_RETURN(std::optional<std::vector<SeriesNumber>> numbers,
                            Intersect(uid, conditions, &hold));
  if (!numbers.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(numbers, series_.OfMetric(uid, &hold));
  }
  return SelectAmong(*numbers, conditions, watch, selected);
}

absl::Status SeriesLookup::VisitAmong(std::span<const SeriesNumber> numbers,
                                      std::span<const Condition> conditions,
                                      std::string_view after,
                                      const QueryWatch& watch,
                                      const Consider& consider) const {
  std::vector<SelectedSeries> selected;
  HOURCELL_RETURN_IF_ERROR(SelectAmong(numbers, conditions, watch, &selected));
  for (const SelectedSeries& one : selected) {
    if (one.tsuid > after && !consider(one.number, one.tsuid)) break;
  }
  return absl::OkStatus();
}

absl::Status SeriesLookup::VisitMetric(Uid metric,
                                       std::span<const Condition> conditions,
                                       const std::optional<PointTimes>& times,
                                       const QueryWatch& watch,
                                       const Consider& consider) const {
  MemoryHold hold(memory_);
  HOURCELL_ASSIGN_OR_RETURN(const MaybeNumbers numbers, Narrow(metric, conditions, times, &hold));
  if (numbers.has_value()) return VisitAmong(*numbers, conditions, /*after=*/{}, watch, consider);
  return series_.VisitMetric(metric, consider);
}

absl::Status SeriesLookup::VisitAllMetrics(std::span<const Condition> conditions,
                                           const std::optional<PointTimes>& times,
                                           const QueryWatch& watch,
                                           const Consider& consider) const {
  const bool has_postings = std::ranges::any_of(conditions, &Condition::IsPosting);
  std::string metric;
  size_t tried = 0;  // of that metric
  absl::Status fault;
  // Visits the series of the metric after `after` by its sets; false: the sets are unknown.
  const auto visit_sets = [&](std::string_view after, bool* is_over) -> absl::StatusOr<bool> {
    HOURCELL_RETURN_IF_ERROR(watch.Check());
    const auto consider_rest = [&](SeriesNumber number, std::string_view other) {
      return !(*is_over = !consider(number, other));
    };
    MemoryHold hold(memory_);
    const auto uid = static_cast<Uid>(LoadBigEndian(metric.data(), metric.size()));
    HOURCELL_ASSIGN_OR_RETURN(const MaybeNumbers numbers, Narrow(uid, conditions, times, &hold));
    if (!numbers.has_value()) return false;
    HOURCELL_RETURN_IF_ERROR(VisitAmong(*numbers, conditions, after, watch, consider_rest));
    return true;
  };
  const auto visit = [&](SeriesNumber number, std::string_view tsuid) {
    bool is_over = false;
    const std::string_view its = tsuid.substr(0, layout_.metric_width);
    const bool is_first = its != metric;
    if (is_first) {
      metric = its;
      tried = 0;
    }
    const auto done_by_sets = [&](std::string_view after) {
      const absl::StatusOr<bool> done = visit_sets(after, &is_over);
      fault = done.status();
      return !done.ok() || *done;
    };
    const auto after_sets = [&] {
      return is_over || !fault.ok() ? NextVisit::kNone : NextVisit::kMetric;
    };
    if (is_first && times.has_value() && done_by_sets(/*after=*/{})) return after_sets();
    if (!consider(number, tsuid)) return NextVisit::kNone;
    if (!has_postings || ++tried < kTriedBeforePostings) return NextVisit::kSeries;
    return done_by_sets(tsuid) ? after_sets() : NextVisit::kSeries;
  };
  HOURCELL_RETURN_IF_ERROR(series_.VisitAll(visit));
  return fault;
}

absl::StatusOr<uint64_t> SeriesLookup::Visit(
    const LookupQuery& query,
    const QueryWatch& watch,
    const std::function<bool(const FoundSeries&)>& visit) const {
  std::optional<Uid> metric;
  if (!IsAny(query.metric)) {
    HOURCELL_ASSIGN_OR_RETURN(metric, uids_.Get(UidKind::kMetric, query.metric));
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Condition> conditions, Resolve(query.tags));

  std::optional<uint64_t> total;  // if it is known beforehand
  if (metric.has_value() && conditions.empty() && !query.with_points.has_value()) {
    MemoryHold hold(memory_);
    HOURCELL_ASSIGN_OR_RETURN(const auto all, series_.OfMetric(*metric, &hold));
    const auto is_listed = [this](SeriesNumber number) { return !IsUnlisted(number); };
    total = unlisted_ == nullptr ? all.size()
                                 : static_cast<uint64_t>(std::ranges::count_if(all, is_listed));
  }
  return VisitMatching(query, conditions, total, watch, visit, [&](const Consider& consider) {
    return metric.has_value() ? VisitMetric(*metric, conditions, query.with_points, watch, consider)
                              : VisitAllMetrics(conditions, query.with_points, watch, consider);
  });
}

absl::StatusOr<uint64_t> SeriesLookup::VisitGiven(
    std::span<const std::string> tsuids,
    const LookupQuery& query,
    const QueryWatch& watch,
    const std::function<bool(const FoundSeries&)>& visit) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<Condition> conditions, Resolve(query.tags));
  return VisitMatching(query, conditions, /*total=*/{}, watch, visit,
                       [tsuids](const Consider& consider) {
                         for (const std::string& tsuid : tsuids)
                           if (!consider(/*number=*/0, tsuid)) break;
                         return absl::OkStatus();
                       });
}

absl::StatusOr<uint64_t> SeriesLookup::VisitMatching(
    const LookupQuery& query,
    std::span<const Condition> conditions,
    std::optional<uint64_t> total,
    const QueryWatch& watch,
    const std::function<bool(const FoundSeries&)>& visit,
    const Walk& walk) const {
  SeriesNames names(layout_, &uids_, memory_);
  uint64_t found = 0;
  uint64_t visited = 0;
  uint64_t tried = 0;
  absl::Status fault;
  const auto consider = [&](SeriesNumber number, std::string_view tsuid) {
    if (++tried % kSeriesAtOnce == 0) fault = watch.Check();
    if (!fault.ok()) return false;
    if (IsUnlisted(number) || !Matches(conditions, tsuid)) return true;
    if (++found <= query.start_index) return true;
    if (query.limit != 0 && visited == query.limit) return !total.has_value();  // only counted
    if (visited % kVisitsBetweenChecks == 0) fault = watch.Check();
    if (!fault.ok()) return false;
    FoundSeries series;
    fault = names.Resolve(tsuid, &series);
    if (!fault.ok()) return false;
    ++visited;
    return visit(series);
  };

  HOURCELL_RETURN_IF_ERROR(walk(consider));
  HOURCELL_RETURN_IF_ERROR(fault);
  return total.value_or(found);
}

absl::StatusOr<std::optional<std::vector<SeriesNumber>>> SeriesWithPoints(ActiveSets* active,
                                                                          Uid metric,
                                                                          const PointTimes& times,
                                                                          MemoryHold* hold) {
  using Numbers = std::vector<SeriesNumber>;
  if (active == nullptr) return std::optional<Numbers>();
  if (times.end_ms < times.start_ms || times.end_ms < 0) return std::optional<Numbers>(Numbers());
  const auto day_of = [](int64_t ms) {
    return static_cast<uint64_t>(std::clamp<int64_t>(ms, 0, kTimestampMsMax)) / 1000 / kDayS;
  };
  const uint64_t first_day = day_of(times.start_ms);
  const uint64_t last_day = day_of(times.end_ms);
  if (last_day - first_day >= kLookupDaysMax) return std::optional<Numbers>();
  Numbers all;
  for (uint64_t day = first_day; day <= last_day; day += kDaysAtOnce) {
    const uint64_t end_day = std::min(day + kDaysAtOnce, last_day + 1);
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<Numbers> some,
                              active->Of(metric, {.begin_s = static_cast<uint32_t>(day * kDayS),
                                                  .end_s = end_day * kDayS}));
    if (!some.has_value()) return some;
    HOURCELL_RETURN_IF_ERROR(hold->Take(some->size() * sizeof(SeriesNumber)));
    all.insert(all.end(), some->begin(), some->end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace hourcell
