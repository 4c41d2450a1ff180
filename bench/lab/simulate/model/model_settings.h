// The settings of the simulator's table: the region settings of the engine, and HBase settings that
// only a model needs, by HBase's names or ours (tsd.simulate.*). The list is in docs/simulate.md.
// Pure.

#pragma once

#include <cstddef>
#include <cstdint>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/model/minor_compaction.h"
#include "engine/regions/setting_reader.h"
#include "engine/regions/split/region_settings.h"

namespace hourcell {

// The form of written points, which determines their bytes.
enum class CellModel : uint8_t {
  kHBase,     // a KeyValue per point, on arrival
  kHourcell,  // a packed cell at the end of its hour, in its own row or in that of its day
};

struct CellSettings {
  CellModel model = CellModel::kHourcell;
  uint64_t family_bytes = 1;     // of a KeyValue
  uint64_t qualifier_bytes = 2;  // of a KeyValue
  uint64_t value_bytes = 8;      // of a KeyValue
  double point_bytes = 2;        // of a point in a packed cell
  // Hours of fewer points share the row of their day, as in a store; 0 = none.
  uint64_t day_row_points = 250;
};

struct ModelSettings {
  RegionSettings regions = {};
  CellSettings cells = {};
  RatioSettings lsm_compaction = {};          // bytes_min 0 = the flush size, as in HBase
  uint64_t memory_bytes = uint64_t{4} << 30;  // the heap; memstores may use a share
  double memstore_share = 0.4;
  double memstore_lower_share = 0.95;  // share of that; above it the largest are flushed
  uint64_t block_multiplier = 4;       // times the flush size; above it writes are blocked
  uint64_t blocking_wait_ms = 90'000;  // the longest delay of a flush by too many files
  uint64_t major_ms = 604'800'000;     // between major LSM compactions; 0 = never
  double major_jitter = 0.5;           // +- this share
  uint64_t ttl_ms = 0;                 // 0 = points do not expire
  uint64_t disk_bytes_per_s = uint64_t{200} << 20;  // one half for flushes, one for rewrites
  size_t bins_max = 128;                            // of a KeyHistogram
  uint64_t seed = 1;
};

// The defaults of HBase 2.x.
ModelSettings HBaseModelSettings();

// `defaults` changed by `settings`, as ParseRegionSettings does it; names that begin with
// tsd.simulate. must be known.
absl::StatusOr<ModelSettings> ParseModelSettings(const SettingMap& settings,
                                                 const ModelSettings& defaults = {});

// The bytes of `points` points, in rows with keys of `key_bytes`, as HBase's KeyValues.
uint64_t HBaseBytes(const CellSettings& cells, uint64_t key_bytes, uint64_t points);

// The bytes in RocksDB in Hourcell's form, before compression: a row is its key with 8 bytes of
// sequence and type, 3 of lengths, a header of 4 bytes, and its packed points. Keys of a block
// share prefixes; the savings are left out, as they depend on the neighbours.
uint64_t HourcellBytes(const CellSettings& cells,
                       uint64_t key_bytes,
                       uint64_t rows,
                       uint64_t points);

// By the form of the settings.
uint64_t CellBytes(const CellSettings& cells, uint64_t key_bytes, uint64_t rows, uint64_t points);

}  // namespace hourcell
