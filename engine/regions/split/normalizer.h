// The normaliser: which regions to split and which to merge so that a table's regions are of about
// one size. HBase's SimpleRegionNormalizer as a pure planner; spelt as HBase spells it. It merges
// the small and empty regions that a TTL leaves.
//
//   average  target size, else bytes / target count, else bytes / regions
//   split    larger than twice the average
//   merge    runs of neighbours in key order, as long as their sum is at most the average; a run
//            continues over an empty region, and an empty region takes any neighbour (HBASE-24583)
//
// Beyond HBase: each region left alone has a reason; a region that is to be split joins no merge;
// pins keep pre-split regions (HBASE-27667); and a merge must not undo a split: neither one by load
// before its time is up, nor one by size, so a merged region stays well below the threshold at
// which the split policy would cut it again.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/regions/region_info.h"
#include "engine/regions/setting_reader.h"

namespace hourcell {

struct NormalizerSettings {
  bool is_enabled = true;
  uint64_t period_ms = 300'000;
  bool allow_splits = true;
  bool allow_merges = true;
  uint64_t merge_regions_min = 3;           // a table of fewer regions is not merged
  uint64_t merge_age_ms_min = 259'200'000;  // 3 days
  uint64_t merge_bytes_min = 0;             // smaller regions are not merged; HBase has 1 MB
  uint64_t merge_count_max = 100;           // regions of one merge
  uint64_t target_regions = 0;              // 0 = none
  uint64_t target_bytes = 0;                // of a region; 0 = none
  uint64_t sticky_ms = 3'600'000;           // after a split by load; 0 = HBase's
  double merged_share_max = 0.6;            // of the split threshold; 0 = no limit, as in HBase
};

// HBase 2.x's defaults.
NormalizerSettings HBaseNormalizerSettings();

// As ReadSplitSettings.
void ReadNormalizerSettings(SettingReader* reader, NormalizerSettings* settings);

struct NormalizerRegion {
  RegionInfo region = {};  // its id is when it was created
  uint64_t bytes = 0;
  uint64_t load_split_ms = 0;          // when it came out of a split by load; 0 = it did not
  uint64_t split_threshold_bytes = 0;  // SplitPolicy::ThresholdBytes; 0 = not known
};

// Indexes into the list given.
struct NormalizerPlan {
  double average_bytes = 0;
  std::vector<size_t> splits = {};
  std::vector<std::vector<size_t>> merges = {};  // each in key order
  std::vector<std::string> reasons =
      {};  // for each region, why it is left alone; empty = it is not
};

// `regions` are all of one table, in any order.
NormalizerPlan PlanNormalization(std::span<const NormalizerRegion> regions,
                                 const NormalizerSettings& settings,
                                 uint64_t now_ms);

}  // namespace hourcell
