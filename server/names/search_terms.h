// SearchTerms: the query of /api/search, in a small part of Lucene's language:
//
//   name:sys.* host:web01 owner          words; all must match
//   *, *:*, and no word                  everything
//   "two words", notes:"two words"       a pattern with blanks
//
// A word matches if its pattern occurs anywhere in the text, in any case; "*" in it matches any
// characters. Without a field it may be in the text of any field. AND between words is ignored; OR,
// NOT and brackets are refused.
//
// Immutable; thread-safe.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

// A text of something that is searched. Borrowed.
struct SearchField {
  std::string_view name;
  std::string_view text;
};

class SearchTerms {
 public:
  // kInvalidArgument: OR, NOT, a bracket, or an open quote.
  static absl::StatusOr<SearchTerms> Parse(std::string_view query);

  bool Matches(std::span<const SearchField> fields) const;

 private:
  struct Term {
    std::string field;               // in lower case; empty: any
    std::vector<std::string> parts;  // in lower case; they follow each other in the text
  };
  static bool MatchesOne(const Term& term, const SearchField& field);

  std::vector<Term> terms_;
};

}  // namespace hourcell
