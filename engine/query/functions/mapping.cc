#include "engine/query/functions/mapping.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

namespace hourcell {
namespace {

using Kind = FunctionSpec::Kind;

// The sum of a window that moves over a series. It adds and never subtracts, because a difference
// of large sums has lost the digits of small numbers: numbers that enter are summed up in
// `entered_`; when the first one leaves, each gets the sum of itself and all after it.
class WindowSum {
 public:
  void Enter(double number) {
    entered_.push_back(number);
    entered_sum_ += number;
  }
  // REQUIRES: size() > 0.
  void LeaveFirst() {
    if (sums_.empty()) {
      double sum = 0;
      for (; !entered_.empty(); entered_.pop_back())
        sums_.push_back(sum += entered_.back());
      entered_sum_ = 0;
    }
    sums_.pop_back();
  }
  size_t size() const { return sums_.size() + entered_.size(); }
  double Mean() const {
    return ((sums_.empty() ? 0 : sums_.back()) + entered_sum_) / static_cast<double>(size());
  }

 private:
  std::vector<double> sums_;  // the first number of the window is in the last one
  std::vector<double> entered_;
  double entered_sum_ = 0;
};

Span ScaleOf(const SpanView& points, double factor) {
  const bool is_whole = factor == std::floor(factor) && std::fabs(factor) < 0x1p63;
  const auto whole = is_whole ? static_cast<uint64_t>(static_cast<int64_t>(factor)) : 0;
  Span scaled;
  for (size_t i = 0; i < points.size(); ++i) {
    const Value value = points.value(i);
    // In 64 bits without a sign, since the product may wrap, as in OpenTSDB.
    const bool stays = is_whole && value.is_integer();
    scaled.push_back(points.t[i], stays ? Value::Integer(static_cast<int64_t>(points.v[i] * whole))
                                        : Value::Float(points.ToDouble(i) * factor));
  }
  return scaled;
}

Span AbsoluteOf(const SpanView& points) {
  Span absolute;
  for (size_t i = 0; i < points.size(); ++i) {
    const Value value = points.value(i);
    if (!value.is_integer()) {
      absolute.push_back(points.t[i], Value::Float(std::fabs(value.floating())));
    } else {
      const uint64_t bits = value.integer() < 0 ? 0 - points.v[i] : points.v[i];
      absolute.push_back(points.t[i], Value::Integer(static_cast<int64_t>(bits)));
    }
  }
  return absolute;
}

Span FirstDiffOf(const SpanView& points) {
  Span differences;
  for (size_t i = 0; i < points.size(); ++i) {
    const double difference = i == 0 ? 0 : points.ToDouble(i) - points.ToDouble(i - 1);
    differences.push_back(points.t[i], Value::Float(difference));
  }
  return differences;
}

Span MovingAverageOf(const SpanView& points, const FunctionSpec& spec) {
  Span averages;
  WindowSum window;
  size_t first = 0;  // of the window, or a NaN before it
  bool is_full = false;
  const auto leave = [&] {
    while (std::isnan(points.ToDouble(first)))
      ++first;
    ++first;
    window.LeaveFirst();
  };
  for (size_t i = 0; i < points.size(); ++i) {
    const double number = points.ToDouble(i);
    if (!std::isnan(number)) window.Enter(number);
    if (spec.span_ms == 0) {
      if (window.size() > spec.count) leave();
      is_full = window.size() == spec.count;
    } else {
      for (; points.t[first] <= points.t[i] - spec.span_ms; ++first) {
        if (std::isnan(points.ToDouble(first))) continue;
        window.LeaveFirst();
        is_full = true;
      }
    }
    const double mean =
        window.size() == 0 ? std::numeric_limits<double>::quiet_NaN() : window.Mean();
    averages.push_back(points.t[i], Value::Float(is_full ? mean : 0));
  }
  return averages;
}

}  // namespace

std::string AliasOf(std::string_view pattern,
                    std::span<const std::pair<std::string_view, std::string_view>> tags) {
  std::string alias;
  while (!pattern.empty()) {
    const size_t at = pattern.find('@');
    alias += pattern.substr(0, at);
    if (at == std::string_view::npos) break;
    pattern.remove_prefix(at + 1);
    const std::pair<std::string_view, std::string_view>* longest = nullptr;
    for (const auto& tag : tags) {
      const bool is_longer = longest == nullptr || tag.first.size() > longest->first.size();
      if (is_longer && pattern.starts_with(tag.first)) longest = &tag;
    }
    alias += longest != nullptr ? longest->second : "@";
    if (longest != nullptr) pattern.remove_prefix(longest->first.size());
  }
  return alias;
}

Mapping::Mapping(const FunctionSpec& spec, MemoryAccount* memory) : spec_(spec), memory_(memory) {
  HOURCELL_CHECK(spec.kind >= Kind::kScale && spec.kind <= Kind::kAlias);
}

Span Mapping::Map(const SpanView& points) const {
  switch (spec_.kind) {
    case Kind::kScale:
      return ScaleOf(points, spec_.factor);
    case Kind::kAbsolute:
      return AbsoluteOf(points);
    case Kind::kMovingAverage:
      return MovingAverageOf(points, spec_);
    case Kind::kFirstDiff:
      return FirstDiffOf(points);
    case Kind::kTimeShift: {
      Span shifted;
      for (size_t i = 0; i < points.size(); ++i)
        shifted.push_back(points.t[i] + spec_.span_ms, points.value(i));
      return shifted;
    }
    default:
      HOURCELL_CHECK(false);
  }
}

absl::Status Mapping::Add(size_t /*input*/, const SeriesView& series, QuerySink* out) {
  SeriesView mapped = series;
  if (spec_.kind == Kind::kAlias) {
    const std::string alias = AliasOf(spec_.text, series.tags);
    mapped.metric = alias;
    mapped.tags = {};
    mapped.aggregate_tags = {};
    return out->OnSeries(mapped);
  }
  // Arrays that grow hold up to twice their points; a window has two numbers for each.
  constexpr size_t kBytesOfPoint = 2 * kSpanPointBytes + 4 * sizeof(double);
  MemoryHold hold(memory_);
  HOURCELL_RETURN_IF_ERROR(hold.Take(series.points.size() * kBytesOfPoint));
  const Span points = Map(series.points);
  mapped.points = {.t = points.t, .v = points.v, .is_float = points.is_float};
  return out->OnSeries(mapped);
}

absl::Status Mapping::Finish(QuerySink* /*out*/) {
  return absl::OkStatus();
}

}  // namespace hourcell
