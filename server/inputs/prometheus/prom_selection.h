// PromSelection: the matchers of a remote read as what the store is asked, and what is left to look
// at in its answers.
//
// A matcher sees a series as it is stored and as remote read names it (prom_labels.h). With = and
// =~ one of the two must match, with != and !~ both must. Values of = and != are also compared as
// the name rule writes them, as those of stored series were, and regular expressions take what the
// rule writes (prom_regexp.h).
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

// What a compiled regular expression takes at most. Compiling one takes at most some ten
// milliseconds.
inline constexpr size_t kPromRegexpBytes = size_t{1} << 20;

class PromSelection {
 public:
  // The stored tag keys that a label may be; empty: none.
  using KeysOf = std::function<absl::StatusOr<std::vector<std::string>>(const std::string& label)>;
  // Whether a tag value is stored: a filter by values takes none that is not.
  using IsStored = std::function<absl::StatusOr<bool>(const std::string& value)>;
  using Filters = std::vector<TagFilterSpec>;

  // `labels` is borrowed. `before_regexp`, which may be null, is called before each regular
  // expression is compiled; an error ends the creation. kInvalidArgument: a regular expression that
  // is none, "got ...; want ...".
  static absl::StatusOr<PromSelection> Create(
      std::span<const PromMatcher> matchers,
      const NameRule& names,
      const PromLabels* labels,
      const std::function<absl::Status()>& before_regexp = nullptr);
  PromSelection(PromSelection&&) noexcept;
  PromSelection& operator=(PromSelection&&) noexcept;
  ~PromSelection();

  // The metric as a matcher names it, if one does; else all are to be looked at.
  const std::string& metric() const { return metric_; }
  bool TakesMetric(std::string_view name) const;

  // What the store can tell by its index, for each metric: every series that is wanted passes all
  // filters of at least one of the lists. Errors of the functions.
  absl::StatusOr<std::vector<Filters>> FiltersOf(const KeysOf& keys_of,
                                                 const IsStored& is_stored) const;

  // Whether a series that the filters let through is wanted.
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
