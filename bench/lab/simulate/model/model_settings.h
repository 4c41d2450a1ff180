// What the simulator's table obeys: the settings of regions that the engine reads, and those of
// HBase's that only a model has a use for, by HBase's names or ours (tsd.simulate.*). The list is
// in docs/simulate.md. Pure.

#pragma once

#include <cstddef>
#include <cstdint>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/model/minor_compaction.h"
#include "engine/regions/setting_reader.h"
#include "engine/regions/split/region_settings.h"

namespace hourcell {

// How points are written, which says how many bytes they take.
enum class CellModel : uint8_t {
  kHBase,     // a KeyValue a point, as soon as it comes
  kHourcell,  // one packed cell a row, when its hour is over
};

struct CellSettings {
  CellModel model = CellModel::kHourcell;
  uint64_t family_bytes = 1;     // of a KeyValue
  uint64_t qualifier_bytes = 2;  // of a KeyValue
  uint64_t value_bytes = 8;      // of a KeyValue
  double point_bytes = 2;        // of a point in a packed cell
};

struct ModelSettings {
  RegionSettings regions = {};
  CellSettings cells = {};
  RatioSettings lsm_compaction = {};          // bytes_min 0 = the flush size, as in HBase
  uint64_t memory_bytes = uint64_t{4} << 30;  // the heap, of which memstores may have a share
  double memstore_share = 0.4;
  double memstore_lower_share = 0.95;  // of that: above it the largest memstores are flushed
  uint64_t block_multiplier = 4;       // of the flush size: above it writes are blocked
  uint64_t blocking_wait_ms = 90'000;  // how long too many files put off a flush
  uint64_t major_ms = 604'800'000;     // between major LSM compactions; 0 = never
  double major_jitter = 0.5;           // +- of it
  uint64_t ttl_ms = 0;                 // 0 = points are kept for ever
  uint64_t disk_bytes_per_s = uint64_t{200} << 20;  // one half for flushes, one for rewrites
  size_t bins_max = 128;                            // of a KeyHistogram
  uint64_t seed = 1;
};

// What HBase 2.x does without any setting.
ModelSettings HBaseModelSettings();

// `defaults` changed by `settings`, as ParseRegionSettings does it; names that begin with
// tsd.simulate. must be known.
absl::StatusOr<ModelSettings> ParseModelSettings(const SettingMap& settings,
                                                 const ModelSettings& defaults = {});

// The bytes of `rows` rows with `points` points, of keys of `key_bytes`: HBase's KeyValues.
uint64_t HBaseBytes(const CellSettings& cells, uint64_t key_bytes, uint64_t points);

// The same in RocksDB as Hourcell writes it, before compression: a row is its key with 8 bytes of
// sequence and type, 3 of lengths, a header of 4 bytes, and its packed points. Keys of a block
// share prefixes; what they save is left out, as it depends on the neighbours.
uint64_t HourcellBytes(const CellSettings& cells,
                       uint64_t key_bytes,
                       uint64_t rows,
                       uint64_t points);

// Whichever the model writes.
uint64_t CellBytes(const CellSettings& cells, uint64_t key_bytes, uint64_t rows, uint64_t points);

}  // namespace hourcell
