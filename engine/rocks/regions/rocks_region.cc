#include "engine/rocks/regions/rocks_region.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"

// Why a set of regions is immutable: a reader takes it once and uses it without a lock while a
// split publishes another. Gates are entered and closed in the order of tables and keys, so that
// two threads cannot deadlock. A region that lags delays its own writers only; RocksDB would stop
// the writers of all regions.

namespace hourcell {
namespace {

// Minimum time between two checks of a region.
constexpr int64_t kGateLookEveryMs = 5;

int64_t SteadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

RocksRegion::~RocksRegion() {
  // An error cannot be handled here, and loses no data.
  db_->DestroyColumnFamilyHandle(family_).PermitUncheckedError();
}

bool RocksRegion::IsLagging() {
  const int64_t now_ms = SteadyMs();
  int64_t look_ms = next_look_ms_.load(std::memory_order_relaxed);
  if (now_ms >= look_ms &&
      next_look_ms_.compare_exchange_strong(look_ms, now_ms + kGateLookEveryMs)) {
    std::string files;
    uint64_t memtables = 0;
    db_->GetProperty(family_, rocksdb::DB::Properties::kNumFilesAtLevelPrefix + "0", &files);
    db_->GetIntProperty(family_, rocksdb::DB::Properties::kNumImmutableMemTable, &memtables);
    backlog_.Note(std::strtoull(files.c_str(), nullptr, 10), memtables);
  }
  return backlog_.is_lagging();
}

absl::StatusOr<std::shared_ptr<const RegionSet>> RegionSet::Make(
    std::vector<std::pair<RegionInfo, std::shared_ptr<RocksRegion>>> regions) {
  std::ranges::sort(regions, {}, [](const auto& region) -> const std::string& {
    return region.first.range.start;
  });
  std::vector<RegionInfo> infos;
  std::vector<std::shared_ptr<RocksRegion>> open;
  for (auto& [info, region] : regions) {
    infos.push_back(std::move(info));
    open.push_back(std::move(region));
  }
  HOURCELL_ASSIGN_OR_RETURN(RegionMap map, RegionMap::Make(std::move(infos)));
  return std::make_shared<const RegionSet>(std::move(map), std::move(open));
}

std::shared_ptr<const RegionSets> RocksRegions::Current() const {
  MutexLock lock(&mutex_);
  return sets_;
}

void RocksRegions::Replace(TableId table, std::shared_ptr<const RegionSet> set) {
  HOURCELL_DCHECK(set != nullptr);
  std::shared_ptr<const RegionSets> before;  // destroyed after the lock is released
  MutexLock lock(&mutex_);
  auto sets = std::make_shared<RegionSets>(*sets_);
  (*sets)[static_cast<size_t>(table)] = std::move(set);
  before = std::exchange(sets_, std::move(sets));
}

void RocksRegions::Clear() {
  std::shared_ptr<const RegionSets> before;
  MutexLock lock(&mutex_);
  before = std::exchange(sets_, std::make_shared<const RegionSets>());
}

RegionEntry::RegionEntry(const RocksRegions& regions,
                         std::span<const Mutation> group,
                         int64_t wait_ms) {
  const int64_t give_up_ms = SteadyMs() + wait_ms;
  bool has_waited = false;
  while (true) {
    sets_ = regions.Current();
    FindPlaces(group);
    const Place* const lagging = FindLagging();
    if (lagging == nullptr) {
      if (TryEnter()) return;
      continue;
    }
    if (!has_waited) RegionAt(*lagging).backlog()->CountBlocked(lagging->rows);
    has_waited = true;
    if (SteadyMs() >= give_up_ms) {
      const RegionInfo& info = (*sets_)[lagging->table]->info(lagging->region);
      const std::string text = fmt::format(
          "region {} of table {}: its LSM compactions have not kept up with writes "
          "for {} ms; try again later",
          info.id.value, info.table, wait_ms);
      status_ = wait_ms == 0 ? absl::AbortedError(text) : absl::UnavailableError(text);
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kGateLookEveryMs));
  }
}

void RegionEntry::FindPlaces(std::span<const Mutation> group) {
  families_.clear();
  families_.reserve(group.size());
  places_.clear();
  for (const Mutation& mutation : group) {
    const auto table = static_cast<size_t>(mutation.table);
    const RegionSet& set = *(*sets_)[table];
    const size_t region = set.Find(mutation.key);
    families_.push_back(set.family(region));
    if (places_.empty() || places_.back().table != table || places_.back().region != region) {
      places_.push_back({.table = table, .region = region});
    }
    ++places_.back().rows;
  }
  const auto key = [](const Place& place) { return std::pair(place.table, place.region); };
  std::ranges::sort(places_, {}, key);
  size_t kept = 0;
  for (const Place& place : places_) {
    if (kept > 0 && key(places_[kept - 1]) == key(place)) {
      places_[kept - 1].rows += place.rows;
    } else {
      places_[kept++] = place;
    }
  }
  places_.resize(kept);
}

RocksRegion& RegionEntry::RegionAt(const Place& place) const {
  return *(*sets_)[place.table]->region(place.region);
}

// A region that lags, or null.
const RegionEntry::Place* RegionEntry::FindLagging() const {
  for (const Place& place : places_)
    if (RegionAt(place).IsLagging()) return &place;
  return nullptr;
}

bool RegionEntry::TryEnter() {
  HOURCELL_DCHECK(entered_.empty());
  for (const Place& place : places_) {
    RocksRegion& region = RegionAt(place);
    const RegionGate::Entry entry = region.gate()->Enter();
    if (entry == RegionGate::Entry::kInside) {
      region.backlog()->CountWritten(place.rows);
      entered_.push_back(region.gate());
      continue;
    }
    Leave();
    if (entry == RegionGate::Entry::kGone) return false;
    const RegionInfo& info = (*sets_)[place.table]->info(place.region);
    status_ = absl::UnavailableError(fmt::format(
        "region {} of table {}: takes no writes, because the region catalogue could not be "
        "written; close the store and open it again",
        info.id.value, info.table));
    return true;
  }
  return true;
}

void RegionEntry::Leave() {
  for (RegionGate* const gate : entered_)
    gate->Leave();
  entered_.clear();
}

}  // namespace hourcell
