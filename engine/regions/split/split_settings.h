// When and where regions of a table are split, as settings. Defaults are ours; HBaseSplitSettings()
// has HBase's. Names, ranges and differences: docs/regions.md.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/regions/setting_reader.h"
#include "engine/regions/split/region_size.h"
#include "engine/regions/split/split_restriction.h"

namespace hourcell {

enum class SplitPolicyKind : uint8_t {
  kDisabled,
  kConstantSize,
  kIncreasingToUpperBound,
  kStepping,
  kKeyPrefix,
  kDelimitedKeyPrefix,
  kBusy,
  kLoad,  // not HBase's
};

// "ConstantSize".
std::string_view SplitPolicyName(SplitPolicyKind kind);

// How the point of a split is found (split_point.h).
enum class SplitPlace : uint8_t {
  kBytes,  // half of the bytes on each side
  kHBase,  // the middle of the largest file, as HBase does it
  kLoad,   // half of the requests on each side (load_sampler.h)
  kEnd,    // above the largest key (append_detector.h)
};

// HBase's BusyRegionSplitPolicy.
struct BusySettings {
  double blocked_share_min = 0.2;  // of writes that were blocked
  uint64_t age_ms_min = 600'000;
  uint64_t window_ms = 300'000;
};

// The figures are CockroachDB's.
struct LoadSettings {
  double requests_per_s_min = 2'500;  // below it nothing is sampled
  uint64_t record_ms_min = 10'000;    // how long to watch before a decision
  uint64_t samples = 20;              // keys in the reservoir
  uint64_t observations_min = 100;    // requests counted for a key before it can be the point
  double imbalance_max = 0.25;        // of |left - right| / (left + right), exclusive
  double contained_max = 0.5;         // of requests that the key would cut in two, exclusive
};

struct AppendSettings {
  bool is_enabled = true;
  uint64_t window = 1'024;  // how many writes are looked back at
  double share_min = 0.9;   // least share above all keys before
};

struct SplitSettings {
  SplitPolicyKind policy = SplitPolicyKind::kIncreasingToUpperBound;
  bool is_enabled = true;                     // SPLIT_ENABLED of a table; false refuses manual ones
  uint64_t max_bytes = uint64_t{4} << 30;     // of a region
  double jitter = 0.25;                       // max_bytes varies by +- half of this share
  uint64_t jitter_seed = 0x486F757263656C6C;  // with a region's id gives its draw
  uint64_t flush_bytes = uint64_t{128} << 20;  // of a region's memory
  uint64_t initial_bytes = 0;                  // threshold of a first region; 0 = from flush_bytes
  uint64_t exponent = 3;                       // of IncreasingToUpperBound; 2 before HBase 0.94.17
  SizeMeasure measure = SizeMeasure::kTotal;
  SplitPlace place = SplitPlace::kBytes;
  uint64_t daughter_bytes_min = uint64_t{1} << 20;
  bool allow_nested_references = true;  // split a region that still has keys of its parent's
  uint64_t region_limit = 1'000;        // of all tables in one store; above it no automatic splits
  uint64_t blocking_files = 16;         // a store with this many is rewritten before its split...
  bool split_before_rewrite = false;    // ...unless this is set (HBASE-26242)
  uint64_t policy_prefix_length = 0;    // of kKeyPrefix
  std::string policy_delimiter = {};    // of kDelimitedKeyPrefix
  SplitRestriction restriction = {};    // whatever the policy
  BusySettings busy = {};
  LoadSettings load = {};
  AppendSettings append = {};
};

// HBase 2.x's defaults.
SplitSettings HBaseSplitSettings();

// The threshold a table starts with: initial_bytes, or 2 x flush_bytes; with exponent 2, as in
// HBase before 0.94.17, IncreasingToUpperBound and its heirs start with 1 x flush_bytes.
uint64_t InitialBytes(const SplitSettings& settings);

// The restriction of the settings, else that of a prefix policy. One applies to all points, those
// that a user gives included.
SplitRestriction RestrictionOf(const SplitSettings& settings);

// Sets the fields of `*settings` that the reader has. A table's attribute overrides our setting of
// that meaning, which overrides HBase's of the site.
void ReadSplitSettings(SettingReader* reader, SplitSettings* settings);

}  // namespace hourcell
