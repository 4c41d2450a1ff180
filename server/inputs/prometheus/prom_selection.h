// PromSelection: turns the matchers of a remote read into filters for the store, and into a check
// of the series that it returns.
//
// A matcher sees each series as stored and as remote read names it (prom_labels.h). With = and =~
// one of the two must match, with != and !~ both must. Values of = and != are also compared in the
// form of the name rule, as in stored series; regular expressions also accept that form
// (prom_regexp.h).
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
#include "server/inputs/prometheus/prom_labels.h"
#include "server/inputs/prometheus/prom_read_request.h"

namespace hourcell {

// Memory limit of a compiled regular expression. Compiling one takes at most about ten
// milliseconds.
inline constexpr size_t kPromRegexpBytes = size_t{1} << 20;

class PromSelection {
 public:
  // The stored tag keys that may become a label; empty: none.
  using KeysOf = std::function<absl::StatusOr<std::vector<std::string>>(const std::string& label)>;
  // True if a tag value is stored: filters by values require stored values.
  using IsStored = std::function<absl::StatusOr<bool>(const std::string& value)>;
  using Filters = std::vector<TagFilterSpec>;

  // `labels` is borrowed. `before_regexp`, which may be null, is called before each regular
  // expression is compiled; an error aborts the creation. kInvalidArgument: a regular expression is
  // invalid, "expected ..., got ...".
  static absl::StatusOr<PromSelection> Create(
      std::span<const PromMatcher> matchers,
      const NameRule& names,
      const PromLabels* labels,
      const std::function<absl::Status()>& before_regexp = nullptr);
  PromSelection(PromSelection&&) noexcept;
  PromSelection& operator=(PromSelection&&) noexcept;
  ~PromSelection();

  // The metric if a matcher names it; empty: check all metrics.
  const std::string& metric() const { return metric_; }
  bool TakesMetric(std::string_view name) const;

  // The filters that the store's index can evaluate, for each metric: every selected series passes
  // all filters of at least one list. Errors: those of the functions.
  absl::StatusOr<std::vector<Filters>> FiltersOf(const KeysOf& keys_of,
                                                 const IsStored& is_stored) const;

  // True if a series that passed the filters is selected.
  bool TakesTags(SeriesTags tags) const { return TakesTags(tags, labels_->Of(tags)); }
  bool TakesTags(SeriesTags tags, std::span<const PromLabel> labels) const;

 private:
  class Matcher;
  PromSelection();

  const PromLabels* labels_ = nullptr;
  std::string metric_;
  std::vector<Matcher> of_metric_;
  std::vector<Matcher> of_tags_;
};

}  // namespace hourcell
