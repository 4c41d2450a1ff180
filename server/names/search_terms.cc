#include "server/names/search_terms.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

// A word of a query: name:sys.*, or a quoted pattern.
struct PatternWord {
  std::string field;
  std::string pattern;
  bool is_quoted = false;
};

absl::Status Refuse(std::string_view got) {
  return absl::InvalidArgumentError(
      fmt::format("query: expected words, or field:word, got {}", QuoteForMessage(got)));
}

// Takes the first word off `*rest`, which begins with it.
absl::StatusOr<PatternWord> TakeWord(std::string_view* rest) {
  PatternWord word;
  const size_t end = std::min(rest->find_first_of(" \""), rest->size());
  std::string_view text = rest->substr(0, end);
  const size_t colon = text.find(':');
  if (colon != std::string_view::npos && colon > 0) {
    word.field = LowerCase(text.substr(0, colon));
    text.remove_prefix(colon + 1);
  }
  rest->remove_prefix(end);
  if (!text.empty() || !rest->starts_with('"')) {
    word.pattern = LowerCase(text);
    return word;
  }
  const size_t quote = rest->find('"', 1);
  if (quote == std::string_view::npos) return Refuse(*rest);
  word.pattern = LowerCase(rest->substr(1, quote - 1));
  word.is_quoted = true;
  rest->remove_prefix(quote + 1);
  return word;
}

std::vector<std::string> PartsOf(std::string_view pattern) {
  std::vector<std::string> parts;
  while (!pattern.empty()) {
    const size_t end = std::min(pattern.find('*'), pattern.size());
    if (end > 0) parts.emplace_back(pattern.substr(0, end));
    pattern.remove_prefix(std::min(pattern.size(), end + 1));
  }
  return parts;
}

}  // namespace

absl::StatusOr<SearchTerms> SearchTerms::Parse(std::string_view query) {
  SearchTerms terms;
  while (true) {
    query.remove_prefix(std::min(query.find_first_not_of(' '), query.size()));
    if (query.empty()) return terms;
    const std::string_view from = query;
    const absl::StatusOr<PatternWord> word = TakeWord(&query);
    if (!word.ok()) return word.status();
    const std::string_view sent = from.substr(0, from.size() - query.size());
    if (sent == "AND") continue;
    const bool is_operator =
        !word->is_quoted &&
        (sent == "OR" || sent == "NOT" || sent.find_first_of("()[]{}") != std::string_view::npos);
    if (is_operator) return Refuse(sent);
    Term term{.field = word->field == "*" ? "" : word->field,
              .parts = word->is_quoted ? std::vector{word->pattern} : PartsOf(word->pattern)};
    if (!term.field.empty() || !term.parts.empty()) terms.terms_.push_back(std::move(term));
  }
}

bool SearchTerms::MatchesOne(const Term& term, const SearchField& field) {
  if (!term.field.empty() && LowerCase(field.name) != term.field) return false;
  const std::string text = LowerCase(field.text);
  size_t at = 0;
  for (const std::string& part : term.parts) {
    at = text.find(part, at);
    if (at == std::string::npos) return false;
    at += part.size();
  }
  return true;
}

bool SearchTerms::Matches(std::span<const SearchField> fields) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    return std::ranges::any_of(fields,
                               [&](const SearchField& field) { return MatchesOne(term, field); });
  });
}

}  // namespace hourcell
