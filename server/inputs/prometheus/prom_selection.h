// PromSelection: the matchers of a remote read as what the store is asked, and what is left to look
// at in its answers. Names and values are mapped by the rule first, as those of stored series were;
// regular expressions are not.
//
// Immutable; thread-safe.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query.h"
#include "server/inputs/name_rule.h"
#include "server/inputs/prometheus/prom_read_request.h"

namespace hourcell {

// What a compiled regular expression takes at most. Compiling one takes at most some ten
// milliseconds.
inline constexpr size_t kPromRegexpBytes = size_t{1} << 20;

class PromSelection {
 public:
  // `before_regexp`, which may be null, is called before each regular expression is compiled; an
  // error ends the creation. kInvalidArgument: a regular expression that is none, "got ...; want
  // ...".
  static absl::StatusOr<PromSelection> Create(
      std::span<const PromMatcher> matchers,
      const NameRule& names,
      const std::function<absl::Status()>& before_regexp = nullptr);
  PromSelection(PromSelection&&) noexcept;
  PromSelection& operator=(PromSelection&&) noexcept;
  ~PromSelection();

  // The metric, if the matchers name one; else all are to be looked at.
  const std::string& metric() const { return metric_; }
  bool TakesMetric(std::string_view name) const;

  // What the store can tell by its index, for each metric.
  const std::vector<TagFilterSpec>& filters() const { return filters_; }

  // Whether a series that the filters let through is wanted.
  bool TakesTags(std::span<const std::pair<std::string_view, std::string_view>> tags) const;

 private:
  class Matcher;
  PromSelection();

  std::string metric_;
  std::vector<TagFilterSpec> filters_;
  std::vector<Matcher> of_metric_;
  std::vector<Matcher> of_tags_;  // those that no filter says
};

}  // namespace hourcell
