#include "engine/regions/split/normalizer.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

// Why every region gets a reason: "nothing to do" cannot be checked by an operator. A merge must
// not undo a split, by load or by size: HBase's normaliser can merge regions that its split policy
// cuts again, and the two then take turns.

namespace hourcell {
namespace {

// Regions of a merge, as it grows.
struct Run {
  std::vector<size_t> members = {};
  uint64_t bytes = 0;
  uint64_t bytes_max = std::numeric_limits<uint64_t>::max();  // of the merged region
};

class Planner {
 public:
  Planner(std::span<const NormalizerRegion> regions,
          const NormalizerSettings& settings,
          uint64_t now_ms)
      : regions_(regions), settings_(settings), now_ms_(now_ms) {
    plan_.reasons.resize(regions.size());
    plan_.average_bytes = Average();
  }

  NormalizerPlan Plan() {
    if (regions_.empty()) return plan_;
    if (!settings_.is_enabled) {
      std::fill(plan_.reasons.begin(), plan_.reasons.end(), "normaliser is off");
      return plan_;
    }
    PlanSplits();
    PlanMerges();
    return std::move(plan_);
  }

 private:
  double Average() const {
    if (regions_.empty()) return 0;
    if (settings_.target_bytes > 0) return static_cast<double>(settings_.target_bytes);
    const uint64_t total = std::accumulate(
        regions_.begin(), regions_.end(), uint64_t{0},
        [](uint64_t sum, const NormalizerRegion& region) { return sum + region.bytes; });
    const uint64_t count =
        settings_.target_regions > 0 ? settings_.target_regions : regions_.size();
    return static_cast<double>(total) / static_cast<double>(count);
  }

  // Indexes by start key: names sort in another order (HBASE-24376).
  std::vector<size_t> InKeyOrder() const {
    std::vector<size_t> order(regions_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return regions_[a].region.range.start < regions_[b].region.range.start;
    });
    return order;
  }

  void PlanSplits() {
    is_split_.resize(regions_.size());
    if (!settings_.allow_splits) return;
    for (const size_t index : InKeyOrder()) {
      const NormalizerRegion& region = regions_[index];
      const bool is_large = static_cast<double>(region.bytes) > 2 * plan_.average_bytes;
      if (!is_large || region.region.state != RegionState::kOpen) continue;
      plan_.splits.push_back(index);
      is_split_[index] = true;
    }
  }

  // Why merges are off for the whole table; empty if they are allowed.
  std::string NoMerges() const {
    if (!settings_.allow_merges) return "merges are switched off";
    if (regions_.size() < settings_.merge_regions_min) {
      return fmt::format("table of {} regions; merges from {}", regions_.size(),
                         settings_.merge_regions_min);
    }
    if (FloorOfAverage() < settings_.merge_bytes_min) {
      return fmt::format("average of {} bytes; merges from {}", FloorOfAverage(),
                         settings_.merge_bytes_min);
    }
    return "";
  }

  uint64_t FloorOfAverage() const { return static_cast<uint64_t>(plan_.average_bytes); }

  // Why a region joins no merge; empty if it may.
  std::string NoMergeOf(const NormalizerRegion& region) const {
    const uint64_t created_ms = region.region.id.value;
    const uint64_t age_ms = now_ms_ - std::min(now_ms_, created_ms);
    const uint64_t split_age_ms = now_ms_ - std::min(now_ms_, region.load_split_ms);
    if (region.region.state != RegionState::kOpen) {
      return fmt::format("is {}; expected OPEN", RegionStateName(region.region.state));
    }
    if (now_ms_ < region.region.pinned_until_ms) {
      return fmt::format("pinned for {} ms more", region.region.pinned_until_ms - now_ms_);
    }
    if (age_ms < settings_.merge_age_ms_min) {
      return fmt::format("{} ms old; merges from {}", age_ms, settings_.merge_age_ms_min);
    }
    if (region.load_split_ms > 0 && split_age_ms < settings_.sticky_ms) {
      return fmt::format("split for its load {} ms ago; merges after {}", split_age_ms,
                         settings_.sticky_ms);
    }
    if (region.bytes < settings_.merge_bytes_min) {
      return fmt::format("{} bytes; merges from {}", region.bytes, settings_.merge_bytes_min);
    }
    return "";
  }

  // The largest region a merge with `region` may make, so that no split undoes it.
  uint64_t MergedBytesMax(const NormalizerRegion& region) const {
    if (settings_.merged_share_max <= 0 || region.split_threshold_bytes == 0) {
      return std::numeric_limits<uint64_t>::max();
    }
    return static_cast<uint64_t>(settings_.merged_share_max *
                                 static_cast<double>(region.split_threshold_bytes));
  }

  bool CanJoin(const Run& run, const NormalizerRegion& region) const {
    if (run.members.empty()) return true;
    if (run.members.size() >= settings_.merge_count_max) return false;
    if (regions_[run.members.back()].region.range.end != region.region.range.start) return false;
    const uint64_t sum = run.bytes + region.bytes;
    if (sum > std::min(run.bytes_max, MergedBytesMax(region))) return false;
    const bool one_is_empty = region.bytes == 0 || (run.members.size() == 1 && run.bytes == 0);
    return one_is_empty || sum <= FloorOfAverage();
  }

  void Join(Run* run, size_t index) const {
    run->members.push_back(index);
    run->bytes += regions_[index].bytes;
    run->bytes_max = std::min(run->bytes_max, MergedBytesMax(regions_[index]));
  }

  // Puts a run of 2 and more into the plan.
  void End(Run* run) {
    if (run->members.size() > 1) {
      plan_.merges.push_back(run->members);
    } else if (run->members.size() == 1) {
      plan_.reasons[run->members.front()] =
          fmt::format("{} bytes: with a neighbour more than the average of {}, or as good as split",
                      run->bytes, FloorOfAverage());
    }
    *run = {};
  }

  void PlanMerges() {
    const std::string no_merges = NoMerges();
    Run run;
    for (const size_t index : InKeyOrder()) {
      const NormalizerRegion& region = regions_[index];
      const std::string no_merge = no_merges.empty() ? NoMergeOf(region) : no_merges;
      if (is_split_[index] || !no_merge.empty()) {
        End(&run);
        if (!is_split_[index]) plan_.reasons[index] = no_merge;
        continue;
      }
      if (!CanJoin(run, region)) End(&run);
      Join(&run, index);
    }
    End(&run);
  }

  std::span<const NormalizerRegion> regions_;
  const NormalizerSettings& settings_;
  const uint64_t now_ms_;
  NormalizerPlan plan_;
  std::vector<bool> is_split_;
};

}  // namespace

NormalizerSettings HBaseNormalizerSettings() {
  NormalizerSettings settings;
  settings.is_enabled = false;
  settings.merge_bytes_min = uint64_t{1} << 20;
  settings.sticky_ms = 0;
  settings.merged_share_max = 0;
  return settings;
}

void ReadNormalizerSettings(SettingReader* reader, NormalizerSettings* settings) {
  constexpr uint64_t kMegabyte = uint64_t{1} << 20;
  constexpr uint64_t kDayMs = 86'400'000;
  reader->ReadBool({"NORMALIZATION_ENABLED", "tsd.region.normalizer.enabled",
                    "hbase.table.normalization.enabled"},
                   &settings->is_enabled);
  reader->ReadCount({"tsd.region.normalizer.period_ms", "hbase.normalizer.period"}, {.min = 1},
                    &settings->period_ms);
  reader->ReadBool({"tsd.region.normalizer.splits", "hbase.normalizer.split.enabled"},
                   &settings->allow_splits);
  reader->ReadBool({"tsd.region.normalizer.merges", "hbase.normalizer.merge.enabled"},
                   &settings->allow_merges);
  // A table can forbid its merges; it cannot allow merges that the site forbids.
  bool table_allows_merges = true;
  reader->ReadBool({"MERGE_ENABLED"}, &table_allows_merges);
  settings->allow_merges = settings->allow_merges && table_allows_merges;
  reader->ReadCount(
      {"tsd.region.normalizer.merge_regions_min", "hbase.normalizer.merge.min.region.count",
       "hbase.normalizer.min.region.count"},
      {}, &settings->merge_regions_min);
  reader->ReadUnits({"hbase.normalizer.merge.min_region_age.days"}, kDayMs, {},
                    &settings->merge_age_ms_min);
  reader->ReadCount({"tsd.region.normalizer.merge_age_ms_min"}, {}, &settings->merge_age_ms_min);
  reader->ReadUnits({"hbase.normalizer.merge.min_region_size.mb"}, kMegabyte, {},
                    &settings->merge_bytes_min);
  reader->ReadBytes({"tsd.region.normalizer.merge_bytes_min"}, {}, &settings->merge_bytes_min);
  reader->ReadCount({"tsd.region.normalizer.merge_count_max",
                     "hbase.normalizer.merge.merge_request_max_number_of_regions"},
                    {.min = 2}, &settings->merge_count_max);
  reader->ReadCount({"NORMALIZER_TARGET_REGION_COUNT", "tsd.region.normalizer.target_regions"}, {},
                    &settings->target_regions);
  reader->ReadBytes({"tsd.region.normalizer.target_bytes"}, {}, &settings->target_bytes);
  reader->ReadUnits({"NORMALIZER_TARGET_REGION_SIZE_MB", "NORMALIZER_TARGET_REGION_SIZE"},
                    kMegabyte, {}, &settings->target_bytes);
  reader->ReadCount({"tsd.region.normalizer.sticky_ms"}, {}, &settings->sticky_ms);
  reader->ReadFraction({"tsd.region.normalizer.merged_share_max"}, 0, 1,
                       &settings->merged_share_max);
}

NormalizerPlan PlanNormalization(std::span<const NormalizerRegion> regions,
                                 const NormalizerSettings& settings,
                                 uint64_t now_ms) {
  return Planner(regions, settings, now_ms).Plan();
}

}  // namespace hourcell
