#include "promql/evaluation/series_groups.h"

#include <algorithm>
#include <array>

#include "codec/base/status_macros.h"

namespace hourcell::promql {
namespace {

// The steps of a cache line of a column are read together.
constexpr size_t kStepsTogether = 8;

bool Decides(std::string_view name, const GroupingRule& rule) {
  const bool is_named = std::ranges::binary_search(rule.names, name);
  return rule.only_names ? is_named : !is_named && name != kMetricName;
}

// The length comes first, so that no value can look like two labels.
void AppendText(std::string_view text, std::string* key) {
  const size_t size = text.size();
  for (size_t shift = 0; shift < 32; shift += 8)
    key->push_back(static_cast<char>((size >> shift) & 0xff));
  key->append(text);
}

}  // namespace

Labels GroupLabels(const Labels& labels, const GroupingRule& rule) {
  return rule.only_names ? labels.Keep(rule.names) : labels.Without(rule.names).WithoutMetricName();
}

size_t SeriesGroups::Insert(const Labels& labels) {
  MakeKey(labels);
  return number_by_key_.try_emplace(key_, number_by_key_.size()).first->second;
}

void SeriesGroups::MakeKey(const Labels& labels) {
  key_.clear();
  for (const auto& [name, value] : labels.pairs()) {
    if (!Decides(name, *rule_)) continue;
    AppendText(name, &key_);
    AppendText(value, &key_);
  }
}

std::vector<std::vector<size_t>> MembersOf(const HeldVector& vector, const GroupingRule& grouping) {
  SeriesGroups groups(&grouping);
  std::vector<std::vector<size_t>> members;
  for (size_t i = 0; i < vector.series().size(); ++i) {
    const size_t group = groups.Insert(vector.series()[i].labels);
    if (group >= members.size()) members.resize(group + 1);
    members[group].push_back(i);
  }
  return members;
}

absl::Status VisitSteps(
    const HeldVector& vector,
    std::span<const size_t> members,
    absl::FunctionRef<void(size_t step, std::span<const StepElement> elements)> visit) {
  std::array<std::vector<StepElement>, kStepsTogether> elements;
  for (size_t begin = 0; begin < vector.steps(); begin += kStepsTogether) {
    const size_t end = std::min(begin + kStepsTogether, vector.steps());
    HOURCELL_RETURN_IF_ERROR(vector.budget()->Work(members.size() * (end - begin)));
    for (const size_t member : members) {
      const std::span<const double> column = vector.series()[member].values;
      for (size_t i = begin; i < end; ++i)
        if (!IsNoValue(column[i]))
          elements[i - begin].push_back({.value = column[i], .series = member});
    }
    for (size_t i = begin; i < end; ++i) {
      if (elements[i - begin].empty()) continue;
      visit(i, elements[i - begin]);
      elements[i - begin].clear();
    }
  }
  return absl::OkStatus();
}

}  // namespace hourcell::promql
