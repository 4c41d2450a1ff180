#include "server/cli/data/query/explain_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <vector>

#include <fmt/format.h>

namespace hourcell {
namespace {

constexpr size_t kKeyFields = 14;
constexpr size_t kMethodField = 1;  // the text field; it is left-aligned
using KeyRow = std::array<std::string, kKeyFields>;

KeyRow RowOf(const PlanReport& plan) {
  const auto number = [](uint64_t value) { return fmt::format("{}", value); };
  return {number(plan.query_index),    plan.method,
          number(plan.series),         number(plan.metric_series),
          number(plan.groups),         number(plan.hours),
          number(plan.cost.rows),      number(plan.cost.day_rows),
          number(plan.expected_rows),  number(plan.cost.rows_skipped),
          number(plan.cost.points),    number(plan.cost.bytes),
          number(plan.expected_bytes), number(plan.cost.memory)};
}

}  // namespace

std::string ExplainText(std::span<const PlanReport> plans) {
  if (plans.empty()) return "No sub query was planned\n";
  std::vector<KeyRow> rows = {{"query", "method", "series", "of series", "groups", "hours", "rows",
                               "of days", "expected", "skipped", "points", "bytes", "expected",
                               "memory"}};
  for (const PlanReport& plan : plans)
    rows.push_back(RowOf(plan));

  std::array<size_t, kKeyFields> widths = {};
  for (const KeyRow& row : rows) {
    for (size_t i = 0; i < kKeyFields; ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const KeyRow& row : rows) {
    for (size_t i = 0; i < kKeyFields; ++i) {
      if (i > 0) text += "  ";
      if (i == kMethodField) {
        fmt::format_to(std::back_inserter(text), "{:<{}}", row[i], widths[i]);
      } else {
        fmt::format_to(std::back_inserter(text), "{:>{}}", row[i], widths[i]);
      }
    }
    text += '\n';
  }
  return text;
}

}  // namespace hourcell
