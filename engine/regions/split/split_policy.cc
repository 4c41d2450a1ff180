#include "engine/regions/split/split_policy.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/random.h"

// Why HBase's policies under HBase's names: users of HBase have settings for them, and the
// simulator is compared with its behaviour. IncreasingToUpperBound is the default: it splits early
// while regions are few, which spreads writes, and late once they are many.

namespace hourcell {
namespace {

constexpr uint64_t kNever = INT64_MAX;

// Above this number of regions HBase stops raising the threshold: a guard against overflow.
constexpr uint64_t kRegionsCubedMax = 100;

class DisabledPolicy final : public SplitPolicy {
 public:
  explicit DisabledPolicy(SplitSettings settings) : SplitPolicy(std::move(settings)) {}
  uint64_t ThresholdBytes(const RegionFacts&, const TableFacts&) const override { return kNever; }
};

class ConstantSizePolicy final : public SplitPolicy {
 public:
  explicit ConstantSizePolicy(SplitSettings settings) : SplitPolicy(std::move(settings)) {}
  uint64_t ThresholdBytes(const RegionFacts& region, const TableFacts&) const override {
    return JitteredMaxBytes(region);
  }
};

// Also the size rule of KeyPrefix, DelimitedKeyPrefix, Busy and Load.
class IncreasingPolicy : public SplitPolicy {
 public:
  explicit IncreasingPolicy(SplitSettings settings) : SplitPolicy(std::move(settings)) {}
  uint64_t ThresholdBytes(const RegionFacts& region, const TableFacts& table) const final {
    const uint64_t max_bytes = JitteredMaxBytes(region);
    if (table.regions == 0 || table.regions > kRegionsCubedMax) return max_bytes;
    uint64_t threshold = InitialBytes(settings());
    for (uint64_t i = 0; i < settings().exponent; ++i) {
      if (threshold > max_bytes / table.regions) return max_bytes;
      threshold *= table.regions;
    }
    return std::min(threshold, max_bytes);
  }
};

class SteppingPolicy final : public SplitPolicy {
 public:
  explicit SteppingPolicy(SplitSettings settings) : SplitPolicy(std::move(settings)) {}
  uint64_t ThresholdBytes(const RegionFacts& region, const TableFacts& table) const override {
    return table.regions == 1 ? InitialBytes(settings()) : JitteredMaxBytes(region);
  }
};

class BusyPolicy final : public IncreasingPolicy {
 public:
  explicit BusyPolicy(SplitSettings settings) : IncreasingPolicy(std::move(settings)) {}

 private:
  SplitCause OtherCause(const RegionFacts& region, std::string* why) const override {
    const BusySettings& busy = settings().busy;
    *why =
        fmt::format("{:.3f} of its writes blocked, limit {:.3f}; age {} ms, at least {}",
                    region.blocked_share, busy.blocked_share_min, region.age_ms, busy.age_ms_min);
    const bool is_busy =
        region.age_ms >= busy.age_ms_min && region.blocked_share >= busy.blocked_share_min;
    return is_busy ? SplitCause::kBusy : SplitCause::kNone;
  }
};

class LoadPolicy final : public IncreasingPolicy {
 public:
  explicit LoadPolicy(SplitSettings settings) : IncreasingPolicy(std::move(settings)) {}

 private:
  SplitCause OtherCause(const RegionFacts& region, std::string* why) const override {
    if (region.load == nullptr) {
      *why = "load not measured";
      return SplitCause::kNone;
    }
    const bool has_point = !region.load->point.empty();
    *why = has_point ? fmt::format("{:.0f} requests/s", region.load->requests_per_s)
                     : region.load->reason;
    return has_point ? SplitCause::kLoad : SplitCause::kNone;
  }
};

}  // namespace

SplitPolicy::SplitPolicy(SplitSettings settings) : settings_(std::move(settings)) {}

SplitDecision SplitPolicy::Decide(const RegionFacts& region, const TableFacts& table) const {
  SplitDecision decision{.threshold_bytes = ThresholdBytes(region, table)};
  decision.reason = ClosedGate(region, table);
  if (!decision.reason.empty()) return decision;

  const uint64_t bytes = region.size.bytes(settings_.measure);
  std::string why;
  if (region.is_user_request) {
    decision.cause = SplitCause::kUser;
    decision.reason = "asked for by a user";
  } else if (bytes > decision.threshold_bytes && IsFullAndCold(region, decision.threshold_bytes)) {
    decision.reason = fmt::format("{} bytes, more than {}, but nothing is written to it", bytes,
                                  decision.threshold_bytes);
  } else if (bytes > decision.threshold_bytes) {
    decision.cause = SplitCause::kSize;
    decision.reason = fmt::format("{} bytes, more than {}", bytes, decision.threshold_bytes);
  } else {
    decision.cause = OtherCause(region, &why);
    const bool has_other = decision.cause != SplitCause::kNone;
    decision.reason = has_other
                          ? why
                          : fmt::format("{} bytes, not more than {}{}{}", bytes,
                                        decision.threshold_bytes, why.empty() ? "" : "; ", why);
  }
  decision.should_split = decision.cause != SplitCause::kNone;
  decision.place = PlaceOf(region, decision.cause);
  return decision;
}

bool SplitPolicy::IsFullAndCold(const RegionFacts& region, uint64_t threshold_bytes) const {
  if (!region.is_cold || !settings_.append.is_enabled) return false;
  return region.size.bytes(settings_.measure) - threshold_bytes <= threshold_bytes / 2;
}

std::string SplitPolicy::ClosedGate(const RegionFacts& region, const TableFacts& table) const {
  if (settings_.policy == SplitPolicyKind::kDisabled) return "policy Disabled";
  if (!settings_.is_enabled) return "splits are switched off for the table";
  if (region.state != RegionState::kOpen) {
    return fmt::format("region is {}; expected OPEN", RegionStateName(region.state));
  }
  if (region.has_references && !settings_.allow_nested_references) {
    return "files still refer to the parent";
  }
  if (region.is_user_request) return "";
  if (table.store_regions >= settings_.region_limit) {
    return fmt::format("{} regions in the store, limit {}", table.store_regions,
                       settings_.region_limit);
  }
  if (region.files_max >= settings_.blocking_files && !settings_.split_before_rewrite) {
    return fmt::format("{} files in a store, at {} they are rewritten first", region.files_max,
                       settings_.blocking_files);
  }
  return "";
}

SplitPlace SplitPolicy::PlaceOf(const RegionFacts& region, SplitCause cause) const {
  if (cause == SplitCause::kLoad) return SplitPlace::kLoad;
  const AppendSettings& append = settings_.append;
  if (append.is_enabled && region.append_share > 0 && region.append_share >= append.share_min) {
    return SplitPlace::kEnd;
  }
  // Halving the bytes brings little relief where half of the load is known.
  const bool knows_load = region.load != nullptr && !region.load->point.empty();
  return cause == SplitCause::kBusy && knows_load ? SplitPlace::kLoad : settings_.place;
}

uint64_t SplitPolicy::JitteredMaxBytes(const RegionFacts& region) const {
  return JitteredBytes(settings_.max_bytes, region.jitter_draw, settings_.jitter);
}

SplitCause SplitPolicy::OtherCause(const RegionFacts&, std::string*) const {
  return SplitCause::kNone;
}

std::unique_ptr<const SplitPolicy> MakeSplitPolicy(const SplitSettings& settings) {
  switch (settings.policy) {
    case SplitPolicyKind::kDisabled:
      return std::make_unique<DisabledPolicy>(settings);
    case SplitPolicyKind::kConstantSize:
      return std::make_unique<ConstantSizePolicy>(settings);
    case SplitPolicyKind::kIncreasingToUpperBound:
    case SplitPolicyKind::kKeyPrefix:
    case SplitPolicyKind::kDelimitedKeyPrefix:
      return std::make_unique<IncreasingPolicy>(settings);
    case SplitPolicyKind::kStepping:
      return std::make_unique<SteppingPolicy>(settings);
    case SplitPolicyKind::kBusy:
      return std::make_unique<BusyPolicy>(settings);
    case SplitPolicyKind::kLoad:
      return std::make_unique<LoadPolicy>(settings);
  }
  HOURCELL_CHECK(false);
}

double JitterDraw(uint64_t seed, RegionId id) {
  // Ids that follow each other must not give draws that follow each other; Random mixes its state.
  return Random(seed ^ (id.value * 0x9E3779B97F4A7C15)).Fraction();
}

uint64_t JitteredBytes(uint64_t max_bytes, double draw, double jitter) {
  max_bytes = std::min(max_bytes, kNever);
  const double change = static_cast<double>(max_bytes) * (draw - 0.5) * jitter;
  if (change >= static_cast<double>(kNever - max_bytes)) return kNever;
  return static_cast<uint64_t>(static_cast<int64_t>(max_bytes) + static_cast<int64_t>(change));
}

}  // namespace hourcell
