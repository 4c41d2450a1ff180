#include "engine/rocks_table_store.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "engine/rocks_options.h"
#include "engine/rocks_retention.h"
#include "engine/rocks_status.h"

namespace hourcell {
namespace {

// A store that was stopped by an error tries to go on so often.
constexpr int64_t kResumeEveryMs = 1000;

constexpr size_t kTables = std::size(kTableIds);
using Families = std::array<rocksdb::ColumnFamilyHandle*, kTables>;

rocksdb::Slice ToSlice(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}
std::string_view View(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

// The column family of a table. The one region of a table that can have several is number 1.
std::string FamilyName(TableId table) {
  const bool has_regions = table == TableId::kData || table == TableId::kAnnotation;
  return fmt::format("{}{}", TableName(table), has_regions ? ".1" : "");
}

class RocksRowCursor : public RowCursor {
 public:
  RocksRowCursor(rocksdb::DB* db,
                 rocksdb::ColumnFamilyHandle* family,
                 rocksdb::ReadOptions options,
                 const ScanRange& range)
      : begin_(range.begin), end_(range.end), begin_slice_(begin_), end_slice_(end_) {
    if (!begin_.empty()) options.iterate_lower_bound = &begin_slice_;
    if (!end_.empty()) options.iterate_upper_bound = &end_slice_;
    options.fill_cache = !range.is_large;
    row_.reset(db->NewIterator(options, family));
  }

  void Seek(std::string_view key) override { row_->Seek(ToSlice(key)); }
  void SeekBefore(std::string_view key) override {
    row_->SeekForPrev(ToSlice(key));
    if (row_->Valid() && View(row_->key()) == key) row_->Prev();
  }
  void SeekToLast() override { row_->SeekToLast(); }
  void Next() override { row_->Next(); }
  bool valid() const override { return row_->Valid(); }
  std::string_view key() const override { return View(row_->key()); }
  std::string_view value() const override { return View(row_->value()); }
  absl::Status status() const override { return FromRocks(row_->status(), "read"); }

 private:
  const std::string begin_;
  const std::string end_;
  const rocksdb::Slice begin_slice_;
  const rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> row_;
};

class RocksTableView : public TableView {
 public:
  RocksTableView(rocksdb::DB* db, const Families& families)
      : db_(db), families_(families), snapshot_(db->GetSnapshot()) {}
  ~RocksTableView() override { db_->ReleaseSnapshot(snapshot_); }

  absl::StatusOr<std::optional<std::string>> Get(TableId table, std::string_view key) override {
    rocksdb::PinnableSlice value;
    const rocksdb::Status status = db_->Get(read_options(), family(table), ToSlice(key), &value);
    if (status.IsNotFound()) return std::optional<std::string>();
    HOURCELL_RETURN_IF_ERROR(FromRocks(status, Describe("get", table, key)));
    return std::optional<std::string>(value.ToString());
  }

  absl::Status GetMany(TableId table,
                       std::span<const std::string> keys,
                       std::vector<std::optional<std::string>>* values) override {
    const size_t count = keys.size();
    std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::PinnableSlice> found(count);
    std::vector<rocksdb::Status> statuses(count);
    db_->MultiGet(read_options(), family(table), count, slices.data(), found.data(),
                  statuses.data());
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
                    const RowFilter& filter,
                    const std::function<bool(std::string_view, std::string_view)>& visit) override {
    rocksdb::ReadOptions options = read_options();
    const rocksdb::Slice end = ToSlice(range.end);
    if (!range.end.empty()) options.iterate_upper_bound = &end;
    // A long scan must not push what is hot out of the cache.
    options.fill_cache = table != TableId::kData;
    const std::unique_ptr<rocksdb::Iterator> row(db_->NewIterator(options, family(table)));
    for (row->Seek(ToSlice(range.begin)); row->Valid(); row->Next()) {
      if (!filter.Matches(View(row->key()))) continue;
      if (!visit(View(row->key()), View(row->value()))) return absl::OkStatus();
    }
    return FromRocks(row->status(), Describe("scan", table, range.begin));
  }

  std::unique_ptr<RowCursor> NewCursor(TableId table, const ScanRange& range) override {
    return std::make_unique<RocksRowCursor>(db_, family(table), read_options(), range);
  }

 private:
  rocksdb::ReadOptions read_options() const {
    rocksdb::ReadOptions options;
    options.snapshot = snapshot_;
    return options;
  }
  rocksdb::ColumnFamilyHandle* family(TableId table) const {
    return families_[static_cast<size_t>(table)];
  }
  static std::string Describe(std::string_view verb, TableId table, std::string_view key) {
    return fmt::format("{} {} {}", verb, TableName(table), ToHex(key));
  }

  rocksdb::DB* const db_;
  const Families families_;
  const rocksdb::Snapshot* const snapshot_;
};

class RocksTableStore : public TableStore {
 public:
  RocksTableStore(std::unique_ptr<rocksdb::DB> db,
                  const Families& families,
                  std::unique_ptr<RocksRetention> retention)
      : db_(std::move(db)), families_(families), retention_(std::move(retention)) {}
  ~RocksTableStore() override { Close().IgnoreError(); }  // a destructor cannot report

  absl::Status Apply(std::span<const Mutation> group, bool sync) override {
    rocksdb::WriteOptions options;
    options.sync = sync;
    return Write(group, options);
  }

  absl::Status ApplyUnlogged(std::span<const Mutation> group) override {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    return Write(group, options);
  }

  absl::Status Sync() override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return FromRocks(db_->FlushWAL(/*sync=*/true), "sync");
  }

  std::unique_ptr<TableView> Snapshot() override {
    HOURCELL_CHECK(db_ != nullptr);
    return std::make_unique<RocksTableView>(db_.get(), families_);
  }

  absl::StatusOr<uint64_t> Increment(TableId table, std::string_view key, uint64_t delta) override {
    MutexLock lock(&read_modify_write_);
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> old, Snapshot()->Get(table, key));
    if (old.has_value() && old->size() != 8) {
      return absl::DataLossError(fmt::format("counter {} {}: got {} bytes; want 8",
                                             TableName(table), ToHex(key), old->size()));
    }
    const uint64_t sum = (old.has_value() ? LoadBigEndian(old->data(), 8) : 0) + delta;
    std::string value;
    AppendBigEndian(sum, 8, &value);
    HOURCELL_RETURN_IF_ERROR(SetOne(table, key, value));
    return sum;
  }

  absl::StatusOr<bool> CompareAndSet(TableId table,
                                     std::string_view key,
                                     std::optional<std::string_view> expected,
                                     std::string_view value) override {
    MutexLock lock(&read_modify_write_);
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> old, Snapshot()->Get(table, key));
    if (old.has_value() != expected.has_value()) return false;
    if (old.has_value() && *old != *expected) return false;
    HOURCELL_RETURN_IF_ERROR(SetOne(table, key, value));
    return true;
  }

  absl::StatusOr<std::vector<std::string>> SplitPoints(TableId table) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    rocksdb::ColumnFamilyMetaData metadata;
    db_->GetColumnFamilyMetaData(families_[static_cast<size_t>(table)], &metadata);
    std::vector<std::string> points;
    for (const rocksdb::LevelMetaData& level : metadata.levels) {
      for (const rocksdb::SstFileMetaData& file : level.files) {
        points.push_back(file.smallestkey);
      }
    }
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return points;
  }

  absl::Status Flush(TableId table) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    rocksdb::ColumnFamilyHandle* const family = families_[static_cast<size_t>(table)];
    rocksdb::Status flushed = db_->Flush(rocksdb::FlushOptions(), family);
    if (IsStopped(flushed) && TryResume()) flushed = db_->Flush(rocksdb::FlushOptions(), family);
    return FromRocks(flushed, fmt::format("flush {}", TableName(table)));
  }

  absl::Status Compact(TableId table) override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    rocksdb::CompactRangeOptions options;
    // The lowest level too: it may hold rows of many cells that were merged in place.
    options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
    return FromRocks(
        db_->CompactRange(options, families_[static_cast<size_t>(table)], nullptr, nullptr),
        fmt::format("compact {}", TableName(table)));
  }

  void SetExpiry(const RowExpiry* expiry) override { retention_->SetExpiry(expiry); }

  absl::StatusOr<uint64_t> DropExpired() override {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    return retention_->DropFiles(db_.get(), families_[static_cast<size_t>(TableId::kData)]);
  }

  absl::Status Close() override {
    if (db_ == nullptr) return absl::OkStatus();
    absl::Status flushed;
    for (const TableId table : kTableIds)
      flushed.Update(Flush(table));
    for (rocksdb::ColumnFamilyHandle* const family : families_) {
      if (const rocksdb::Status dropped = db_->DestroyColumnFamilyHandle(family); !dropped.ok()) {
        return FromRocks(dropped, "close");
      }
    }
    const rocksdb::Status closed = db_->Close();
    db_.reset();
    return flushed.ok() ? FromRocks(closed, "close") : flushed;
  }

 private:
  absl::Status CheckOpen() const {
    return db_ != nullptr ? absl::OkStatus() : absl::FailedPreconditionError("store is closed");
  }

  absl::Status Write(std::span<const Mutation> group, const rocksdb::WriteOptions& options) {
    HOURCELL_RETURN_IF_ERROR(CheckOpen());
    rocksdb::WriteBatch batch;
    for (const Mutation& mutation : group) {
      rocksdb::ColumnFamilyHandle* const family = families_[static_cast<size_t>(mutation.table)];
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
    rocksdb::Status written = db_->Write(options, &batch);
    if (IsStopped(written) && TryResume()) written = db_->Write(options, &batch);
    return FromRocks(written, "write");
  }

  // True of the error that every write gets after a flush failed.
  static bool IsStopped(const rocksdb::Status& status) {
    return status.IsIOError() || status.IsNoSpace();
  }

  // After a failed flush, of a full disk say, RocksDB refuses writes until it is told to try again.
  bool TryResume() {
    MutexLock lock(&resume_);
    const auto now = std::chrono::steady_clock::now();
    if (now < next_resume_) return false;
    next_resume_ = now + std::chrono::milliseconds(kResumeEveryMs);
    return db_->Resume().ok();
  }

  absl::Status SetOne(TableId table, std::string_view key, std::string_view value) {
    return FromRocks(db_->Put(rocksdb::WriteOptions(), families_[static_cast<size_t>(table)],
                              ToSlice(key), ToSlice(value)),
                     "write");
  }

  std::unique_ptr<rocksdb::DB> db_;
  Families families_;
  const std::unique_ptr<RocksRetention> retention_;
  Mutex read_modify_write_;  // one Increment or CompareAndSet at a time
  Mutex resume_;
  std::chrono::steady_clock::time_point next_resume_ ABSL_GUARDED_BY(resume_);
};

// kFailedPrecondition if there is a database in `directory` that is not a store of ours.
absl::Status CheckIsOurs(const std::string& directory, const rocksdb::DBOptions& options) {
  std::vector<std::string> names;
  const rocksdb::Status listed = rocksdb::DB::ListColumnFamilies(options, directory, &names);
  if (!listed.ok()) return absl::OkStatus();  // none there, or Open says what is wrong
  for (const std::string& name : names) {
    const bool ours =
        name == rocksdb::kDefaultColumnFamilyName ||
        std::ranges::any_of(kTableIds, [&](TableId table) { return name == FamilyName(table); });
    if (!ours) {
      return absl::FailedPreconditionError(fmt::format(
          "open {}: column family {} is none of this version's; want a store of hourcell 0.1",
          directory, name));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<TableStore>> OpenRocksTableStore(const std::string& directory,
                                                                const Options& options) {
  const rocksdb::DBOptions db_options = RocksDbOptions(options);
  HOURCELL_RETURN_IF_ERROR(CheckIsOurs(directory, db_options));
  const std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(options.block_cache_bytes);
  auto retention = std::make_unique<RocksRetention>();
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions());
  for (const TableId table : kTableIds) {
    descriptors.emplace_back(FamilyName(table), RocksTableOptions(options, table, cache));
    if (table == TableId::kData) retention->AddTo(&descriptors.back().options);
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  const rocksdb::Status opened =
      rocksdb::DB::Open(db_options, directory, descriptors, &handles, &raw);
  if (opened.IsInvalidArgument() && !options.create_if_missing) {
    return absl::NotFoundError(fmt::format("open {}: {}", directory, opened.ToString()));
  }
  HOURCELL_RETURN_IF_ERROR(FromRocks(opened, fmt::format("open {}", directory)));
  std::unique_ptr<rocksdb::DB> db(raw);
  Families families{};
  std::copy(handles.begin() + 1, handles.end(), families.begin());
  // The default family holds nothing; RocksDB wants it opened all the same.
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(db->DestroyColumnFamilyHandle(handles[0]), fmt::format("open {}", directory)));
  return std::make_unique<RocksTableStore>(std::move(db), families, std::move(retention));
}

}  // namespace hourcell
