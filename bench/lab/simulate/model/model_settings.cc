#include "bench/lab/simulate/model/model_settings.h"

#include "codec/base/status_macros.h"
#include "engine/regions/split/region_size.h"

namespace hourcell {
namespace {

constexpr uint64_t kRowOverheadBytes = 8 + 3 + 4;
constexpr uint64_t kMsPerS = 1'000;

void ReadMemory(SettingReader* reader, ModelSettings* settings) {
  reader->ReadBytes({"tsd.simulate.memory_bytes"}, {.min = 1}, &settings->memory_bytes);
  reader->ReadFraction({"tsd.simulate.memstore_share", "hbase.regionserver.global.memstore.size"},
                       0.01, 1, &settings->memstore_share);
  reader->ReadFraction(
      {"tsd.simulate.memstore_lower_share", "hbase.regionserver.global.memstore.size.lower.limit"},
      0.01, 1, &settings->memstore_lower_share);
  reader->ReadCount({"tsd.simulate.block_multiplier", "hbase.hregion.memstore.block.multiplier"},
                    {.min = 1}, &settings->block_multiplier);
  reader->ReadCount({"tsd.simulate.blocking_wait_ms", "hbase.hstore.blockingWaitTime"}, {},
                    &settings->blocking_wait_ms);
}

void ReadRewrites(SettingReader* reader, ModelSettings* settings) {
  RatioSettings& ratio = settings->lsm_compaction;
  uint64_t files_min = ratio.files_min;
  uint64_t files_max = ratio.files_max;
  reader->ReadCount({"tsd.simulate.lsm_compaction.min", "hbase.hstore.compaction.min",
                     "hbase.hstore.compactionThreshold"},
                    {.min = 2, .max = 1'000}, &files_min);
  reader->ReadCount({"tsd.simulate.lsm_compaction.max", "hbase.hstore.compaction.max"},
                    {.min = 2, .max = 1'000}, &files_max);
  ratio.files_min = files_min;
  ratio.files_max = files_max;
  reader->ReadFraction({"tsd.simulate.lsm_compaction.ratio", "hbase.hstore.compaction.ratio"}, 0,
                       100, &ratio.ratio);
  reader->ReadBytes({"tsd.simulate.lsm_compaction.min_bytes", "hbase.hstore.compaction.min.size"},
                    {}, &ratio.bytes_min);
  reader->ReadBytes({"tsd.simulate.lsm_compaction.max_bytes", "hbase.hstore.compaction.max.size"},
                    {.min = 1}, &ratio.bytes_max);
  reader->ReadCount({"tsd.simulate.major_ms", "hbase.hregion.majorcompaction"}, {},
                    &settings->major_ms);
  reader->ReadFraction({"tsd.simulate.major_jitter", "hbase.hregion.majorcompaction.jitter"}, 0, 1,
                       &settings->major_jitter);
  reader->ReadBytes({"tsd.simulate.disk_bytes_per_s"}, {.min = 1}, &settings->disk_bytes_per_s);
}

void ReadCells(SettingReader* reader, ModelSettings* settings) {
  CellSettings& cells = settings->cells;
  reader->ReadChoice<CellModel>({"tsd.simulate.cells"},
                                {{"hbase", CellModel::kHBase}, {"hourcell", CellModel::kHourcell}},
                                &cells.model);
  reader->ReadCount({"tsd.simulate.family_bytes"}, {.max = 255}, &cells.family_bytes);
  reader->ReadCount({"tsd.simulate.qualifier_bytes"}, {.max = 65'535}, &cells.qualifier_bytes);
  reader->ReadCount({"tsd.simulate.value_bytes"}, {.max = uint64_t{1} << 30}, &cells.value_bytes);
  reader->ReadFraction({"tsd.simulate.point_bytes"}, 0, 1e9, &cells.point_bytes);
  reader->ReadCount({"tsd.storage.day_row_points"}, {.max = 100'000}, &cells.day_row_points);
}

}  // namespace

ModelSettings HBaseModelSettings() {
  ModelSettings settings;
  settings.regions = HBaseRegionSettings();
  settings.cells.model = CellModel::kHBase;
  return settings;
}

absl::StatusOr<ModelSettings> ParseModelSettings(const SettingMap& settings,
                                                 const ModelSettings& defaults) {
  ModelSettings parsed = defaults;
  HOURCELL_ASSIGN_OR_RETURN(parsed.regions, ParseRegionSettings(settings, defaults.regions));
  SettingReader reader(settings);
  parsed.lsm_compaction.bytes_min = 0;
  ReadMemory(&reader, &parsed);
  ReadRewrites(&reader, &parsed);
  ReadCells(&reader, &parsed);
  // HBase's table attribute is in seconds, and its FOREVER is the largest value.
  uint64_t ttl_s = parsed.ttl_ms / kMsPerS;
  constexpr uint64_t kForeverS = INT32_MAX;
  reader.ReadCount({"TTL", "tsd.simulate.ttl_s"}, {.max = kForeverS}, &ttl_s);
  parsed.ttl_ms = ttl_s == kForeverS ? 0 : ttl_s * kMsPerS;
  reader.RefuseUnknown("tsd.simulate.");
  HOURCELL_RETURN_IF_ERROR(reader.status());
  if (parsed.lsm_compaction.files_max < parsed.lsm_compaction.files_min) {
    return absl::InvalidArgumentError(
        "hbase.hstore.compaction.max: expected at least as many files, got less than "
        "hbase.hstore.compaction.min");
  }
  if (parsed.lsm_compaction.bytes_min == 0) {
    parsed.lsm_compaction.bytes_min = parsed.regions.split.flush_bytes;
  }
  return parsed;
}

uint64_t HBaseBytes(const CellSettings& cells, uint64_t key_bytes, uint64_t points) {
  return points *
         HBaseCellBytes(key_bytes, cells.family_bytes, cells.qualifier_bytes, cells.value_bytes);
}

uint64_t HourcellBytes(const CellSettings& cells,
                       uint64_t key_bytes,
                       uint64_t rows,
                       uint64_t points) {
  return rows * (key_bytes + kRowOverheadBytes) +
         static_cast<uint64_t>(static_cast<double>(points) * cells.point_bytes);
}

uint64_t CellBytes(const CellSettings& cells, uint64_t key_bytes, uint64_t rows, uint64_t points) {
  return cells.model == CellModel::kHBase ? HBaseBytes(cells, key_bytes, points)
                                          : HourcellBytes(cells, key_bytes, rows, points);
}

}  // namespace hourcell
