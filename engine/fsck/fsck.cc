#include "engine/fsck.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/clock.h"
#include "codec/base/status_macros.h"
#include "codec/rows/row_key.h"
#include "codec/rows/salt_schedule.h"
#include "engine/days/day_row_store.h"
#include "engine/fsck/fsck_checks.h"
#include "engine/journal/file_journal.h"
#include "engine/journal/journal_recovery.h"
#include "engine/names/table_uid_store.h"
#include "engine/rocks/files/store_lock.h"
#include "engine/rocks/rocks_table_store.h"
#include "engine/rows/system_table.h"
#include "engine/series/series_table.h"
#include "engine/table/retention.h"
#include "engine/table/table.h"
#include "engine/undo/ttl_row.h"
#include "uid/uid_directory.h"

namespace hourcell {
namespace {

class Fsck {
 public:
  Fsck(Options options, const FsckOptions& fsck) : options_(std::move(options)), fsck_(fsck) {
    options_.create_if_missing = false;
    options_.check_layout = false;
  }

  absl::StatusOr<FsckReport> Run() {
    HOURCELL_RETURN_IF_ERROR(Open());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckRegions());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckNames());
    HOURCELL_RETURN_IF_ERROR(OpenSeries());
    checks_->Use(uids_.get(), series_.get());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckSeriesRows());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckRows());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckAnnotations());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckAsides());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckDeletions());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckDocuments());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckVirtualMetrics());
    HOURCELL_RETURN_IF_ERROR(checks_->CheckRollups());
    HOURCELL_RETURN_IF_ERROR(CheckJournal());
    HOURCELL_RETURN_IF_ERROR(checks_->DropEmptySeries());
    HOURCELL_RETURN_IF_ERROR(tables_->Close());
    return std::move(report_);
  }

 private:
  absl::Status Open() {
    HOURCELL_RETURN_IF_ERROR(MakeStoreDirectory(options_.path, /*create_if_missing=*/false));
    HOURCELL_ASSIGN_OR_RETURN(lock_, options_.follow ? StoreLock::AcquireToRead(options_.path)
                                                     : StoreLock::Acquire(options_.path));
    HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<TableStore> stored,
                              OpenRocksTableStore(options_.path + "/db", options_));
    tables_ = std::make_unique<DayRowStore>(std::move(stored));
    HOURCELL_ASSIGN_OR_RETURN(options_.layout, ReadOrCreateLayout(options_, tables_.get(), [this] {
                                return MakeJournalDirectory(FileSystemOf(options_.env),
                                                            options_.path + "/journal");
                              }));
    HOURCELL_ASSIGN_OR_RETURN(SaltEpochs epochs, ReadSaltEpochs(options_.layout, tables_.get()));
    row_keys_.emplace(options_.layout, std::make_shared<SaltSchedule>(std::move(epochs)));
    HOURCELL_RETURN_IF_ERROR(tables_->Open(&*row_keys_, options_.day_row_points));
    uid_store_ = std::make_unique<TableUidStore>(options_.layout, tables_.get());
    HOURCELL_ASSIGN_OR_RETURN(const bool has_sets, ReadActiveSetsAreKept(tables_.get()));
    checks_.emplace(FsckChecks::Parts{.layout = &options_.layout,
                                      .tables = tables_.get(),
                                      .list = tables_.get(),
                                      .regions = tables_->regions(),
                                      .row_keys = &*row_keys_,
                                      .has_active_sets = has_sets,
                                      .expiry = ReadExpiry()},
                    fsck_, &report_);
    return absl::OkStatus();
  }

  // When rows expire; null: the TTLs cannot be read.
  const RowExpiry* ReadExpiry() {
    auto metric_ttl_s = ReadMetricTtls(tables_.get());
    const absl::StatusOr<int64_t> store_ttl_s = ReadStoreTtl(tables_.get());
    const auto shortened = ReadTtlRows(tables_->Snapshot().get());
    if (!metric_ttl_s.ok() || !store_ttl_s.ok() || !shortened.ok()) return nullptr;
    retention_.Set({.store_ttl_s = *store_ttl_s,
                    .metric_ttl_s = *std::move(metric_ttl_s),
                    .file_ttl_s = FileTtlsOf(*shortened)});
    WallClock* const clock = options_.clock != nullptr ? options_.clock : Clock::System();
    return &expiry_.emplace(options_.layout, &retention_, clock);
  }

  // Without it rows are checked, too, but for their series.
  absl::Status OpenSeries() {
    UidOptions uid_options;
    uid_options.layout = options_.layout;
    absl::StatusOr<std::unique_ptr<UidDirectory>> uids =
        UidDirectory::Open(uid_options, uid_store_.get());
    if (!uids.ok() && !absl::IsDataLoss(uids.status())) return uids.status();
    if (!uids.ok()) return absl::OkStatus();  // CheckNames has reported it
    uids_ = *std::move(uids);
    absl::StatusOr<std::unique_ptr<SeriesTable>> series =
        SeriesTable::Open(options_.layout,
                          {.tables = tables_.get(),
                           .uid_store = uid_store_.get(),
                           .uids = uids_.get(),
                           .is_followed = options_.follow},
                          /*sync=*/false);
    if (series.ok()) {
      series_ = *std::move(series);
      return absl::OkStatus();
    }
    if (!absl::IsDataLoss(series.status())) return series.status();
    const absl::Status& damage = series.status();
    report_.Add(FsckFault::kIndex, {damage.message().data(), damage.message().size()},
                fsck_.examples_max);
    return absl::OkStatus();
  }

  absl::Status CheckJournal() {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(tables_.get()));
    if (options_.follow) return CheckJournalToRead(low_mark);
    const absl::StatusOr<std::unique_ptr<Journal>> journal =
        FileJournal::Open({.directory = options_.path + "/journal",
                           .fs = FileSystemOf(options_.env),
                           .create = false,
                           .low_mark = std::max<uint64_t>(low_mark, 1)});
    absl::Status read = journal.status();
    if (read.ok()) HOURCELL_RETURN_IF_ERROR(CheckCuts(journal->get()));
    if (read.ok()) {
      read = (*journal)->Replay(low_mark, [&](uint64_t sequence, std::string_view payload) {
        return checks_->CheckBlock(sequence, payload);
      });
    }
    return checks_->CheckJournal(read);
  }

  absl::Status CheckJournalToRead(uint64_t low_mark) {
    const std::string directory = options_.path + "/journal";
    const absl::StatusOr<uint64_t> read =
        VisitJournal(FileSystemOf(options_.env), directory, std::max<uint64_t>(low_mark, 1),
                     [&](uint64_t sequence, std::string_view payload) {
                       return checks_->CheckBlock(sequence, payload);
                     });
    if (read.ok()) {
      HOURCELL_ASSIGN_OR_RETURN(const std::vector<JournalCut> cuts,
                                ListCuts(FileSystemOf(options_.env), directory));
      checks_->TellCuts(cuts);
    }
    return checks_->CheckJournal(read.status());
  }

  absl::Status CheckCuts(Journal* journal) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<JournalCut> cuts, journal->UnseenCuts());
    checks_->TellCuts(cuts);
    if (!fsck_.acknowledge_cuts) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(journal->MarkCutsSeen(cuts));
    report_.fixed += cuts.size();
    return absl::OkStatus();
  }

  Options options_;
  const FsckOptions& fsck_;
  FsckReport report_;
  std::unique_ptr<StoreLock> lock_;
  std::unique_ptr<DayRowStore> tables_;
  std::optional<RowKeyCodec> row_keys_;
  Retention retention_;
  std::optional<RowExpiry> expiry_;
  std::unique_ptr<TableUidStore> uid_store_;
  std::unique_ptr<UidDirectory> uids_;   // null: UIDs are damaged
  std::unique_ptr<SeriesTable> series_;  // null: they are damaged
  std::optional<FsckChecks> checks_;
};

}  // namespace

absl::StatusOr<FsckReport> RunFsck(const Options& options, const FsckOptions& fsck) {
  return Fsck(options, fsck).Run();
}

}  // namespace hourcell
