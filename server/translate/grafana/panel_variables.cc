#include "server/translate/grafana/panel_variables.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "server/translate/tag_matchers.h"

namespace hourcell {
namespace {

// variableword12z is the thirteenth variable. The letters are lower case, because filters without
// case are lower-cased.
constexpr std::string_view kWord = "variableword";
constexpr char kWordEnd = 'z';

// A longer text is no variable, so that a text without a closing bracket is read once.
constexpr size_t kOccurrenceBytesMax = 256;

constexpr std::string_view kTagVariable = "tag_";

bool IsNameChar(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
}

size_t NameLength(std::string_view text) {
  return static_cast<size_t>(std::ranges::find_if_not(text, IsNameChar) - text.begin());
}

// A variable at the start of a text.
struct Occurrence {
  std::string_view name;
  std::string_view path = {};    // of ${name.path}
  std::string_view format = {};  // of ${name:format} and [[name:format]]
  size_t length = 0;
};

// name, name:format, name.path, name.path:format
std::optional<Occurrence> ReadBraces(std::string_view text, std::string_view close) {
  constexpr size_t kOpen = 2;
  const size_t end = text.find(close);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view inner = text.substr(kOpen, end - kOpen);
  Occurrence found{.name = inner.substr(0, NameLength(inner)), .length = end + close.size()};
  inner.remove_prefix(found.name.size());
  if (found.name.empty()) return std::nullopt;
  if (inner.starts_with('.')) {
    found.path = inner.substr(1, std::min(inner.find(':'), inner.size()) - 1);
    inner.remove_prefix(1 + found.path.size());
  }
  if (inner.starts_with(':')) {
    found.format = inner.substr(1);
  } else if (!inner.empty()) {
    return std::nullopt;
  }
  return found;
}

std::optional<Occurrence> ReadOccurrence(std::string_view text) {
  text = text.substr(0, kOccurrenceBytesMax);
  if (text.starts_with("${")) return ReadBraces(text, "}");
  if (text.starts_with("[[")) return ReadBraces(text, "]]");
  if (!text.starts_with('$')) return std::nullopt;
  const size_t length = NameLength(text.substr(1));
  if (length == 0) return std::nullopt;
  return Occurrence{.name = text.substr(1, length), .length = length + 1};
}

// In PromQL Grafana chooses the form of values itself. Those of an explicit format lack the escapes
// of a string of PromQL.
absl::StatusOr<std::string> TextInPromql(std::string_view text, const Occurrence& found) {
  const bool is_path_plain =
      std::ranges::all_of(found.path, [](char c) { return IsNameChar(c) || c == '.'; });
  if (found.format.empty() && is_path_plain) return std::string(text.substr(0, found.length));
  if (!is_path_plain || (found.format != "pipe" && found.format != "regex" &&
                         found.format != "raw" && found.format != "text")) {
    return absl::UnimplementedError(fmt::format(
        "variable {}: cannot be written in PromQL; expected no format, or pipe, regex, raw or "
        "text, got {}",
        QuoteForMessage(text.substr(0, found.length)),
        QuoteForMessage(is_path_plain ? found.format : found.path)));
  }
  if (found.format == "raw" || found.format == "text")
    return std::string(text.substr(0, found.length));
  const std::string_view dot = found.path.empty() ? "" : ".";
  return fmt::format("${{{}{}{}}}", found.name, dot, found.path);
}

}  // namespace

absl::StatusOr<std::string> PanelVariables::Hide(std::string_view text) {
  if (HasWord(text)) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected a text without the word {}, which stands for variables here",
                    QuoteForMessage(text), kWord));
  }
  std::string hidden;
  while (!text.empty()) {
    const std::optional<Occurrence> found = ReadOccurrence(text);
    if (!found.has_value()) {
      hidden.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    HOURCELL_ASSIGN_OR_RETURN(std::string in_promql, TextInPromql(text, *found));
    hidden += fmt::format("{}{}{}", kWord, hidden_.size(), kWordEnd);
    hidden_.push_back({.name = std::string(found->name), .text = std::move(in_promql)});
    text.remove_prefix(found->length);
  }
  return hidden;
}

// Calls visit(begin, length, variable) for each word.
template <typename Visit>
void PanelVariables::ForEachWord(std::string_view text, const Visit& visit) const {
  size_t from = 0;
  while (true) {
    const size_t begin = text.find(kWord, from);
    if (begin == std::string_view::npos) return;
    const size_t number = begin + kWord.size();
    const size_t end = std::min(text.find(kWordEnd, number), text.size());
    const std::optional<uint64_t> index = ParseUnsigned(text.substr(number, end - number));
    if (end < text.size() && end > number && index.has_value() && *index < hidden_.size())
      visit(begin, end + 1 - begin, hidden_[*index]);
    from = number;
  }
}

std::string PanelVariables::Show(std::string_view text) const {
  std::string shown;
  size_t from = 0;
  ForEachWord(text, [&](size_t begin, size_t length, const Hidden& hidden) {
    shown += text.substr(from, begin - from);
    shown += hidden.text;
    from = begin + length;
  });
  shown += text.substr(from);
  return shown;
}

bool PanelVariables::HasWord(std::string_view text) {
  return text.find(kWord) != std::string_view::npos;
}

const PanelVariable* PanelVariables::Find(const Hidden& hidden) const {
  const auto found = table_.find(hidden.name);
  return found == table_.end() ? nullptr : &found->second;
}

bool PanelVariables::HasSeveralValues(std::string_view text) const {
  bool has = false;
  ForEachWord(text, [&](size_t, size_t, const Hidden& hidden) {
    const PanelVariable* const variable = Find(hidden);
    has = has || variable == nullptr || variable->has_several_values;
  });
  return has;
}

std::vector<std::string> PanelVariables::FreeVariables(std::string_view text) const {
  std::vector<std::string> variables;
  ForEachWord(text, [&](size_t, size_t, const Hidden& hidden) {
    const PanelVariable* const variable = Find(hidden);
    if (variable == nullptr || !variable->has_tag_values) variables.push_back(hidden.text);
  });
  return variables;
}

bool HasPanelVariable(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (ReadOccurrence(text.substr(i)).has_value()) return true;
  }
  return false;
}

std::string LegendOfAlias(std::string_view alias, std::vector<std::string>* keys) {
  std::string legend;
  while (!alias.empty()) {
    const std::optional<Occurrence> found = ReadOccurrence(alias);
    const bool is_tag = found.has_value() && found->name.starts_with(kTagVariable) &&
                        found->name.size() > kTagVariable.size();
    const size_t length = found.has_value() ? found->length : 1;
    if (is_tag) {
      keys->emplace_back(found->name.substr(kTagVariable.size()));
      legend += fmt::format("{{{{{}}}}}", LabelOfKey(keys->back()));
    } else {
      legend += alias.substr(0, length);
    }
    alias.remove_prefix(length);
  }
  return legend;
}

std::string_view PanelVariableName(std::string_view text) {
  const std::optional<Occurrence> found = ReadOccurrence(text);
  return found.has_value() && found->length == text.size() ? found->name : std::string_view();
}

}  // namespace hourcell
