#include "engine/rocks/rocks_table_store.h"

#include <utility>

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/perf_context.h>
#include <rocksdb/write_batch.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "codec/base/status_macros.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/regions/rocks_flush.h"
#include "engine/rocks/regions/rocks_memtable_budget.h"
#include "engine/rocks/regions/rocks_recovery.h"
#include "engine/rocks/regions/rocks_region.h"
#include "engine/rocks/rocks_cursor.h"
#include "engine/rocks/rocks_open.h"
#include "engine/rocks/rocks_options.h"
#include "engine/rocks/rocks_pinned_files.h"
#include "engine/rocks/rocks_region_changer.h"
#include "engine/rocks/rocks_region_size.h"
#include "engine/rocks/rocks_retention.h"
#include "engine/rocks/rocks_slice.h"

// Why one database and not one for each table: a group of rows of several tables, such as names and
// counters, is one atomic batch in one log. Points are not in that log: they are in the journal,
// and their cells are written without it. Therefore a flush comes before the low mark moves.

namespace hourcell {
namespace {

class RocksTableView : public TableView {
 public:
  // The snapshot must be the older of the two: its rows are in the regions before and after a split
  // alike, while later writes may be in the new regions only.
  RocksTableView(rocksdb::DB* db, const RocksRegions& regions, rocksdb::ReadTier tier)
      : db_(db), snapshot_(db->GetSnapshot()), sets_(regions.Current()) {
    read_options_.snapshot = snapshot_;
    read_options_.read_tier = tier;
  }
  ~RocksTableView() override { db_->ReleaseSnapshot(snapshot_); }

  absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) override {
    std::string value;
    HOURCELL_ASSIGN_OR_RETURN(const bool is_there, GetInto(table, key, &value));
    return is_there ? std::optional(std::move(value)) : std::nullopt;
  }

  absl::StatusOr<bool> GetInto(TableId table, std::string_view key, std::string* value) override {
    const RegionSet& set = regions(table);
    rocksdb::PinnableSlice found(value);
    const rocksdb::Status status =
        db_->Get(read_options_, set.family(set.Find(key)), ToSlice(key), &found);
    if (status.IsNotFound()) return false;
    if (!status.ok()) return FromRocks(status, Describe("get", table, key));
    if (found.IsPinned()) value->assign(found.data(), found.size());  // else it is there
    return true;
  }

  absl::Status GetMany(TableId table,
                       std::span<const std::string> keys,
                       std::vector<std::optional<std::string>>* values) override {
    if (gets_one_by_one()) return GetOneByOne(table, keys, values);
    const RegionSet& set = regions(table);
    const size_t count = keys.size();
    std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> found(count);
    std::vector<rocksdb::Status> statuses(count);
    if (set.size() == 1) {
      set.region(0)->CountRead(count);
      db_->MultiGet(read_options_, set.family(0), count, slices.data(), found.data(),
                    statuses.data());
    } else {
      std::vector<rocksdb::ColumnFamilyHandle*> families(count);
      for (size_t i = 0; i < count; ++i) {
        const size_t region = set.Find(keys[i]);
        set.region(region)->CountRead(1);
        families[i] = set.family(region);
      }
      db_->MultiGet(read_options_, count, families.data(), slices.data(), found.data(),
                    statuses.data());
    }
    values->assign(count, std::nullopt);
    for (size_t i = 0; i < count; ++i) {
      if (statuses[i].ok()) {
        (*values)[i] = found[i].ToString();
      } else if (!statuses[i].IsNotFound()) {
        return FromRocks(statuses[i], Describe("get", table, keys[i]));
      }
    }
    return absl::OkStatus();
  }

  absl::Status Scan(TableId table,
                    const ScanRange& range,
                    const std::function<bool(std::string_view, std::string_view)>& visit) override {
    // A long scan must not evict hot blocks from the cache.
    RocksCursor row(db_, &regions(table), read_options_,
                    {.begin = range.begin,
                     .end = range.end,
                     .is_large = SpecOf(table).files == FileTuning::kRows});
    for (row.Seek(range.begin); row.valid(); row.Next()) {
      if (!visit(row.key(), row.value())) return absl::OkStatus();
    }
    return row.status();
  }

  std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) override {
    return std::make_unique<RocksCursor>(db_, &regions(table), read_options_, range);
  }

  // RocksDB 7.8.3 reads blocks from files in MultiGet, whatever the tier is.
  bool gets_one_by_one() const override {
    return read_options_.read_tier == rocksdb::kBlockCacheTier;
  }

  // RocksDB counts for each thread by default.
  BlockReads block_reads_of_thread() const override {
    const rocksdb::PerfContext& counts = *rocksdb::get_perf_context();
    return {.cached = counts.block_cache_hit_count, .read = counts.block_read_count};
  }

 private:
  absl::Status GetOneByOne(TableId table,
                           std::span<const std::string> keys,
                           std::vector<std::optional<std::string>>* values) {
    values->assign(keys.size(), std::nullopt);
    for (size_t i = 0; i < keys.size(); ++i) {
      HOURCELL_ASSIGN_OR_RETURN((*values)[i], Get(table, keys[i]));
    }
    return absl::OkStatus();
  }

  const RegionSet& regions(TableId table) const { return *(*sets_)[static_cast<size_t>(table)]; }
  static std::string Describe(std::string_view verb, TableId table, std::string_view key) {
    return fmt::format("{} {} {}", verb, TableName(table), ToHex(key));
  }

  rocksdb::DB* const db_;
  const rocksdb::Snapshot* const snapshot_;
  const std::shared_ptr<const RegionSets> sets_;
  rocksdb::ReadOptions read_options_ = RocksReadOptions();
};

class RocksTableStore : public TableStore, public RegionStore {
 public:
  RocksTableStore(OpenedRocks opened,
                  std::unique_ptr<RocksRetention> retention,
                  std::unique_ptr<RocksFamilies> families,
                  const Options& options,
                  std::unique_ptr<StoreLock> lock)
      : is_read_only_(options.follow),
        lock_(std::move(lock)),
        clock_(options.clock != nullptr ? options.clock : Clock::System()),
        retention_(std::move(retention)),
        families_(std::move(families)),
        env_(std::move(opened.environment.env)),
        db_(std::move(opened.db)),
        regions_(std::move(opened.sets)),
        memtables_(db_.get(), MemtableBytes(options)),
        recovery_(std::make_unique<RocksRecovery>(
            db_.get(), &regions_, std::move(opened.environment.errors))),
        changer_(std::make_unique<RocksRegionChanger>(
            db_.get(), families_.get(), &regions_, recovery_.get(), options.observers)) {
    if (opened.flush_watch != nullptr) opened.flush_watch->Start(&regions_);
  }
  ~RocksTableStore() override { Close().IgnoreError(); }  // a destructor cannot report

  TableCapabilities capabilities() const override {
    return {TableCapability::kOrderedScans, TableCapability::kMergeOperands,
            TableCapability::kSnapshots,    TableCapability::kAtomicGroups,
            TableCapability::kDurable,      TableCapability::kByteCounts,
            TableCapability::kPinnedFiles};
  }

  absl::Status Apply(std::span<const Mutation> group, bool sync) override {
    rocksdb::WriteOptions options;
    options.sync = sync;
    return Write(group, options);
  }

  absl::Status ApplyAtOnce(std::span<const Mutation> group, bool sync) override {
    rocksdb::WriteOptions options;
    options.sync = sync;
    return Write(group, options, /*wait_ms=*/0);
  }

  absl::Status ApplyUnlogged(std::span<const Mutation> group) override {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    return Write(group, options);
  }

  bool IsLagging(TableId table, std::string_view key) override {
    if (db_ == nullptr) return false;
    const std::shared_ptr<const RegionSet> set = regions(table);
    RocksRegion& region = *set->region(set->Find(key));
    if (!region.IsLagging()) return false;
    region.backlog()->CountBlocked(1);
    return true;
  }

  absl::Status Sync() override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return recovery_->SyncLog();
  }

  absl::Status CheckWritten() override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return recovery_->Check();
  }

  std::unique_ptr<TableView> Snapshot() override {
    HOURCELL_CHECK(db_ != nullptr);
    return std::make_unique<RocksTableView>(db_.get(), regions_, rocksdb::kReadAllTier);
  }

  std::unique_ptr<TableView> SnapshotInMemory() override {
    HOURCELL_CHECK(db_ != nullptr);
    return std::make_unique<RocksTableView>(db_.get(), regions_, rocksdb::kBlockCacheTier);
  }

  RegionStore* regions() override { return this; }

  absl::Status Presplit(TableId table, const RegionCut& cut) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return changer_->Presplit(table, cut, static_cast<uint64_t>(clock_->NowMs()));
  }

  absl::Status Split(TableId table, const RegionCut& cut) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return changer_->Split(table, cut, static_cast<uint64_t>(clock_->NowMs()));
  }

  absl::Status MergeRegions(TableId table, std::span<const RegionId> ids) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return changer_->Merge(table, ids);
  }

  absl::StatusOr<bool> TrimRegions(TableId table) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return changer_->Trim(table);
  }

  std::vector<RegionInfo> Regions(TableId table) override {
    HOURCELL_CHECK(db_ != nullptr);
    const std::shared_ptr<const RegionSet> set = regions(table);
    return {set->map().regions().begin(), set->map().regions().end()};
  }

  absl::StatusOr<std::vector<RegionUse>> RegionUses(TableId table) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    const std::shared_ptr<const RegionSet> set = regions(table);
    std::vector<RegionUse> uses;
    for (size_t i = 0; i < set->size(); ++i)
      uses.push_back(UseOf(db_.get(), *set, i));
    return uses;
  }

  absl::StatusOr<uint64_t> ApproximateBytes(TableId table, const ScanRange& range) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    const std::shared_ptr<const RegionSet> set = regions(table);
    const RegionMap::Indexes indexes = set->map().Overlapping(range.begin, range.end);
    uint64_t bytes = 0;
    for (size_t i = indexes.begin; i < indexes.end; ++i)
      bytes += BytesIn(db_.get(), *set, i, range);
    return bytes;
  }

  absl::StatusOr<RegionProbe> ProbeRegion(TableId table, RegionId id) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    const std::shared_ptr<const RegionSet> set = regions(table);
    for (size_t i = 0; i < set->size(); ++i) {
      if (set->info(i).id == id) return ProbeOf(db_.get(), set, i);
    }
    return absl::NotFoundError(
        fmt::format("no region of {} has id {}", TableName(table), id.value));
  }

  absl::Status Flush(TableId table) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    const std::shared_ptr<const RegionSet> set = regions(table);
    // Begins all flushes before it waits for one, so that several threads have work.
    for (size_t i = 0; i + 1 < set->size(); ++i)
      BeginFlush(db_.get(), set->family(i)).PermitUncheckedError();
    for (size_t i = 0; i < set->size(); ++i) {
      const rocksdb::Status flushed = FlushFamily(db_.get(), set->family(i), recovery_->errors());
      // It was split or merged, and its memory was flushed for that.
      if (flushed.IsColumnFamilyDropped()) continue;
      HOURCELL_RETURN_IF_ERROR(FromRocks(flushed, fmt::format("flush {}", TableName(table))));
    }
    return absl::OkStatus();
  }

  absl::Status Compact(TableId table, std::atomic<bool>* cancelled) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    rocksdb::CompactRangeOptions options;
    // The lowest level, too: it may hold rows of many cells that were merged in place.
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    options.canceled = cancelled;
    const std::shared_ptr<const RegionSet> set = regions(table);
    for (size_t i = 0; i < set->size(); ++i) {
      // CompactRange flushes, too, and would never return if that flush failed.
      rocksdb::Status done = FlushFamily(db_.get(), set->family(i), recovery_->errors());
      if (done.ok()) done = db_->CompactRange(options, set->family(i), nullptr, nullptr);
      if (done.IsColumnFamilyDropped()) continue;  // it was split or merged meanwhile
      if (cancelled != nullptr && cancelled->load()) {
        return absl::CancelledError(
            fmt::format("compact {}: ended at region {} of {}; what was merged stays",
                        TableName(table), i + 1, set->size()));
      }
      HOURCELL_RETURN_IF_ERROR(FromRocks(done, fmt::format("compact {}", TableName(table))));
    }
    return absl::OkStatus();
  }

  void SetExpiry(const RowExpiry* expiry) override { retention_->SetExpiry(expiry); }

  absl::StatusOr<uint64_t> DropExpired() override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    std::vector<std::shared_ptr<const RegionSet>> sets;  // keep the families
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    for (const TableSpec& table : kTableSpecs) {
      if (table.expiry != TableExpiry::kOfMetric) continue;
      const RegionSet& set = *sets.emplace_back(regions(table.id));
      for (size_t i = 0; i < set.size(); ++i)
        families.push_back(set.family(i));
    }
    return retention_->DropFiles(db_.get(), families);
  }

  absl::Status WithRegionsAtRest(const std::function<absl::Status()>& work) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return changer_->WithoutChanges(work);
  }

  absl::StatusOr<std::unique_ptr<PinnedFiles>> PinFiles() override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return RocksPinnedFiles::Pin(db_.get());
  }

  absl::Status Close() override {
    if (db_ == nullptr) return absl::OkStatus();
    absl::Status flushed;
    if (!is_read_only_) {
      for (const TableId table : kTableIds)
        flushed.Update(Flush(table));
    }
    changer_.reset();
    recovery_.reset();
    regions_.Clear();
    const rocksdb::Status closed = db_->Close();
    db_.reset();
    lock_.reset();
    return flushed.ok() ? FromRocks(closed, "close") : flushed;
  }

 private:
  absl::Status CheckOpen() const {
    return db_ != nullptr ? absl::OkStatus() : absl::FailedPreconditionError("store is closed");
  }

  absl::Status Write(std::span<const Mutation> group,
                     const rocksdb::WriteOptions& options,
                     int64_t wait_ms = RegionEntry::kLaggingMsMax) {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    const RegionEntry entry(regions_, group, wait_ms);
    HOURCELL_RETURN_IF_ERROR(entry.status());
    rocksdb::WriteBatch batch;
    for (size_t i = 0; i < group.size(); ++i) {
      const Mutation& mutation = group[i];
      rocksdb::ColumnFamilyHandle* const family = entry.family(i);
      rocksdb::Status status;
      switch (mutation.kind) {
        case Mutation::Kind::kSet:
          status = batch.Put(family, mutation.key, mutation.value);
          break;
        case Mutation::Kind::kMerge:
          status = batch.Merge(family, mutation.key, mutation.value);
          break;
        case Mutation::Kind::kDelete:
          status = batch.Delete(family, mutation.key);
          break;
      }
      HOURCELL_RETURN_IF_ERROR(FromRocks(status, "batch"));
    }
    HOURCELL_RETURN_IF_ERROR(recovery_->Write(options, &batch));
    memtables_.AfterWrite(regions_);
    return absl::OkStatus();
  }

  std::shared_ptr<const RegionSet> regions(TableId table) const {
    return (*regions_.Current())[static_cast<size_t>(table)];
  }

  const bool is_read_only_;
  std::unique_ptr<StoreLock> lock_;
  WallClock* const clock_;
  const std::unique_ptr<RocksRetention> retention_;
  const std::unique_ptr<RocksFamilies> families_;
  const std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<rocksdb::DB> db_;
  RocksRegions regions_;
  RocksMemtableBudget memtables_;
  std::unique_ptr<RocksRecovery> recovery_;
  std::unique_ptr<RocksRegionChanger> changer_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<TableStore>> OpenRocksTableStore(const std::string& directory,
                                                                const Options& options,
                                                                std::unique_ptr<StoreLock> lock) {
  auto retention = std::make_unique<RocksRetention>();
  auto families = std::make_unique<RocksFamilies>(options, retention.get());
  HOURCELL_ASSIGN_OR_RETURN(OpenedRocks opened, OpenRocks(directory, options, *families));
  return std::make_unique<RocksTableStore>(std::move(opened), std::move(retention),
                                           std::move(families), options, std::move(lock));
}

}  // namespace hourcell
