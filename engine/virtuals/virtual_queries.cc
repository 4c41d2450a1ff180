#include "engine/virtuals/virtual_queries.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "engine/expressions/joined_expression.h"
#include "engine/query/stages/downsampler.h"
#include "engine/query/stages/group_by.h"
#include "engine/query/stages/scan_bounds.h"
#include "engine/read/group_finisher.h"
#include "engine/series/series_list.h"
#include "engine/table/table_spec.h"
#include "engine/virtuals/expression_formula.h"
#include "engine/virtuals/input_join.h"

// Why joined series pass through GroupFinisher: tags, aggregated tags, interpolation, fill policies
// and rates are then those of stored series by construction. Their tsuids give it the tags in the
// form in which it groups.

namespace hourcell {
namespace {

// Up to this number of times a group keeps accumulators, as in SubQueryPipeline.
constexpr size_t kVirtualTimesMax = size_t{1} << 19;

// Of more tsuids, all series are calculated.
constexpr size_t kFilteredTsuidsMax = 1000;

// Whether literal_or can contain the tag value without escapes.
bool IsPlainLiteral(std::string_view value) {
  return !value.empty() && value.find_first_of("|\"") == std::string_view::npos;
}

// Keeps the results of an input.
class InputCollector : public QuerySink {
 public:
  // Both are borrowed.
  InputCollector(MemoryHold* hold, ExpressionSet* set) : hold_(*hold), set_(*set) {}

  absl::Status OnSeries(const SeriesView& series) override {
    return AddSeries(series, &hold_, &set_);
  }

 private:
  MemoryHold& hold_;
  ExpressionSet& set_;
};

// One sub query of a virtual metric.
class VirtualRun {
 public:
  // All are borrowed.
  VirtualRun(const VirtualAnswers::Request& request, const Layout& layout, UidDirectory* uids)
      : request_(request),
        query_(request.spec->queries[request.index]),
        layout_(layout),
        uids_(*uids),
        tsuids_(request.resolved->tsuids.begin(), request.resolved->tsuids.end()),
        hold_(request.parts.read.memory) {
    plan_.metric = request.resolved->metric;
    plan_.group_by_tagks = request.resolved->group_by_tagks;
    plan_.bounds = ComputeScanBounds(kDataRowSpan, request.spec->start_ms, request.spec->end_ms,
                                     query_.downsample);
  }

  absl::Status Run(MetricExpression expression) {
    HOURCELL_ASSIGN_OR_RETURN(const Formula formula, CompileFormula(expression));
    SubQuery selecting = query_;
    if (!query_.tsuids.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(selecting.filters, FiltersOfTsuids(expression.inputs[0]));
    }
    for (SubQuery& input : expression.inputs)
      input = WithFiltersOf(input, selecting);
    std::vector<VirtualSeries> series;
    {
      MemoryHold of_results(request_.parts.read.memory);
      std::vector<ExpressionSet> results(expression.inputs.size());
      HOURCELL_RETURN_IF_ERROR(RunInputs(expression, &of_results, &results));
      HOURCELL_ASSIGN_OR_RETURN(series,
                                JoinInputs(expression, formula, results, *request_.watch, &hold_));
    }
    HOURCELL_RETURN_IF_ERROR(ListSeries(&series));
    return Finish();
  }

 private:
  // Filters that leave out series whose grouping tags are not those of the query's tsuids. Each
  // result of an input stays the same or is left out whole.
  absl::StatusOr<std::vector<TagFilterSpec>> FiltersOfTsuids(const SubQuery& input) const {
    std::vector<TagFilterSpec> filters;
    if (tsuids_.size() > kFilteredTsuidsMax) return filters;
    for (const std::string& key : GroupingKeys(input)) {
      HOURCELL_ASSIGN_OR_RETURN(const Uid tagk, uids_.Get(UidKind::kTagk, key));
      HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> values, ValuesOfTsuids(tagk));
      if (values.empty() || !std::ranges::all_of(values, IsPlainLiteral)) continue;
      filters.push_back({.tagk = key,
                         .type = FilterType::kLiteralOr,
                         .filter = fmt::format("{}", fmt::join(values, "|")),
                         .group_by = false});
    }
    return filters;
  }

  // The values of a tag key in the query's tsuids, ascending.
  absl::StatusOr<std::vector<std::string>> ValuesOfTsuids(Uid tagk) const {
    std::set<std::string> values;
    for (const std::string& tsuid : tsuids_) {
      HOURCELL_ASSIGN_OR_RETURN(const SeriesUids uids, ParseTsuid(layout_, tsuid));
      const auto tag = std::ranges::find(uids.tags, tagk, &TagUids::tagk);
      if (tag == uids.tags.end()) continue;  // not a joined series
      absl::StatusOr<std::string> value = uids_.NameOf(UidKind::kTagv, tag->tagv);
      if (absl::IsNotFound(value.status())) continue;
      HOURCELL_RETURN_IF_ERROR(value.status());
      values.insert(*std::move(value));
    }
    return std::vector<std::string>(values.begin(), values.end());
  }

  absl::Status RunInputs(const MetricExpression& expression,
                         MemoryHold* hold,
                         std::vector<ExpressionSet>* results) const {
    const auto begin_ms = static_cast<int64_t>(plan_.bounds.begin_s) * 1000;
    const auto end_ms = static_cast<int64_t>(plan_.bounds.end_s) * 1000 - 1;
    for (size_t i = 0; i < expression.inputs.size(); ++i) {
      InputCollector collector(hold, &(*results)[i]);
      HOURCELL_RETURN_IF_ERROR(
          request_.run_input(expression.inputs[i], std::min(begin_ms, request_.spec->start_ms),
                             std::max(end_ms, request_.spec->end_ms), &collector));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> TsuidOf(const VirtualSeries& series) const {
    std::vector<TagUids> tags;
    for (const auto& [tagk, tagv] : series.tags) {
      TagUids& uids = tags.emplace_back();
      HOURCELL_ASSIGN_OR_RETURN(uids.tagk, uids_.Get(UidKind::kTagk, tagk));
      HOURCELL_ASSIGN_OR_RETURN(uids.tagv, uids_.Get(UidKind::kTagv, tagv));
    }
    HOURCELL_DCHECK(!tags.empty());  // the grouping keys
    return EncodeTsuid(layout_, plan_.metric, tags);
  }

  // Whether the query selects a joined series. Its filters selected the series of the inputs.
  bool IsSelected(const VirtualSeries& series, const std::string& tsuid) const {
    if (!tsuids_.empty()) return tsuids_.contains(tsuid);
    return !query_.explicit_tags || HasFilteredKeys(series);
  }

  // Whether the keys of a series are those of the query's filters, if there are any.
  bool HasFilteredKeys(const VirtualSeries& series) const {
    std::vector<std::string_view> keys;
    for (const TagFilterSpec& filter : query_.filters)
      if (filter.type != FilterType::kNotKey) keys.push_back(filter.tagk);
    std::ranges::sort(keys);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys.empty() ||
           std::ranges::equal(series.tags, keys, {}, &std::pair<std::string, std::string>::first);
  }

  // Sets the plan's series, and the points of each.
  absl::Status ListSeries(std::vector<VirtualSeries>* series) {
    std::vector<std::pair<std::string, VirtualSeries*>> selected;  // by tsuid
    for (VirtualSeries& one : *series) {
      HOURCELL_RETURN_IF_ERROR(request_.watch->Check());
      HOURCELL_ASSIGN_OR_RETURN(std::string tsuid, TsuidOf(one));
      HOURCELL_RETURN_IF_ERROR(hold_.Take(tsuid.size() + sizeof(selected[0])));
      if (IsSelected(one, tsuid)) selected.emplace_back(std::move(tsuid), &one);
    }
    std::ranges::sort(selected);
    SeriesListBuilder builder(layout_);
    for (auto& [tsuid, one] : selected) {
      HOURCELL_RETURN_IF_ERROR(builder.Add(/*number=*/0, tsuid));
      points_.push_back(std::move(one->points));
    }
    HOURCELL_RETURN_IF_ERROR(hold_.Take(builder.allocated_bytes()));
    plan_.list = std::make_shared<SeriesList>(std::move(builder).Build());
    plan_.metric_series = plan_.list->size();
    plan_.selected.resize(plan_.list->size());
    std::iota(plan_.selected.begin(), plan_.selected.end(), 0);
    return hold_.Take(SubQueryPipeline::BytesOf(plan_));
  }

  absl::Status Finish() const {
    const SubQueryPipeline::Parts& parts = request_.parts;
    const QuerySpec& spec = *request_.spec;
    const SeriesGroups groups =
        GroupSeries(plan_.list->all_tags(), plan_.selected, plan_.group_by_tagks,
                    query_.aggregator == Aggregator::kNone);
    HOURCELL_RETURN_IF_ERROR(parts.read.meter->AddSeries(groups.members().size()));
    if (groups.size() == 0) return absl::OkStatus();
    const QueryRange range{.start_ms = spec.start_ms, .end_ms = spec.end_ms, .scan = plan_.bounds};
    std::vector<int64_t> times;
    if (query_.downsample.has_value()) {
      HOURCELL_RETURN_IF_ERROR(CheckBucketCount(*query_.downsample, range));
      if (groups.size() < groups.members().size()) {
        times = BucketTimes(*query_.downsample, range, kVirtualTimesMax)
                    .value_or(std::vector<int64_t>());
      }
    }
    GroupFinisher finisher({.read = &parts.read,
                            .names = parts.names,
                            .annotations = parts.annotations,
                            .sink = parts.sink},
                           spec, request_.index, plan_);
    HOURCELL_RETURN_IF_ERROR(finisher.Begin(std::move(times), groups.members()));
    for (size_t group = 0; group < groups.size(); ++group) {
      for (const uint32_t member : groups[group]) {
        const std::unique_ptr<SpanBuilder> builder = MakeSpanBuilder(query_.downsample, range);
        builder->AddSpan(points_[member]);
        SeriesSpan span{.builder = builder.get(), .has_points = true};
        HOURCELL_RETURN_IF_ERROR(finisher.Add(member, &span));
      }
      HOURCELL_RETURN_IF_ERROR(finisher.Finish());
    }
    return absl::OkStatus();
  }

  const VirtualAnswers::Request& request_;
  const SubQuery& query_;
  const Layout& layout_;
  UidDirectory& uids_;
  const StringSet tsuids_;  // that the query names
  MemoryHold hold_;
  SubQueryPlan plan_;
  std::vector<Span> points_;  // of the plan's series in turn
};

}  // namespace

SubQuery WithFiltersOf(const SubQuery& input, const SubQuery& query) {
  SubQuery both = input;
  both.filters.insert(both.filters.end(), query.filters.begin(), query.filters.end());
  return both;
}

absl::Status VirtualQueries::Run(const Request& request) const {
  const SubQuery& query = request.spec->queries[request.index];
  if (query.is_of_histograms()) {
    return absl::InvalidArgumentError(
        fmt::format("percentiles: {} is virtual; expected a metric with histograms. For numbers, "
                    "use an aggregator such as p99",
                    QuoteForMessage(query.metric)));
  }
  const VirtualMetrics::Expression stored = metrics_.Find(request.resolved->metric);
  if (stored == nullptr) return absl::OkStatus();  // dropped just now
  HOURCELL_ASSIGN_OR_RETURN(MetricExpression expression, metrics_.Named(*stored));
  return VirtualRun(request, layout_, &uids_).Run(std::move(expression));
}

}  // namespace hourcell
