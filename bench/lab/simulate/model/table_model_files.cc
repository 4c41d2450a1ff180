// TableModel: flushes and rewrites of files.

#include <algorithm>
#include <utility>

#include "bench/lab/simulate/model/table_model.h"
#include "codec/base/random.h"

namespace hourcell {
namespace {

constexpr uint64_t kMajorAgainMs = 60'000;

}  // namespace

void TableModel::RequestFlush(RegionModel* region) {
  if (options_.flushes_together) {
    FlushTogether();
    return;
  }
  if (region->store.is_flushing() || region->flush_waits) return;
  const bool is_crowded = region->store.files() >= options_.settings.regions.split.blocking_files;
  if (!is_crowded || options_.settings.blocking_wait_ms == 0) {
    StartFlush(region);
    return;
  }
  region->flush_waits = true;
  RequestRewrite(region);
  events_.Push({.due_ms = now_ms_ + options_.settings.blocking_wait_ms,
                .kind = SimEventKind::kFlushAgain,
                .region = region->info.id});
}

void TableModel::StartFlush(RegionModel* region) {
  region->flush_waits = false;
  if (region->store.is_flushing() || region->store.active_bytes() == 0) return;
  const uint64_t bytes = region->store.active_bytes();
  region->store.BeginFlush();
  flushing_bytes_ += bytes;
  events_.Push({.due_ms = flush_disk_.Finish(now_ms_, bytes),
                .kind = SimEventKind::kFlushDone,
                .region = region->info.id});
}

void TableModel::FinishFlush(RegionModel* region) {
  const uint64_t bytes = region->store.FinishFlush();
  memory_bytes_ -= bytes;
  flushing_bytes_ -= bytes;
  if (bytes == 0) return;
  ++region->flushes;
  region->flushed_bytes += bytes;
  ++totals_.flushes;
  totals_.flushed_bytes += bytes;
}

void TableModel::FlushAtOnce(RegionModel* region) {
  if (region->store.is_flushing()) FinishFlush(region);
  region->store.BeginFlush();
  flushing_bytes_ += region->store.memory_bytes();
  FinishFlush(region);
}

void TableModel::FlushTogether() {
  std::vector<RegionId> ids;
  for (const auto& region : regions_)
    ids.push_back(region->info.id);
  for (const RegionId id : ids)
    FlushAtOnce(FindById(id));
  for (const RegionId id : ids)
    CheckAfterFlush(FindById(id));
}

void TableModel::RelieveMemory() {
  const ModelSettings& settings = options_.settings;
  const double limit = static_cast<double>(settings.memory_bytes) * settings.memstore_share *
                       settings.memstore_lower_share;
  while (static_cast<double>(memory_bytes_ - flushing_bytes_) > limit) {
    RegionModel* largest = nullptr;
    for (const auto& region : regions_) {
      if (region->store.is_flushing()) continue;
      const bool is_larger =
          largest == nullptr || region->store.active_bytes() > largest->store.active_bytes();
      if (is_larger) largest = region.get();
    }
    if (largest == nullptr || largest->store.active_bytes() == 0) return;
    StartFlush(largest);
  }
}

void TableModel::CheckAfterFlush(RegionModel* region) {
  if (MaybeSplit(region)) return;
  RequestRewrite(region);
}

void TableModel::StartRewrite(RegionModel* region, std::vector<uint64_t> files) {
  if (files.empty() || region->is_rewriting) return;
  region->is_rewriting = true;
  // Each byte is read and written.
  const uint64_t bytes = 2 * region->store.BytesOf(files);
  events_.Push({.due_ms = rewrite_disk_.Finish(now_ms_, bytes),
                .kind = SimEventKind::kLsmCompactionDone,
                .region = region->info.id,
                .files = std::move(files)});
}

void TableModel::RequestRewrite(RegionModel* region) {
  std::vector<uint64_t> files = region->store.ReferenceIds();
  if (files.empty()) {
    files = region->store.SelectForMinorRewrite(options_.settings.lsm_compaction);
  }
  StartRewrite(region, std::move(files));
}

void TableModel::FinishRewrite(RegionModel* region, std::span<const uint64_t> files) {
  region->is_rewriting = false;
  const FileRewrite rewrite = region->store.RewriteFiles(files, CutoffMs());
  if (rewrite.is_done) {
    ++region->rewrites;
    region->rewritten_bytes += rewrite.written_bytes;
    ++totals_.rewrites;
    totals_.rewritten_bytes += rewrite.written_bytes;
    totals_.expired += rewrite.expired;
  }
  const bool is_crowded = region->store.files() >= options_.settings.regions.split.blocking_files;
  if (region->flush_waits && !is_crowded) StartFlush(region);
  if (MaybeSplit(region)) return;
  RequestRewrite(region);
}

void TableModel::MajorRewrite(RegionModel* region) {
  if (region->is_rewriting) {
    events_.Push({.due_ms = now_ms_ + kMajorAgainMs,
                  .kind = SimEventKind::kMajorLsmCompaction,
                  .region = region->info.id});
    return;
  }
  StartRewrite(region, region->store.FileIds());
  PushMajor(*region);
}

void TableModel::PushMajor(const RegionModel& region) {
  const ModelSettings& settings = options_.settings;
  if (settings.major_ms == 0) return;
  const double draw = JitterDraw(settings.seed, region.info.id);
  const double factor = 1 + settings.major_jitter * (2 * draw - 1);
  const auto wait_ms = static_cast<uint64_t>(static_cast<double>(settings.major_ms) * factor);
  events_.Push({.due_ms = now_ms_ + std::max<uint64_t>(1, wait_ms),
                .kind = SimEventKind::kMajorLsmCompaction,
                .region = region.info.id});
}

}  // namespace hourcell
