#include "engine/rocks/regions/rocks_recovery.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/rocks/files/rocks_file_deletions.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/regions/rocks_flush.h"
#include "engine/table/table.h"

// Why RocksDB does not see failed writes: it stops after one and expects Resume(). With a fault
// injected at every write, one after another, Resume() waited without end for flushes that RocksDB
// had forgotten, and errors in the recovery left flags that nothing reset. Each workaround met the
// next fault. A memtable is never lost, so as long as it is in memory, all failed work can be
// repeated (docs/decisions/0012).

namespace hourcell {
namespace {

// The pause after a failed try.
constexpr std::chrono::milliseconds kTryEvery(200);
constexpr std::chrono::milliseconds kErrorLookEvery(1000);

// Rows of journaled tables refer to rows of the others.
constexpr auto kReferredToFirst = [] {
  std::array<TableId, std::size(kTableSpecs)> tables{};
  size_t count = 0;
  for (const TableWrites writes : {TableWrites::kLogged, TableWrites::kJournaled}) {
    for (const TableSpec& table : kTableSpecs)
      if (table.writes == writes) tables[count++] = table.id;
  }
  return tables;
}();

}  // namespace

RocksRecovery::RocksRecovery(rocksdb::DB* db,
                             const RocksRegions* regions,
                             std::shared_ptr<RocksErrorWatch> errors)
    : db_(db),
      regions_(*regions),
      errors_(std::move(errors)),
      thread_("hc-recovery", [this] { Loop(); }) {}

RocksRecovery::~RocksRecovery() {
  {
    MutexLock lock(&done_mutex_);
    is_stopping_ = true;
  }
  errors_->Wake();
  thread_.Join();
}

absl::Status RocksRecovery::Check() {
  return IsRecovered() ? absl::OkStatus() : Recover();
}

absl::Status RocksRecovery::Write(const rocksdb::WriteOptions& options,
                                  rocksdb::WriteBatch* batch) {
  HOURCELL_RETURN_IF_ERROR(Check());
  const uint64_t before = errors_->counts().wal;
  HOURCELL_RETURN_IF_ERROR(FromRocks(db_->Write(options, batch), "write"));
  if (options.disableWAL || errors_->counts().wal == before) return absl::OkStatus();
  return Recover();
}

absl::Status RocksRecovery::SyncLog() {
  // Counted before the check: a WAL that breaks between the two is not synced, without an error.
  const uint64_t before = errors_->counts().wal;
  HOURCELL_RETURN_IF_ERROR(Check());
  HOURCELL_RETURN_IF_ERROR(FromRocks(db_->FlushWAL(/*sync=*/true), "sync"));
  return errors_->counts().wal == before ? absl::OkStatus() : Recover();
}

bool RocksRecovery::IsRecovered() const {
  const RocksErrorWatch::Counts counts = errors_->counts();
  MutexLock lock(&done_mutex_);
  return done_ == counts;
}

absl::Status RocksRecovery::Recover() {
  MutexLock lock(&mutex_);
  if (IsRecovered()) return absl::OkStatus();
  if (!last_try_.ok() && std::chrono::steady_clock::now() < next_try_) return last_try_;
  return TryNow();
}

absl::Status RocksRecovery::TryNow() {
  const RocksErrorWatch::Counts seen = errors_->counts();
  const auto flush_all = [this]() -> rocksdb::Status {
    const std::shared_ptr<const RegionSets> sets = regions_.Current();
    for (const TableId table : kReferredToFirst) {
      const std::shared_ptr<const RegionSet>& set = (*sets)[static_cast<size_t>(table)];
      if (set == nullptr) continue;  // being closed
      for (size_t i = 0; i < set->size(); ++i)
        BeginFlush(db_, set->family(i)).PermitUncheckedError();
      for (size_t i = 0; i < set->size(); ++i) {
        const rocksdb::Status flushed = FlushFamily(db_, set->family(i), *errors_);
        // It was split or merged, and its memory was flushed for that.
        if (!flushed.ok() && !flushed.IsColumnFamilyDropped()) return flushed;
      }
    }
    return rocksdb::Status::OK();
  };
  const rocksdb::Status flushed = flush_all();
  if (!flushed.ok()) {
    last_try_ = absl::UnavailableError(
        fmt::format("the store takes no writes after a write error until it has flushed its "
                    "memory to files: {}; check the disk",
                    flushed.ToString()));
    next_try_ = std::chrono::steady_clock::now() + kTryEvery;
    return last_try_;
  }
  // RocksDB resumes the deletion of unused files.
  for (int failures = errors_->TakeManifestFailures(); failures > 0; --failures)
    EnableFileDeletionsOnce(db_).PermitUncheckedError();
  last_try_ = absl::OkStatus();
  MutexLock lock(&done_mutex_);
  done_ = seen;
  return absl::OkStatus();
}

void RocksRecovery::Loop() {
  while (true) {
    RocksErrorWatch::Counts done;
    {
      MutexLock lock(&done_mutex_);
      if (is_stopping_) return;
      done = done_;
    }
    if (errors_->counts() == done) {
      errors_->WaitForOthers(done, kErrorLookEvery);
    } else if (!Recover().ok()) {
      errors_->WaitForOthers(errors_->counts(), kTryEvery);
    }
  }
}

}  // namespace hourcell
