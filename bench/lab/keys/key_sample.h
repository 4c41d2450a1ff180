// KeySample: split keys from a sample of real row keys, as in region-helper's sampling calculator,
// but streaming: Add offers keys one by one, each with a weight (1 to balance rows, its bytes to
// balance bytes), and keeps a bounded number.
//
// The sample is a priority sample (Duffield, Lund, Thorup: "Priority sampling for estimation of
// arbitrary subset sums", J. ACM 54, 2007): of n keys it keeps those with the largest weight / u, u
// uniform in (0, 1], and each kept key represents max(its weight, the largest dropped weight / u).
// Sums of these are unbiased estimates, for any mix of weights; as long as none was dropped they
// are exact. With equal weights it is a reservoir in which all keys have the same probability.
//
// The evenness of the regions depends only on the sample's size N: the share between adjacent
// quantiles for R regions scatters by sqrt(R / N) of its mean. For 3 % with 10 regions it needs
// 10,000 keys, whatever the hash. With unequal weights N is the effective size, (sum w)^2 / sum w^2
// (Kish).
//
// Thread-compatible.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/base/random.h"

namespace hourcell {

// The least number of sampled keys per region, unless the caller accepts fewer.
inline constexpr uint32_t kSampleKeysPerRegionMin = 100;

struct KeySampleOptions {
  uint32_t keys_max = 100'000;  // kept at most, at least 1
  uint64_t seed = 1;            // the same keys and seed give the same sample
  size_t key_bytes_max = 256;   // longer keys are cut: a bound needs no more
};

// Whether Split rejects a sample that is too small for its regions.
enum class SmallSample : uint8_t { kRefuse, kAccept };

struct SampledSplit {
  std::vector<std::string> keys;  // split keys, ascending; fewer than requested if keys are too few
  std::vector<double> shares;     // of the weight, of each region, by the sample; they add up to 1
  double predicted_spread = 0;    // standard deviation of a region's share, relative to its mean
};

// sqrt(regions / sample), 0 for an empty sample.
double PredictedSpread(uint32_t regions, double sample);

class KeySample {
 public:
  explicit KeySample(const KeySampleOptions& options);

  // Offers a key. A key of weight 0 is counted and never kept.
  void Add(std::string_view key, uint64_t weight = 1);

  uint64_t keys_offered() const { return keys_offered_; }
  size_t keys_kept() const;
  // N: keys kept, or less if their weights differ.
  double EffectiveSize() const;

  // The split keys that cut the weight into `regions` equal parts, as nearly as whole keys allow:
  // bound j is the key for which the weight below it is nearest to floor(j * weight / regions).
  // A key as heavy as several regions is bounded on both sides, and costs regions.
  // kInvalidArgument: regions not in 2..kPresplitRegionsMax. kFailedPrecondition: no key, or an
  // effective size below 100 keys a region, unless small samples are accepted.
  absl::StatusOr<SampledSplit> Split(uint32_t regions,
                                     SmallSample small = SmallSample::kRefuse) const;

 private:
  struct Kept {
    double priority = 0;
    double weight = 0;
    std::string key;
  };
  // A distinct key of the sample.
  struct Step {
    std::string_view key;
    double below = 0;  // weight of smaller keys
  };

  // The weight that `kept` represents.
  double WeightOf(const Kept& kept) const { return std::max(kept.weight, dropped_priority_); }
  // The distinct keys in order; `*total` gets the weight of all.
  std::vector<Step> Steps(double* total) const;

  KeySampleOptions options_;
  Random random_;
  std::vector<Kept> heap_;       // the least priority first
  double dropped_priority_ = 0;  // the largest dropped priority; 0 = none
  uint64_t keys_offered_ = 0;
};

}  // namespace hourcell
