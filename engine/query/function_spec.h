// FunctionSpec: a function of a set of series, as the text of a query has it. The text comes before
// an aggregator:
//
//   top(10,max)     of the groups that follow, the 10 with the highest maximum
//   bottom(3,last)  the 3 with the lowest last point
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

// The maximum number of series that a function keeps.
inline constexpr size_t kRankedSeriesMax = 10'000;
// The maximum number of functions of a sub query.
inline constexpr size_t kQueryFunctionsMax = 4;

struct FunctionSpec {
  enum class Kind : uint8_t { kTop, kBottom };
  // The value of a series that decides its place.
  enum class By : uint8_t { kMax, kMin, kAvg, kLast, kSum };

  Kind kind = Kind::kTop;
  size_t count = 1;  // of series to keep, 1 to kRankedSeriesMax
  By by = By::kMax;
  friend bool operator==(const FunctionSpec&, const FunctionSpec&) = default;
};

// Parses "top(10,max)". Names are in lower case, without blanks. kInvalidArgument: another form, a
// count outside 1 to kRankedSeriesMax.
absl::StatusOr<FunctionSpec> ParseFunctionSpec(std::string_view text);

// The text that ParseFunctionSpec parses to `spec`.
std::string FunctionText(const FunctionSpec& spec);

}  // namespace hourcell
