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
#include "promql/text/quoting.h"
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

absl::Status NoWord(std::string_view part, std::string_view why) {
  return absl::UnimplementedError(fmt::format("PromQL has no {}: {}", part, why));
}

// Parts of a query that no expression of PromQL says.
absl::Status CheckParts(const SubQuery& query) {
  if (!query.tsuids.empty()) return NoWord("TSUIDs", "select by the metric and its tags");
  if (!query.functions.empty()) {
    return NoWord("top and bottom of whole series",
                  "topk and bottomk choose anew at each step, so a series may come and go");
  }
  if (query.explicit_tags) {
    return NoWord("explicit_tags", "a matcher cannot refuse the labels that it does not name");
  }
  if (query.is_of_histograms()) {
    return NoWord("stored histograms", "histogram_quantile reads series of buckets");
  }
  if (query.pre_aggregate) return NoWord("pre-aggregates", "only stored points are read");
  return absl::OkStatus();
}

absl::Status CheckDownsample(const DownsampleSpec& spec) {
  if (spec.all) {
    return NoWord("0all", "the length of a range is a part of the expression, not of the request");
  }
  if (spec.calendar) return NoWord("buckets by the calendar", "a range has a fixed length");
  if (spec.interval_ms < 2) {
    return NoWord("buckets of 1 ms", "a range includes both of its ends, 1 ms apart");
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
      return absl::UnimplementedError(
          fmt::format("PromQL cannot say the query: {}", MessageOf(parsed.status())));
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

  // m{a="b"}, or {__name__="m.n",a="b"} for a name that PromQL has only in quotes.
  absl::StatusOr<std::string> Selector() {
    std::vector<promql::LabelMatcher> matchers = {{.name = std::string(promql::kMetricName),
                                                   .op = promql::MatchOperator::kEqual,
                                                   .value = query_.metric}};
    for (const TagFilterSpec& filter : query_.filters)
      HOURCELL_RETURN_IF_ERROR(AppendMatchers(filter, &matchers, &made_.conditions));
    const bool is_word = IsMetricWord(query_.metric);
    std::string text = is_word ? query_.metric : "";
    std::vector<std::string> in_braces;
    for (size_t i = is_word ? 1 : 0; i < matchers.size(); ++i) {
      in_braces.push_back(matchers[i].name + std::string(MatchOperatorText(matchers[i].op)) +
                          promql::Quoted(matchers[i].value));
    }
    return fmt::format("{}{{{}}}", text, fmt::join(in_braces, ","));
  }

  // The values of each series, after downsampling and rate.
  absl::StatusOr<std::string> Values() {
    if (downsample() == nullptr) return PointValues();
    HOURCELL_RETURN_IF_ERROR(CheckDownsample(*downsample()));
    const BucketWord* const word = BucketWordOf(downsample()->function);
    if (word == nullptr) {
      return NoWord(AggregatorName(downsample()->function),
                    "of the points of a range; no function of ranges gives the same number");
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
      return NoWord("value for a bucket without points",
                    "only the sum of a group is the same with zeros");
    }
    Require("each step has a point of a series of each group");
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Aggregated(const std::string& values) {
    if (!is_grouped()) return values;
    const AggregateWord* const word = AggregateWordOf(query_.aggregator);
    if (word == nullptr) {
      return NoWord(AggregatorName(query_.aggregator),
                    "of series; no aggregation gives the same number");
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
