// Aggregators: the name and properties of each, in one table. The arithmetic is in accumulator.h,
// and that of the median and the percentiles in stages/rank.h.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

// OpenTSDB's 35, each both over the series of a group and over the points of a bucket. To add one:
// its name here, its row in aggregator.cc and, unless it picks a value by rank, its arithmetic in
// accumulator.h.
enum class Aggregator : uint8_t {
  kSum,
  kMin,
  kMax,
  kAvg,
  kNone,  // no aggregation: every series separately; not a downsampling function
  kMedian,
  kMult,
  kDev,
  kDiff,  // the last less the first
  kCount,
  kZimsum,
  kMimmin,
  kMimmax,
  kFirst,
  kLast,
  kPfsum,
  kSquareSum,
  // Percentiles. epNr3 and epNr7 estimate like R's types 3 and 7, but only for integers: for
  // floating point they are pN, as in OpenTSDB.
  kP50,
  kP75,
  kP90,
  kP95,
  kP99,
  kP999,
  kEp50r3,
  kEp75r3,
  kEp90r3,
  kEp95r3,
  kEp99r3,
  kEp999r3,
  kEp50r7,
  kEp75r7,
  kEp90r7,
  kEp95r7,
  kEp99r7,
  kEp999r7,
};

// The value of a series of the group at a time at which it lacks a point.
enum class Interpolation : uint8_t {
  kLerp,           // a value on the line between its neighbours
  kZeroIfMissing,  // 0
  kMaxIfMissing,   // the largest number
  kMinIfMissing,   // the smallest number
  kPrevious,       // its last value
};

// An aggregator that picks a value by its position among the sorted ones (stages/rank.h).
struct Rank {
  enum class Rule : uint8_t { kUpperMiddle, kLegacy, kR3, kR7 };
  Rule rule = Rule::kLegacy;
  double percent = 0;
};

std::string_view AggregatorName(Aggregator aggregator);
// Case-sensitive. kInvalidArgument "No such aggregation function: x".
absl::StatusOr<Aggregator> ParseAggregator(std::string_view name);
// All names, in the order of the enum.
std::vector<std::string_view> AggregatorNames();

Interpolation InterpolationOf(Aggregator aggregator);
// The rank of an aggregator; nullopt for those that need not sort.
std::optional<Rank> RankOf(Aggregator aggregator);
// True for sums, which begin at 0.0.
bool StartsAtZero(Aggregator aggregator);
// True if one value aggregates to itself, NaN included, but for the sign of zero.
bool KeepsASingleValue(Aggregator aggregator);

}  // namespace hourcell
