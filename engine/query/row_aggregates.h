// Aggregates of stored rows, which are calculated in each region, as by HBase's endpoints (its
// AggregationClient has rows, min, max, sum, avg and std). Queries::AggregateRows runs them; here
// are their values: the selection of points, the groups and the totals.
//
// A point counts if its time is in [start, end] of the scan and all ValueTests accept it. A row
// counts if one of its points does. The functions that parse and print are pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/point.h"

namespace hourcell {

enum class RowGroupBy : uint8_t { kMetric, kTag, kHour };

// A property that all rows of a group have in common.
struct RowGrouping {
  RowGroupBy by = RowGroupBy::kMetric;
  std::string tagk = {};  // of kTag

  friend bool operator==(const RowGrouping&, const RowGrouping&) = default;
};

// "metric", "hour" or "tag:TAGK". kInvalidArgument: another text.
absl::StatusOr<RowGrouping> ParseRowGrouping(std::string_view text);
std::string RowGroupingText(const RowGrouping& grouping);

enum class ValueComparison : uint8_t {
  kLess,
  kLessOrEqual,
  kEqual,
  kNotEqual,
  kGreaterOrEqual,
  kGreater,
};

struct ValueTest {
  ValueComparison comparison = ValueComparison::kEqual;
  Value operand = {};

  // Compares integers exactly, and other pairs as doubles. No test accepts a special value.
  bool Accepts(Value value) const;

  friend bool operator==(const ValueTest&, const ValueTest&) = default;
};

// "<5", "<=5", "=5", "!=5", ">=5" or ">5"; the number is as in a put. kInvalidArgument: another
// text.
absl::StatusOr<ValueTest> ParseValueTest(std::string_view text);

inline constexpr size_t kRowGroupsDefault = 1000;
inline constexpr size_t kRowGroupsMax = 100'000;  // a worker keeps about 300 bytes for each
inline constexpr size_t kRowGroupingsMax = 8;     // so that a group is soon found
inline constexpr size_t kValueTestsMax = 8;       // each is made for every point

struct RowAggregateSpec {
  std::vector<ValueTest> values = {};      // all accept a point that counts
  std::vector<RowGrouping> group_by = {};  // empty: only the total
  size_t groups_max = kRowGroupsDefault;   // a scan that finds more fails
  size_t workers = 0;                      // threads; 0: as for a query, Options::query_threads
  int64_t deadline_ms = 0;                 // by MonotonicClock; 0: Options::query_timeout_ms

  // kInvalidArgument: a limit above is exceeded; expected at least one group.
  absl::Status Validate() const;
};

// The sum of integers, exactly.
class IntegerTotal {
 public:
  void Add(int64_t value);
  void Merge(const IntegerTotal& from);
  // nullopt: beyond 64 bits.
  std::optional<int64_t> Exact() const;
  double ToDouble() const;

 private:
  uint64_t low_ = 0;  // 128 bits in two's complement
  uint64_t high_ = 0;
};

// The sum of doubles with the rounding errors of its steps added (Neumaier, 1974), so that the
// order of the points hardly ever changes the result.
class RealTotal {
 public:
  void Add(double value);
  void Merge(const RealTotal& from);
  double ToDouble() const;

 private:
  double sum_ = 0;
  double error_ = 0;
};

// Counts and sums of rows and points. Merging partial totals gives those of all rows: counts, min,
// max, first, last and sums of integers exactly; sum() of others and dev() but for rounding.
// Thread-compatible.
class RowTotals {
 public:
  // A point that counts.
  void AddPoint(int64_t ms, Value value);
  // A row with such points.
  void AddRow(size_t key_bytes, size_t cell_bytes);
  void Merge(const RowTotals& from);

  uint64_t rows() const { return rows_; }
  uint64_t points() const { return points_; }    // special values included
  uint64_t numbers() const { return numbers_; }  // points whose values are not special
  uint64_t key_bytes() const { return key_bytes_; }
  uint64_t cell_bytes() const { return cell_bytes_; }

  // Times of points; nullopt without points.
  std::optional<int64_t> first_ms() const;
  std::optional<int64_t> last_ms() const;

  // Of numbers; nullopt without numbers. min and max are one of the stored values. The sum is an
  // integer if all numbers are and it has 64 bits. dev: the population's deviation.
  std::optional<Value> min() const;
  std::optional<Value> max() const;
  std::optional<Value> sum() const;
  std::optional<double> avg() const;
  std::optional<double> dev() const;

 private:
  double Sum() const;
  void MergeDeviation(const RowTotals& from);

  uint64_t rows_ = 0;
  uint64_t points_ = 0;
  uint64_t numbers_ = 0;
  uint64_t integers_ = 0;  // of the numbers
  uint64_t key_bytes_ = 0;
  uint64_t cell_bytes_ = 0;
  int64_t first_ms_ = 0;
  int64_t last_ms_ = 0;
  Value min_;
  Value max_;
  IntegerTotal integer_sum_;
  RealTotal real_sum_;
  // Welford's, merged as Chan, Golub and LeVeque do (1979).
  double mean_ = 0;
  double squares_ = 0;  // sum of the squared differences from the mean
};

// A group. `by` has a text for each grouping of the request: the hour's is its begin in Unix
// seconds; nullopt if the rows lack the tag.
struct RowGroup {
  std::vector<std::optional<std::string>> by = {};
  RowTotals totals = {};
};

}  // namespace hourcell
