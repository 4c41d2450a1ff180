// TagRegexp: a regular expression, searched for in tag values and other names, unanchored, as by
// Java's Matcher.find.
//
// RE2 searches in linear time. Features of backtracking matchers (look-around, back-references,
// possessive quantifiers) use PCRE2 with a limit on its steps; a value that reaches the limit does
// not match. Thread-safe after Compile.

#pragma once

#include <cstddef>
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

  // The part of `value` that a group (0: the whole expression) has in the first match that begins
  // at byte `begin` or later. Null data: no match, no such group, or the group does not take part.
  std::string_view Find(std::string_view value, size_t begin, size_t group) const;

 private:
  struct Impl;
  explicit TagRegexp(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
