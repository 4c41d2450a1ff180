// SplitPolicy: should this region be split now? HBase's policies, and one that follows the load.
// Pure and immutable, so any number of threads may use one. The caller keeps the state of a policy
// (BusyRate, LoadSampler, AppendDetector), region by region, and passes it as facts.
//
// Decide is called after a flush, after an LSM compaction, and by a user. The gates of HBase's
// flush path come first:
//
//   enabled for the table -> open -> no references of a split before (unless nested ones are
//   allowed) -> fewer regions than the limit -> fewer files than block -> the policy
//
// A user's request passes the last three. split_point.h then finds the point.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/regions/region_info.h"
#include "engine/regions/split/load_sampler.h"
#include "engine/regions/split/region_size.h"
#include "engine/regions/split/split_settings.h"

namespace hourcell {

struct RegionFacts {
  RegionState state = RegionState::kOpen;
  RegionSize size = {};
  bool has_references = false;
  uint64_t files_max = 0;    // of the store with the most files
  double jitter_draw = 0.5;  // JitterDraw of the region; 0.5 = no jitter
  uint64_t age_ms = 0;       // since the region was opened
  double blocked_share = 0;  // BusyRate::Update
  double append_share = 0;   // AppendDetector::share
  // Next to nothing was written to it since it was opened. A region that was split at its end is
  // full, and cutting it again brings no relief: it may be larger by half.
  bool is_cold = false;
  const LoadVerdict* load = nullptr;  // LoadSampler::Judge; null = not measured
  bool is_user_request = false;
};

struct TableFacts {
  uint64_t regions = 1;        // of this table in this store
  uint64_t store_regions = 1;  // of all tables
};

enum class SplitCause : uint8_t { kNone, kSize, kBusy, kLoad, kUser };

struct SplitDecision {
  bool should_split = false;
  uint64_t threshold_bytes = 0;  // of the size rule, whatever was decided; INT64_MAX = never
  SplitCause cause = SplitCause::kNone;
  SplitPlace place = SplitPlace::kBytes;  // where, if it should
  std::string reason = {};                // for logs and the listing of regions
};

class SplitPolicy {
 public:
  virtual ~SplitPolicy() = default;
  SplitPolicy(const SplitPolicy&) = delete;
  SplitPolicy& operator=(const SplitPolicy&) = delete;

  SplitDecision Decide(const RegionFacts& region, const TableFacts& table) const;

  // A region larger than this is split; INT64_MAX = never by size.
  virtual uint64_t ThresholdBytes(const RegionFacts& region, const TableFacts& table) const = 0;

  const SplitSettings& settings() const { return settings_; }

 protected:
  explicit SplitPolicy(SplitSettings settings);

  // max_bytes with this region's jitter.
  uint64_t JitteredMaxBytes(const RegionFacts& region) const;

  // A reason to split other than the size. `*why` gets the figures either way, if there are any.
  virtual SplitCause OtherCause(const RegionFacts& region, std::string* why) const;

 private:
  // Why the policy is not even used; empty if it is.
  std::string ClosedGate(const RegionFacts& region, const TableFacts& table) const;
  // Larger than its threshold, and still to be left alone.
  bool IsFullAndCold(const RegionFacts& region, uint64_t threshold_bytes) const;
  SplitPlace PlaceOf(const RegionFacts& region, SplitCause cause) const;

  SplitSettings settings_;
};

std::unique_ptr<const SplitPolicy> MakeSplitPolicy(const SplitSettings& settings);

// A region's draw, uniform in [0, 1): the same for the same seed and id, so a restart and the
// simulator find it again.
double JitterDraw(uint64_t seed, RegionId id);

// max + trunc(max * (draw - 0.5) * jitter), at most INT64_MAX (HBASE-13412).
uint64_t JitteredBytes(uint64_t max_bytes, double draw, double jitter);

}  // namespace hourcell
