#include "engine/read/query_planner.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>
#include <roaring/roaring64map.hh>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/uid.h"
#include "engine/histograms/histogram_reader.h"

// Why the series of a queried metric stay in memory: planning once cost more than reading. 250
// microseconds of a query for one host went into posting sets, into finding out which hours
// there are, and into counting the metric's series (docs/decisions/0010). Filters judge the
// candidates' tag values, each value once. Sets of active series by day leave out series that
// have ended, which would otherwise be asked for hour by hour (docs/decisions/0015). Planning
// looks at the deadline at each step, for a regular expression over a million values may take as
// long as a read.

namespace hourcell {
namespace {

// From this number of selected series on, counting the metric's series is worth its cost.
constexpr size_t kWorthCounting = 256;

// A list of active series only is made if the metric has this many times as many series.
constexpr size_t kManyTimes = 4;

// Series, and values for filters, between two checks of the watch. A regular expression takes up to
// some milliseconds a value, and is checked each time.
constexpr size_t kSeriesPerCheck = 4096;
constexpr size_t kValuesPerCheck = 64;

// At most one name per this number of series is read in vain: a scan reads a name at a tenth of the
// cost of a lookup, and even if the series share a few values, all of them are looked up.
constexpr uint64_t kSeriesPerName = 32;
constexpr uint64_t kNamesMin = 8;

// Memory of a judged value in a half-full hash table.
constexpr size_t kVerdictBytes = 2 * (sizeof(std::pair<Uid, bool>) + 1);

const TagUids* FindTag(std::span<const TagUids> tags, Uid tagk) {
  const auto found = std::ranges::find(tags, tagk, &TagUids::tagk);
  return found == tags.end() ? nullptr : &*found;
}

template <typename T>
std::vector<T> Intersection(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

// Keeps the values of `*kept` that are in `others`, too; both ascend.
void KeepCommon(std::span<const uint32_t> others, std::vector<uint32_t>* kept) {
  auto other = others.begin();
  std::erase_if(*kept, [&](uint32_t value) {
    while (other != others.end() && *other < value)
      ++other;
    return other == others.end() || *other != value;
  });
}

// The positions of the series with one of the filter's literals, ascending: those that `all` has,
// or merged in `*buffer`.
std::span<const uint32_t> PositionsOf(const MetricSeries& all,
                                      const QueryPlanner::ResolvedFilter& filter,
                                      std::vector<uint32_t>* buffer) {
  if (filter.literals.size() == 1) {
    return all.WithTag({.tagk = filter.tagk, .tagv = filter.literals.front()});
  }
  buffer->clear();
  for (const Uid tagv : filter.literals) {
    const auto some = all.WithTag({.tagk = filter.tagk, .tagv = tagv});
    buffer->insert(buffer->end(), some.begin(), some.end());
  }
  std::ranges::sort(*buffer);
  return *buffer;
}

void SelectAll(SubQueryPlan* plan) {
  plan->selected.resize(plan->list->size());
  for (uint32_t i = 0; i < plan->selected.size(); ++i)
    plan->selected[i] = i;
}

// Parses a tsuid of the layout, in hex: its bytes and its metric.
absl::StatusOr<std::pair<std::string, Uid>> ParseTsuidText(const Layout& layout,
                                                           const std::string& text) {
  const absl::StatusOr<std::string> bytes = UidBytesFromHex(text, /*width=*/0);
  const absl::StatusOr<SeriesUids> uids =
      bytes.ok() ? ParseTsuid(layout, *bytes) : absl::StatusOr<SeriesUids>(bytes.status());
  if (!uids.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("tsuid {}: {}", QuoteForMessage(text), std::string(uids.status().message())));
  }
  return std::pair(*bytes, uids->metric);
}

// True if the keys of a series are exactly `tagks`, which ascend without repeats.
bool HasExactly(std::span<const TagUids> tags, const std::vector<Uid>& tagks) {
  return std::ranges::equal(tags, tagks, {}, &TagUids::tagk);
}

}  // namespace

absl::StatusOr<SubQueryPlan> QueryPlanner::Plan(const SubQuery& query,
                                                ResolvedQuery resolved,
                                                int64_t start_ms,
                                                int64_t end_ms,
                                                const Budget& budget) const {
  HOURCELL_RETURN_IF_ERROR(budget.Check());
  SubQueryPlan plan;
  plan.metric = resolved.metric;
  plan.is_of_histograms = query.is_of_histograms();
  plan.bounds = ComputeScanBounds(kDataRowSpan, start_ms, end_ms, query.downsample);
  if (query.tsuids.empty()) {
    HOURCELL_RETURN_IF_ERROR(PlanByTags(query, resolved, budget, &plan));
    plan.group_by_tagks = std::move(resolved.group_by_tagks);
  } else {
    HOURCELL_RETURN_IF_ERROR(PlanByTsuids(std::move(resolved.tsuids), budget, &plan));
  }
  plan.visible_from_ms = VisibleFromMs(plan.metric);
  return plan;
}

// A regular expression may take milliseconds for each value, and some before the first.
absl::Status QueryPlanner::CheckQuick(const SubQuery& query) const {
  const bool has_regexp = std::ranges::any_of(query.filters, [](const TagFilterSpec& filter) {
    return filter.type == FilterType::kRegexp;
  });
  if (query.is_of_histograms()) return absl::AbortedError("A query of histograms is not quick");
  if (!has_regexp && query.tsuids.empty()) return absl::OkStatus();
  return absl::AbortedError("A query by a regular expression or by tsuids is not quick");
}

absl::StatusOr<QueryPlanner::ResolvedQuery> QueryPlanner::Resolve(const SubQuery& query,
                                                                  const QueryWatch* watch) const {
  HOURCELL_RETURN_IF_ERROR(CheckHistogramQuery(query));
  ResolvedQuery resolved;
  HOURCELL_RETURN_IF_ERROR(query.tsuids.empty() ? ResolveNames(query, watch, &resolved)
                                                : ResolveTsuids(query, &resolved));
  return resolved;
}

absl::Status QueryPlanner::ResolveNames(const SubQuery& query,
                                        const QueryWatch* watch,
                                        ResolvedQuery* resolved) const {
  HOURCELL_ASSIGN_OR_RETURN(resolved->metric, parts_.uids->Get(UidKind::kMetric, query.metric));
  resolved->filters.reserve(query.filters.size());
  for (const TagFilterSpec& spec : query.filters) {
    // A regular expression may take some ten milliseconds to compile.
    if (spec.type == FilterType::kRegexp && watch != nullptr)
      HOURCELL_RETURN_IF_ERROR(watch->Check());
    HOURCELL_ASSIGN_OR_RETURN(ResolvedFilter filter, ResolveFilter(spec));
    if (spec.group_by && !filter.filter.MatchesAbsent()) {
      resolved->group_by_tagks.push_back(filter.tagk);
    }
    resolved->filters.push_back(std::move(filter));
  }
  return absl::OkStatus();
}

absl::Status QueryPlanner::ResolveTsuids(const SubQuery& query, ResolvedQuery* resolved) const {
  for (const std::string& text : query.tsuids) {
    HOURCELL_ASSIGN_OR_RETURN(auto parsed, ParseTsuidText(row_keys_.layout(), text));
    if (resolved->metric == kNoUid) resolved->metric = parsed.second;
    if (parsed.second != resolved->metric) {
      return absl::InvalidArgumentError(
          fmt::format("tsuids: {} is of another metric than {}; expected one metric a query",
                      QuoteForMessage(text), QuoteForMessage(query.tsuids[0])));
    }
    resolved->tsuids.push_back(std::move(parsed.first));
  }
  return absl::OkStatus();
}

absl::Status QueryPlanner::PlanByTags(const SubQuery& query,
                                      const ResolvedQuery& resolved,
                                      const Budget& budget,
                                      SubQueryPlan* plan) const {
  HOURCELL_DCHECK(plan->metric == resolved.metric);
  HOURCELL_RETURN_IF_ERROR(FindCandidates(resolved.filters, budget, plan));
  // With few series this saves little, and reads a table.
  if (!budget.is_quick()) HOURCELL_RETURN_IF_ERROR(KeepActive(budget, plan));
  return KeepMatching(resolved.filters, query.explicit_tags, budget, plan);
}

absl::Status QueryPlanner::PlanByTsuids(std::vector<std::string> tsuids,
                                        const Budget& budget,
                                        SubQueryPlan* plan) const {
  // A repeated tsuid is one series.
  std::ranges::sort(tsuids);
  tsuids.erase(std::unique(tsuids.begin(), tsuids.end()), tsuids.end());
  SeriesListBuilder builder(row_keys_.layout());
  for (const std::string& tsuid : tsuids) {
    HOURCELL_RETURN_IF_ERROR(budget.Check());
    HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, parts_.series->NumberOf(tsuid));
    if (number != 0) HOURCELL_RETURN_IF_ERROR(builder.Add(number, tsuid));
  }
  plan->list = std::make_shared<SeriesList>(std::move(builder).Build());
  plan->metric_series = plan->list->size();
  SelectAll(plan);
  return absl::OkStatus();
}

absl::StatusOr<QueryPlanner::ResolvedFilter> QueryPlanner::ResolveFilter(
    const TagFilterSpec& spec) const {
  HOURCELL_ASSIGN_OR_RETURN(TagFilter filter, TagFilter::Compile(spec));
  ResolvedFilter resolved{.filter = std::move(filter), .tagk = kNoUid, .literals = {}};
  const absl::StatusOr<Uid> tagk = parts_.uids->Get(UidKind::kTagk, spec.tagk);
  // No series has a key without a name.
  if (absl::IsNotFound(tagk.status()) && resolved.filter.MatchesAbsent()) return resolved;
  HOURCELL_RETURN_IF_ERROR(tagk.status());
  resolved.tagk = *tagk;
  resolved.literals.reserve(resolved.filter.literals().size());
  for (const std::string& literal : resolved.filter.literals()) {
    const absl::StatusOr<Uid> tagv = parts_.uids->Get(UidKind::kTagv, literal);
    if (tagv.ok()) {
      resolved.literals.push_back(*tagv);
    } else if (!absl::IsNotFound(tagv.status()) || !options_.skip_unresolved_tagvs) {
      return tagv.status();
    }
  }
  std::ranges::sort(resolved.literals);
  return resolved;
}

absl::StatusOr<std::vector<SeriesNumber>> QueryPlanner::WithAnyOf(Uid metric,
                                                                  Uid tagk,
                                                                  std::span<const Uid> values,
                                                                  const Budget& budget,
                                                                  MemoryHold* hold) const {
  std::vector<SeriesNumber> any;
  for (const Uid tagv : values) {
    HOURCELL_RETURN_IF_ERROR(budget.Check());
    MemoryHold of_some(budget.memory);
    HOURCELL_ASSIGN_OR_RETURN(
        const std::vector<SeriesNumber> some,
        parts_.series->WithTag(metric, {.tagk = tagk, .tagv = tagv}, &of_some));
    HOURCELL_RETURN_IF_ERROR(hold->Take(some.size() * sizeof(SeriesNumber)));
    any.insert(any.end(), some.begin(), some.end());
  }
  std::ranges::sort(any);  // a series has one value of a key, so nothing repeats
  return any;
}

absl::Status QueryPlanner::FindCandidates(const std::vector<ResolvedFilter>& filters,
                                          const Budget& budget,
                                          SubQueryPlan* plan) const {
  const bool any_literal = std::ranges::any_of(filters, [](const ResolvedFilter& filter) {
    return filter.filter.spec().type == FilterType::kLiteralOr;
  });
  if (budget.is_quick()) return FindFewCandidates(filters, any_literal, budget, plan);
  if (!any_literal) {
    HOURCELL_ASSIGN_OR_RETURN(bool is_found, FindByNames(filters, budget, plan));
    if (is_found) return absl::OkStatus();
    HOURCELL_ASSIGN_OR_RETURN(is_found, FindActive(budget, plan));
    if (is_found) return absl::OkStatus();
  }
  HOURCELL_ASSIGN_OR_RETURN(
      const std::shared_ptr<const MetricSeries> all,
      parts_.metric_series->Find(plan->metric, !any_literal, budget.watch, budget.memory));
  if (all == nullptr) return FindByPostings(filters, budget, plan);

  SelectFrom(all, filters, any_literal, plan);
  return absl::OkStatus();
}

absl::Status QueryPlanner::FindFewCandidates(const std::vector<ResolvedFilter>& filters,
                                             bool any_literal,
                                             const Budget& budget,
                                             SubQueryPlan* plan) const {
  const std::shared_ptr<const MetricSeries> all =
      parts_.metric_series->FindReady(plan->metric, !any_literal);
  if (all == nullptr) return absl::AbortedError("The series of the metric are not in memory");
  uint64_t series = any_literal ? 0 : all->list.size();
  for (const ResolvedFilter& filter : filters) {
    for (const Uid tagv : filter.literals)
      series += all->WithTag({.tagk = filter.tagk, .tagv = tagv}).size();
  }
  if (series > budget.quick_series) {
    return absl::AbortedError("The filters leave more series than a quick query may have");
  }
  SelectFrom(all, filters, any_literal, plan);
  return absl::OkStatus();
}

// Selects the metric's series that pass the literal filters.
void QueryPlanner::SelectFrom(const std::shared_ptr<const MetricSeries>& all,
                              const std::vector<ResolvedFilter>& filters,
                              bool any_literal,
                              SubQueryPlan* plan) {
  plan->list = std::shared_ptr<const SeriesList>(all, &all->list);
  plan->list_is_whole = true;
  plan->metric_series = all->list.size();
  if (!any_literal) {
    SelectAll(plan);
    return;
  }
  bool is_first = true;
  std::vector<uint32_t> buffer;
  for (const ResolvedFilter& filter : filters) {
    if (filter.filter.spec().type != FilterType::kLiteralOr) continue;
    if (std::exchange(is_first, false)) {
      const std::span<const uint32_t> any = PositionsOf(*all, filter, &plan->selected);
      if (any.data() != plan->selected.data()) plan->selected.assign(any.begin(), any.end());
    } else {
      KeepCommon(PositionsOf(*all, filter, &buffer), &plan->selected);
    }
  }
}

absl::Status QueryPlanner::FindByPostings(const std::vector<ResolvedFilter>& filters,
                                          const Budget& budget,
                                          SubQueryPlan* plan) const {
  MemoryHold hold(budget.memory);
  std::optional<std::vector<SeriesNumber>> numbers;
  for (const ResolvedFilter& filter : filters) {
    if (filter.filter.spec().type != FilterType::kLiteralOr) continue;
    HOURCELL_ASSIGN_OR_RETURN(std::vector<SeriesNumber> some,
                              WithAnyOf(plan->metric, filter.tagk, filter.literals, budget, &hold));
    numbers = numbers.has_value() ? Intersection(*numbers, some) : std::move(some);
  }
  HOURCELL_ASSIGN_OR_RETURN(const auto by_names,
                            NumbersByNames(filters, plan->metric, numbers->size(), budget, &hold));
  if (by_names.has_value()) numbers = Intersection(*numbers, *by_names);
  if (numbers->size() >= options_.active_from_series) {
    // Before their tsuids are read: most series of a common value may have ended.
    HOURCELL_ASSIGN_OR_RETURN(const auto active, ActiveOf(budget, *plan));
    if (active.has_value()) numbers = Intersection(*numbers, *active);
  }
  HOURCELL_RETURN_IF_ERROR(ListAll(*numbers, budget, plan));
  // Few of few or few of many: read by their keys, they cost the same.
  plan->metric_series = plan->selected.size() * kWorthCounting;
  if (plan->selected.size() >= kWorthCounting) {
    MemoryHold of_all(budget.memory);
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<SeriesNumber> of_metric,
                              parts_.series->OfMetric(plan->metric, &of_all));
    plan->metric_series = of_metric.size();
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> QueryPlanner::FindByNames(const std::vector<ResolvedFilter>& filters,
                                               const Budget& budget,
                                               SubQueryPlan* plan) const {
  const bool any_prefix = std::ranges::any_of(
      filters, [](const ResolvedFilter& filter) { return !filter.filter.prefix().empty(); });
  if (!any_prefix) return false;
  const auto all = parts_.metric_series->FindReady(plan->metric, /*wants_all=*/true);
  uint64_t series = all == nullptr ? 0 : all->list.size();
  MemoryHold hold(budget.memory);
  if (all == nullptr) {
    MemoryHold of_all(budget.memory);
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<SeriesNumber> of_metric,
                              parts_.series->OfMetric(plan->metric, &of_all));
    series = of_metric.size();
  }
  HOURCELL_ASSIGN_OR_RETURN(const auto numbers,
                            NumbersByNames(filters, plan->metric, series, budget, &hold));
  if (!numbers.has_value()) return false;
  HOURCELL_RETURN_IF_ERROR(ListAll(*numbers, budget, plan));
  plan->metric_series = series;
  return true;
}

absl::StatusOr<std::optional<std::vector<SeriesNumber>>> QueryPlanner::NumbersByNames(
    const std::vector<ResolvedFilter>& filters,
    Uid metric,
    uint64_t series,
    const Budget& budget,
    MemoryHold* hold) const {
  std::optional<std::vector<SeriesNumber>> numbers;
  if (series < options_.names_from_series) return numbers;
  const uint64_t names_max = std::max(series / kSeriesPerName, kNamesMin);
  for (const ResolvedFilter& filter : filters) {
    if (filter.filter.prefix().empty() || filter.tagk == kNoUid) continue;
    HOURCELL_ASSIGN_OR_RETURN(const auto values, ValuesByNames(filter, names_max, budget));
    if (!values.has_value()) continue;
    HOURCELL_ASSIGN_OR_RETURN(numbers, WithAnyOf(metric, filter.tagk, *values, budget, hold));
    break;  // the other filters are tried on these
  }
  return numbers;
}

absl::StatusOr<std::optional<std::vector<Uid>>> QueryPlanner::ValuesByNames(
    const ResolvedFilter& filter, uint64_t names_max, const Budget& budget) const {
  std::vector<Uid> values;
  uint64_t names = 0;
  absl::Status failure;
  const auto visit = [&](const UidMapping& mapping) {
    if (names++ % kValuesPerCheck == 0) failure.Update(budget.Check());
    if (filter.filter.Matches(mapping.name)) values.push_back(mapping.uid);
    return failure.ok() && names <= names_max;
  };
  HOURCELL_RETURN_IF_ERROR(
      parts_.uids->VisitMappings(UidKind::kTagv, filter.filter.prefix(), visit));
  HOURCELL_RETURN_IF_ERROR(failure);
  if (names > names_max) return std::optional<std::vector<Uid>>();
  return values;
}

absl::Status QueryPlanner::ListAll(std::span<const SeriesNumber> numbers,
                                   const Budget& budget,
                                   SubQueryPlan* plan) const {
  SeriesListBuilder builder(row_keys_.layout());
  std::vector<std::string> tsuids;
  while (!numbers.empty()) {
    HOURCELL_RETURN_IF_ERROR(budget.Check());
    const auto piece = numbers.first(std::min(numbers.size(), kSeriesPerCheck));
    HOURCELL_RETURN_IF_ERROR(parts_.series->TsuidsOf(piece, &tsuids));
    HOURCELL_DCHECK(tsuids.size() == piece.size());
    const size_t before = builder.allocated_bytes();
    for (size_t i = 0; i < piece.size(); ++i) {
      if (!tsuids[i].empty()) HOURCELL_RETURN_IF_ERROR(builder.Add(piece[i], tsuids[i]));
    }
    HOURCELL_RETURN_IF_ERROR(budget.Take(builder.allocated_bytes() - before));
    numbers = numbers.subspan(piece.size());
  }
  plan->list = std::make_shared<SeriesList>(std::move(builder).Build());
  SelectAll(plan);
  return absl::OkStatus();
}

absl::StatusOr<std::optional<std::vector<SeriesNumber>>> QueryPlanner::ActiveOf(
    const Budget& budget, const SubQueryPlan& plan) const {
  if (parts_.active == nullptr || plan.is_of_histograms) {
    return std::optional<std::vector<SeriesNumber>>();
  }
  HOURCELL_RETURN_IF_ERROR(budget.Check());
  HOURCELL_ASSIGN_OR_RETURN(auto active, parts_.active->Of(plan.metric, plan.bounds));
  if (active.has_value()) {
    HOURCELL_RETURN_IF_ERROR(budget.Take(active->capacity() * sizeof(SeriesNumber)));
  }
  return active;
}

absl::StatusOr<bool> QueryPlanner::FindActive(const Budget& budget, SubQueryPlan* plan) const {
  if (parts_.active == nullptr || plan->is_of_histograms ||
      parts_.metric_series->Has(plan->metric)) {
    return false;
  }
  MemoryHold hold(budget.memory);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<SeriesNumber> all,
                            parts_.series->OfMetric(plan->metric, &hold));
  if (all.size() < kWorthCounting * options_.active_from_series) return false;
  HOURCELL_ASSIGN_OR_RETURN(const auto active, ActiveOf(budget, *plan));
  if (!active.has_value() || active->size() * kManyTimes >= all.size()) return false;
  HOURCELL_RETURN_IF_ERROR(hold.Take(active->size() * sizeof(SeriesNumber)));
  // Without series that were dropped since.
  HOURCELL_RETURN_IF_ERROR(ListAll(Intersection(all, *active), budget, plan));
  plan->metric_series = all.size();
  return true;
}

absl::Status QueryPlanner::KeepActive(const Budget& budget, SubQueryPlan* plan) const {
  if (!plan->list_is_whole || plan->selected.size() < options_.active_from_series) {
    return absl::OkStatus();
  }
  HOURCELL_ASSIGN_OR_RETURN(const auto active, ActiveOf(budget, *plan));
  if (!active.has_value() || active->size() >= plan->list->size()) return absl::OkStatus();
  Roaring64Map set;
  set.addMany(active->size(), active->data());
  std::erase_if(plan->selected, [&](uint32_t i) { return !set.contains(plan->list->number(i)); });
  return absl::OkStatus();
}

// Applies the filters to series. Judges each value once a filter.
class QueryPlanner::Judge {
 public:
  Judge(const std::vector<ResolvedFilter>& filters, UidDirectory* uids, const Budget& budget)
      : uids_(*uids), budget_(budget) {
    for (const ResolvedFilter& resolved : filters) {
      const TagFilter& filter = resolved.filter;
      // Literals were looked up by their UIDs.
      if (filter.spec().type == FilterType::kLiteralOr) continue;
      rules_.push_back({.filter = &filter,
                        .tagk = resolved.tagk,
                        .passes_absent = filter.MatchesAbsent(),
                        .passes_all = filter.MatchesAll(),
                        .verdicts = {}});
    }
  }

  bool Passes(std::span<const TagUids> tags) {
    for (Rule& rule : rules_) {
      if (!PassesOne(FindTag(tags, rule.tagk), &rule)) return false;
    }
    return true;
  }

  // The error that ended judging: names could not be read, or the watch ended it.
  const absl::Status& failure() const { return failure_; }

 private:
  // A filter, and the values that were judged.
  struct Rule {
    const TagFilter* filter = nullptr;
    Uid tagk = kNoUid;
    bool passes_absent = false;
    bool passes_all = false;
    absl::flat_hash_map<Uid, bool> verdicts;
  };

  // `tag` may be null: the series lacks the key.
  bool PassesOne(const TagUids* tag, Rule* rule) {
    if (tag == nullptr || rule->passes_absent) return (tag == nullptr) == rule->passes_absent;
    if (rule->passes_all) return true;
    const auto [verdict, is_new] = rule->verdicts.try_emplace(tag->tagv, false);
    if (is_new) verdict->second = Matches(*rule->filter, tag->tagv);
    return verdict->second;
  }

  bool Matches(const TagFilter& filter, Uid tagv) {
    const bool may_be_slow = filter.spec().type == FilterType::kRegexp;
    if (judged_ % kValuesPerCheck == 0) {
      failure_.Update(budget_.Take(kValuesPerCheck * kVerdictBytes));
    }
    if (may_be_slow || judged_ % kValuesPerCheck == 0) failure_.Update(budget_.Check());
    ++judged_;
    if (!failure_.ok()) return false;
    const absl::StatusOr<std::string> name = uids_.NameOf(UidKind::kTagv, tagv);
    if (name.ok()) return filter.Matches(*name);
    if (!absl::IsNotFound(name.status())) failure_ = name.status();
    return false;  // a deleted name matches nothing
  }

  UidDirectory& uids_;
  const Budget& budget_;
  std::vector<Rule> rules_;
  size_t judged_ = 0;
  absl::Status failure_;
};

absl::Status QueryPlanner::KeepMatching(const std::vector<ResolvedFilter>& filters,
                                        bool explicit_tags,
                                        const Budget& budget,
                                        SubQueryPlan* plan) const {
  const bool all_literal = std::ranges::all_of(filters, [](const ResolvedFilter& filter) {
    return filter.filter.spec().type == FilterType::kLiteralOr;
  });
  if (all_literal && !explicit_tags) return absl::OkStatus();
  std::vector<Uid> tagks;  // those a series must have
  for (const ResolvedFilter& filter : filters) {
    if (!filter.filter.MatchesAbsent()) tagks.push_back(filter.tagk);
  }
  std::ranges::sort(tagks);
  tagks.erase(std::unique(tagks.begin(), tagks.end()), tagks.end());

  Judge judge(filters, parts_.uids, budget);
  size_t kept = 0;
  for (size_t n = 0; n < plan->selected.size(); ++n) {
    if (n % kSeriesPerCheck == 0) HOURCELL_RETURN_IF_ERROR(budget.Check());
    const uint32_t i = plan->selected[n];
    const std::span<const TagUids> tags = plan->list->tags(i);
    if (explicit_tags && !tagks.empty() && !HasExactly(tags, tagks)) continue;
    if (judge.Passes(tags)) plan->selected[kept++] = i;
    if (!judge.failure().ok()) return judge.failure();
  }
  plan->selected.resize(kept);
  return absl::OkStatus();
}

}  // namespace hourcell
