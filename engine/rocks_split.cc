#include "engine/rocks_split.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/region_catalogue.h"
#include "engine/regions/region_name.h"
#include "engine/rocks_status.h"

namespace hourcell {
namespace {

absl::Status CheckKeys(std::span<const std::string> keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].empty() || (i > 0 && keys[i] <= keys[i - 1])) {
      return absl::InvalidArgumentError(
          fmt::format("presplit: key {} is {}; want keys that ascend, none empty", i + 1,
                      ToStringBinary(keys[i])));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> IsEmpty(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  const std::unique_ptr<rocksdb::Iterator> row(db->NewIterator(rocksdb::ReadOptions(), family));
  row->SeekToFirst();
  HOURCELL_RETURN_IF_ERROR(FromRocks(row->status(), "presplit"));
  return !row->Valid();
}

std::vector<RegionId> AllIds(const RegionSet& set) {
  std::vector<RegionId> ids;
  for (const RegionInfo& region : set.map().regions())
    ids.push_back(region.id);
  return ids;
}

// Where files are linked to on their way from a region to a daughter.
std::string StagingDirectory(const std::string& db_path) {
  return db_path + ".split";
}

// A key of the region that no row has.
std::string FenceKey(const RegionRange& range) {
  return range.start + std::string(1, '\0');
}

// Takes rows outside of a range out of a family's files. True if none has any left; what an LSM
// compaction is busy with is left for next time.
absl::StatusOr<bool> TrimFiles(rocksdb::DB* db,
                               rocksdb::ColumnFamilyHandle* family,
                               const RegionRange& range) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  bool is_clean = true;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    std::vector<std::string> straddling;
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (range.Contains(file.smallestkey) && range.Contains(file.largestkey)) continue;
      straddling.push_back(file.name);
    }
    if (straddling.empty()) continue;
    is_clean = false;
    // Files of level 0 are versions of one key range, and move down together.
    const int to_level = level.level > 0 ? level.level : metadata.levels.back().level;
    if (level.level == 0) {
      straddling.clear();
      for (const rocksdb::SstFileMetaData& file : level.files)
        straddling.push_back(file.name);
    }
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kDisableCompressionOption;  // the family's
    const rocksdb::Status done = db->CompactFiles(options, family, straddling, to_level);
    if (done.IsAborted() || done.IsInvalidArgument() || done.IsIncomplete()) continue;
    HOURCELL_RETURN_IF_ERROR(FromRocks(done, "trim"));
  }
  return is_clean;
}

// A closed gate, which is opened again unless it is abandoned.
class ClosedGate {
 public:
  explicit ClosedGate(RegionGate* gate) : gate_(gate) { gate_->Close(); }
  ~ClosedGate() {
    if (gate_ != nullptr) gate_->Open();
  }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;

  void Abandon() { std::exchange(gate_, nullptr)->Abandon(); }

 private:
  RegionGate* gate_;
};

}  // namespace

absl::Status RocksSplit::Presplit(TableId table,
                                  std::span<const std::string> keys,
                                  uint64_t now_ms) {
  HOURCELL_RETURN_IF_ERROR(CheckKeys(keys));
  if (!HasRegions(table)) {
    return absl::FailedPreconditionError(
        fmt::format("presplit: table {} has one region, always", TableName(table)));
  }
  if (keys.empty()) return absl::OkStatus();
  MutexLock lock(&change_);
  const std::shared_ptr<const RegionSets> sets = regions_.Current();
  const RegionSet& before = *(*sets)[static_cast<size_t>(table)];
  if (before.size() != 1) {
    return absl::FailedPreconditionError(fmt::format("presplit: table {} has {} regions; want one",
                                                     TableName(table), before.size()));
  }
  ClosedGate gate(before.region(0)->gate());
  HOURCELL_ASSIGN_OR_RETURN(const bool is_empty, IsEmpty(&db_, before.family(0)));
  if (!is_empty) {
    return absl::FailedPreconditionError(
        fmt::format("presplit: table {} has rows; want an empty table", TableName(table)));
  }
  HOURCELL_ASSIGN_OR_RETURN(Regions regions, MakeEmpty(table, keys, now_ms, before.info(0)));
  HOURCELL_KILL_POINT("presplit:families");
  HOURCELL_RETURN_IF_ERROR(Commit(before.info(0), regions));
  HOURCELL_KILL_POINT("presplit:committed");
  HOURCELL_ASSIGN_OR_RETURN(std::shared_ptr<const RegionSet> after,
                            RegionSet::Make(std::move(regions)));
  regions_.Replace(table, std::move(after));
  gate.Abandon();
  return FromRocks(db_.DropColumnFamily(before.family(0)), "presplit: drop the old region");
}

absl::StatusOr<RocksSplit::Regions> RocksSplit::MakeEmpty(TableId table,
                                                          std::span<const std::string> keys,
                                                          uint64_t now_ms,
                                                          const RegionInfo& parent) {
  Regions regions;
  RegionId last = parent.id;
  for (size_t i = 0; i <= keys.size(); ++i) {
    last = DaughterId(now_ms, last);
    RegionInfo info{.table = parent.table,
                    .range = {.start = i == 0 ? std::string() : keys[i - 1],
                              .end = i == keys.size() ? std::string() : keys[i]},
                    .id = last,
                    .state = RegionState::kOpen,
                    .parents = {},
                    .pinned_until_ms = 0,
                    .has_references = false,
                    .column_family = DefaultColumnFamily(parent.table, last)};
    auto bounds = std::make_shared<RegionBounds>(info.range);
    rocksdb::ColumnFamilyHandle* family = nullptr;
    const rocksdb::Status created =
        db_.CreateColumnFamily(families_.OptionsOf(table, bounds), info.column_family, &family);
    if (!created.ok()) {
      // What was made so far is dropped now rather than with the next open; or else with that.
      for (const auto& [made, region] : regions)
        db_.DropColumnFamily(region->family()).PermitUncheckedError();
      return FromRocks(created, "presplit: create " + info.column_family);
    }
    regions.emplace_back(std::move(info),
                         std::make_shared<RocksRegion>(&db_, family, std::move(bounds)));
  }
  return regions;
}

rocksdb::ColumnFamilyHandle* RocksSplit::meta() const {
  return (*regions_.Current())[static_cast<size_t>(TableId::kMeta)]->family(0);
}

absl::Status RocksSplit::WriteMeta(rocksdb::WriteBatch* batch) {
  rocksdb::WriteOptions sync;
  sync.sync = true;
  return FromRocks(db_.Write(sync, batch), "write the region catalogue");
}

absl::Status RocksSplit::Commit(const RegionInfo& before, const Regions& after) {
  rocksdb::WriteBatch batch;
  rocksdb::Status status = batch.Delete(meta(), DeleteRegion(before).key);
  for (const auto& [info, region] : after) {
    const Mutation row = SetRegion(info);
    if (status.ok()) status = batch.Put(meta(), row.key, row.value);
    if (status.ok()) status = batch.Delete(meta(), TransitionKey(info.table, info.id));
  }
  HOURCELL_RETURN_IF_ERROR(FromRocks(status, "batch"));
  return WriteMeta(&batch);
}

absl::Status RocksSplit::Split(TableId table, std::string_view key, uint64_t now_ms) {
  MutexLock lock(&change_);
  const std::shared_ptr<const RegionSets> sets = regions_.Current();
  const RegionSet& before = *(*sets)[static_cast<size_t>(table)];
  const size_t index = before.Find(key);
  const RegionInfo& parent = before.info(index);
  if (!HasRegions(table) || key.empty() || parent.range.start == key) {
    return absl::InvalidArgumentError(fmt::format(
        "split: key {}: want one inside of region [{}, {}) of a table of regions",
        ToStringBinary(key), ToStringBinary(parent.range.start), ToStringBinary(parent.range.end)));
  }
  RegionInfo daughters[] = {parent, parent};
  RegionId last = MergedId(AllIds(before));
  for (RegionInfo& daughter : daughters) {
    last = DaughterId(now_ms, last);
    daughter.id = last;
    daughter.parents = {parent.id};
    daughter.has_references = true;
    daughter.pinned_until_ms = 0;
    daughter.column_family = DefaultColumnFamily(parent.table, last);
  }
  daughters[0].range.end = key;
  daughters[1].range.start = key;
  rocksdb::WriteBatch intent;
  for (const RegionInfo& daughter : daughters) {
    HOURCELL_RETURN_IF_ERROR(FromRocks(
        intent.Put(meta(), TransitionKey(daughter.table, daughter.id), EncodeRegion(daughter)),
        "batch"));
  }
  HOURCELL_RETURN_IF_ERROR(WriteMeta(&intent));
  HOURCELL_KILL_POINT("split:intent");
  rocksdb::ColumnFamilyHandle* const family = before.family(index);
  HOURCELL_RETURN_IF_ERROR(FromRocks(db_.Flush(rocksdb::FlushOptions(), family), "split: flush"));
  HOURCELL_KILL_POINT("split:flushed");

  ClosedGate gate(before.region(index)->gate());
  HOURCELL_ASSIGN_OR_RETURN(Regions made, MakeDaughters(table, parent, family, daughters));
  HOURCELL_RETURN_IF_ERROR(Commit(parent, made));
  HOURCELL_KILL_POINT("split:committed");
  for (size_t i = 0; i < before.size(); ++i) {
    if (i != index) made.emplace_back(before.info(i), before.region(i));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::shared_ptr<const RegionSet> after,
                            RegionSet::Make(std::move(made)));
  regions_.Replace(table, std::move(after));
  gate.Abandon();
  return FromRocks(db_.DropColumnFamily(family), "split: drop the parent");
}

absl::StatusOr<bool> RocksSplit::Trim(TableId table) {
  MutexLock lock(&change_);
  const std::shared_ptr<const RegionSets> sets = regions_.Current();
  const RegionSet& before = *(*sets)[static_cast<size_t>(table)];
  for (size_t i = 0; i < before.size(); ++i) {
    if (!before.info(i).has_references) continue;
    HOURCELL_ASSIGN_OR_RETURN(const bool is_clean,
                              TrimFiles(&db_, before.family(i), before.info(i).range));
    if (!is_clean) return true;
    Regions regions;
    for (size_t j = 0; j < before.size(); ++j) {
      regions.emplace_back(before.info(j), before.region(j));
      if (j == i) regions.back().first.has_references = false;
    }
    rocksdb::WriteBatch batch;
    const Mutation row = SetRegion(regions[i].first);
    HOURCELL_RETURN_IF_ERROR(FromRocks(batch.Put(meta(), row.key, row.value), "batch"));
    HOURCELL_RETURN_IF_ERROR(WriteMeta(&batch));
    HOURCELL_ASSIGN_OR_RETURN(std::shared_ptr<const RegionSet> after,
                              RegionSet::Make(std::move(regions)));
    regions_.Replace(table, std::move(after));
    return true;
  }
  return false;
}

// REQUIRES: the parent's gate is closed.
absl::StatusOr<RocksSplit::Regions> RocksSplit::MakeDaughters(
    TableId table,
    const RegionInfo& parent,
    rocksdb::ColumnFamilyHandle* family,
    std::span<const RegionInfo> daughters) {
  rocksdb::Checkpoint* raw = nullptr;
  HOURCELL_RETURN_IF_ERROR(FromRocks(rocksdb::Checkpoint::Create(&db_, &raw), "split"));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  const std::string staging = StagingDirectory(db_.GetName());
  HOURCELL_RETURN_IF_ERROR(FromRocks(db_.GetEnv()->CreateDirIfMissing(staging), "split: stage"));
  // A deletion of no row, so that there is something to flush whose number says that the export has
  // it: with 7.8 a flush may return before the file is in the version that is exported.
  const rocksdb::SequenceNumber written = db_.GetLatestSequenceNumber();
  rocksdb::WriteOptions unlogged;
  unlogged.disableWAL = true;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(db_.Delete(unlogged, family, FenceKey(parent.range)), "split: fence"));
  Regions made;
  for (const RegionInfo& daughter : daughters) {
    rocksdb::ExportImportFilesMetaData* raw_files = nullptr;
    const std::string directory = staging + "/" + daughter.column_family;
    const rocksdb::Status exported = checkpoint->ExportColumnFamily(family, directory, &raw_files);
    const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(raw_files);
    HOURCELL_RETURN_IF_ERROR(FromRocks(exported, "split: export"));
    HOURCELL_KILL_POINT("split:exported");
    // What the first export has the second has too, though perhaps rewritten without the deletion.
    const bool is_whole = !made.empty() || std::ranges::any_of(files->files, [&](const auto& file) {
      return file.largest_seqno > written;
    });
    if (!is_whole) return absl::UnavailableError("split: the export lacks the last flush");
    auto bounds = std::make_shared<RegionBounds>(daughter.range);
    rocksdb::ImportColumnFamilyOptions move;
    move.move_files = true;
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    HOURCELL_RETURN_IF_ERROR(
        FromRocks(db_.CreateColumnFamilyWithImport(families_.OptionsOf(table, bounds),
                                                   daughter.column_family, move, *files, &handle),
                  "split: import"));
    made.emplace_back(daughter, std::make_shared<RocksRegion>(&db_, handle, std::move(bounds)));
    HOURCELL_KILL_POINT("split:imported");
    db_.GetEnv()->DeleteDir(directory).PermitUncheckedError();  // emptied by the import
  }
  return made;
}

}  // namespace hourcell
