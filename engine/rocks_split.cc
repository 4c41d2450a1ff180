#include "engine/rocks_split.h"

#include <memory>

#include <fmt/format.h>
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

absl::Status RocksSplit::Commit(const RegionInfo& before, const Regions& after) {
  rocksdb::ColumnFamilyHandle* const meta =
      (*regions_.Current())[static_cast<size_t>(TableId::kMeta)]->family(0);
  rocksdb::WriteBatch batch;
  rocksdb::Status status = batch.Delete(meta, DeleteRegion(before).key);
  for (const auto& [info, region] : after) {
    const Mutation row = SetRegion(info);
    if (status.ok()) status = batch.Put(meta, row.key, row.value);
  }
  rocksdb::WriteOptions sync;
  sync.sync = true;
  if (status.ok()) status = db_.Write(sync, &batch);
  return FromRocks(status, "presplit: write the region catalogue");
}

}  // namespace hourcell
