#include "engine/regions/live/region_history.h"

#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "codec/base/check.h"

// Why steps of all regions are one ring: a picture has time along one axis, and shows the steps of
// a removed region next to those of its daughters. Counters are read each second and not only at
// the end of a step, so that at most a second of a removed region is lost.

namespace hourcell {
namespace {

uint32_t Saturated(uint64_t count) {
  return static_cast<uint32_t>(std::min<uint64_t>(count, std::numeric_limits<uint32_t>::max()));
}

void AddTo(uint32_t* sum, uint64_t now, uint64_t* before) {
  *sum = Saturated(*sum + (now - std::min(now, *before)));
  *before = now;
}

// Part `index` of the growth during `count` steps.
RegionLoadStep PartOf(const RegionLoadStep& whole, uint64_t index, uint64_t count) {
  HOURCELL_DCHECK(index < count);
  const auto part = [index, count](uint32_t sum) {
    return static_cast<uint32_t>(uint64_t{sum} * (index + 1) / count -
                                 uint64_t{sum} * index / count);
  };
  return {.points_written = part(whole.points_written),
          .rows_written = part(whole.rows_written),
          .rows_blocked = part(whole.rows_blocked),
          .rows_read = part(whole.rows_read),
          .bytes = whole.bytes};
}

}  // namespace

void RegionHistory::Note(uint64_t now_ms, std::span<const RegionUse> uses) {
  MutexLock lock(&mutex_);
  const bool is_first = start_ms_ == 0;
  if (is_first) start_ms_ = now_ms - now_ms % kStepMs;
  if (!is_first) NoteChanges(now_ms, uses);
  std::set<RegionId> open;
  by_start_.clear();
  for (const RegionUse& use : uses) {
    const auto [found, is_new] = regions_.try_emplace(use.region.id, use.region.id);
    Watched& region = found->second;
    if (is_new) region.first = steps_;
    region.info = use.region;
    AddTo(&region.pending.rows_written, use.rows_written, &region.rows_written);
    AddTo(&region.pending.rows_blocked, use.rows_blocked, &region.rows_blocked);
    AddTo(&region.pending.rows_read, use.rows_read, &region.rows_read);
    region.pending.bytes = use.file_bytes + use.memory_bytes;
    open.insert(use.region.id);
    by_start_.emplace(use.region.range.start, use.region.id);
  }
  // Its last step is that in which it went.
  const uint64_t whole = now_ms < start_ms_ ? 0 : (now_ms - start_ms_) / kStepMs;
  if (whole > steps_) EndSteps(whole - steps_);
  for (auto& [id, region] : regions_) {
    if (region.is_open && !open.contains(id)) region.is_open = false;
  }
  DropOld();
}

void RegionHistory::NoteChanges(uint64_t now_ms, std::span<const RegionUse> uses) {
  // By parents: daughters of one split have the same.
  std::map<std::vector<uint64_t>, RegionEvent> changes;
  for (const RegionUse& use : uses) {
    const RegionInfo& region = use.region;
    if (regions_.contains(region.id) || region.parents.empty()) continue;
    std::vector<uint64_t> parents;
    for (const RegionId parent : region.parents)
      parents.push_back(parent.value);
    RegionEvent& event = changes[parents];
    event.time_ms = now_ms;
    event.parents = parents;
    event.daughters.push_back(region.id.value);
    if (event.daughters.size() == 2) event.cut = region.range.start;
  }
  for (auto& [parents, event] : changes)
    events_.push_back(std::move(event));
  while (events_.size() > kEventsMax)
    events_.pop_front();
}

void RegionHistory::EndSteps(uint64_t count) {
  HOURCELL_DCHECK(count > 0);
  // After a long pause the steps before would be dropped at once.
  const uint64_t kept = std::min<uint64_t>(count, kStepsMax);
  for (auto& [id, region] : regions_) {
    if (!region.is_open) continue;
    region.pending.points_written = Saturated(static_cast<uint64_t>(region.points_pending));
    if (kept < count) {
      region.steps.clear();
      region.first = steps_ + count - kept;
    }
    for (uint64_t i = 0; i < kept; ++i)
      region.steps.push_back(PartOf(region.pending, i, kept));
    region.pending = {.bytes = region.pending.bytes};
    region.points_pending = 0;
  }
  const uint64_t windows = (steps_ + count) / kWindowSteps - steps_ / kWindowSteps;
  for (uint64_t i = 0; i < std::min<uint64_t>(windows, 2); ++i) {
    for (auto& [id, region] : regions_)
      region.sample.EndWindow();
  }
  steps_ += count;
}

void RegionHistory::DropOld() {
  const size_t steps_max =
      std::clamp<size_t>(kCellsMax / std::max<size_t>(1, regions_.size()), 1, kStepsMax);
  kept_from_ = std::max(kept_from_, steps_ - std::min<uint64_t>(steps_, steps_max));
  for (auto at = regions_.begin(); at != regions_.end();) {
    Watched& region = at->second;
    while (!region.steps.empty() && region.first < kept_from_) {
      region.steps.pop_front();
      ++region.first;
    }
    const bool is_over = !region.is_open && region.steps.empty();
    at = is_over ? regions_.erase(at) : std::next(at);
  }
  const uint64_t kept_ms = start_ms_ + kept_from_ * kStepMs;
  while (!events_.empty() && events_.front().time_ms < kept_ms)
    events_.pop_front();
}

void RegionHistory::NotePuts(std::span<const PutsOfKey> puts, uint64_t points) {
  uint64_t all = 0;
  for (const PutsOfKey& put : puts)
    all += put.count;
  if (all == 0) return;
  MutexLock lock(&mutex_);
  if (by_start_.empty()) return;
  const double each = static_cast<double>(points) / static_cast<double>(all);
  const size_t keys_max = std::clamp<size_t>(kSamplesMax / by_start_.size(), 16, kSampleMax);
  for (const PutsOfKey& put : puts) {
    auto after = by_start_.upper_bound(put.key);
    if (after != by_start_.begin()) --after;
    Watched& region = regions_.at(after->second);
    region.points_pending += each * static_cast<double>(put.count);
    region.sample.Add(put.key, put.count, keys_max);
  }
}

RegionLoadReport RegionHistory::Read(uint64_t since_ms) const {
  MutexLock lock(&mutex_);
  RegionLoadReport report{.step_ms = kStepMs};
  uint64_t from = kept_from_;
  if (since_ms > start_ms_) {
    from = std::max(from, (since_ms - start_ms_ + kStepMs - 1) / kStepMs);
  }
  from = std::min(from, steps_);
  report.start_ms = start_ms_ + from * kStepMs;
  report.steps = steps_ - from;
  for (const auto& [id, region] : regions_) {
    const uint64_t first = std::max(region.first, from);
    const uint64_t skipped = first - region.first;
    if (!region.is_open && skipped >= region.steps.size()) continue;
    RegionLoad load{.id = id.value,
                    .start = region.info.range.start,
                    .end = region.info.range.end,
                    .is_open = region.is_open,
                    .first_step = first - from};
    for (const RegionId parent : region.info.parents)
      load.parents.push_back(parent.value);
    for (size_t i = skipped; i < region.steps.size(); ++i)
      load.steps.push_back(region.steps[i]);
    report.regions.push_back(std::move(load));
  }
  std::ranges::sort(report.regions, {},
                    [](const RegionLoad& load) { return std::tie(load.start, load.id); });
  for (const RegionEvent& event : events_) {
    if (event.time_ms >= report.start_ms) report.events.push_back(event);
  }
  return report;
}

std::vector<SampledWrite> RegionHistory::WritesTo(RegionId id) const {
  MutexLock lock(&mutex_);
  const auto found = regions_.find(id);
  if (found == regions_.end()) return {};
  return found->second.sample.Writes();
}

}  // namespace hourcell
