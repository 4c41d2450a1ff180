// TableModel: a table of regions as a discrete-event model. Puts come in order of time, counted in
// batches; memory fills, is flushed to files, files are rewritten, regions split and merge. When
// and where is decided by the engine's own rules (engine/regions); the model holds the facts:
//
//   Put -> memstore -> flush at the flush size, or of the largest when memory is short
//       -> file -> SplitPolicy::Decide, FindSplitPoint, ShareFile -> two daughters
//               -> else SelectForMinorLsmCompaction -> one file of several
//   every period  PlanNormalization -> splits and merges
//   always        files that are older than the TTL vanish
//
// Nothing is read or written. A put that HBase would block is counted as blocked and taken all the
// same. Deterministic: settings, split keys and puts say all. Thread-compatible.

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

// A region of the model: what the catalogue has of it, its store, and what was counted.
struct RegionModel {
  RegionInfo info = {};
  StoreModel store;
  BusyRate busy;
  AppendDetector append;
  std::optional<LoadSampler> load = {};  // with the policy Load

  uint64_t puts = 0;  // ever, to keys that are this region's now
  uint64_t window_puts = 0;
  double hot_share_max = 0;  // of a window's puts
  uint64_t writes = 0;       // puts since the region was opened
  uint64_t blocked = 0;      // of them
  uint64_t opened_ms = 0;
  uint64_t load_split_ms = 0;  // when it came out of a split by load; 0 = it did not
  double left_share = 0;       // of the bytes of its parent that went left, when it was cut
  uint64_t flushes = 0;
  uint64_t flushed_bytes = 0;
  uint64_t rewrites = 0;  // LSM compactions
  uint64_t rewritten_bytes = 0;
  uint64_t stalled_since_ms = 0;  // 0 = not stalled
  bool is_rewriting = false;
  bool flush_waits = false;      // for files to become fewer
  bool is_unsplittable = false;  // it was to be split, and there was no point
  std::string why_unsplittable = {};
};

// Puts to one key.
struct ModelPut {
  std::string_view key = {};
  uint64_t now_ms = 0;    // when they come; never below the last one's
  uint64_t point_ms = 0;  // the points' own time, for the TTL
  uint64_t puts = 1;
  uint64_t rows = 0;  // rows that begin with them
};

struct TableTotals {
  uint64_t puts = 0;
  uint64_t blocked = 0;
  uint64_t stall_ms = 0;  // of all regions
  uint64_t written_bytes = 0;
  uint64_t flushes = 0;
  uint64_t flushed_bytes = 0;
  uint64_t rewrites = 0;
  uint64_t rewritten_bytes = 0;
  KeyMass expired = {};
};

struct TableModelOptions {
  ModelSettings settings = {};
  std::vector<std::string> split_keys = {};  // ascending; the regions it begins with
  uint64_t start_ms = 0;
  uint64_t window_ms = 60'000;
  // All regions are flushed, and asked whether they split, when one of them has filled its memory,
  // at once: as EngineRun does it, to be compared with. Else each by itself.
  bool flushes_together = false;
};

class TableModel {
 public:
  // kInvalidArgument: split keys that make no regions.
  static absl::StatusOr<std::unique_ptr<TableModel>> Make(TableModelOptions options);

  void Put(const ModelPut& put);

  // Lets time pass without puts.
  void AdvanceTo(uint64_t now_ms);

  // Closes the window that is open, and the stalls. Regions that flush together are flushed, and
  // split until none is too large.
  void Finish();

  // Ascending by start.
  std::span<const std::unique_ptr<RegionModel>> regions() const { return regions_; }
  const TableTotals& totals() const { return totals_; }
  const Timeline& timeline() const { return timeline_; }
  const WindowStats& windows() const { return windows_; }
  const ModelSettings& settings() const { return options_.settings; }
  uint64_t now_ms() const { return now_ms_; }
  // Above it the policy splits this region; INT64_MAX = never by size.
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
  // True if it was split, and is gone.
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
  RegionModel* last_ = nullptr;  // the region of the last put, which often has the next
  EventQueue events_;
  DiskModel flush_disk_;
  DiskModel rewrite_disk_;
  uint64_t now_ms_ = 0;
  uint64_t window_end_ms_ = 0;
  uint64_t window_puts_ = 0;
  uint64_t memory_bytes_ = 0;
  uint64_t flushing_bytes_ = 0;  // of them
  RegionId greatest_id_ = {};
  TableTotals totals_;
  Timeline timeline_;
  WindowStats windows_;
};

}  // namespace hourcell
