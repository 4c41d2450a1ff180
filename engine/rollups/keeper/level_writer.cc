#include "engine/rollups/keeper/level_writer.h"

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"

// Why a sync before the puts: the cells of a level may reach a file before the journal is synced. A
// power failure would then take points that the level has, and nothing would compute it again.

namespace hourcell {
namespace {

// Points of one append.
constexpr size_t kLevelPointsPerAppend = 4096;

}  // namespace

void LevelWriter::BeginRound() {
  levels_.clear();
  points_ = 0;
  failed_.clear();
}

void LevelWriter::Add(Levels levels) {
  points_ += levels.points.size();
  levels_.push_back(std::move(levels));
}

absl::Status LevelWriter::Flush() {
  const std::vector<Levels> levels = std::exchange(levels_, {});
  if (std::exchange(points_, 0) == 0) return absl::OkStatus();
  HOURCELL_KILL_POINT("rollups:before_sync");
  absl::Status put = parts_.commit->CommitAll(/*sync=*/true);
  HOURCELL_KILL_POINT("rollups:before_levels");
  if (put.ok()) put = Put(levels);
  HOURCELL_KILL_POINT("rollups:levels");
  if (put.ok()) return put;
  for (const Levels& one : levels)
    failed_.insert(one.metric);
  return put;
}

absl::Status LevelWriter::Put(const std::vector<Levels>& levels) {
  CommitTicket all;
  std::vector<std::vector<TagView>> tags;  // of each of `levels` in the batch
  std::vector<PointView> batch;
  std::vector<Uid> metrics;  // of each of `batch`
  std::vector<RefusedPoint> refused;
  const auto append = [&] {
    all.Cover(parts_.writer->Append(std::span<const PointView>(batch), &refused, {.sync = true}));
    for (const RefusedPoint& point : refused)
      failed_.insert(metrics[point.index]);
    parts_.points->Add(batch.size() - refused.size());
    tags.clear();
    batch.clear();
    metrics.clear();
  };
  for (const Levels& one : levels) {
    std::vector<TagView>& of_one = tags.emplace_back();
    for (const auto& [key, value] : *one.tags)
      of_one.push_back({.key = key, .value = value});
    for (const auto& [time_s, value] : one.points) {
      batch.push_back({.metric = one.name,
                       .tags = of_one,
                       .timestamp = {.ms = time_s * 1000},
                       .value = value,
                       .has_any_names = true});
      metrics.push_back(one.metric);
    }
    // Not within one: the views of a batch point to its tags.
    if (batch.size() >= kLevelPointsPerAppend) append();
  }
  if (!batch.empty()) append();
  return all.Wait();
}

}  // namespace hourcell
