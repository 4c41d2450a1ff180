#include "server/inputs/otlp/otlp_metrics.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace hourcell {

void OtlpAttributes::Clear() {
  tags_.clear();
  texts_.clear();
  dropped_ = 0;
  too_many_ = false;
}

void OtlpAttributes::Add(std::string_view key, std::string_view text) {
  if (text.empty()) return;
  if (tags_.size() == kOtlpAttributesMax) {
    too_many_ = true;
    return;
  }
  tags_.push_back({.key = key, .value = text});
}

void OtlpAttributes::AddOwned(std::string_view key, std::string text) {
  if (tags_.size() == kOtlpAttributesMax) return Add(key, text);  // Add then drops the text
  Add(key, Own(std::move(text)));
}

std::string_view OtlpAttributes::Own(std::string text) {
  if (tags_.size() == kOtlpAttributesMax) return "";
  return texts_.emplace_back(std::move(text));
}

// Keeps the capacity of its lists for the next point.
void OtlpPoint::Clear() {
  attributes.Clear();
  time_ns = 0;
  has_no_value = false;
  exemplars = 0;
  too_many_buckets = false;
  value.reset();
  count = 0;
  sum.reset();
  bounds.clear();
  counts.clear();
  scale = 0;
  min.reset();
  max.reset();
  zero_count = 0;
  zero_threshold = 0;
  for (OtlpBuckets* const buckets : {&positive, &negative}) {
    buckets->offset = 0;
    buckets->counts.clear();
  }
  quantiles.clear();
}

std::string OtlpNumberText(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "+Inf" : "-Inf";
  std::array<char, 512> text{};  // at most 343 bytes are used, by a small subnormal number
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  return {text.data(), end};
}

}  // namespace hourcell
