#include "server/translate/grafana/panel_target.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <variant>

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <absl/strings/str_replace.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "engine/query/query_spec.h"
#include "promql/text/expression.h"
#include "promql/text/literals.h"
#include "promql/text/parser.h"
#include "server/query/query_request.h"
#include "server/translate/promql_translation.h"
#include "server/translate/tag_matchers.h"

namespace hourcell {
namespace {

constexpr auto kOpentsdbFields = std::to_array<std::string_view>({
    "metric",
    "aggregator",
    "alias",
    "downsampleInterval",
    "downsampleAggregator",
    "downsampleFillPolicy",
    "disableDownsampling",
    "filters",
    "tags",
    "shouldComputeRate",
    "isCounter",
    "counterMax",
    "counterResetValue",
    "explicitTags",
    "currentTagKey",
    "currentTagValue",
    "currentFilterKey",
    "currentFilterValue",
    "currentFilterType",
    "currentFilterGroupBy",
});

// The interval that Grafana chooses for a target without one.
constexpr std::string_view kPanelInterval = "$__interval";

// Aggregators of targets that do not name one.
constexpr std::string_view kDefaultAggregator = "avg";

std::string DurationOf(int64_t ms) {
  std::string text;
  promql::AppendDuration(ms, &text);
  return text;
}

// Stands for an interval that is a variable: a number of seconds. The texts of the target lack each
// of its forms.
class IntervalWord {
 public:
  explicit IntervalWord(std::string_view texts) {
    while (texts.find(seconds()) != std::string_view::npos ||
           texts.find(whole()) != std::string_view::npos ||
           texts.find(range()) != std::string_view::npos) {
      ++seconds_;
    }
  }

  std::string seconds() const { return fmt::format("{}", seconds_); }
  std::string whole() const { return DurationOf(seconds_ * 1000); }
  std::string range() const { return DurationOf(seconds_ * 1000 - 1); }

  // `text` with the interval for the word.
  std::string Show(std::string_view text, std::string_view interval) const {
    return absl::StrReplaceAll(std::string(text),
                               {{range(), std::string(interval)},
                                {whole(), std::string(interval)},
                                {fmt::format(" / {}", seconds()), " / ($__interval_ms / 1000)"}});
  }

 private:
  int64_t seconds_ = 7919;  // no other unit divides it
};

class TargetTranslator {
 public:
  TargetTranslator(const JsonNode* target, const PanelVariables::Table* table)
      : target_(*target), variables_(table) {}

  absl::StatusOr<PanelExpression> Translate() {
    HOURCELL_RETURN_IF_ERROR(ReadMetric());
    HOURCELL_ASSIGN_OR_RETURN(query_.aggregator, ReadAggregator("aggregator", kDefaultAggregator));
    HOURCELL_RETURN_IF_ERROR(ReadFilters());
    HOURCELL_RETURN_IF_ERROR(ReadRate());
    query_.explicit_tags = target_.IsTrue("explicitTags");
    if (!target_.IsTrue("disableDownsampling")) HOURCELL_RETURN_IF_ERROR(ReadDownsample());
    HOURCELL_ASSIGN_OR_RETURN(Translation translation, TranslateToPromql(query_));
    HOURCELL_ASSIGN_OR_RETURN(made_.expr, Widened(translation.text));
    for (std::string& condition : translation.conditions)
      Require(std::move(condition));
    WriteLegend();
    ShowVariables();
    return std::move(made_);
  }

  std::string Show(std::string_view text) const {
    const std::string shown = variables_.Show(text);
    if (variable_interval_.empty()) return shown;
    return IntervalWord(texts_).Show(shown, variable_interval_);
  }

 private:
  void Require(std::string condition) {
    if (std::ranges::find(made_.conditions, condition) == made_.conditions.end())
      made_.conditions.push_back(std::move(condition));
  }

  absl::StatusOr<std::string> Hidden(std::string_view text) {
    texts_ += text;
    texts_.push_back('\n');
    return variables_.Hide(text);
  }

  absl::Status ReadMetric() {
    HOURCELL_ASSIGN_OR_RETURN(query_.metric, Hidden(target_.TextOf("metric")));
    RequireOneValue(query_.metric);
    return absl::OkStatus();
  }

  void RequireOneValue(const std::string& name) {
    if (variables_.HasSeveralValues(name)) Require(fmt::format("{} has one value", name));
  }

  absl::StatusOr<Aggregator> ReadAggregator(std::string_view field, std::string_view otherwise) {
    const std::string name = target_.TextOf(field);
    if (!HasPanelVariable(name))
      return ParseQueryAggregator(name.empty() ? otherwise : std::string_view(name));
    return absl::UnimplementedError(
        fmt::format("{}: PromQL has another expression for each one; expected a name, got the "
                    "variable {}",
                    field, QuoteForMessage(name)));
  }

  // Grafana sends either the filters or, without filters, the tags.
  absl::Status ReadFilters() {
    const JsonNode* const filters = target_.Find("filters");
    if (filters != nullptr && filters->is_array() && !filters->items.empty()) {
      for (const JsonItem& item : filters->items)
        HOURCELL_RETURN_IF_ERROR(ReadFilter(item.value));
      return absl::OkStatus();
    }
    const JsonNode* const tags = target_.Find("tags");
    if (tags == nullptr || !tags->is_object()) return absl::OkStatus();
    for (const JsonItem& item : tags->items) {
      HOURCELL_ASSIGN_OR_RETURN(const std::string key, Hidden(item.key));
      HOURCELL_ASSIGN_OR_RETURN(const std::string text, Hidden(item.value.ValueText()));
      HOURCELL_ASSIGN_OR_RETURN(TagFilterSpec filter,
                                ParseTagValueFilter(key, text, /*group_by=*/true));
      AddFilter(std::move(filter));
    }
    return absl::OkStatus();
  }

  absl::Status ReadFilter(const JsonNode& node) {
    if (!node.is_object()) {
      return absl::InvalidArgumentError(fmt::format("filters: expected objects, got {}",
                                                    QuoteForMessage(JsonTree::TextOf(node))));
    }
    TagFilterSpec filter;
    HOURCELL_ASSIGN_OR_RETURN(filter.tagk, Hidden(node.TextOf("tagk")));
    HOURCELL_ASSIGN_OR_RETURN(filter.type, ParseFilterType(node.TextOf("type")));
    HOURCELL_ASSIGN_OR_RETURN(filter.filter, Hidden(node.TextOf("filter")));
    filter.group_by = node.IsTrue("groupBy") && filter.type != FilterType::kNotKey;
    if (filter.tagk.empty())
      return absl::InvalidArgumentError("filters: expected a tagk, got none");
    if (filter.filter.empty() && filter.type != FilterType::kNotKey) {
      return absl::InvalidArgumentError(
          fmt::format("filters: {}: expected a filter, got none", QuoteForMessage(filter.tagk)));
    }
    AddFilter(std::move(filter));
    return absl::OkStatus();
  }

  void AddFilter(TagFilterSpec filter) {
    RequireOneValue(filter.tagk);
    if (PanelVariables::HasWord(filter.filter)) RequireOfValues(&filter);
    query_.filters.push_back(std::move(filter));
  }

  void RequireOfValues(TagFilterSpec* filter) {
    const bool is_several = variables_.HasSeveralValues(filter->filter);
    const bool is_wildcard =
        filter->type == FilterType::kWildcard || filter->type == FilterType::kIWildcard;
    if (filter->type == FilterType::kRegexp) {
      if (is_several) RequirePlain(filter->filter);
    } else if (is_wildcard && filter->filter.find('*') == std::string::npos) {
      // The * is in the variable.
      filter->type =
          filter->type == FilterType::kWildcard ? FilterType::kLiteralOr : FilterType::kILiteralOr;
      Require(fmt::format("{} has .* in place of *", filter->filter));
    } else {
      for (const std::string& variable : variables_.FreeVariables(filter->filter))
        Require(fmt::format("the values of {} have no * and no |", variable));
      const bool is_text =
          filter->type == FilterType::kLiteralOr || filter->type == FilterType::kNotLiteralOr;
      const bool is_one = is_text && filter->filter.find('|') == std::string::npos;
      if (!is_several && !is_one) RequirePlain(filter->filter);
    }
  }

  void RequirePlain(const std::string& filter) {
    Require(fmt::format("the variables of {} have no special characters of regular expressions",
                        QuoteForMessage(filter)));
  }

  absl::Status ReadRate() {
    if (!target_.IsTrue("shouldComputeRate")) return absl::OkStatus();
    RateSpec rate{.counter = target_.IsTrue("isCounter")};
    HOURCELL_RETURN_IF_ERROR(ReadInteger("counterMax", &rate.counter_max));
    HOURCELL_RETURN_IF_ERROR(ReadInteger("counterResetValue", &rate.reset_value));
    rate.drop_resets = target_.TextOf("counterMax").empty();
    query_.rate = rate;
    return absl::OkStatus();
  }

  absl::Status ReadInteger(std::string_view field, int64_t* number) const {
    const std::string text = target_.TextOf(field);
    if (text.empty()) return absl::OkStatus();
    const Parsed<int64_t> parsed = ParseInteger(text);
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: expected an integer, got {}", field, QuoteForMessage(text)));
    }
    *number = *parsed;
    return absl::OkStatus();
  }

  absl::Status ReadDownsample() {
    std::string interval(absl::StripAsciiWhitespace(target_.TextOf("downsampleInterval")));
    if (interval.empty()) interval = kPanelInterval;
    HOURCELL_ASSIGN_OR_RETURN(const Aggregator function,
                              ReadAggregator("downsampleAggregator", kDefaultAggregator));
    const std::string fill = target_.TextOf("downsampleFillPolicy");
    std::string text = interval;
    if (HasPanelVariable(interval)) {
      variable_interval_ = interval;
      text = IntervalWord(texts_).seconds() + "s";
      Require(fmt::format("no point is at a multiple of {}, which two ranges have", interval));
    }
    const std::string_view name = AggregatorName(function);
    HOURCELL_ASSIGN_OR_RETURN(
        query_.downsample,
        ParseDownsampleSpec(fmt::format("{}-{}{}{}", text, name, fill.empty() ? "" : "-", fill)));
    const bool is_of_panel = PanelVariableName(interval) == kPanelInterval.substr(1);
    if (!is_of_panel) made_.interval = interval;
    if (!is_of_panel && !variable_interval_.empty())
      Require(fmt::format("the step of the panel is {}", interval));
    return absl::OkStatus();
  }

  // The expression with matchers that take each value of a variable.
  absl::StatusOr<std::string> Widened(std::string_view text) const {
    HOURCELL_ASSIGN_OR_RETURN(const promql::ExpressionPtr expression, promql::ParseQuery(text));
    Widen(expression.get());
    return promql::ExpressionText(*expression);
  }

  // Of the nodes that a translation has.
  void Widen(promql::Expression* expression) const {
    if (auto* const selector = std::get_if<promql::VectorSelector>(&expression->node)) {
      if (PanelVariables::HasWord(selector->metric)) selector->metric.clear();
      for (promql::LabelMatcher& matcher : selector->matchers)
        WidenMatcher(variables_, &matcher);
    } else if (auto* const range = std::get_if<promql::MatrixSelector>(&expression->node)) {
      Widen(range->selector.get());
    } else if (auto* const call = std::get_if<promql::Call>(&expression->node)) {
      for (const promql::ExpressionPtr& argument : call->arguments)
        Widen(argument.get());
    } else if (auto* const aggregation = std::get_if<promql::Aggregation>(&expression->node)) {
      Widen(aggregation->inner.get());
    } else if (auto* const binary = std::get_if<promql::Binary>(&expression->node)) {
      Widen(binary->left.get());
      Widen(binary->right.get());
    } else if (auto* const parentheses = std::get_if<promql::Parentheses>(&expression->node)) {
      Widen(parentheses->inner.get());
    }
  }

  // Without an alias, Grafana's OpenTSDB source prints cpu{host=web01}.
  void WriteLegend() {
    std::vector<std::string> keys;
    const std::string alias = target_.TextOf("alias");
    if (!alias.empty()) {
      made_.legend = LegendOfAlias(alias, &keys);
      for (const std::string& key : keys) {
        if (!KeepsTag(key))
          Require(fmt::format("the legend lacks {}, which the expression does not group by", key));
      }
      return;
    }
    std::vector<std::string> tags;
    for (const TagFilterSpec& filter : query_.filters) {
      std::string tag = fmt::format("{}={{{{{}}}}}", filter.tagk, LabelOfKey(filter.tagk));
      if (KeepsTag(filter.tagk) && std::ranges::find(tags, tag) == tags.end())
        tags.push_back(std::move(tag));
    }
    made_.legend = query_.metric;
    if (!tags.empty()) made_.legend += fmt::format("{{{}}}", fmt::join(tags, ", "));
  }

  bool KeepsTag(std::string_view key) const {
    if (query_.aggregator == Aggregator::kNone) return true;
    return std::ranges::any_of(query_.filters, [key](const TagFilterSpec& filter) {
      return filter.group_by && filter.tagk == key;
    });
  }

  void ShowVariables() {
    made_.expr = Show(made_.expr);
    made_.legend = variables_.Show(made_.legend);
    for (std::string& condition : made_.conditions)
      condition = Show(condition);
  }

  const JsonNode& target_;
  PanelVariables variables_;
  SubQuery query_;
  std::string texts_;              // of the names and filters
  std::string variable_interval_;  // of the buckets; empty: it is not a variable
  PanelExpression made_;
};

}  // namespace

std::span<const std::string_view> OpentsdbTargetFields() {
  return kOpentsdbFields;
}

absl::StatusOr<PanelExpression> TranslateTarget(const JsonNode& target,
                                                const PanelVariables::Table& table) {
  TargetTranslator translator(&target, &table);
  absl::StatusOr<PanelExpression> made = translator.Translate();
  if (made.ok()) return made;
  return absl::Status(made.status().code(), translator.Show(MessageOf(made.status())));
}

void WidenMatcher(const PanelVariables& variables, promql::LabelMatcher* matcher) {
  if (!variables.HasSeveralValues(matcher->value)) return;
  if (matcher->op == promql::MatchOperator::kEqual) {
    matcher->op = promql::MatchOperator::kRegexp;
  } else if (matcher->op == promql::MatchOperator::kNotEqual) {
    matcher->op = promql::MatchOperator::kNotRegexp;
  } else {
    return;
  }
  matcher->value = RE2::QuoteMeta(matcher->value);
}

}  // namespace hourcell
