// TagFilter: a compiled filter on the values of one tag key. Thread-safe after Compile.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/query/query_spec.h"

namespace hourcell {

class TagFilter {
 public:
  // kInvalidArgument: a regular expression that does not compile, a wildcard without *, literals
  // that are all empty, text for not_key.
  static absl::StatusOr<TagFilter> Compile(const TagFilterSpec& spec);
  TagFilter(TagFilter&&) noexcept;
  TagFilter& operator=(TagFilter&&) noexcept;
  ~TagFilter();

  const TagFilterSpec& spec() const;

  // True if a series whose value of the key is `value` passes.
  bool Matches(std::string_view value) const;

  // True if a series without the key passes: for not_key only.
  bool MatchesAbsent() const;

  // True for "*": every value passes.
  bool MatchesAll() const;

  // A common prefix of all values that pass: of a wildcard the text before its first *, of a
  // regular expression the literal characters after a ^. ASCII; empty if it is unknown.
  std::string_view prefix() const;

  // The values to look up by name, for literal_or; empty for all other types.
  std::span<const std::string> literals() const;

 private:
  struct Impl;
  explicit TagFilter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
