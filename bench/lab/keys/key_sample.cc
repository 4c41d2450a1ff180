#include "bench/lab/keys/key_sample.h"

#include <cmath>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "engine/regions/presplit/split_algorithm.h"

namespace hourcell {
namespace {

// std::push_heap keeps the largest first; this order makes it the least priority.
constexpr auto kLeastFirst = [](const auto& a, const auto& b) { return a.priority > b.priority; };

constexpr uint64_t kSeedMask = 0x6B65792073616D70;

}  // namespace

double PredictedSpread(uint32_t regions, double sample) {
  return sample > 0 ? std::sqrt(regions / sample) : 0;
}

// The sample must not depend on the random numbers of keys made from the same seed.
KeySample::KeySample(const KeySampleOptions& options)
    : options_(options), random_(options.seed ^ kSeedMask) {
  HOURCELL_CHECK(options.keys_max > 0);
}

void KeySample::Add(std::string_view key, uint64_t weight) {
  ++keys_offered_;
  if (weight == 0) return;
  const double u = 1 - random_.Fraction();
  const double priority = static_cast<double>(weight) / u;
  const bool is_full = heap_.size() == options_.keys_max;
  if (is_full && priority <= heap_.front().priority) {
    dropped_priority_ = std::max(dropped_priority_, priority);
    return;
  }
  if (is_full) {
    std::pop_heap(heap_.begin(), heap_.end(), kLeastFirst);
    dropped_priority_ = std::max(dropped_priority_, heap_.back().priority);
  } else {
    heap_.emplace_back();
  }
  Kept& kept = heap_.back();
  kept.priority = priority;
  kept.weight = static_cast<double>(weight);
  kept.key.assign(key.substr(0, options_.key_bytes_max));
  std::push_heap(heap_.begin(), heap_.end(), kLeastFirst);
}

size_t KeySample::keys_kept() const {
  return heap_.size();
}

double KeySample::EffectiveSize() const {
  double sum = 0;
  double sum_of_squares = 0;
  for (const Kept& kept : heap_) {
    sum += WeightOf(kept);
    sum_of_squares += WeightOf(kept) * WeightOf(kept);
  }
  return sum_of_squares > 0 ? sum * sum / sum_of_squares : 0;
}

std::vector<KeySample::Step> KeySample::Steps(double* total) const {
  std::vector<const Kept*> order;
  order.reserve(heap_.size());
  for (const Kept& kept : heap_)
    order.push_back(&kept);
  // By weight too, so that the sums do not depend on the order in the heap.
  std::sort(order.begin(), order.end(), [](const Kept* a, const Kept* b) {
    const int order_of_keys = a->key.compare(b->key);
    return order_of_keys != 0 ? order_of_keys < 0 : a->weight < b->weight;
  });
  std::vector<Step> steps;
  *total = 0;
  for (const Kept* const kept : order) {
    if (steps.empty() || steps.back().key != kept->key) {
      steps.push_back({.key = kept->key, .below = *total});
    }
    *total += WeightOf(*kept);
  }
  return steps;
}

absl::StatusOr<SampledSplit> KeySample::Split(uint32_t regions, SmallSample small) const {
  if (regions < 2 || regions > kPresplitRegionsMax) {
    return absl::InvalidArgumentError(fmt::format("sampled split: expected 2 to {} regions, got {}",
                                                  kPresplitRegionsMax, regions));
  }
  const double size = std::round(EffectiveSize());
  const double size_min = double{kSampleKeysPerRegionMin} * regions;
  if (heap_.empty() || (small == SmallSample::kRefuse && size < size_min)) {
    return absl::FailedPreconditionError(
        fmt::format("sampled split into {} regions: expected at least {:.0f}, for regions even to "
                    "{:.0f} %, got a sample of {:.0f} keys",
                    regions, size_min, 100 * PredictedSpread(1, kSampleKeysPerRegionMin), size));
  }
  double total = 0;
  const std::vector<Step> steps = Steps(&total);
  SampledSplit split{.keys = {}, .shares = {}, .predicted_spread = PredictedSpread(regions, size)};
  size_t bound = 0;   // index of the last bound; key 0 is never a bound
  double before = 0;  // weight below it
  for (uint32_t j = 1; j < regions && bound + 1 < steps.size(); ++j) {
    const double target = std::floor(total * j / regions);
    const auto above = std::lower_bound(
        steps.begin() + static_cast<std::ptrdiff_t>(bound) + 1, steps.end(), target,
        [](const Step& step, double weight) { return step.below < weight; });
    auto nearest = static_cast<size_t>(above - steps.begin());
    const bool has_lower = nearest > bound + 1;
    if (nearest == steps.size() ||
        (has_lower && target - steps[nearest - 1].below <= steps[nearest].below - target)) {
      --nearest;
    }
    bound = nearest;
    split.keys.emplace_back(steps[bound].key);
    split.shares.push_back((steps[bound].below - before) / total);
    before = steps[bound].below;
  }
  split.shares.push_back((total - before) / total);
  return split;
}

}  // namespace hourcell
