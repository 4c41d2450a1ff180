#include "engine/rocks/rocks_region_changer.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <rocksdb/write_batch.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/regions/region_name.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/regions/rocks_flush.h"
#include "engine/rocks/regions/rocks_region_files.h"
#include "engine/rocks/rocks_options.h"
#include "engine/rows/region_catalogue.h"

// Why a split makes hard links: a copy blocks writers while it runs, a second for a gigabyte; links
// take milliseconds. Each region is a column family, so it can be dropped, sized, LSM-compacted and
// stalled alone (docs/decisions/0011).

namespace hourcell {
namespace {

// The most trims of a region before a merge gives up: an LSM compaction of its files blocks them
// while it runs.
constexpr int kTrimsMax = 20;
constexpr std::chrono::milliseconds kTrimAgainAfter(50);

absl::Status CheckKeys(std::string_view verb, TableId table, const RegionCut& cut) {
  for (size_t i = 0; i < cut.keys.size(); ++i) {
    if (cut.keys[i].empty() || (i > 0 && cut.keys[i] <= cut.keys[i - 1])) {
      return absl::InvalidArgumentError(
          fmt::format("{}: key {} is {}; expected keys that ascend, none empty", verb, i + 1,
                      ToStringBinary(cut.keys[i])));
    }
  }
  if (SpecOf(table).has_regions()) return absl::OkStatus();
  const std::string what =
      fmt::format("{}: table {} has one region, always", verb, TableName(table));
  return absl::FailedPreconditionError(what);
}

// True if neither files nor memory have rows of the range.
absl::StatusOr<bool> IsEmpty(rocksdb::DB* db,
                             rocksdb::ColumnFamilyHandle* family,
                             const RegionRange& range) {
  const rocksdb::Slice end = range.end;
  rocksdb::ReadOptions options = RocksReadOptions();
  if (!range.end.empty()) options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> row(db->NewIterator(options, family));
  row->Seek(range.start);
  HOURCELL_RETURN_IF_ERROR(FromRocks(row->status(), "is a region empty"));
  return !row->Valid();
}

std::vector<RegionId> AllIds(const RegionSet& set) {
  std::vector<RegionId> ids;
  for (const RegionInfo& region : set.map().regions())
    ids.push_back(region.id);
  return ids;
}

std::optional<size_t> IndexOf(const RegionSet& set, RegionId id) {
  for (size_t i = 0; i < set.size(); ++i) {
    if (set.info(i).id == id) return i;
  }
  return std::nullopt;
}

// The indexes of the regions `ids`, ascending. Errors: see Merge.
absl::StatusOr<std::vector<size_t>> Neighbours(const RegionSet& set,
                                               std::span<const RegionId> ids) {
  std::vector<size_t> indexes;
  for (const RegionId id : ids) {
    const std::optional<size_t> index = IndexOf(set, id);
    if (!index.has_value())
      return absl::NotFoundError(fmt::format("merge: no region has id {}", id.value));
    indexes.push_back(*index);
  }
  std::ranges::sort(indexes);
  for (size_t i = 1; i < indexes.size(); ++i) {
    if (indexes[i] == indexes[i - 1] + 1) continue;
    const RegionInfo& left = set.info(indexes[i - 1]);
    const RegionInfo& right = set.info(indexes[i]);
    return absl::InvalidArgumentError(
        fmt::format("merge: regions {} and {} are no neighbours: one ends with {}, the next begins "
                    "with {}; expected each region once, without a gap",
                    left.id.value, right.id.value, ToStringBinary(left.range.end),
                    ToStringBinary(right.range.start)));
  }
  if (indexes.size() < 2) {
    return absl::InvalidArgumentError(
        fmt::format("merge: expected two or more, got {} region(s)", indexes.size()));
  }
  return indexes;
}

ObservedRegion Observed(const RegionInfo& region) {
  return {.id = region.id.value, .start = region.range.start, .end = region.range.end};
}

RegionChange ChangeOf(RegionChange::Kind kind,
                      const RegionSet& set,
                      std::span<const size_t> parents,
                      std::span<const RegionInfo> daughters) {
  RegionChange change{.kind = kind, .table = set.info(parents.front()).table};
  for (const size_t i : parents)
    change.parents.push_back(Observed(set.info(i)));
  for (const RegionInfo& daughter : daughters)
    change.daughters.push_back(Observed(daughter));
  return change;
}

RegionInfo MergedRegion(const RegionSet& set, std::span<const size_t> parents, RegionId id) {
  RegionInfo merged = set.info(parents.front());
  merged.range.end = set.info(parents.back()).range.end;
  merged.id = id;
  merged.pinned_until_ms = 0;
  merged.has_references = false;
  merged.column_family = DefaultColumnFamily(merged.table, id);
  merged.parents.clear();
  for (const size_t i : parents)
    merged.parents.push_back(set.info(i).id);
  return merged;
}

}  // namespace

// Closes gates, and opens them at the end of scope, unless they are abandoned or failed before.
class RocksRegionChanger::ClosedGates {
 public:
  // Closes in the order of keys, in which writers enter.
  ClosedGates(const RegionSet& set, std::span<const size_t> regions) {
    for (const size_t i : regions) {
      gates_.push_back(set.region(i)->gate());
      gates_.back()->Close();
    }
  }
  ~ClosedGates() { Open(); }
  ClosedGates(const ClosedGates&) = delete;
  ClosedGates& operator=(const ClosedGates&) = delete;

  // `kept` is the gate of a region that continues, and opens; nullptr: all regions end.
  void Abandon(RegionGate* kept) {
    for (RegionGate* const gate : std::exchange(gates_, {}))
      kept != nullptr&& gate == kept ? gate->Open() : gate->Abandon();
  }
  void Fail() {
    for (RegionGate* const gate : std::exchange(gates_, {}))
      gate->Fail();
  }

 private:
  void Open() {
    for (RegionGate* const gate : std::exchange(gates_, {}))
      gate->Open();
  }

  std::vector<RegionGate*> gates_;
};

// Refuses regions whose last change failed in its commit: it is unknown which region has their
// keys.
absl::Status RocksRegionChanger::CheckUsable(const RegionSet& set,
                                             std::span<const size_t> regions) {
  for (const size_t i : regions) {
    if (!set.region(i)->gate()->has_failed()) continue;
    return absl::UnavailableError(fmt::format(
        "region {}: an earlier change of it failed halfway; close the store and open it again",
        set.info(i).id.value));
  }
  return absl::OkStatus();
}

absl::Status RocksRegionChanger::AskObservers(const RegionChange& change) const {
  for (StoreObserver* const observer : observers_)
    HOURCELL_RETURN_IF_ERROR(observer->BeforeRegionChange(change));
  return absl::OkStatus();
}

void RocksRegionChanger::TellObservers(const RegionChange& change) const {
  for (StoreObserver* const observer : observers_)
    observer->AfterRegionChange(change);
}

std::shared_ptr<const RegionSet> RocksRegionChanger::Current(TableId table) const {
  return (*regions_.Current())[static_cast<size_t>(table)];
}

absl::Status RocksRegionChanger::LoadLastId() {
  if (has_last_id_) return absl::OkStatus();
  std::string value;
  const rocksdb::Slice key(kLastRegionIdKey.data(), kLastRegionIdKey.size());
  const rocksdb::Status status = db_.Get(RocksReadOptions(), system_family(), key, &value);
  if (!status.IsNotFound()) {
    HOURCELL_RETURN_IF_ERROR(FromRocks(status, "read the last region id"));
    HOURCELL_ASSIGN_OR_RETURN(last_id_, DecodeLastRegionId(value));
  }
  has_last_id_ = true;
  return absl::OkStatus();
}

RegionId RocksRegionChanger::NextId(const RegionSet& set, uint64_t now_ms) {
  HOURCELL_DCHECK(has_last_id_);
  last_id_ = DaughterId(now_ms, std::max(last_id_, MergedId(AllIds(set))));
  return last_id_;
}

std::vector<RegionInfo> RocksRegionChanger::Daughters(const RegionSet& set,
                                                      const RegionInfo& parent,
                                                      const RegionCut& cut,
                                                      uint64_t now_ms) {
  HOURCELL_DCHECK(!cut.keys.empty() && std::ranges::is_sorted(cut.keys));
  std::vector<RegionInfo> daughters(cut.keys.size() + 1, parent);
  for (size_t i = 0; i < daughters.size(); ++i) {
    RegionInfo& daughter = daughters[i];
    daughter.id = NextId(set, now_ms);
    daughter.parents = {parent.id};
    daughter.pinned_until_ms = cut.pinned_until_ms;
    daughter.column_family = DefaultColumnFamily(parent.table, daughter.id);
    if (i > 0) daughter.range.start = cut.keys[i - 1];
    if (i < cut.keys.size()) daughter.range.end = cut.keys[i];
  }
  return daughters;
}

absl::Status RocksRegionChanger::Presplit(TableId table, const RegionCut& cut, uint64_t now_ms) {
  HOURCELL_RETURN_IF_ERROR(CheckKeys("presplit", table, cut));
  if (cut.keys.empty()) return absl::OkStatus();
  MutexLock lock(&change_);
  HOURCELL_RETURN_IF_ERROR(LoadLastId());
  const std::shared_ptr<const RegionSet> before = Current(table);
  if (before->size() != 1) {
    return absl::FailedPreconditionError(fmt::format(
        "presplit: table {} has {} regions; expected one", TableName(table), before->size()));
  }
  const size_t parent = 0;
  HOURCELL_RETURN_IF_ERROR(CheckUsable(*before, {&parent, 1}));
  ClosedGates gates(*before, {&parent, 1});
  HOURCELL_ASSIGN_OR_RETURN(const bool is_empty, IsEmpty(&db_, before->family(0), {}));
  if (!is_empty) {
    return absl::FailedPreconditionError(
        fmt::format("presplit: table {} has rows; expected an empty table", TableName(table)));
  }
  std::vector<RegionInfo> infos = Daughters(*before, before->info(0), cut, now_ms);
  for (RegionInfo& info : infos)
    info.parents.clear();
  const RegionChange change = ChangeOf(RegionChange::Kind::kPresplit, *before, {&parent, 1}, infos);
  HOURCELL_RETURN_IF_ERROR(AskObservers(change));
  HOURCELL_RETURN_IF_ERROR(WriteIntent(infos));
  Regions made;
  const absl::Status done = MakeEmpty(table, infos, &made);
  if (!done.ok()) return Undo(done, made);
  HOURCELL_KILL_POINT("presplit:families");
  HOURCELL_RETURN_IF_ERROR(Commit(table, *before, {&parent, 1}, std::move(made), &gates));
  HOURCELL_KILL_POINT("presplit:committed");
  TellObservers(change);
  return DropFamilies(*before, {&parent, 1}, nullptr);
}

absl::Status RocksRegionChanger::MakeEmpty(TableId table,
                                           const std::vector<RegionInfo>& infos,
                                           Regions* made) {
  for (const RegionInfo& info : infos) {
    auto bounds = std::make_shared<RegionBounds>(info.range);
    HOURCELL_ASSIGN_OR_RETURN(
        rocksdb::ColumnFamilyHandle* const family,
        ImportFiles(&db_, families_.OptionsOf(table, bounds), info.column_family, {}));
    made->emplace_back(info, std::make_shared<RocksRegion>(&db_, family, std::move(bounds)));
  }
  return absl::OkStatus();
}

absl::Status RocksRegionChanger::Split(TableId table, const RegionCut& cut, uint64_t now_ms) {
  HOURCELL_RETURN_IF_ERROR(CheckKeys("split", table, cut));
  if (cut.keys.empty())
    return absl::InvalidArgumentError("split: expected one or more, got no key");
  MutexLock lock(&change_);
  HOURCELL_RETURN_IF_ERROR(LoadLastId());
  const std::shared_ptr<const RegionSet> before = Current(table);
  const size_t index = before->Find(cut.keys.front());
  const RegionInfo& parent = before->info(index);
  for (const std::string& key : cut.keys) {
    if (parent.range.Contains(key) && parent.range.start != key) continue;
    return absl::InvalidArgumentError(
        fmt::format("split: key {}: expected one inside of region {}, above {} and below {}",
                    ToStringBinary(key), parent.id.value, ToStringBinary(parent.range.start),
                    parent.range.end.empty() ? "the end" : ToStringBinary(parent.range.end)));
  }
  HOURCELL_RETURN_IF_ERROR(CheckUsable(*before, {&index, 1}));
  const std::vector<RegionInfo> daughters = Daughters(*before, parent, cut, now_ms);
  const RegionChange change = ChangeOf(RegionChange::Kind::kSplit, *before, {&index, 1}, daughters);
  HOURCELL_RETURN_IF_ERROR(AskObservers(change));
  HOURCELL_RETURN_IF_ERROR(WriteIntent(daughters));
  HOURCELL_KILL_POINT("split:intent");
  rocksdb::ColumnFamilyHandle* const family = before->family(index);
  const absl::Status flushed =
      FromRocks(FlushFamily(&db_, family, recovery_.errors()), "split: flush");
  if (!flushed.ok()) return Undo(flushed, {});
  HOURCELL_KILL_POINT("split:flushed");

  {
    ClosedGates gates(*before, {&index, 1});
    Regions made;
    const absl::Status done = MakeDaughters(table, family, daughters, &made);
    if (!done.ok()) return Undo(done, made);
    HOURCELL_RETURN_IF_ERROR(Commit(table, *before, {&index, 1}, std::move(made), &gates));
  }
  HOURCELL_KILL_POINT("split:committed");
  TellObservers(change);
  return DropFamilies(*before, {&index, 1}, nullptr);
}

// REQUIRES: the parent's gate is closed.
absl::Status RocksRegionChanger::MakeDaughters(TableId table,
                                               rocksdb::ColumnFamilyHandle* family,
                                               const std::vector<RegionInfo>& daughters,
                                               Regions* made) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<RocksExport> exported,
                            RocksExport::Make(&db_, family, recovery_.errors()));
  std::vector<RegionRange> ranges;
  for (const RegionInfo& daughter : daughters)
    ranges.push_back(daughter.range);
  HOURCELL_ASSIGN_OR_RETURN(std::vector<RocksFiles> shares, exported->Share(ranges));
  HOURCELL_DCHECK(shares.size() == daughters.size());
  for (size_t i = 0; i < daughters.size(); ++i) {
    RegionInfo info = daughters[i];
    info.has_references = std::ranges::any_of(shares[i], [&](const auto& file) {
      return !info.range.Contains(file.smallestkey) || !info.range.Contains(file.largestkey);
    });
    auto bounds = std::make_shared<RegionBounds>(info.range);
    HOURCELL_ASSIGN_OR_RETURN(rocksdb::ColumnFamilyHandle* const handle,
                              ImportFiles(&db_, families_.OptionsOf(table, bounds),
                                          info.column_family, std::move(shares[i])));
    made->emplace_back(std::move(info),
                       std::make_shared<RocksRegion>(&db_, handle, std::move(bounds)));
    HOURCELL_KILL_POINT("split:imported");
  }
  return absl::OkStatus();
}

absl::Status RocksRegionChanger::Merge(TableId table, std::span<const RegionId> ids) {
  HOURCELL_RETURN_IF_ERROR(CheckKeys("merge", table, {}));
  for (const RegionId id : ids) {
    bool is_clean = false;
    for (int i = 0; i < kTrimsMax && !is_clean; ++i) {
      if (i > 0) std::this_thread::sleep_for(kTrimAgainAfter);
      HOURCELL_RETURN_IF_ERROR(TrimRegion(table, id, &is_clean));
    }
    if (!is_clean) {
      return absl::UnavailableError(
          fmt::format("merge: region {} still has rows of its sister, which LSM compactions under "
                      "way keep from being removed; try again later",
                      id.value));
    }
  }
  MutexLock lock(&change_);
  HOURCELL_RETURN_IF_ERROR(LoadLastId());
  const std::shared_ptr<const RegionSet> before = Current(table);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<size_t> parents, Neighbours(*before, ids));
  HOURCELL_RETURN_IF_ERROR(CheckUsable(*before, parents));
  const RegionInfo merged = MergedRegion(*before, parents, NextId(*before, /*now_ms=*/0));
  const RegionChange change = ChangeOf(RegionChange::Kind::kMerge, *before, parents, {&merged, 1});
  HOURCELL_RETURN_IF_ERROR(AskObservers(change));
  HOURCELL_RETURN_IF_ERROR(WriteIntent({&merged, 1}));
  HOURCELL_KILL_POINT("merge:intent");
  for (const size_t i : parents) {
    const absl::Status flushed =
        FromRocks(FlushFamily(&db_, before->family(i), recovery_.errors()), "merge: flush");
    if (!flushed.ok()) return Undo(flushed, {});
  }
  HOURCELL_KILL_POINT("merge:flushed");

  const rocksdb::ColumnFamilyHandle* kept = nullptr;
  {
    ClosedGates gates(*before, parents);
    Regions made;
    const absl::Status done = MakeMerged(table, *before, parents, merged, &made);
    if (!done.ok()) return Undo(done, made);
    kept = made[0].second->family();
    HOURCELL_RETURN_IF_ERROR(Commit(table, *before, parents, std::move(made), &gates));
  }
  HOURCELL_KILL_POINT("merge:committed");
  TellObservers(change);
  return DropFamilies(*before, parents, kept);
}

// REQUIRES: the parents' gates are closed. `*made` becomes the merged region.
absl::Status RocksRegionChanger::MakeMerged(TableId table,
                                            const RegionSet& set,
                                            std::span<const size_t> parents,
                                            const RegionInfo& merged,
                                            Regions* made) {
  std::vector<size_t> with_rows;
  for (const size_t i : parents) {
    if (set.info(i).has_references) {
      return absl::UnavailableError(fmt::format(
          "merge: region {} was split just now; try again later", set.info(i).id.value));
    }
    HOURCELL_ASSIGN_OR_RETURN(const bool is_empty, IsEmpty(&db_, set.family(i), set.info(i).range));
    if (!is_empty) with_rows.push_back(i);
  }
  if (with_rows.size() <= 1) {
    const size_t i = with_rows.empty() ? parents.front() : with_rows.front();
    made->emplace_back(merged, set.region(i));
    made->back().first.column_family = ColumnFamilyOf(set.info(i));
    return absl::OkStatus();
  }
  std::vector<std::unique_ptr<RocksExport>> exports;
  RocksFiles files;
  for (const size_t i : with_rows) {
    const RegionRange& range = set.info(i).range;
    HOURCELL_ASSIGN_OR_RETURN(exports.emplace_back(),
                              RocksExport::Make(&db_, set.family(i), recovery_.errors()));
    for (const rocksdb::LiveFileMetaData& file : exports.back()->files()) {
      if (!range.Contains(file.smallestkey) || !range.Contains(file.largestkey)) {
        return absl::UnavailableError(
            fmt::format("merge: file {} of region {} has rows of another; try again later",
                        file.name, set.info(i).id.value));
      }
      files.push_back(file);
    }
  }
  SeparateYoungFiles(&files);
  auto bounds = std::make_shared<RegionBounds>(merged.range);
  HOURCELL_ASSIGN_OR_RETURN(rocksdb::ColumnFamilyHandle* const family,
                            ImportFiles(&db_, families_.OptionsOf(table, bounds),
                                        merged.column_family, std::move(files)));
  made->emplace_back(merged, std::make_shared<RocksRegion>(&db_, family, std::move(bounds)));
  HOURCELL_KILL_POINT("merge:imported");
  return absl::OkStatus();
}

absl::Status RocksRegionChanger::WithoutChanges(const std::function<absl::Status()>& work) {
  MutexLock lock(&change_);
  return work();
}

absl::StatusOr<bool> RocksRegionChanger::Trim(TableId table) {
  const std::shared_ptr<const RegionSet> set = Current(table);
  bool is_done = false;
  bool is_more = false;
  for (size_t i = 0; i < set->size(); ++i) {
    if (!set->info(i).has_references) continue;
    if (is_done) return true;
    HOURCELL_RETURN_IF_ERROR(TrimRegion(table, set->info(i).id, &is_done));
    is_more |= !is_done;  // an LSM compaction uses its files; try the next region
  }
  return is_more;
}

// One pass over the region's files; sets `*is_clean` if only its rows are left, or it is gone.
absl::Status RocksRegionChanger::TrimRegion(TableId table, RegionId id, bool* is_clean) {
  *is_clean = true;
  const std::shared_ptr<const RegionSet> set = Current(table);
  const std::optional<size_t> index = IndexOf(*set, id);
  if (!index.has_value() || !set->info(*index).has_references) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(*is_clean,
                            TrimFiles(&db_, set->family(*index), set->info(*index).range));
  if (!*is_clean) return absl::OkStatus();
  MutexLock lock(&change_);
  const std::shared_ptr<const RegionSet> before = Current(table);
  if (!IndexOf(*before, id).has_value()) return absl::OkStatus();
  Regions regions;
  rocksdb::WriteBatch batch;
  for (size_t i = 0; i < before->size(); ++i) {
    regions.emplace_back(before->info(i), before->region(i));
    if (before->info(i).id != id) continue;
    regions.back().first.has_references = false;
    const Mutation row = SetRegion(regions.back().first);
    HOURCELL_RETURN_IF_ERROR(FromRocks(batch.Put(system_family(), row.key, row.value), "batch"));
  }
  HOURCELL_RETURN_IF_ERROR(WriteSystemRows(&batch));
  HOURCELL_KILL_POINT("trim:noted");
  HOURCELL_ASSIGN_OR_RETURN(std::shared_ptr<const RegionSet> after,
                            RegionSet::Make(std::move(regions)));
  regions_.Replace(table, std::move(after));
  return absl::OkStatus();
}

rocksdb::ColumnFamilyHandle* RocksRegionChanger::system_family() const {
  return Current(TableId::kSystem)->family(0);
}

absl::Status RocksRegionChanger::WriteSystemRows(rocksdb::WriteBatch* batch) {
  // Not with `sync`, which keeps the writers of all regions waiting while it syncs.
  HOURCELL_RETURN_IF_ERROR(recovery_.Write(rocksdb::WriteOptions(), batch));
  return recovery_.SyncLog();
}

absl::Status RocksRegionChanger::WriteIntent(std::span<const RegionInfo> regions) {
  HOURCELL_DCHECK(has_last_id_ && !regions.empty());
  rocksdb::WriteBatch batch;
  for (RegionInfo region : regions) {
    region.state =
        region.parents.size() > 1 ? RegionState::kMergingNew : RegionState::kSplittingNew;
    HOURCELL_RETURN_IF_ERROR(FromRocks(
        batch.Put(system_family(), TransitionKey(region.table, region.id), EncodeRegion(region)),
        "batch"));
  }
  const rocksdb::Slice key(kLastRegionIdKey.data(), kLastRegionIdKey.size());
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(batch.Put(system_family(), key, fmt::format("{}", last_id_.value)), "batch"));
  return WriteSystemRows(&batch);
}

absl::Status RocksRegionChanger::Undo(const absl::Status& why, const Regions& made) {
  // The next open drops families that cannot be dropped now, and rows of intents, which are for
  // people and do not affect the next change.
  for (const auto& [info, region] : made)
    DropFamily(&db_, region->family(), recovery_.mutable_errors()).PermitUncheckedError();
  return why;
}

absl::Status RocksRegionChanger::Commit(TableId table,
                                        const RegionSet& before,
                                        std::span<const size_t> parents,
                                        Regions children,
                                        ClosedGates* gates) {
  HOURCELL_DCHECK(!children.empty() && !parents.empty() && std::ranges::is_sorted(parents));
  rocksdb::WriteBatch batch;
  rocksdb::Status status;
  for (const size_t i : parents) {
    if (status.ok()) status = batch.Delete(system_family(), DeleteRegion(before.info(i)).key);
  }
  for (const auto& [info, region] : children) {
    const Mutation row = SetRegion(info);
    if (status.ok()) status = batch.Put(system_family(), row.key, row.value);
    if (status.ok()) status = batch.Delete(system_family(), TransitionKey(info.table, info.id));
  }
  HOURCELL_RETURN_IF_ERROR(FromRocks(status, "batch"));
  // In a merge without files, the parent that becomes the child.
  RocksRegion* kept = nullptr;
  for (const size_t i : parents) {
    if (before.region(i) == children.front().second) kept = before.region(i).get();
  }
  const RegionRange first_range = children.front().first.range;
  Regions regions = std::move(children);
  for (size_t i = 0; i < before.size(); ++i) {
    if (!std::ranges::binary_search(parents, i))
      regions.emplace_back(before.info(i), before.region(i));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::shared_ptr<const RegionSet> after,
                            RegionSet::Make(std::move(regions)));
  const absl::Status written = WriteSystemRows(&batch);
  if (!written.ok()) {
    gates->Fail();
    return written;
  }
  if (kept != nullptr) kept->bounds()->Set(first_range);
  regions_.Replace(table, std::move(after));
  gates->Abandon(kept == nullptr ? nullptr : kept->gate());
  return absl::OkStatus();
}

absl::Status RocksRegionChanger::DropFamilies(const RegionSet& before,
                                              std::span<const size_t> parents,
                                              const rocksdb::ColumnFamilyHandle* kept) {
  for (const size_t i : parents) {
    if (before.family(i) == kept) continue;
    HOURCELL_RETURN_IF_ERROR(
        FromRocks(DropFamily(&db_, before.family(i), recovery_.mutable_errors()),
                  "drop " + before.family(i)->GetName()));
  }
  return absl::OkStatus();
}

}  // namespace hourcell
