#include "engine/query/aggregator.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "codec/base/check.h"

// Reason for one table: the name of an aggregator, the value of a missing point, the aggregate of a
// single value, the start of a sum and the rank of a percentile were five lists in four files. The
// arithmetic stays in templates (accumulator.h), because the loops over points must not call a
// function for each point.

namespace hourcell {
namespace {

using Rule = Rank::Rule;

struct Row {
  Aggregator aggregator;
  std::string_view name;
  Interpolation missing = Interpolation::kLerp;
  bool starts_at_zero = false;
  bool keeps_a_single_value = true;
  std::optional<Rank> rank = {};
};

// In the order of the enum.
constexpr auto kRows = std::to_array<Row>({
    Row{.aggregator = Aggregator::kSum, .name = "sum", .starts_at_zero = true},
    Row{.aggregator = Aggregator::kMin, .name = "min"},
    Row{.aggregator = Aggregator::kMax, .name = "max"},
    Row{.aggregator = Aggregator::kAvg, .name = "avg", .starts_at_zero = true},
    Row{.aggregator = Aggregator::kNone, .name = "none"},
    Row{.aggregator = Aggregator::kMedian, .name = "median", .rank = Rank{Rule::kUpperMiddle, 50}},
    Row{.aggregator = Aggregator::kMult, .name = "mult", .keeps_a_single_value = false},
    Row{.aggregator = Aggregator::kDev, .name = "dev", .keeps_a_single_value = false},
    Row{.aggregator = Aggregator::kDiff, .name = "diff", .keeps_a_single_value = false},
    Row{.aggregator = Aggregator::kCount,
        .name = "count",
        .missing = Interpolation::kZeroIfMissing,
        .keeps_a_single_value = false},
    Row{.aggregator = Aggregator::kZimsum,
        .name = "zimsum",
        .missing = Interpolation::kZeroIfMissing,
        .starts_at_zero = true},
    Row{.aggregator = Aggregator::kMimmin,
        .name = "mimmin",
        .missing = Interpolation::kMaxIfMissing},
    Row{.aggregator = Aggregator::kMimmax,
        .name = "mimmax",
        .missing = Interpolation::kMinIfMissing},
    Row{.aggregator = Aggregator::kFirst,
        .name = "first",
        .missing = Interpolation::kZeroIfMissing},
    Row{.aggregator = Aggregator::kLast, .name = "last", .missing = Interpolation::kZeroIfMissing},
    Row{.aggregator = Aggregator::kPfsum,
        .name = "pfsum",
        .missing = Interpolation::kPrevious,
        .starts_at_zero = true},
    Row{.aggregator = Aggregator::kSquareSum,
        .name = "squareSum",
        .missing = Interpolation::kZeroIfMissing,
        .keeps_a_single_value = false},
    Row{.aggregator = Aggregator::kP50, .name = "p50", .rank = Rank{Rule::kLegacy, 50}},
    Row{.aggregator = Aggregator::kP75, .name = "p75", .rank = Rank{Rule::kLegacy, 75}},
    Row{.aggregator = Aggregator::kP90, .name = "p90", .rank = Rank{Rule::kLegacy, 90}},
    Row{.aggregator = Aggregator::kP95, .name = "p95", .rank = Rank{Rule::kLegacy, 95}},
    Row{.aggregator = Aggregator::kP99, .name = "p99", .rank = Rank{Rule::kLegacy, 99}},
    Row{.aggregator = Aggregator::kP999, .name = "p999", .rank = Rank{Rule::kLegacy, 99.9}},
    Row{.aggregator = Aggregator::kEp50r3, .name = "ep50r3", .rank = Rank{Rule::kR3, 50}},
    Row{.aggregator = Aggregator::kEp75r3, .name = "ep75r3", .rank = Rank{Rule::kR3, 75}},
    Row{.aggregator = Aggregator::kEp90r3, .name = "ep90r3", .rank = Rank{Rule::kR3, 90}},
    Row{.aggregator = Aggregator::kEp95r3, .name = "ep95r3", .rank = Rank{Rule::kR3, 95}},
    Row{.aggregator = Aggregator::kEp99r3, .name = "ep99r3", .rank = Rank{Rule::kR3, 99}},
    Row{.aggregator = Aggregator::kEp999r3, .name = "ep999r3", .rank = Rank{Rule::kR3, 99.9}},
    Row{.aggregator = Aggregator::kEp50r7, .name = "ep50r7", .rank = Rank{Rule::kR7, 50}},
    Row{.aggregator = Aggregator::kEp75r7, .name = "ep75r7", .rank = Rank{Rule::kR7, 75}},
    Row{.aggregator = Aggregator::kEp90r7, .name = "ep90r7", .rank = Rank{Rule::kR7, 90}},
    Row{.aggregator = Aggregator::kEp95r7, .name = "ep95r7", .rank = Rank{Rule::kR7, 95}},
    Row{.aggregator = Aggregator::kEp99r7, .name = "ep99r7", .rank = Rank{Rule::kR7, 99}},
    Row{.aggregator = Aggregator::kEp999r7, .name = "ep999r7", .rank = Rank{Rule::kR7, 99.9}},
});

constexpr bool RowsAreInOrder() {
  for (size_t i = 0; i < kRows.size(); ++i) {
    if (static_cast<size_t>(kRows[i].aggregator) != i) return false;
  }
  return true;
}
static_assert(RowsAreInOrder());

const Row& RowOf(Aggregator aggregator) {
  const auto i = static_cast<size_t>(aggregator);
  HOURCELL_CHECK(i < kRows.size());
  return kRows[i];
}

}  // namespace

std::string_view AggregatorName(Aggregator aggregator) {
  return RowOf(aggregator).name;
}

absl::StatusOr<Aggregator> ParseAggregator(std::string_view name) {
  const auto found = std::ranges::find(kRows, name, &Row::name);
  if (found == kRows.end()) {
    return absl::InvalidArgumentError(fmt::format("No such aggregation function: {}", name));
  }
  return found->aggregator;
}

std::vector<std::string_view> AggregatorNames() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows)
    names.push_back(row.name);
  return names;
}

Interpolation InterpolationOf(Aggregator aggregator) {
  return RowOf(aggregator).missing;
}

std::optional<Rank> RankOf(Aggregator aggregator) {
  return RowOf(aggregator).rank;
}

bool StartsAtZero(Aggregator aggregator) {
  return RowOf(aggregator).starts_at_zero;
}

bool KeepsASingleValue(Aggregator aggregator) {
  return RowOf(aggregator).keeps_a_single_value;
}

}  // namespace hourcell
