#include "engine/fsck.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "codec/row_key.h"
#include "codec/salt_schedule.h"
#include "codec/tsuid.h"
#include "engine/annotation_cell.h"
#include "engine/annotation_key.h"
#include "engine/fsck_cell.h"
#include "engine/fsck_series.h"
#include "engine/ingest/point_log.h"
#include "engine/journal.h"
#include "engine/key_text.h"
#include "engine/regions/region_invariants.h"
#include "engine/rocks_table_store.h"
#include "engine/series_table.h"
#include "engine/store_lock.h"
#include "engine/store_meta.h"
#include "engine/table.h"
#include "engine/table_uid_store.h"
#include "uid/uid_check.h"
#include "uid/uid_directory.h"

namespace hourcell {
namespace {

constexpr std::string_view kAsidePrefix = "aside/";
constexpr uint64_t kProgressRows = 10'000;
// Series whose names were looked up; forgotten beyond that.
constexpr size_t kSeriesMax = 1 << 20;

std::string_view MessageOf(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

class Fsck {
 public:
  Fsck(Options options, const FsckOptions& fsck) : options_(std::move(options)), fsck_(fsck) {
    options_.create_if_missing = false;
    options_.check_layout = false;
  }

  absl::StatusOr<FsckReport> Run() {
    HOURCELL_RETURN_IF_ERROR(Open());
    CheckRegions();
    HOURCELL_RETURN_IF_ERROR(CheckNames());
    HOURCELL_RETURN_IF_ERROR(OpenSeries());
    if (series_ != nullptr) {
      const absl::Status checked =
          CheckSeries(options_.layout, *series_, fsck_.examples_max, &report_);
      if (!checked.ok()) Add(FsckFault::kIndex, std::string(MessageOf(checked)));
    }
    HOURCELL_RETURN_IF_ERROR(CheckRows());
    CheckAnnotations();
    CheckAsides();
    HOURCELL_RETURN_IF_ERROR(CheckJournal());
    HOURCELL_RETURN_IF_ERROR(tables_->Close());
    return std::move(report_);
  }

 private:
  void Add(FsckFault fault, std::string text) {
    report_.Add(fault, std::move(text), fsck_.examples_max);
  }

  absl::Status Open() {
    HOURCELL_RETURN_IF_ERROR(MakeStoreDirectory(options_.path, /*create_if_missing=*/false));
    HOURCELL_ASSIGN_OR_RETURN(lock_, StoreLock::Acquire(options_.path));
    HOURCELL_ASSIGN_OR_RETURN(tables_, OpenRocksTableStore(options_.path + "/db", options_));
    HOURCELL_ASSIGN_OR_RETURN(options_.layout, ReadOrCreateMeta(options_, tables_.get()));
    HOURCELL_ASSIGN_OR_RETURN(SaltEpochs epochs, ReadSaltEpochs(options_.layout, tables_.get()));
    row_keys_.emplace(options_.layout, std::make_shared<SaltSchedule>(std::move(epochs)));
    uid_store_ = std::make_unique<TableUidStore>(options_.layout, tables_.get());
    return absl::OkStatus();
  }

  void CheckRegions() {
    for (const TableId table : kTableIds) {
      const std::vector<RegionInfo> regions = tables_->Regions(table);
      report_.regions += regions.size();
      for (const RegionFinding& finding : CheckInvariants(regions))
        Add(FsckFault::kRegion, fmt::format("table {}: {}", TableName(table), finding.text));
    }
  }

  absl::Status CheckNames() {
    const absl::StatusOr<UidCheckReport> checked =
        CheckUids(options_.layout, uid_store_.get(), fsck_.fix_uids);
    if (!checked.ok()) {
      if (!absl::IsDataLoss(checked.status())) return checked.status();
      Add(FsckFault::kUid, std::string(MessageOf(checked.status())));
      return absl::OkStatus();
    }
    report_.mappings = checked->mappings;
    for (const UidFinding& finding : checked->findings) {
      if (finding.is_error) Add(FsckFault::kUid, finding.text);
      if (finding.is_error && finding.repaired) ++report_.fixed;
    }
    return absl::OkStatus();
  }

  // Without it rows are checked, too, but for their series.
  absl::Status OpenSeries() {
    UidOptions uid_options;
    uid_options.layout = options_.layout;
    absl::StatusOr<std::unique_ptr<UidDirectory>> uids =
        UidDirectory::Open(uid_options, uid_store_.get());
    if (!uids.ok() && !absl::IsDataLoss(uids.status())) return uids.status();
    if (!uids.ok()) return absl::OkStatus();  // CheckNames has told it
    uids_ = *std::move(uids);
    absl::StatusOr<std::unique_ptr<SeriesTable>> series = SeriesTable::Open(
        options_.layout,
        {.tables = tables_.get(), .uid_store = uid_store_.get(), .uids = uids_.get()},
        /*sync=*/false);
    if (series.ok()) {
      series_ = *std::move(series);
      return absl::OkStatus();
    }
    if (!absl::IsDataLoss(series.status())) return series.status();
    Add(FsckFault::kIndex, std::string(MessageOf(series.status())));
    return absl::OkStatus();
  }

  absl::Status CheckRows() {
    const std::unique_ptr<TableView> view = tables_->Snapshot();
    absl::Status fixed;
    const absl::Status scanned =
        view->Scan(TableId::kData, {}, {}, [&](std::string_view key, std::string_view cell) {
          ++report_.rows;
          CheckKey(key);
          fixed = CheckCellOf(key, cell);
          if (fsck_.progress != nullptr && report_.rows % kProgressRows == 0) {
            fsck_.progress(report_.rows, report_.points);
          }
          return fixed.ok();
        });
    HOURCELL_RETURN_IF_ERROR(fixed);
    if (!scanned.ok()) {
      Add(FsckFault::kTable,
          fmt::format("data, behind {} rows: {}", report_.rows, MessageOf(scanned)));
    }
    return absl::OkStatus();
  }

  // Where a row is, for people.
  std::string Place(std::string_view key) {
    const absl::StatusOr<RowKeyView> parsed = row_keys_->Parse(key);
    if (!parsed.ok()) return fmt::format("row {}", ToHex(key));
    return fmt::format("row {} (metric {}, {})", ToHex(key), ToHex(parsed->metric),
                       UtcText(parsed->base_time_s));
  }

  void CheckKey(std::string_view key) {
    const absl::StatusOr<RowKeyView> parsed = row_keys_->Parse(key);
    if (!parsed.ok()) {
      Add(FsckFault::kKey, std::string(MessageOf(parsed.status())));
      return;
    }
    std::string tsuid;
    RowKeyCodec::AppendTsuid(*parsed, &tsuid);
    std::string want;
    row_keys_->Append(tsuid, parsed->base_time_s, &want);
    if (want != key) {
      Add(FsckFault::kSalt, fmt::format("{}: want the row {}", Place(key), ToHex(want)));
    }
    if (good_series_.contains(tsuid)) return;
    if (!CheckSeriesOf(key, tsuid)) return;
    if (good_series_.size() >= kSeriesMax) good_series_.clear();
    good_series_.insert(std::move(tsuid));
  }

  // False if a row of that series has a fault.
  bool CheckSeriesOf(std::string_view key, const std::string& tsuid) {
    const absl::StatusOr<SeriesUids> uids = ParseTsuid(options_.layout, tsuid);
    if (!uids.ok() || EncodeTsuid(options_.layout, uids->metric, uids->tags) != tsuid) {
      Add(FsckFault::kKey, fmt::format("{}: its tags do not ascend", Place(key)));
      return false;
    }
    if (uids_ == nullptr) return true;
    bool is_good = CheckName(key, UidKind::kMetric, uids->metric);
    for (const TagUids& tag : uids->tags) {
      is_good = CheckName(key, UidKind::kTagk, tag.tagk) && is_good;
      is_good = CheckName(key, UidKind::kTagv, tag.tagv) && is_good;
    }
    if (series_ == nullptr) return is_good;
    const absl::StatusOr<SeriesNumber> number = series_->NumberOf(tsuid);
    if (number.ok() && *number != 0) return is_good;
    Add(FsckFault::kSeries,
        fmt::format("{}: {}", Place(key),
                    number.ok() ? "its series has no number" : MessageOf(number.status())));
    return false;
  }

  bool CheckName(std::string_view key, UidKind kind, Uid uid) {
    const absl::StatusOr<std::string> name = uids_->NameOf(kind, uid);
    if (name.ok()) return true;
    Add(FsckFault::kName, fmt::format("{}: {} UID {}: {}", Place(key), KindName(kind), uid,
                                      MessageOf(name.status())));
    return false;
  }

  absl::Status CheckCellOf(std::string_view key, std::string_view cell) {
    const CellCheck check = CheckCell(cell);
    report_.points += check.points;
    if (!check.fault.has_value()) return absl::OkStatus();
    Add(*check.fault,
        fmt::format("{}: {}; {} points of it are good", Place(key), check.text, check.points));
    if (!fsck_.fix_cells) return absl::OkStatus();
    const Mutation group[] = {
        {.table = TableId::kMeta,
         .kind = Mutation::Kind::kSet,
         .key = fmt::format("{}row/{}/{:08x}", kAsidePrefix, ToHex(key), Crc32c(cell)),
         .value = std::string(cell)},
        {.table = TableId::kData,
         .kind = check.good.empty() ? Mutation::Kind::kDelete : Mutation::Kind::kSet,
         .key = std::string(key),
         .value = check.good}};
    HOURCELL_RETURN_IF_ERROR(tables_->Apply(group, /*sync=*/true));
    ++report_.fixed;
    return absl::OkStatus();
  }

  void CheckAnnotations() {
    const absl::Status scanned = tables_->Snapshot()->Scan(
        TableId::kAnnotation, {}, {}, [&](std::string_view key, std::string_view cell) {
          ++report_.annotations;
          const absl::StatusOr<AnnotationKeyView> parsed = ParseAnnotationKey(*row_keys_, key);
          absl::Status status = parsed.status();
          if (status.ok()) status = ParseAnnotationCell(cell).status();
          if (!status.ok()) {
            Add(FsckFault::kAnnotation, fmt::format("row {}: {}", ToHex(key), MessageOf(status)));
          }
          return true;
        });
    if (!scanned.ok()) Add(FsckFault::kTable, std::string(MessageOf(scanned)));
  }

  void CheckAsides() {
    const std::string begin(kAsidePrefix);
    std::string end = begin;
    ++end.back();
    const absl::Status scanned = tables_->Snapshot()->Scan(
        TableId::kMeta, {.begin = begin, .end = end}, {},
        [&](std::string_view key, std::string_view cell) {
          Add(FsckFault::kAside, fmt::format("{}: a cell of {} bytes", key, cell.size()));
          return true;
        });
    if (!scanned.ok()) Add(FsckFault::kTable, std::string(MessageOf(scanned)));
  }

  absl::Status CheckJournal() {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t low_mark, ReadLowMark(tables_.get()));
    const absl::StatusOr<std::unique_ptr<Journal>> journal =
        Journal::Open({.directory = options_.path + "/journal",
                       .fs = FileSystemOf(options_.env),
                       .create = false,
                       .low_mark = low_mark});
    absl::Status status = journal.status();
    if (status.ok()) {
      status = (*journal)->Replay(low_mark, [&](uint64_t sequence, std::string_view payload) {
        CheckBlock(sequence, payload);
        return absl::OkStatus();
      });
    }
    if (absl::IsDataLoss(status) || absl::IsNotFound(status)) {
      Add(FsckFault::kJournal, std::string(MessageOf(status)));
      return absl::OkStatus();
    }
    return status;
  }

  void CheckBlock(uint64_t sequence, std::string_view payload) {
    ++report_.journal_blocks;
    std::vector<PointSection> sections;
    const bool is_split = SplitPayload(payload, &sections);
    PointLogReader reader(payload);
    PointLogReader::Event event = reader.Next();
    while (event == PointLogReader::Event::kPoint || event == PointLogReader::Event::kDefinition) {
      if (event == PointLogReader::Event::kDefinition) {
        defined_.insert(reader.definition().number);
      } else {
        ++report_.journal_points;
        CheckSeriesNumber(sequence, reader.series());
      }
      event = reader.Next();
    }
    if (is_split && event == PointLogReader::Event::kEnd) return;
    Add(FsckFault::kJournal, fmt::format("block {}: it does not decode", sequence));
  }

  void CheckSeriesNumber(uint64_t sequence, SeriesNumber number) {
    if (series_ == nullptr || defined_.contains(number)) return;
    std::vector<std::string> tsuids;
    const absl::Status found = series_->TsuidsFound({&number, 1}, &tsuids);
    if (found.ok() && !tsuids[0].empty()) {
      defined_.insert(number);
      return;
    }
    Add(FsckFault::kJournal,
        fmt::format("block {}: a point of series {}, which is not there", sequence, number));
  }

  Options options_;
  const FsckOptions& fsck_;
  FsckReport report_;
  std::unique_ptr<StoreLock> lock_;
  std::unique_ptr<TableStore> tables_;
  std::optional<RowKeyCodec> row_keys_;
  std::unique_ptr<TableUidStore> uid_store_;
  std::unique_ptr<UidDirectory> uids_;   // null: UIDs are damaged
  std::unique_ptr<SeriesTable> series_;  // null: they are damaged
  absl::flat_hash_set<std::string> good_series_;
  absl::flat_hash_set<SeriesNumber> defined_;
};

}  // namespace

absl::StatusOr<FsckReport> RunFsck(const Options& options, const FsckOptions& fsck) {
  return Fsck(options, fsck).Run();
}

}  // namespace hourcell
