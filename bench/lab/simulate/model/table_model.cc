#include "bench/lab/simulate/model/table_model.h"

#include <algorithm>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/random.h"
#include "codec/base/status_macros.h"
#include "engine/regions/region_info.h"

namespace hourcell {
namespace {

constexpr uint64_t kSplitCheckMs = 10'000;  // HBase's chore checks every ten seconds

// Only the policy Load needs a LoadSampler.
bool WatchesLoad(const SplitSettings& settings) {
  return settings.policy == SplitPolicyKind::kLoad;
}

bool AsksByTime(const SplitSettings& settings) {
  return settings.policy == SplitPolicyKind::kLoad || settings.policy == SplitPolicyKind::kBusy;
}

double ShareOf(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

absl::StatusOr<std::unique_ptr<TableModel>> TableModel::Make(TableModelOptions options) {
  std::unique_ptr<TableModel> model(new TableModel(std::move(options)));
  HOURCELL_RETURN_IF_ERROR(model->Start());
  return model;
}

TableModel::TableModel(TableModelOptions options)
    : options_(std::move(options)),
      policy_(MakeSplitPolicy(options_.settings.regions.split)),
      flush_disk_(std::max<uint64_t>(1, options_.settings.disk_bytes_per_s / 2)),
      rewrite_disk_(std::max<uint64_t>(1, options_.settings.disk_bytes_per_s / 2)),
      now_ms_(options_.start_ms),
      window_end_ms_(options_.start_ms + options_.window_ms) {}

absl::Status TableModel::Start() {
  std::string start;
  for (const std::string& key : options_.split_keys) {
    regions_.push_back(NewRegion({.start = start, .end = key}, {}));
    start = key;
  }
  regions_.push_back(NewRegion({.start = start, .end = ""}, {}));
  if (options_.settings.cells.model == CellModel::kHourcell) StartAsHourcell();
  std::vector<RegionInfo> infos;
  for (const auto& region : regions_)
    infos.push_back(region->info);
  HOURCELL_RETURN_IF_ERROR(RegionMap::Make(std::move(infos)).status());
  SetMap();
  if (AsksByTime(options_.settings.regions.split)) {
    events_.Push({.due_ms = now_ms_ + kSplitCheckMs, .kind = SimEventKind::kSplitCheck});
  }
  const NormalizerSettings& normalizer = options_.settings.regions.normalizer;
  if (normalizer.is_enabled && normalizer.period_ms > 0) {
    events_.Push({.due_ms = now_ms_ + normalizer.period_ms, .kind = SimEventKind::kNormalize});
  }
  return absl::OkStatus();
}

// The region of an uncut table is number 1, and the regions of a pre-split are pinned.
void TableModel::StartAsHourcell() {
  if (regions_.size() == 1) {
    greatest_id_ = {1};
    regions_[0]->info.id = greatest_id_;
    PushMajor(*regions_[0]);
    return;
  }
  for (const auto& region : regions_)
    region->info.pinned_until_ms = now_ms_ + kPinnedMs;
}

std::unique_ptr<RegionModel> TableModel::NewRegion(RegionRange range,
                                                   std::vector<RegionId> parents) {
  greatest_id_ = DaughterId(now_ms_, greatest_id_);
  const SplitSettings& split = options_.settings.regions.split;
  auto region = std::make_unique<RegionModel>(
      RegionModel{.info = {.table = "data",
                           .range = std::move(range),
                           .id = greatest_id_,
                           .state = RegionState::kOpen,
                           .parents = std::move(parents)},
                  .store = StoreModel(options_.settings.bins_max),
                  .busy = BusyRate(now_ms_, {}),
                  .append = AppendDetector(static_cast<size_t>(split.append.window)),
                  .opened_ms = now_ms_});
  if (WatchesLoad(split)) {
    region->load.emplace(split.load, options_.settings.seed ^ greatest_id_.value);
  }
  PushMajor(*region);
  return region;
}

RegionModel* TableModel::FindById(RegionId id) {
  const auto it = std::find_if(regions_.begin(), regions_.end(),
                               [&](const auto& region) { return region->info.id == id; });
  return it == regions_.end() ? nullptr : it->get();
}

RegionModel& TableModel::RegionOf(std::string_view key) {
  if (last_ == nullptr || !last_->info.range.Contains(key)) last_ = regions_[map_->Find(key)].get();
  return *last_;
}

void TableModel::SetMap() {
  std::vector<RegionInfo> infos;
  infos.reserve(regions_.size());
  for (const auto& region : regions_)
    infos.push_back(region->info);
  absl::StatusOr<RegionMap> map = RegionMap::Make(std::move(infos));
  HOURCELL_CHECK(map.ok());
  map_.emplace(*std::move(map));
  last_ = nullptr;
}

void TableModel::Put(const ModelPut& put) {
  AdvanceTo(put.now_ms);
  RegionModel* const region = &RegionOf(put.key);
  const KeyMass mass{
      .cells = put.puts,
      .rows = put.rows,
      .bytes = CellBytes(options_.settings.cells, put.key.size(), put.rows, put.puts)};
  region->store.Put(put.key, mass, put.point_ms);
  region->puts += put.puts;
  region->writes += put.puts;
  region->window_puts += put.puts;
  window_puts_ += put.puts;
  totals_.puts += put.puts;
  totals_.written_bytes += mass.bytes;
  memory_bytes_ += mass.bytes;
  if (options_.settings.regions.split.append.is_enabled) region->append.Record(put.key);
  NoteLoad(region, put);
  NoteBlocked(region, put.puts);
  if (region->store.active_bytes() >= options_.settings.regions.split.flush_bytes) {
    RequestFlush(region);
  }
  RelieveMemory();
}

void TableModel::AdvanceTo(uint64_t now_ms) {
  while (true) {
    const bool has_event = events_.HasDue(now_ms);
    const bool has_window = window_end_ms_ <= now_ms;
    if (!has_event && !has_window) break;
    if (has_window && !events_.HasDue(window_end_ms_ - 1)) {
      now_ms_ = std::max(now_ms_, window_end_ms_);
      CloseWindow();
      continue;
    }
    const SimEvent event = events_.Pop();
    now_ms_ = std::max(now_ms_, event.due_ms);
    Handle(event);
  }
  now_ms_ = std::max(now_ms_, now_ms);
}

void TableModel::Finish() {
  if (options_.flushes_together) {
    for (size_t before = 0; before != regions_.size();) {
      before = regions_.size();
      FlushTogether();
    }
  }
  CloseWindow();
  for (const auto& region : regions_)
    EndStall(region.get());
}

void TableModel::Handle(const SimEvent& event) {
  if (event.kind == SimEventKind::kNormalize) {
    Normalize();
    events_.Push({.due_ms = now_ms_ + options_.settings.regions.normalizer.period_ms,
                  .kind = SimEventKind::kNormalize});
    return;
  }
  if (event.kind == SimEventKind::kSplitCheck) {
    std::vector<RegionId> ids;
    for (const auto& region : regions_)
      ids.push_back(region->info.id);
    for (const RegionId id : ids)
      MaybeSplit(FindById(id));
    events_.Push({.due_ms = now_ms_ + kSplitCheckMs, .kind = SimEventKind::kSplitCheck});
    return;
  }
  RegionModel* const region = FindById(event.region);
  if (region == nullptr) return;
  switch (event.kind) {
    case SimEventKind::kFlushDone:
      FinishFlush(region);
      CheckAfterFlush(region);
      return;
    case SimEventKind::kFlushAgain:
      if (region->flush_waits) StartFlush(region);
      return;
    case SimEventKind::kLsmCompactionDone:
      FinishRewrite(region, event.files);
      return;
    case SimEventKind::kMajorLsmCompaction:
      MajorRewrite(region);
      return;
    default:
      HOURCELL_CHECK(false);
  }
}

void TableModel::CloseWindow() {
  uint64_t hottest = 0;
  CurvePoint point{.time_ms = now_ms_, .regions = regions_.size(), .memory_bytes = memory_bytes_};
  for (const auto& region : regions_) {
    hottest = std::max(hottest, region->window_puts);
    region->hot_share_max =
        std::max(region->hot_share_max, ShareOf(region->window_puts, window_puts_));
    region->window_puts = 0;
    if (options_.settings.ttl_ms > 0) {
      totals_.expired += region->store.DropExpiredFiles(CutoffMs());
    }
    const uint64_t file_bytes = region->store.file_bytes();
    point.file_bytes += file_bytes;
    point.files += region->store.files();
    if (file_bytes + region->store.memory_bytes() == 0) ++point.empty_regions;
  }
  windows_.Close(point, window_puts_, hottest);
  window_puts_ = 0;
  window_end_ms_ = now_ms_ + options_.window_ms;
}

void TableModel::NoteLoad(RegionModel* region, const ModelPut& put) {
  if (!region->load.has_value()) return;
  for (uint64_t i = 0; i < put.puts; ++i)
    region->load->RecordKey(now_ms_, put.key);
}

void TableModel::NoteBlocked(RegionModel* region, uint64_t puts) {
  const ModelSettings& settings = options_.settings;
  const uint64_t region_max = settings.regions.split.flush_bytes * settings.block_multiplier;
  const double memory_max = static_cast<double>(settings.memory_bytes) * settings.memstore_share;
  const bool is_blocked =
      region->store.memory_bytes() > region_max || static_cast<double>(memory_bytes_) > memory_max;
  if (!is_blocked) {
    if (region->stalled_since_ms != 0) EndStall(region);
    return;
  }
  region->blocked += puts;
  totals_.blocked += puts;
  if (region->stalled_since_ms == 0) region->stalled_since_ms = std::max<uint64_t>(1, now_ms_);
}

void TableModel::EndStall(RegionModel* region) {
  if (region->stalled_since_ms == 0) return;
  const uint64_t since_ms = std::exchange(region->stalled_since_ms, 0);
  const uint64_t duration_ms = now_ms_ - std::min(now_ms_, since_ms);
  totals_.stall_ms += duration_ms;
  timeline_.Add({.time_ms = since_ms,
                 .kind = IncidentKind::kStall,
                 .region = region->info.id,
                 .key = region->info.range.start,
                 .bytes = region->store.memory_bytes(),
                 .duration_ms = duration_ms,
                 .regions = regions_.size()});
}

uint64_t TableModel::CutoffMs() const {
  const uint64_t ttl_ms = options_.settings.ttl_ms;
  return ttl_ms == 0 ? 0 : now_ms_ - std::min(now_ms_, ttl_ms);
}

}  // namespace hourcell
