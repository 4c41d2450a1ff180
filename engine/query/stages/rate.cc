#include "engine/query/stages/rate.h"

#include <optional>

namespace hourcell {
namespace {

// `a` - `b` + `c` in Java's long arithmetic: wraps at 64 bits.
int64_t WrappingSum(int64_t a, int64_t b, int64_t c) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b) +
                              static_cast<uint64_t>(c));
}

// `maximum` - `before` + `after`: in integers if both values are, so that large counters keep all
// digits.
double Difference(Value before, Value after, int64_t maximum) {
  if (before.is_integer() && after.is_integer()) {
    return static_cast<double>(WrappingSum(maximum, before.integer(), after.integer()));
  }
  return static_cast<double>(maximum) - before.ToDouble() + after.ToDouble();
}

// The rate at the later of two points; absent if the point is a dropped reset.
std::optional<double> RateBetween(Value before, Value after, double seconds, const RateSpec& spec) {
  const double difference = Difference(before, after, 0);
  if (!spec.counter || !(difference < 0)) return difference / seconds;
  if (spec.drop_resets) return std::nullopt;
  const double rate = Difference(before, after, spec.counter_max) / seconds;
  const bool is_reset = spec.reset_value > 0 && rate > static_cast<double>(spec.reset_value);
  return is_reset ? 0.0 : rate;
}

}  // namespace

Span Rate(const Span& span, const RateSpec& spec) {
  Span rates;
  rates.t.reserve(span.size());
  rates.v.reserve(span.size());
  rates.is_float.reserve(span.size());
  for (size_t i = 1; i < span.size(); ++i) {
    const double seconds = static_cast<double>(span.t[i] - span.t[i - 1]) / 1000.0;
    const auto rate = RateBetween(span.value(i - 1), span.value(i), seconds, spec);
    if (rate.has_value()) rates.push_back(span.t[i], Value::Float(*rate));
  }
  return rates;
}

}  // namespace hourcell
