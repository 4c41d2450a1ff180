// TableModel: a table of regions as a discrete-event model. Puts arrive in order of time, counted
// in batches; memory fills, is flushed to files, files are rewritten, regions split and merge. The
// engine's rules (engine/regions) decide when and where; the model supplies the facts:
//
//   Put -> memstore -> flush at the flush size, or of the largest when memory is short
//       -> file -> SplitPolicy::Decide, FindSplitPoint, ShareFile -> two daughters
//               -> else SelectForMinorLsmCompaction -> one file of several
//   every period  PlanNormalization -> splits and merges
//   always        files that are older than the TTL vanish
//
// The model reads and writes no data. It counts a put that HBase would block as blocked, but
// accepts it. Deterministic: settings, split keys and puts determine the result. Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "bench/lab/simulate/model/event_queue.h"
#include "bench/lab/simulate/model/model_settings.h"
#include "bench/lab/simulate/model/store_model.h"
#include "bench/lab/simulate/model/timeline.h"
#include "bench/lab/simulate/model/window_stats.h"
#include "engine/regions/region_map.h"
#include "engine/regions/split/append_detector.h"
#include "engine/regions/split/busy_rate.h"
#include "engine/regions/split/load_sampler.h"
#include "engine/regions/split/split_policy.h"

namespace hourcell {

// A region of the model: its entry in the catalogue, its store, and its counters.
struct RegionModel {
  RegionInfo info = {};
  StoreModel store;
  BusyRate busy;
  AppendDetector append;
  std::optional<LoadSampler> load = {};  // with the policy Load

  uint64_t puts = 0;  // all puts so far to keys now in this region
  uint64_t window_puts = 0;
  double hot_share_max = 0;  // of a window's puts
  uint64_t writes = 0;       // puts since the region was opened
  uint64_t blocked = 0;      // how many were blocked
  uint64_t opened_ms = 0;
  uint64_t load_split_ms = 0;  // time of the split by load that made it; 0 = other origin
  double left_share = 0;       // share of its parent's bytes that went left in the cut
  uint64_t flushes = 0;
  uint64_t flushed_bytes = 0;
  uint64_t rewrites = 0;  // LSM compactions
  uint64_t rewritten_bytes = 0;
  uint64_t stalled_since_ms = 0;  // 0 = not stalled
  bool is_rewriting = false;
  bool flush_waits = false;      // until there are fewer files
  bool is_unsplittable = false;  // a split was due, but no split point exists
  std::string why_unsplittable = {};
};

// Puts to one key.
struct ModelPut {
  std::string_view key = {};
  uint64_t now_ms = 0;    // time of arrival; ascending
  uint64_t point_ms = 0;  // the points' timestamp, for the TTL
  uint64_t puts = 1;
  uint64_t rows = 0;  // rows that these puts begin
};

struct TableTotals {
  uint64_t puts = 0;
  uint64_t blocked = 0;
  uint64_t stall_ms = 0;  // sum over all regions
  uint64_t written_bytes = 0;
  uint64_t flushes = 0;
  uint64_t flushed_bytes = 0;
  uint64_t rewrites = 0;
  uint64_t rewritten_bytes = 0;
  KeyMass expired = {};
};

struct TableModelOptions {
  ModelSettings settings = {};
  std::vector<std::string> split_keys = {};  // ascending; the bounds of the first regions
  uint64_t start_ms = 0;
  uint64_t window_ms = 60'000;
  // When one region has filled its memory, all regions are flushed and checked for splits at once:
  // as EngineRun does, for comparison. False: each region separately.
  bool flushes_together = false;
};

class TableModel {
 public:
  // kInvalidArgument: invalid split keys.
  static absl::StatusOr<std::unique_ptr<TableModel>> Make(TableModelOptions options);

  void Put(const ModelPut& put);

  // Advances the time without puts.
  void AdvanceTo(uint64_t now_ms);

  // Closes the open window and the stalls. If regions flush together, flushes them, and splits them
  // until none is too large.
  void Finish();

  // Ascending by start.
  std::span<const std::unique_ptr<RegionModel>> regions() const { return regions_; }
  const TableTotals& totals() const { return totals_; }
  const Timeline& timeline() const { return timeline_; }
  const WindowStats& windows() const { return windows_; }
  const ModelSettings& settings() const { return options_.settings; }
  uint64_t now_ms() const { return now_ms_; }
  // The size above which the policy splits this region; INT64_MAX = never by size.
  uint64_t ThresholdOf(const RegionModel& region) const;

 private:
  using Regions = std::vector<std::unique_ptr<RegionModel>>;

  explicit TableModel(TableModelOptions options);
  absl::Status Start();
  void StartAsHourcell();

  std::unique_ptr<RegionModel> NewRegion(RegionRange range, std::vector<RegionId> parents);
  RegionModel* FindById(RegionId id);
  RegionModel& RegionOf(std::string_view key);
  void SetMap();

  void Handle(const SimEvent& event);
  void CloseWindow();
  void NoteLoad(RegionModel* region, const ModelPut& put);
  void NoteBlocked(RegionModel* region, uint64_t puts);
  void EndStall(RegionModel* region);

  void RequestFlush(RegionModel* region);
  void StartFlush(RegionModel* region);
  void FinishFlush(RegionModel* region);
  void FlushAtOnce(RegionModel* region);
  void FlushTogether();
  void RelieveMemory();
  void CheckAfterFlush(RegionModel* region);

  void StartRewrite(RegionModel* region, std::vector<uint64_t> files);
  void RequestRewrite(RegionModel* region);
  void FinishRewrite(RegionModel* region, std::span<const uint64_t> files);
  void MajorRewrite(RegionModel* region);
  void PushMajor(const RegionModel& region);
  uint64_t CutoffMs() const;

  RegionFacts FactsOf(const RegionModel& region) const;
  TableFacts Facts() const;
  // True if the region was split and no longer exists.
  bool MaybeSplit(RegionModel* region);
  bool SplitAt(RegionModel* region, SplitPlace place, const std::string& hint, SplitCause cause);
  void Cut(RegionModel* region, const SplitPoint& point, SplitCause cause);
  NormalizerSettings NormalizerRules() const;
  void Normalize();
  void MergeRegions(std::span<const RegionId> ids);

  TableModelOptions options_;
  std::unique_ptr<const SplitPolicy> policy_;
  Regions regions_;
  std::optional<RegionMap> map_;
  RegionModel* last_ = nullptr;  // the region of the last put, often also of the next
  EventQueue events_;
  DiskModel flush_disk_;
  DiskModel rewrite_disk_;
  uint64_t now_ms_ = 0;
  uint64_t window_end_ms_ = 0;
  uint64_t window_puts_ = 0;
  uint64_t memory_bytes_ = 0;
  uint64_t flushing_bytes_ = 0;  // the flushing part
  RegionId greatest_id_ = {};
  TableTotals totals_;
  Timeline timeline_;
  WindowStats windows_;
};

}  // namespace hourcell
