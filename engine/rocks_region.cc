#include "engine/rocks_region.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "codec/base/status_macros.h"

namespace hourcell {

RocksRegion::~RocksRegion() {
  // Nothing can be done about an error, and nothing is lost by it.
  db_->DestroyColumnFamilyHandle(family_).PermitUncheckedError();
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
  std::shared_ptr<const RegionSets> before;  // let go of without the lock
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

RegionEntry::RegionEntry(const RocksRegions& regions, std::span<const Mutation> group) {
  do {
    sets_ = regions.Current();
  } while (!TryEnter(group));
}

bool RegionEntry::TryEnter(std::span<const Mutation> group) {
  families_.clear();
  families_.reserve(group.size());
  std::vector<std::pair<size_t, size_t>> places;  // table, region
  for (const Mutation& mutation : group) {
    const auto table = static_cast<size_t>(mutation.table);
    const RegionSet& set = *(*sets_)[table];
    const std::pair place(table, set.Find(mutation.key));
    families_.push_back(set.family(place.second));
    if (places.empty() || places.back() != place) places.push_back(place);
  }
  std::ranges::sort(places);
  const auto repeats = std::ranges::unique(places);
  places.erase(repeats.begin(), repeats.end());
  for (const auto& [table, region] : places) {
    RegionGate* const gate = (*sets_)[table]->region(region)->gate();
    const RegionGate::Entry entry = gate->Enter();
    if (entry == RegionGate::Entry::kInside) {
      entered_.push_back(gate);
      continue;
    }
    Leave();
    if (entry == RegionGate::Entry::kGone) return false;
    const RegionInfo& info = (*sets_)[table]->info(region);
    status_ = absl::UnavailableError(fmt::format(
        "region {} of table {}: its catalogue could not be written, so that it takes no "
        "writes until the store is opened again",
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
