#include "server/translate/promql_translation.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "promql/labels.h"
#include "promql/text/expression.h"
#include "promql/text/literals.h"
#include "promql/text/parser.h"
#include "server/query/query_echo.h"
#include "server/query/query_string.h"
#include "server/translate/tag_matchers.h"
#include "server/translate/words.h"

// Why the fill policy decides so much: without one, a series that lacks a bucket between its first
// and its last still counts in its group, with a value on the line between its neighbours. PromQL
// sums the series that have a value. With the policy nan a missing bucket is NaN, which aggregators
// skip: that is PromQL's rule.

namespace hourcell {
namespace {

// The lookback of Prometheus: the longest distance of two points of a rate.
constexpr std::string_view kRateRange = "5m";

// `part` of the query is refused; `wanted` is the alternative.
absl::Status NotInPromql(std::string_view part, std::string_view why, std::string_view wanted) {
  return absl::UnimplementedError(
      fmt::format("PromQL cannot express {}, because {}; expected {}", part, why, wanted));
}

// Parts of a query that no expression of PromQL says.
absl::Status CheckParts(const SubQuery& query) {
  if (!query.tsuids.empty()) {
    return NotInPromql(fmt::format("the TSUID {}", query.tsuids.front()),
                       "it selects series by their labels", "the metric and tag filters");
  }
  if (!query.functions.empty()) {
    return NotInPromql(FunctionText(query.functions.front()),
                       "topk and bottomk choose anew at each step, so a series may come and go",
                       "a query without it, or topk around the translation if that is meant");
  }
  if (query.explicit_tags) {
    return NotInPromql("explicit_tags", "a matcher cannot refuse the labels that it does not name",
                       "a filter not_key() for each other tag");
  }
  if (query.is_of_histograms()) {
    return NotInPromql("percentiles of stored histograms",
                       "histogram_quantile reads series of buckets",
                       "a query of numbers; /api/query has the percentiles");
  }
  if (query.pre_aggregate) {
    return NotInPromql("pre-agg", "only stored points are read",
                       "the query without it, which aggregates the points");
  }
  return absl::OkStatus();
}

absl::Status CheckDownsample(const DownsampleSpec& spec) {
  const std::string got = DownsampleText(spec);
  if (spec.all) {
    return NotInPromql(got, "the length of a range is a part of the expression, not of the request",
                       "an interval, such as 1h for a request of one hour");
  }
  if (spec.calendar) {
    return NotInPromql(got, "a range has a fixed length",
                       "an interval without c, such as 1d, whose buckets begin at 00:00 UTC");
  }
  if (spec.interval_ms < 2) {
    return NotInPromql(got, "a range includes both of its ends, 1 ms apart",
                       "an interval from 2ms, or none");
  }
  return absl::OkStatus();
}

class PromqlWriter {
 public:
  explicit PromqlWriter(const SubQuery* query) : query_(*query) {}

  absl::StatusOr<Translation> Write() {
    HOURCELL_RETURN_IF_ERROR(CheckParts(query_));
    HOURCELL_ASSIGN_OR_RETURN(selector_, Selector());
    HOURCELL_ASSIGN_OR_RETURN(const std::string values, Values());
    HOURCELL_ASSIGN_OR_RETURN(const std::string text, Aggregated(values));
    const absl::StatusOr<promql::ExpressionPtr> parsed = promql::ParseQuery(text);
    if (!parsed.ok()) {
      return absl::UnimplementedError(fmt::format("PromQL cannot express the query: {}; got {}",
                                                  MessageOf(parsed.status()), text));
    }
    made_.text = promql::ExpressionText(**parsed);
    return std::move(made_);
  }

 private:
  const DownsampleSpec* downsample() const {
    return query_.downsample.has_value() ? &*query_.downsample : nullptr;
  }
  bool is_grouped() const { return query_.aggregator != Aggregator::kNone; }
  bool has_fill(FillPolicy fill) const {
    return downsample() != nullptr && downsample()->fill == fill;
  }
  // Missing buckets are NaN, which aggregators skip.
  bool skips_gaps() const { return has_fill(FillPolicy::kNan) || has_fill(FillPolicy::kNull); }

  void Require(std::string condition) { made_.conditions.push_back(std::move(condition)); }

  std::string IntervalText() const {
    std::string text;
    promql::AppendDuration(downsample()->interval_ms, &text);
    return text;
  }

  void RequireNoGaps() {
    Require(fmt::format("each series has a point in each {} between its first and its last point",
                        IntervalText()));
  }

  absl::StatusOr<std::string> Selector() {
    std::vector<promql::LabelMatcher> matchers = {{.name = std::string(promql::kMetricName),
                                                   .op = promql::MatchOperator::kEqual,
                                                   .value = query_.metric}};
    for (const TagFilterSpec& filter : query_.filters)
      HOURCELL_RETURN_IF_ERROR(AppendMatchers(filter, &matchers, &made_.conditions));
    return SelectorText(matchers, IsMetricWord(query_.metric));
  }

  // The values of each series, after downsampling and rate.
  absl::StatusOr<std::string> Values() {
    if (downsample() == nullptr) return PointValues();
    HOURCELL_RETURN_IF_ERROR(CheckDownsample(*downsample()));
    const BucketWord* const word = BucketWordOf(downsample()->function);
    if (word == nullptr) {
      return NotInPromql(fmt::format("{} of a bucket", AggregatorName(downsample()->function)),
                         "no function of a range gives the same number",
                         "avg, sum, min, max, count, last, dev or median");
    }
    made_.step_ms = downsample()->interval_ms;
    if (downsample()->function == Aggregator::kMedian)
      Require(fmt::format("each {} has an odd number of points", IntervalText()));
    HOURCELL_RETURN_IF_ERROR(CheckFill());
    const std::string bucket = Bucket(*word, -(downsample()->interval_ms - 1));
    return query_.rate.has_value() ? RateOfBuckets(bucket, Bucket(*word, 1)) : bucket;
  }

  absl::StatusOr<std::string> PointValues() {
    if (!query_.rate.has_value()) {
      Require("each step is a time at which every series has a point");
      return selector_;
    }
    Require("each step is a time at which every series has a point, at most 5m after its last one");
    Require("no value is lower than the one before: irate takes it for the reset of a counter");
    RequireLaterSteps();
    return fmt::format("irate({}[{}])", selector_, kRateRange);
  }

  // avg_over_time(m[59s999ms] offset ...), the points of `offset_ms` before.
  std::string Bucket(const BucketWord& word, int64_t offset_ms) const {
    std::string range;
    promql::AppendDuration(downsample()->interval_ms - 1, &range);
    std::string offset;
    promql::AppendDuration(offset_ms < 0 ? -offset_ms : offset_ms, &offset);
    return fmt::format("{}({}{}[{}] offset {}{})", word.function, word.parameter, selector_, range,
                       offset_ms < 0 ? "-" : "", offset);
  }

  // Of neighbouring buckets: PromQL's rate extrapolates to the ends of its range.
  std::string RateOfBuckets(const std::string& bucket, const std::string& before) {
    const RateSpec& rate = *query_.rate;
    if (!skips_gaps()) RequireNoGaps();
    RequireLaterSteps();
    const bool drops = rate.counter && rate.drop_resets;
    // A group keeps the last rate of a series whose reset is dropped.
    if (rate.counter && (!drops || is_grouped()))
      Require("no value is lower than the one before: PromQL does not know the counter's maximum");
    std::string seconds;
    promql::AppendNumberLiteral(static_cast<double>(downsample()->interval_ms) / 1000.0, &seconds);
    return fmt::format("({} - {}{}) / {}", bucket, before, drops ? " >= 0" : "", seconds);
  }

  void RequireLaterSteps() { Require("the first step does not count: m= may have no rate there"); }

  absl::Status CheckFill() {
    if (!has_fill(FillPolicy::kZero)) return absl::OkStatus();
    const AggregateWord* const word = AggregateWordOf(query_.aggregator);
    const bool is_sum = word != nullptr && word->op == "sum";
    if (downsample()->fill_value != 0 || !is_sum || query_.rate.has_value()) {
      return NotInPromql(DownsampleText(*downsample()),
                         "a range without points has no value, and only the sum of a group is the "
                         "same with zeros",
                         "the fill policy none, nan or null, or zero with a sum without rate");
    }
    Require("each step has a point of a series of each group");
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Aggregated(const std::string& values) {
    if (!is_grouped()) return values;
    const AggregateWord* const word = AggregateWordOf(query_.aggregator);
    if (word == nullptr) {
      return NotInPromql(fmt::format("{} of series", AggregatorName(query_.aggregator)),
                         "no aggregation gives the same number",
                         "none, sum, min, max, avg, count, dev, median, pfsum, squareSum, zimsum, "
                         "mimmin or mimmax");
    }
    RequireOfAggregate(*word);
    const std::string inner =
        word->power == 1 ? values : fmt::format("({}) ^ {}", values, word->power);
    const std::vector<std::string> keys = GroupLabels();
    return fmt::format("{}{} ({}{})", word->op,
                       keys.empty() ? "" : fmt::format(" by ({})", fmt::join(keys, ",")),
                       word->parameter, inner);
  }

  void RequireOfAggregate(const AggregateWord& word) {
    if (query_.aggregator == Aggregator::kMedian)
      Require("each group has an odd number of series with a value");
    if (downsample() == nullptr) {
      if (word.truncates_integers && !query_.rate.has_value())
        Require("the values are not integers: m= cuts off the fraction of their result");
      return;
    }
    if (query_.aggregator == Aggregator::kCount && skips_gaps())
      Require("each step has a point of a series of each group");
    const bool needs_no_gaps = has_fill(FillPolicy::kNone) && !word.leaves_out_gaps;
    if (needs_no_gaps && !query_.rate.has_value()) RequireNoGaps();
  }

  std::vector<std::string> GroupLabels() const {
    std::vector<std::string> labels;
    for (const TagFilterSpec& filter : query_.filters) {
      if (filter.group_by) labels.push_back(LabelOfKey(filter.tagk));
    }
    std::ranges::sort(labels);
    labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
    return labels;
  }

  const SubQuery& query_;
  std::string selector_;
  Translation made_;
};

}  // namespace

absl::StatusOr<Translation> TranslateToPromql(const SubQuery& query) {
  return PromqlWriter(&query).Write();
}

absl::StatusOr<Translation> TranslateToPromql(std::string_view m) {
  HOURCELL_ASSIGN_OR_RETURN(const SubQuery query, ParseSubQueryText(m));
  return TranslateToPromql(query);
}

}  // namespace hourcell
