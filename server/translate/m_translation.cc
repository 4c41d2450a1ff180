#include "server/translate/m_translation.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "promql/labels.h"
#include "promql/text/function.h"
#include "promql/text/literals.h"
#include "promql/text/parser.h"
#include "server/query/query_echo.h"
#include "server/query/query_string.h"
#include "server/translate/matcher_filters.h"
#include "server/translate/promql_translation.h"
#include "server/translate/words.h"

// Why the query is translated back: both directions then state the same conditions for the same
// pair of queries, and each condition is written once. What is added here is the difference between
// the expression and that translation.

namespace hourcell {
namespace {

using promql::Expression;

// `part` of the expression is refused; `wanted` is the alternative.
absl::Status NotInM(std::string_view part, std::string_view why, std::string_view wanted) {
  return absl::UnimplementedError(
      fmt::format("m= cannot express {}, because {}; expected {}", part, why, wanted));
}

const Expression& WithoutParentheses(const Expression& expression) {
  const Expression* inner = &expression;
  while (const auto* const parentheses = std::get_if<promql::Parentheses>(&inner->node))
    inner = parentheses->inner.get();
  return *inner;
}

template <typename Node>
const Node* NodeOf(const Expression& expression) {
  return std::get_if<Node>(&WithoutParentheses(expression).node);
}

bool IsNumber(const promql::ExpressionPtr& expression, double number) {
  if (expression == nullptr) return false;
  const auto* const literal = NodeOf<promql::NumberLiteral>(*expression);
  return literal != nullptr && literal->value == number;
}

std::string DurationText(int64_t ms) {
  std::string text;
  promql::AppendDuration(ms, &text);
  return text;
}

std::string SignedDuration(int64_t ms) {
  return ms < 0 ? "-" + DurationText(-ms) : DurationText(ms);
}

class MWriter {
 public:
  absl::StatusOr<Translation> Write(const Expression& expression) {
    query_.aggregator = Aggregator::kNone;
    const auto* const aggregation = NodeOf<promql::Aggregation>(expression);
    HOURCELL_RETURN_IF_ERROR(ReadValues(aggregation == nullptr ? expression : *aggregation->inner));
    if (aggregation != nullptr) HOURCELL_RETURN_IF_ERROR(ReadAggregation(*aggregation));
    return Finish();
  }

 private:
  void Require(std::string condition) { conditions_.push_back(std::move(condition)); }

  absl::Status ReadValues(const Expression& expression) {
    if (const auto* const selector = NodeOf<promql::VectorSelector>(expression))
      return ReadSelector(*selector, 0);
    if (const auto* const call = NodeOf<promql::Call>(expression)) return ReadCall(*call);
    if (NodeOf<promql::Aggregation>(expression) != nullptr)
      return NotInM("an aggregation of an aggregation", "a query has one aggregator",
                    "the outer aggregation alone");
    if (NodeOf<promql::Binary>(expression) != nullptr ||
        NodeOf<promql::Unary>(expression) != nullptr) {
      return NotInM("operators", "a query reads one metric",
                    "one query for each side, for /api/query/gexp or a virtual metric");
    }
    return NotInM(QuoteForMessage(promql::ExpressionText(expression)),
                  "a query reads the series of a metric", "a selector, such as m{a=\"b\"}");
  }

  // `offset_ms`: that of the time shift that the function of the selector implies.
  absl::Status ReadSelector(const promql::VectorSelector& selector, int64_t offset_ms) {
    if (selector.shift.at != promql::TimeShift::At::kNone)
      return NotInM("@", "the request has the times of a query",
                    "the expression without it, and its time as the end of the request");
    if (selector.shift.offset_ms != offset_ms) {
      const std::string got = fmt::format("offset {}", SignedDuration(selector.shift.offset_ms));
      if (offset_ms == 0) {
        return NotInM(got, "the request has the times of a query",
                      "no offset; move the start and the end of the request instead");
      }
      return NotInM(got, "a bucket begins at its time",
                    fmt::format("no offset, or offset {}", SignedDuration(offset_ms)));
    }
    HOURCELL_ASSIGN_OR_RETURN(SelectorFilters read, FiltersOfMatchers(selector.matchers));
    query_.metric = std::move(read.metric);
    query_.filters = std::move(read.filters);
    for (const std::string& key : read.needed)
      RequireTag(key);
    return absl::OkStatus();
  }

  void RequireTag(std::string_view key) { Require(fmt::format("each series has the tag {}", key)); }

  absl::Status ReadCall(const promql::Call& call) {
    const std::string_view name = promql::SignatureOf(call.function).name;
    const promql::MatrixSelector* const range =
        call.arguments.empty() ? nullptr : NodeOf<promql::MatrixSelector>(*call.arguments.back());
    if (range == nullptr) {
      return NotInM(name, "only functions of a range of points have a query",
                    "one of them, such as avg_over_time(m[1m])");
    }
    if (call.function == promql::Function::kIrate) return ReadRate(*range);
    if (call.function == promql::Function::kRate || call.function == promql::Function::kIncrease) {
      return NotInM(name, "it extrapolates to the ends of its range and adds up resets",
                    "irate, which is rate{counter}: the difference of two neighbours");
    }
    const BucketWord* const word = BucketWordOf(name);
    if (word == nullptr) {
      return NotInM(name, "no function of a bucket gives the same number",
                    "avg, sum, min, max, count, last, stddev or quantile(0.5) _over_time");
    }
    const bool is_median = word->aggregator == Aggregator::kMedian;
    if (is_median && !IsNumber(call.arguments.front(), 0.5))
      return NotInM(name, "its percentiles are estimated by another rule", "the quantile 0.5");
    return ReadBucket(*range, word->aggregator);
  }

  absl::Status ReadRate(const promql::MatrixSelector& range) {
    query_.rate = RateSpec{.counter = true};
    Require(
        fmt::format("each point is at most {} after the one before", DurationText(range.range_ms)));
    return ReadSelector(*NodeOf<promql::VectorSelector>(*range.selector), 0);
  }

  absl::Status ReadBucket(const promql::MatrixSelector& range, Aggregator function) {
    const auto& selector = *NodeOf<promql::VectorSelector>(*range.selector);
    // Without an offset the range ends at the time of the value.
    const bool ends_at_time = selector.shift.offset_ms == 0;
    const int64_t interval_ms = ends_at_time ? range.range_ms : range.range_ms + 1;
    if (ends_at_time) {
      const std::string interval = DurationText(interval_ms);
      Require(fmt::format("m= has the value of a time {} before it, at the start of the range",
                          interval));
      Require(fmt::format("no point is at a multiple of {}, which two ranges have", interval));
    }
    query_.downsample = DownsampleSpec{.interval_ms = interval_ms, .function = function};
    return ReadSelector(selector, ends_at_time ? 0 : -range.range_ms);
  }

  absl::Status ReadAggregation(const promql::Aggregation& aggregation) {
    const std::string_view op = promql::AggregateOperatorText(aggregation.op);
    if (aggregation.without)
      return NotInM("without", "a query names the tags that it groups by", "by with the others");
    const AggregateWord* const word = AggregateWordOf(op);
    if (word == nullptr) {
      return NotInM(op, "no aggregator gives the same series",
                    "sum, min, max, avg, stddev, count or quantile(0.5); top(N,FUNCTION) chooses "
                    "from whole series");
    }
    if (aggregation.parameter != nullptr && !IsNumber(aggregation.parameter, 0.5))
      return NotInM(op, "its percentiles are estimated by another rule", "the quantile 0.5");
    query_.aggregator = word->aggregator;
    if (query_.downsample.has_value() && !word->leaves_out_gaps)
      query_.downsample->fill = FillPolicy::kNan;
    for (const std::string& label : aggregation.grouping)
      HOURCELL_RETURN_IF_ERROR(GroupBy(label));
    return absl::OkStatus();
  }

  absl::Status GroupBy(const std::string& label) {
    if (label == promql::kMetricName)
      return NotInM("by (__name__)", "a query reads one metric", "a query for each metric");
    const auto filter = std::ranges::find(query_.filters, label, &TagFilterSpec::tagk);
    if (filter == query_.filters.end()) {
      RequireTag(label);
      query_.filters.push_back(
          {.tagk = label, .type = FilterType::kWildcard, .filter = "*", .group_by = true});
    } else if (filter->type == FilterType::kNotKey) {
      return NotInM(fmt::format("by ({})", label), "the series lack the tag",
                    "the expression without it in by");
    } else {
      filter->group_by = true;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Translation> Finish() {
    Translation made{.text = SubQueryText(query_)};
    const absl::StatusOr<SubQuery> parsed = ParseSubQueryText(made.text);
    if (!parsed.ok() || !(*parsed == Sorted(query_))) {
      return NotInM(QuoteForMessage(query_.metric),
                    "a name or a filter has characters that m= separates at",
                    "the JSON of POST /api/query, which quotes names");
    }
    HOURCELL_ASSIGN_OR_RETURN(const Translation back, TranslateToPromql(*parsed));
    made.step_ms = back.step_ms;
    made.conditions = std::move(conditions_);
    for (const std::string& condition : back.conditions) {
      if (std::ranges::find(made.conditions, condition) == made.conditions.end())
        made.conditions.push_back(condition);
    }
    return made;
  }

  // The filters in the order of a parsed query: those that do not group come first.
  static SubQuery Sorted(SubQuery query) {
    std::ranges::stable_partition(query.filters,
                                  [](const TagFilterSpec& filter) { return !filter.group_by; });
    return query;
  }

  SubQuery query_;
  std::vector<std::string> conditions_;
};

}  // namespace

absl::StatusOr<Translation> TranslateToM(const Expression& expression) {
  return MWriter().Write(expression);
}

absl::StatusOr<Translation> TranslateToM(std::string_view expression) {
  HOURCELL_ASSIGN_OR_RETURN(const promql::ExpressionPtr parsed, promql::ParseQuery(expression));
  return TranslateToM(*parsed);
}

}  // namespace hourcell
