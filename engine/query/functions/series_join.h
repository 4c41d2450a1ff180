// Joins the series of several inputs by their tags, and aligns their points by time.
//
// Pure functions; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/query/columns.h"

namespace hourcell {

// A text that is equal for series with equal tags, in any order. The order of the texts is that of
// the tags by key and value. `aggregate_tags` belong to it, too, except without any tag: such a
// series has the empty text.
std::string JoinKey(std::span<const std::pair<std::string, std::string>> tags,
                    std::span<const std::string> aggregate_tags);

// The series that make one result: of each input, its index, or kNoSeries if it lacks the key.
using JoinedSeries = std::vector<size_t>;
inline constexpr size_t kNoSeries = SIZE_MAX;

enum class JoinSet : uint8_t { kUnion, kIntersection };

// The results by key, ascending: of all keys, or of the keys that every input has. `keys`: of each
// input, the keys of its series. kInvalidArgument: two series of an input have the same key.
absl::StatusOr<std::vector<JoinedSeries>> JoinByKey(
    const std::vector<std::vector<std::string>>& keys, JoinSet set);

// All times of the spans, ascending.
std::vector<int64_t> UnionOfTimes(std::span<const Span* const> spans);
// Bytes of memory that UnionOfTimes needs for spans of `points` in total.
inline constexpr size_t BytesOfUnion(size_t points) {
  return 2 * points * sizeof(int64_t);
}

// The value of a missing point.
struct MissingValue {
  double value = 0;
  bool replaces_nan = false;  // a point that is NaN counts as missing
};

// The values of a span at `times`. REQUIRES: its times are among them.
std::vector<double> ValuesAt(std::span<const int64_t> times,
                             const Span& span,
                             const MissingValue& missing);

// x / 0 is 0, as in OpenTSDB.
inline double DivideOrZero(double a, double b) {
  return b == 0 ? 0 : a / b;
}

}  // namespace hourcell
