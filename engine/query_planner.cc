#include "engine/query_planner.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/uid.h"
#include "engine/query/downsampler.h"

namespace hourcell {
namespace {

// Point reads win while fewer than one in so many series of the metric are wanted (measured hot: a
// point read costs about eight steps of a scan).
constexpr uint64_t kScanShare = 8;

const TagUids* FindTag(const SeriesUids& series, Uid tagk) {
  const auto found = std::ranges::find(series.tags, tagk, &TagUids::tagk);
  return found == series.tags.end() ? nullptr : &*found;
}

std::vector<SeriesNumber> Intersection(const std::vector<SeriesNumber>& a,
                                       const std::vector<SeriesNumber>& b) {
  std::vector<SeriesNumber> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return both;
}

// A series without its number of the hex text of its tsuid.
absl::StatusOr<PlannedSeries> ParseTsuidText(const Layout& layout, const std::string& text) {
  const absl::StatusOr<std::string> bytes = UidBytesFromHex(text, /*width=*/0);
  absl::StatusOr<SeriesUids> uids =
      bytes.ok() ? ParseTsuid(layout, *bytes) : absl::StatusOr<SeriesUids>(bytes.status());
  if (!uids.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("tsuid {}: {}", QuoteForMessage(text), std::string(uids.status().message())));
  }
  return PlannedSeries{.number = 0, .tsuid = *bytes, .uids = *std::move(uids)};
}

// True if the keys of a series are exactly `tagks`, which ascend without repeats.
bool HasExactly(const SeriesUids& series, const std::vector<Uid>& tagks) {
  return std::ranges::equal(series.tags, tagks, {}, &TagUids::tagk);
}

}  // namespace

absl::StatusOr<SubQueryPlan> QueryPlanner::Plan(TableView* view,
                                                const SubQuery& query,
                                                int64_t start_ms,
                                                int64_t end_ms) const {
  if (!query.percentiles.empty() || query.show_histogram_buckets) {
    return absl::UnimplementedError("histogram queries (percentiles) are not available yet");
  }
  SubQueryPlan plan;
  HOURCELL_RETURN_IF_ERROR(query.tsuids.empty() ? PlanByTags(view, query, &plan)
                                                : PlanByTsuids(view, query, &plan));
  std::ranges::sort(plan.series, {}, &PlannedSeries::tsuid);
  plan.bounds = ComputeScanBounds(start_ms, end_ms, query.downsample);
  plan.visible_from_ms = VisibleFromMs(plan.metric);
  ScanBounds live = plan.bounds;
  live.begin_s = std::max(live.begin_s, FirstRowFromS(plan.visible_from_ms));
  if (live.begin_s < live.end_s) {
    HOURCELL_ASSIGN_OR_RETURN(plan.present, PresentBounds(view, plan.metric, live));
  }
  return plan;
}

absl::Status QueryPlanner::PlanByTags(TableView* view,
                                      const SubQuery& query,
                                      SubQueryPlan* plan) const {
  HOURCELL_ASSIGN_OR_RETURN(plan->metric, uids_.Get(UidKind::kMetric, query.metric));
  std::vector<ResolvedFilter> filters;
  for (const TagFilterSpec& spec : query.filters) {
    HOURCELL_ASSIGN_OR_RETURN(ResolvedFilter filter, Resolve(spec));
    if (spec.group_by && !filter.filter.MatchesAbsent()) {
      plan->group_by_tagks.push_back(filter.tagk);
    }
    filters.push_back(std::move(filter));
  }
  HOURCELL_ASSIGN_OR_RETURN(Candidates candidates, FindCandidates(view, plan->metric, filters));
  HOURCELL_RETURN_IF_ERROR(KeepMatching(filters, query.explicit_tags, &candidates.series));
  plan->series = std::move(candidates.series);
  plan->method = plan->series.size() * kScanShare >= candidates.metric_series
                     ? ReadMethod::kLinearScan
                     : ReadMethod::kPointReads;
  plan->row_filter = MakeRowFilter(filters);
  return absl::OkStatus();
}

absl::Status QueryPlanner::PlanByTsuids(TableView* view,
                                        const SubQuery& query,
                                        SubQueryPlan* plan) const {
  for (const std::string& text : query.tsuids) {
    HOURCELL_ASSIGN_OR_RETURN(PlannedSeries series, ParseTsuidText(row_keys_.layout(), text));
    if (plan->metric == kNoUid) plan->metric = series.uids.metric;
    if (series.uids.metric != plan->metric) {
      return absl::InvalidArgumentError(
          fmt::format("tsuids: {} is of another metric than {}; want one metric a query",
                      QuoteForMessage(text), QuoteForMessage(query.tsuids[0])));
    }
    plan->series.push_back(std::move(series));
  }
  // One that is named twice is still one series.
  std::ranges::sort(plan->series, {}, &PlannedSeries::tsuid);
  const auto repeats = std::ranges::unique(plan->series, {}, &PlannedSeries::tsuid);
  plan->series.erase(repeats.begin(), repeats.end());
  HOURCELL_RETURN_IF_ERROR(FindNumbers(view, &plan->series));
  std::erase_if(plan->series, [](const PlannedSeries& series) { return series.number == 0; });
  plan->method = ReadMethod::kPointReads;
  return absl::OkStatus();
}

absl::Status QueryPlanner::FindNumbers(TableView* view, std::vector<PlannedSeries>* series) const {
  std::map<TagUids, std::vector<SeriesNumber>> postings;  // each is read once
  std::vector<SeriesNumber> candidates;                   // those with all tags of one of `series`
  for (const PlannedSeries& one : *series) {
    std::optional<std::vector<SeriesNumber>> numbers;
    for (const TagUids& tag : one.uids.tags) {
      const auto [with_tag, is_new] = postings.try_emplace(tag);
      if (is_new) {
        HOURCELL_ASSIGN_OR_RETURN(with_tag->second, series_.WithTag(view, one.uids.metric, tag));
      }
      numbers = numbers.has_value() ? Intersection(*numbers, with_tag->second) : with_tag->second;
    }
    candidates.insert(candidates.end(), numbers->begin(), numbers->end());
  }
  std::ranges::sort(candidates);
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(series_.TsuidsOf(view, candidates, &tsuids));
  for (size_t i = 0; i < candidates.size(); ++i) {
    const auto found = std::ranges::lower_bound(*series, tsuids[i], {}, &PlannedSeries::tsuid);
    if (found != series->end() && found->tsuid == tsuids[i]) found->number = candidates[i];
  }
  return absl::OkStatus();
}

absl::StatusOr<QueryPlanner::ResolvedFilter> QueryPlanner::Resolve(
    const TagFilterSpec& spec) const {
  HOURCELL_ASSIGN_OR_RETURN(TagFilter filter, TagFilter::Compile(spec));
  ResolvedFilter resolved{.filter = std::move(filter), .tagk = kNoUid, .literals = {}};
  const absl::StatusOr<Uid> tagk = uids_.Get(UidKind::kTagk, spec.tagk);
  // Every series lacks a key that has no name.
  if (absl::IsNotFound(tagk.status()) && resolved.filter.MatchesAbsent()) return resolved;
  HOURCELL_RETURN_IF_ERROR(tagk.status());
  resolved.tagk = *tagk;
  for (const std::string& literal : resolved.filter.literals()) {
    const absl::StatusOr<Uid> tagv = uids_.Get(UidKind::kTagv, literal);
    if (tagv.ok()) {
      resolved.literals.push_back(*tagv);
    } else if (!absl::IsNotFound(tagv.status()) || !options_.skip_unresolved_tagvs) {
      return tagv.status();
    }
  }
  std::ranges::sort(resolved.literals);
  return resolved;
}

absl::StatusOr<std::vector<SeriesNumber>> QueryPlanner::WithAnyLiteral(
    TableView* view, Uid metric, const ResolvedFilter& filter) const {
  std::vector<SeriesNumber> any;
  for (const Uid tagv : filter.literals) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<SeriesNumber> some,
                              series_.WithTag(view, metric, {.tagk = filter.tagk, .tagv = tagv}));
    any.insert(any.end(), some.begin(), some.end());
  }
  std::ranges::sort(any);  // a series has one value of a key, so nothing repeats
  return any;
}

absl::StatusOr<QueryPlanner::Candidates> QueryPlanner::FindCandidates(
    TableView* view, Uid metric, const std::vector<ResolvedFilter>& filters) const {
  Candidates candidates;
  std::optional<std::vector<SeriesNumber>> numbers;
  for (const ResolvedFilter& filter : filters) {
    if (filter.filter.spec().type != FilterType::kLiteralOr) continue;
    HOURCELL_ASSIGN_OR_RETURN(std::vector<SeriesNumber> some, WithAnyLiteral(view, metric, filter));
    if (!numbers.has_value()) {
      numbers = std::move(some);
      continue;
    }
    numbers = Intersection(*numbers, some);
  }
  const auto add = [&](SeriesNumber number, std::string_view tsuid) -> absl::Status {
    HOURCELL_ASSIGN_OR_RETURN(SeriesUids uids, ParseTsuid(row_keys_.layout(), tsuid));
    candidates.series.push_back(
        {.number = number, .tsuid = std::string(tsuid), .uids = std::move(uids)});
    return absl::OkStatus();
  };
  absl::Status added;
  if (!numbers.has_value()) {
    HOURCELL_RETURN_IF_ERROR(
        series_.VisitMetric(view, metric, [&](SeriesNumber number, std::string_view tsuid) {
          if (added.ok()) added = add(number, tsuid);
        }));
    candidates.metric_series = candidates.series.size();
    HOURCELL_RETURN_IF_ERROR(added);
    return candidates;
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<SeriesNumber> all, series_.OfMetric(view, metric));
  candidates.metric_series = all.size();
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(series_.TsuidsOf(view, *numbers, &tsuids));
  for (size_t i = 0; i < tsuids.size(); ++i) {
    HOURCELL_RETURN_IF_ERROR(add((*numbers)[i], tsuids[i]));
  }
  return candidates;
}

// What the filters say of series. Each value is judged once a filter, however many have it.
class QueryPlanner::Judge {
 public:
  Judge(const std::vector<ResolvedFilter>& filters, UidDirectory* uids)
      : filters_(filters), uids_(*uids), verdicts_(filters.size()) {}

  bool Passes(const SeriesUids& series) {
    for (size_t i = 0; i < filters_.size(); ++i) {
      if (!PassesOne(i, FindTag(series, filters_[i].tagk))) return false;
    }
    return true;
  }

  // Why some names could not be read, if so.
  const absl::Status& failure() const { return failure_; }

 private:
  // `tag` may be null: the series has no such key.
  bool PassesOne(size_t index, const TagUids* tag) {
    const TagFilter& filter = filters_[index].filter;
    if (tag == nullptr || filter.MatchesAbsent()) {
      return (tag == nullptr) == filter.MatchesAbsent();
    }
    if (filter.MatchesAll()) return true;
    const auto [verdict, is_new] = verdicts_[index].try_emplace(tag->tagv, false);
    if (is_new) verdict->second = Matches(filter, tag->tagv);
    return verdict->second;
  }

  bool Matches(const TagFilter& filter, Uid tagv) {
    const absl::StatusOr<std::string> name = uids_.NameOf(UidKind::kTagv, tagv);
    if (name.ok()) return filter.Matches(*name);
    if (!absl::IsNotFound(name.status())) failure_ = name.status();
    return false;  // a deleted name matches nothing
  }

  const std::vector<ResolvedFilter>& filters_;
  UidDirectory& uids_;
  std::vector<absl::flat_hash_map<Uid, bool>> verdicts_;
  absl::Status failure_;
};

absl::Status QueryPlanner::KeepMatching(const std::vector<ResolvedFilter>& filters,
                                        bool explicit_tags,
                                        std::vector<PlannedSeries>* series) const {
  std::vector<Uid> tagks;  // those a series must have
  for (const ResolvedFilter& filter : filters) {
    if (!filter.filter.MatchesAbsent()) tagks.push_back(filter.tagk);
  }
  std::ranges::sort(tagks);
  tagks.erase(std::unique(tagks.begin(), tagks.end()), tagks.end());

  Judge judge(filters, &uids_);
  std::erase_if(*series, [&](const PlannedSeries& one) {
    if (explicit_tags && !tagks.empty() && !HasExactly(one.uids, tagks)) return true;
    return !judge.Passes(one.uids);
  });
  return judge.failure();
}

absl::StatusOr<ScanBounds> QueryPlanner::PresentBounds(TableView* view,
                                                       Uid metric,
                                                       ScanBounds bounds) const {
  ScanBounds present{.begin_s = UINT32_MAX, .end_s = 0};
  for (const KeyRange& range : row_keys_.Ranges(metric, bounds.begin_s, bounds.end_s)) {
    const auto visit_first = [&](std::string_view key, std::string_view) {
      const absl::StatusOr<RowKeyView> row = row_keys_.Parse(key);
      if (row.ok()) present.begin_s = std::min(present.begin_s, row->base_time_s);
      return !row.ok();
    };
    HOURCELL_RETURN_IF_ERROR(view->Scan(TableId::kData, {range.begin, range.end}, {}, visit_first));
  }
  if (present.begin_s == UINT32_MAX) return ScanBounds{bounds.begin_s, bounds.begin_s};
  // The last hour is found by halving: is there a row at or after this one?
  uint64_t low = present.begin_s;
  uint64_t high = std::min<uint64_t>(bounds.end_s, uint64_t{UINT32_MAX} / kRowSpanS * kRowSpanS);
  while (low + kRowSpanS < high) {
    const uint64_t middle = low + (high - low) / kRowSpanS / 2 * kRowSpanS;
    bool found = false;
    for (const KeyRange& range :
         row_keys_.Ranges(metric, static_cast<uint32_t>(middle), bounds.end_s)) {
      HOURCELL_RETURN_IF_ERROR(view->Scan(TableId::kData, {range.begin, range.end}, {},
                                          [&](std::string_view, std::string_view) {
                                            found = true;
                                            return false;
                                          }));
      if (found) break;
    }
    (found ? low : high) = middle;
  }
  present.end_s = low + kRowSpanS;
  return present;
}

RowFilter QueryPlanner::MakeRowFilter(const std::vector<ResolvedFilter>& filters) const {
  const Layout& layout = row_keys_.layout();
  RowFilter row_filter{.tags_offset = layout.salt_width + layout.metric_width + 4,
                       .tagk_width = layout.tagk_width,
                       .tagv_width = layout.tagv_width,
                       .tags = {}};
  for (const ResolvedFilter& filter : filters) {
    if (filter.filter.spec().type != FilterType::kLiteralOr) continue;
    RowFilter::Tag tag;
    AppendBigEndian(filter.tagk, layout.tagk_width, &tag.tagk);
    for (const Uid literal : filter.literals) {
      AppendBigEndian(literal, layout.tagv_width, &tag.tagvs.emplace_back());
    }
    row_filter.tags.push_back(std::move(tag));
  }
  return row_filter;
}

}  // namespace hourcell
