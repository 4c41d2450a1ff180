// SeriesGroups: numbers the groups of series that have equal values of some labels. Used once for
// each series of a vector, so that the loops over columns need no hash table; and the elements of a
// group at each step. Thread-compatible.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include "promql/evaluation/held_vector.h"
#include "promql/labels.h"

namespace hourcell::promql {

// The labels that decide about a group: only `names`, or all but `names` and __name__.
struct GroupingRule {
  bool only_names = false;
  std::vector<std::string> names;  // sorted, each once
};

// The labels of a series that decide about its group.
Labels GroupLabels(const Labels& labels, const GroupingRule& rule);

class SeriesGroups final {
 public:
  // `rule` is borrowed.
  explicit SeriesGroups(const GroupingRule* rule) : rule_(rule) {}

  // Numbers count from 0 in the order of the calls.
  size_t Insert(const Labels& labels);
  size_t size() const { return number_by_key_.size(); }

 private:
  void MakeKey(const Labels& labels);

  const GroupingRule* const rule_;
  std::string key_;  // of the last call; keeps its memory
  absl::flat_hash_map<std::string, size_t> number_by_key_;
};

// The series of each group, as indices into the vector; groups in the order of their first series.
std::vector<std::vector<size_t>> MembersOf(const HeldVector& vector, const GroupingRule& grouping);

struct StepElement {
  double value = 0;
  size_t series = 0;  // its index in the vector
};

// Calls `visit` at each step at which one of the series `members` has an element, with these
// elements in the order of `members`. `visit` may change elements of this step.
absl::Status VisitSteps(
    const HeldVector& vector,
    std::span<const size_t> members,
    absl::FunctionRef<void(size_t step, std::span<const StepElement> elements)> visit);

}  // namespace hourcell::promql
