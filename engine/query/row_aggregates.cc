#include "engine/query/row_aggregates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"

namespace hourcell {
namespace {

constexpr std::string_view kTagPrefix = "tag:";

// The longer spelling of two with the same begin comes first.
constexpr std::array<std::pair<std::string_view, ValueComparison>, 6> kComparisons = {{
    {"<=", ValueComparison::kLessOrEqual},
    {"<", ValueComparison::kLess},
    {">=", ValueComparison::kGreaterOrEqual},
    {">", ValueComparison::kGreater},
    {"!=", ValueComparison::kNotEqual},
    {"=", ValueComparison::kEqual},
}};

absl::Status BadRowAggregate(std::string_view subject, std::string_view want, std::string got) {
  return absl::InvalidArgumentError(fmt::format("{}: expected {}, got {}", subject, want, got));
}

template <typename T>
bool Compare(ValueComparison comparison, T left, T right) {
  switch (comparison) {
    case ValueComparison::kLess:
      return left < right;
    case ValueComparison::kLessOrEqual:
      return left <= right;
    case ValueComparison::kEqual:
      return left == right;
    case ValueComparison::kNotEqual:
      return left != right;
    case ValueComparison::kGreaterOrEqual:
      return left >= right;
    case ValueComparison::kGreater:
      return left > right;
  }
  return false;
}

// Of two equal numbers an integer is the least and the greatest, whatever their order.
bool IsBelow(Value left, Value right) {
  if (left.is_integer() && right.is_integer()) return left.integer() < right.integer();
  if (left.ToDouble() != right.ToDouble()) return left.ToDouble() < right.ToDouble();
  return left.is_integer() && !right.is_integer();
}

bool IsAbove(Value left, Value right) {
  if (left.is_integer() && right.is_integer()) return left.integer() > right.integer();
  if (left.ToDouble() != right.ToDouble()) return left.ToDouble() > right.ToDouble();
  return left.is_integer() && !right.is_integer();
}

}  // namespace

absl::StatusOr<RowGrouping> ParseRowGrouping(std::string_view text) {
  if (text == "metric") return RowGrouping{.by = RowGroupBy::kMetric};
  if (text == "hour") return RowGrouping{.by = RowGroupBy::kHour};
  if (text.starts_with(kTagPrefix) && text.size() > kTagPrefix.size()) {
    return RowGrouping{.by = RowGroupBy::kTag, .tagk = std::string(text.substr(kTagPrefix.size()))};
  }
  return BadRowAggregate("by", "metric, hour or tag:TAGK", QuoteForMessage(text));
}

std::string RowGroupingText(const RowGrouping& grouping) {
  switch (grouping.by) {
    case RowGroupBy::kMetric:
      return "metric";
    case RowGroupBy::kTag:
      return std::string(kTagPrefix) + grouping.tagk;
    case RowGroupBy::kHour:
      return "hour";
  }
  return "";
}

bool ValueTest::Accepts(Value value) const {
  if (value.is_special()) return false;
  if (value.is_integer() && operand.is_integer()) {
    return Compare(comparison, value.integer(), operand.integer());
  }
  return Compare(comparison, value.ToDouble(), operand.ToDouble());
}

absl::StatusOr<ValueTest> ParseValueTest(std::string_view text) {
  for (const auto& [spelling, comparison] : kComparisons) {
    if (!text.starts_with(spelling)) continue;
    const Parsed<Value> operand = ParseValueText(text.substr(spelling.size()));
    if (!operand.ok()) break;
    return ValueTest{.comparison = comparison, .operand = *operand};
  }
  return BadRowAggregate("value", "a comparison and a number, such as >=5", QuoteForMessage(text));
}

absl::Status RowAggregateSpec::Validate() const {
  if (groups_max == 0 || groups_max > kRowGroupsMax) {
    return BadRowAggregate("groups", fmt::format("1 to {}", kRowGroupsMax),
                           fmt::format("{}", groups_max));
  }
  if (group_by.size() > kRowGroupingsMax) {
    return BadRowAggregate("by", fmt::format("at most {}", kRowGroupingsMax),
                           fmt::format("{}", group_by.size()));
  }
  if (values.size() > kValueTestsMax) {
    return BadRowAggregate("value", fmt::format("at most {}", kValueTestsMax),
                           fmt::format("{}", values.size()));
  }
  return absl::OkStatus();
}

void IntegerTotal::Add(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  low_ += bits;
  high_ += (value < 0 ? ~uint64_t{0} : 0) + (low_ < bits ? 1 : 0);
}

void IntegerTotal::Merge(const IntegerTotal& from) {
  low_ += from.low_;
  high_ += from.high_ + (low_ < from.low_ ? 1 : 0);
}

std::optional<int64_t> IntegerTotal::Exact() const {
  const auto value = static_cast<int64_t>(low_);
  if (high_ != (value < 0 ? ~uint64_t{0} : 0)) return std::nullopt;
  return value;
}

double IntegerTotal::ToDouble() const {
  if (const std::optional<int64_t> exact = Exact()) return static_cast<double>(*exact);
  return static_cast<double>(static_cast<int64_t>(high_)) * 0x1p64 + static_cast<double>(low_);
}

void RealTotal::Add(double value) {
  const double next = sum_ + value;
  // The part of the smaller one that the sum has lost.
  error_ += std::abs(sum_) >= std::abs(value) ? (sum_ - next) + value : (value - next) + sum_;
  sum_ = next;
}

void RealTotal::Merge(const RealTotal& from) {
  Add(from.sum_);
  error_ += from.error_;
}

double RealTotal::ToDouble() const {
  // After an overflow the error is NaN.
  return std::isfinite(sum_) ? sum_ + error_ : sum_;
}

void RowTotals::AddPoint(int64_t ms, Value value) {
  first_ms_ = points_ == 0 ? ms : std::min(first_ms_, ms);
  last_ms_ = points_ == 0 ? ms : std::max(last_ms_, ms);
  ++points_;
  if (value.is_special()) return;
  if (numbers_ == 0 || IsBelow(value, min_)) min_ = value;
  if (numbers_ == 0 || IsAbove(value, max_)) max_ = value;
  ++numbers_;
  if (value.is_integer()) {
    ++integers_;
    integer_sum_.Add(value.integer());
  } else {
    real_sum_.Add(value.floating());
  }
  const double number = value.ToDouble();
  const double before = mean_;
  mean_ += (number - before) / static_cast<double>(numbers_);
  squares_ += (number - before) * (number - mean_);
}

void RowTotals::AddRow(size_t key_bytes, size_t cell_bytes) {
  ++rows_;
  key_bytes_ += key_bytes;
  cell_bytes_ += cell_bytes;
}

void RowTotals::Merge(const RowTotals& from) {
  if (from.points_ > 0) {
    first_ms_ = points_ == 0 ? from.first_ms_ : std::min(first_ms_, from.first_ms_);
    last_ms_ = points_ == 0 ? from.last_ms_ : std::max(last_ms_, from.last_ms_);
  }
  if (from.numbers_ > 0) {
    if (numbers_ == 0 || IsBelow(from.min_, min_)) min_ = from.min_;
    if (numbers_ == 0 || IsAbove(from.max_, max_)) max_ = from.max_;
    MergeDeviation(from);
  }
  rows_ += from.rows_;
  points_ += from.points_;
  numbers_ += from.numbers_;
  integers_ += from.integers_;
  key_bytes_ += from.key_bytes_;
  cell_bytes_ += from.cell_bytes_;
  integer_sum_.Merge(from.integer_sum_);
  real_sum_.Merge(from.real_sum_);
}

void RowTotals::MergeDeviation(const RowTotals& from) {
  if (numbers_ == 0) {
    mean_ = from.mean_;
    squares_ = from.squares_;
    return;
  }
  const double share =
      static_cast<double>(from.numbers_) / static_cast<double>(numbers_ + from.numbers_);
  const double apart = from.mean_ - mean_;
  mean_ += apart * share;
  squares_ += from.squares_ + apart * apart * share * static_cast<double>(numbers_);
}

std::optional<int64_t> RowTotals::first_ms() const {
  return points_ > 0 ? std::optional(first_ms_) : std::nullopt;
}

std::optional<int64_t> RowTotals::last_ms() const {
  return points_ > 0 ? std::optional(last_ms_) : std::nullopt;
}

std::optional<Value> RowTotals::min() const {
  return numbers_ > 0 ? std::optional(min_) : std::nullopt;
}

std::optional<Value> RowTotals::max() const {
  return numbers_ > 0 ? std::optional(max_) : std::nullopt;
}

std::optional<Value> RowTotals::sum() const {
  if (numbers_ == 0) return std::nullopt;
  const std::optional<int64_t> exact = integer_sum_.Exact();
  if (integers_ == numbers_ && exact.has_value()) return Value::Integer(*exact);
  return Value::Float(Sum());
}

double RowTotals::Sum() const {
  RealTotal sum = real_sum_;
  sum.Add(integer_sum_.ToDouble());
  return sum.ToDouble();
}

std::optional<double> RowTotals::avg() const {
  return numbers_ > 0 ? std::optional(Sum() / static_cast<double>(numbers_)) : std::nullopt;
}

std::optional<double> RowTotals::dev() const {
  if (numbers_ == 0) return std::nullopt;
  return std::sqrt(squares_ / static_cast<double>(numbers_));
}

}  // namespace hourcell
