// TagRegexp: a regular expression, searched for in tag values, unanchored, as by Java's
// Matcher.find.
//
// RE2 searches in linear time. Features of backtracking matchers (look-around, back-references,
// possessive quantifiers) use PCRE2 with a limit on its steps; a value that reaches the limit does
// not match. Internal to engine/query. Thread-safe after Compile.

#pragma once

#include <memory>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

class TagRegexp {
 public:
  // kInvalidArgument: does not compile, or has a Java class intersection ("&&["), which both
  // libraries would read differently.
  static absl::StatusOr<TagRegexp> Compile(std::string_view pattern);
  TagRegexp(TagRegexp&&) noexcept;
  TagRegexp& operator=(TagRegexp&&) noexcept;
  ~TagRegexp();

  bool FoundIn(std::string_view value) const;

 private:
  struct Impl;
  explicit TagRegexp(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
