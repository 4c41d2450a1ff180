#include "bench/lab/layouts/cases/case_summary.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

// Why medians and quartiles, not means: one stalled round on a busy machine moves a mean by as much
// as the layouts differ.

namespace hourcell::layouts {
namespace {

using Rounds = std::vector<const CaseResult*>;

Spread SpreadOf(const Rounds& rounds, const ResultField& field) {
  std::vector<double> values;
  for (const CaseResult* round : rounds)
    values.push_back(field.value(*round));
  return {.low = Quantile(values, 0.25),
          .median = Quantile(values, 0.5),
          .high = Quantile(values, 0.75)};
}

CaseSummary SummaryOf(const Rounds& rounds) {
  CaseSummary summary{.result = *rounds.front(), .rounds = rounds.size()};
  for (const auto fields : {WriteFields(), ReadFields()}) {
    for (const ResultField& field : fields) {
      if (field.kind == FieldKind::kCount) continue;
      const Spread spread = SpreadOf(rounds, field);
      summary.measured[field.name] = spread;
      *field.measured(&summary.result) = spread.median;
    }
  }
  return summary;
}

}  // namespace

std::vector<CaseSummary> Summarize(std::span<const CaseResult> results) {
  std::vector<std::pair<std::string, Rounds>> cases;
  for (const CaseResult& result : results) {
    const std::string name = CaseName(result.spec);
    const auto found =
        std::ranges::find(cases, name, [](const auto& known) { return known.first; });
    if (found == cases.end()) {
      cases.push_back({name, {&result}});
      continue;
    }
    Rounds& rounds = found->second;
    if (result.spec.points > rounds.front()->spec.points) rounds.clear();
    if (rounds.empty() || result.spec.points == rounds.front()->spec.points)
      rounds.push_back(&result);
  }
  std::vector<CaseSummary> summaries;
  for (const auto& [name, rounds] : cases)
    summaries.push_back(SummaryOf(rounds));
  return summaries;
}

std::vector<CaseResult> MediansOf(std::span<const CaseSummary> summaries) {
  std::vector<CaseResult> results;
  for (const CaseSummary& summary : summaries)
    results.push_back(summary.result);
  return results;
}

std::string EndedText(const RunAbout& about) {
  if (about.measured == about.planned) return "";
  return fmt::format("Ended after {} of {} measurements.\n", about.measured, about.planned);
}

}  // namespace hourcell::layouts
