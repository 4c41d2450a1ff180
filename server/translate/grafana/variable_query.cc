#include "server/translate/grafana/variable_query.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/query_spec.h"
#include "promql/labels.h"
#include "server/translate/grafana/panel_target.h"
#include "server/translate/tag_matchers.h"
#include "server/translate/words.h"

namespace hourcell {
namespace {

constexpr std::string_view kMetrics = "metrics";
constexpr std::string_view kTagNames = "tag_names";
constexpr std::string_view kTagValues = "tag_values";
constexpr std::string_view kSuggestKeys = "suggest_tagk";
constexpr std::string_view kSuggestValues = "suggest_tagv";

constexpr std::string_view kPromqlNames =
    "the names are those of PromQL, such as sys_cpu for sys.cpu";

// What is between `function(` and the last `)`, as Grafana reads it; nullopt: another query.
std::optional<std::string_view> ArgumentsOf(std::string_view query, std::string_view function) {
  const std::string open = fmt::format("{}(", function);
  const size_t begin = query.find(open);
  const size_t end = query.rfind(')');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin + open.size())
    return std::nullopt;
  return query.substr(begin + open.size(), end - begin - open.size());
}

std::string_view Stripped(std::string_view text) {
  const auto is_blank = [](char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); };
  while (!text.empty() && is_blank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back()))
    text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> Parts(std::string_view arguments) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = std::min(arguments.find(','), arguments.size());
    parts.push_back(Stripped(arguments.substr(0, comma)));
    if (comma == arguments.size()) return parts;
    arguments.remove_prefix(comma + 1);
  }
}

class VariableQueryTranslator {
 public:
  explicit VariableQueryTranslator(const PanelVariables::Table* table) : variables_(table) {}

  absl::StatusOr<VariableQuery> Translate(std::string_view query) {
    if (const auto prefix = ArgumentsOf(query, kMetrics)) return Metrics(Stripped(*prefix));
    if (const auto metric = ArgumentsOf(query, kTagNames)) return TagNames(Stripped(*metric));
    if (const auto arguments = ArgumentsOf(query, kTagValues)) return TagValues(*arguments);
    if (const auto prefix = ArgumentsOf(query, kSuggestKeys)) return Keys(Stripped(*prefix));
    if (ArgumentsOf(query, kSuggestValues).has_value()) {
      return absl::UnimplementedError(fmt::format(
          "{}: PromQL lists the values of one label; expected tag_values(METRIC, KEY), which names "
          "it",
          QuoteForMessage(query)));
    }
    return absl::InvalidArgumentError(
        fmt::format("query: expected metrics(), tag_names(), tag_values() or suggest_tagk(), got "
                    "{}",
                    QuoteForMessage(query)));
  }

  std::string Show(std::string_view text) const { return variables_.Show(text); }

 private:
  // A regular expression of names that begin with a text. PromQL has `_` for other characters, or
  // the characters themselves, by a setting of the server.
  absl::StatusOr<std::string> NamePattern(std::string_view prefix) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string hidden, variables_.Hide(prefix));
    std::string pattern = "^";
    for (const char c : hidden) {
      const bool is_plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == ':';
      pattern.push_back(is_plain ? c : '.');
    }
    return Show(pattern);
  }

  absl::StatusOr<VariableQuery> Metrics(std::string_view prefix) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string pattern, NamePattern(prefix));
    return VariableQuery{.text = fmt::format("metrics({})", pattern),
                         .conditions = {std::string(kPromqlNames)}};
  }

  absl::StatusOr<VariableQuery> TagNames(std::string_view metric) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string pattern, NamePattern(metric));
    return VariableQuery{.text = fmt::format("label_names({}$)", pattern),
                         .conditions = {std::string(kPromqlNames)}};
  }

  absl::StatusOr<VariableQuery> Keys(std::string_view prefix) {
    VariableQuery made{.text = "label_names()", .conditions = {std::string(kPromqlNames)}};
    if (prefix.empty()) return made;
    HOURCELL_ASSIGN_OR_RETURN(const std::string pattern, NamePattern(prefix));
    made.regex = fmt::format("/{}/", pattern);
    return made;
  }

  // METRIC, KEY, then FILTER_KEY=VALUE, ...
  absl::StatusOr<VariableQuery> TagValues(std::string_view arguments) {
    const std::vector<std::string_view> parts = Parts(arguments);
    if (parts.size() < 2) {
      return absl::InvalidArgumentError(fmt::format(
          "tag_values: expected a metric and a tag, got {}", QuoteForMessage(arguments)));
    }
    HOURCELL_ASSIGN_OR_RETURN(const std::string metric, variables_.Hide(parts[0]));
    HOURCELL_ASSIGN_OR_RETURN(const std::string key, variables_.Hide(parts[1]));
    if (metric.empty() || key.empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "tag_values: expected a metric and a tag, got {}", QuoteForMessage(arguments)));
    }
    VariableQuery made;
    std::vector<promql::LabelMatcher> matchers = {{.name = std::string(promql::kMetricName),
                                                   .op = promql::MatchOperator::kEqual,
                                                   .value = metric}};
    for (size_t i = 2; i < parts.size(); ++i)
      HOURCELL_RETURN_IF_ERROR(AppendFilter(parts[i], &matchers, &made.conditions));
    for (promql::LabelMatcher& matcher : matchers)
      WidenMatcher(variables_, &matcher);
    if (metric == "*")
      matchers.front() = {.name = std::string(promql::kMetricName),
                          .op = promql::MatchOperator::kNotEqual,
                          .value = ""};
    const bool has_bare_name = !PanelVariables::HasWord(metric) && IsMetricWord(metric);
    const std::string selector = SelectorText(matchers, has_bare_name);
    made.text = Show(fmt::format("label_values({}, {})", selector, LabelOfKey(key)));
    for (std::string& condition : made.conditions)
      condition = Show(condition);
    return made;
  }

  absl::Status AppendFilter(std::string_view text,
                            std::vector<promql::LabelMatcher>* matchers,
                            std::vector<std::string>* conditions) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string hidden, variables_.Hide(text));
    const std::string_view filter = hidden;
    const size_t equals = filter.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return absl::InvalidArgumentError(
          fmt::format("tag_values: expected filters KEY=VALUE, got {}", QuoteForMessage(text)));
    }
    HOURCELL_ASSIGN_OR_RETURN(
        const TagFilterSpec spec,
        ParseTagValueFilter(Stripped(filter.substr(0, equals)), Stripped(filter.substr(equals + 1)),
                            /*group_by=*/false));
    return AppendMatchers(spec, matchers, conditions);
  }

  PanelVariables variables_;
};

}  // namespace

absl::StatusOr<VariableQuery> TranslateVariableQuery(std::string_view query,
                                                     const PanelVariables::Table& table) {
  VariableQueryTranslator translator(&table);
  absl::StatusOr<VariableQuery> made = translator.Translate(query);
  if (made.ok()) return made;
  return absl::Status(made.status().code(), translator.Show(MessageOf(made.status())));
}

bool IsOpentsdbVariableQuery(std::string_view query) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{kTagNames, kTagValues, kSuggestKeys, kSuggestValues},
      [query](std::string_view function) { return ArgumentsOf(query, function).has_value(); });
}

}  // namespace hourcell
