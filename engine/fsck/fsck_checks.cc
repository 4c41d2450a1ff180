#include "engine/fsck/fsck_checks.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <absl/hash/hash.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/tsuid.h"
#include "codec/text/name.h"
#include "engine/days/hour_place.h"
#include "engine/documents/saved_view_store.h"
#include "engine/documents/tree_store.h"
#include "engine/fsck/fsck_cell.h"
#include "engine/fsck/fsck_series.h"
#include "engine/hours/journal_payload.h"
#include "engine/names/meta_documents.h"
#include "engine/names/table_uid_store.h"
#include "engine/names/virtual_metrics.h"
#include "engine/regions/region_invariants.h"
#include "engine/regions/region_name.h"
#include "engine/rollups/marks/rollup_rows.h"
#include "engine/rows/annotation_cell.h"
#include "engine/rows/annotation_key.h"
#include "engine/rows/deletion_row.h"
#include "engine/rows/histogram_cell.h"
#include "engine/rows/key_description.h"
#include "engine/rows/key_range.h"
#include "engine/rows/series_key.h"
#include "engine/series/series_drop.h"
#include "engine/series/series_rows.h"
#include "engine/table/region_store.h"
#include "engine/undo/rename_row.h"
#include "engine/undo/ttl_row.h"
#include "uid/uid_check.h"

namespace hourcell {
namespace {

constexpr std::string_view kAsidePrefix = "aside/";
constexpr uint64_t kProgressRows = 1'000;
constexpr uint64_t kProgressBlocks = 100;
// Series with names looked up; a larger map is cleared.
constexpr size_t kSeriesMax = 1 << 20;
// UIDs below this have a bit that says whether they have a name: all of 3 bytes.
constexpr Uid kNamedMax = Uid{1} << 24;
// Series with numbers below this can be dropped.
constexpr SeriesNumber kSeriesNumbersMax = SeriesNumber{1} << 32;
constexpr size_t kDroppedAtOnce = 65'536;
// A cursor moves on by single steps rather than by a search if it may be so near.
constexpr int kShownStepsMax = 4;

}  // namespace

FsckChecks::FsckChecks(const Parts& parts, const FsckOptions& options, FsckReport* report)
    : parts_(parts),
      options_(options),
      report_(*report),
      active_(*parts.layout,
              parts.tables,
              {.is_whole = parts.has_active_sets,
               .fix = options.fix_index,
               .examples_max = options.examples_max,
               .expiry = parts.expiry},
              report) {}

void FsckChecks::Use(UidDirectory* uids, SeriesTable* series) {
  uids_ = uids;
  series_ = series;
}

void FsckChecks::Add(FsckFault fault, std::string text) {
  report_.Add(fault, std::move(text), options_.examples_max);
}

absl::Status FsckChecks::Begin(std::string_view phase) {
  phase_ = phase;
  return TellProgress();
}

absl::Status FsckChecks::TellProgress() {
  if (options_.progress == nullptr) return absl::OkStatus();
  const FsckProgress progress{.phase = phase_, .rows = report_.rows, .points = report_.points};
  if (options_.progress(progress)) return absl::OkStatus();
  return absl::CancelledError("the check was ended while it was at " + std::string(phase_));
}

absl::Status FsckChecks::CheckRegions() {
  HOURCELL_RETURN_IF_ERROR(Begin("regions"));
  for (const TableId table : kTableIds) {
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, parts_.list->RegionUses(table));
    std::vector<RegionInfo> regions;
    for (const RegionUse& use : uses)
      regions.push_back(use.region);
    report_.regions += regions.size();
    for (const RegionFinding& finding : CheckInvariants(regions))
      Add(FsckFault::kRegion, fmt::format("table {}: {}", TableName(table), finding.text));
    if (parts_.regions == nullptr) continue;  // such an engine shows no files
    for (const RegionInfo& region : regions)
      HOURCELL_RETURN_IF_ERROR(CheckFilesOf(table, region));
  }
  return absl::OkStatus();
}

// Rows outside of the region's range are never read, and never trimmed if the region is marked as
// free of them. A file's first and last row show whether it has such rows.
absl::Status FsckChecks::CheckFilesOf(TableId table, const RegionInfo& region) {
  if (region.has_references || region.range == RegionRange()) return absl::OkStatus();
  const absl::StatusOr<RegionProbe> probe = parts_.regions->ProbeRegion(table, region.id);
  if (absl::IsNotFound(probe.status())) return absl::OkStatus();  // split or merged meanwhile
  HOURCELL_RETURN_IF_ERROR(probe.status());
  for (const FileSpan& file : probe->files) {
    if (region.range.Contains(file.smallest) && region.range.Contains(file.largest)) continue;
    Add(FsckFault::kRegion,
        fmt::format("table {}: region {}: a file of {} bytes has rows from {} to {}; expected them "
                    "in [{}, {}), as it says that it has no rows of its sisters",
                    TableName(table), region.id.value, file.bytes, ToStringBinary(file.smallest),
                    ToStringBinary(file.largest), ToStringBinary(region.range.start),
                    ToStringBinary(region.range.end)));
  }
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckNames() {
  HOURCELL_RETURN_IF_ERROR(Begin("names"));
  // Of one moment: both directions and the counter of a name are written together.
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  TableUidStore uid_store(*parts_.layout, parts_.tables, view.get());
  const absl::StatusOr<UidCheckReport> checked =
      CheckUids(*parts_.layout, &uid_store, options_.fix_uids);
  if (!checked.ok()) {
    if (!absl::IsDataLoss(checked.status())) return checked.status();
    Add(FsckFault::kUid, std::string(MessageOf(checked.status())));
    return absl::OkStatus();
  }
  report_.mappings = checked->mappings;
  for (const UidFinding& finding : checked->findings) {
    if (finding.is_wasted) {
      wasted_[static_cast<size_t>(finding.kind)].emplace(finding.uid, finding.text);
    } else if (finding.is_error) {
      Add(FsckFault::kUid, finding.text);
    }
    if (finding.is_error && finding.repaired) ++report_.fixed;
  }
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckWastedUids() {
  for (const auto& of_kind : wasted_)
    report_.wasted_uids += of_kind.size();
  if (report_.wasted_uids == 0) return absl::OkStatus();
  const auto tell = [this](UidKind kind, Uid uid) {
    auto& of_kind = wasted_[static_cast<size_t>(kind)];
    const auto found = of_kind.find(uid);
    if (found == of_kind.end()) return;
    Add(FsckFault::kUid, found->second + ", and series have it");
    of_kind.erase(found);
    --report_.wasted_uids;
  };
  return series_->Visit(std::nullopt, [&](SeriesNumber, std::string_view tsuid) {
    const absl::StatusOr<SeriesUids> uids = ParseTsuid(*parts_.layout, tsuid);
    if (!uids.ok()) return true;  // CheckSeries reports it
    tell(UidKind::kMetric, uids->metric);
    for (const TagUids& tag : uids->tags) {
      tell(UidKind::kTagk, tag.tagk);
      tell(UidKind::kTagv, tag.tagv);
    }
    return true;
  });
}

absl::Status FsckChecks::CheckSeriesRows() {
  HOURCELL_RETURN_IF_ERROR(Begin("series"));
  if (series_ == nullptr) return absl::OkStatus();
  if (const absl::Status read = CheckWastedUids(); !read.ok()) {
    Add(FsckFault::kIndex, std::string(MessageOf(read)));
    return absl::OkStatus();
  }
  const absl::Status checked = CheckSeries(*parts_.layout, *series_, parts_.tables,
                                           {.fix = options_.fix_index,
                                            .examples_max = options_.examples_max,
                                            .tick = [this] { return TellProgress(); }},
                                           &report_);
  if (absl::IsCancelled(checked)) return checked;
  if (!checked.ok()) Add(FsckFault::kIndex, std::string(MessageOf(checked)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckRows() {
  HOURCELL_RETURN_IF_ERROR(Begin("rows"));
  const std::unique_ptr<TableView> view = parts_.tables->SnapshotWithHidden();
  active_.BeginRows(view.get());
  absl::Status read = BeginRows(view.get());
  for (const TableSpec& table : kTableSpecs) {
    if (read.ok() && table.check == TableCheck::kRows) read = ReadRows(table, view.get());
  }
  if (read.ok()) read = active_.EndRows(all_rows_are_good_);
  tsuids_ = nullptr;  // before the view
  return read;
}

absl::Status FsckChecks::ReadRows(const TableSpec& table, TableView* view) {
  const std::unique_ptr<RowCursor> row =
      view->NewCursor(table.id, {.begin = {}, .end = {}, .is_large = true});
  for (row->Seek({}); row->valid(); row->Next()) {
    ++report_.rows;
    HOURCELL_RETURN_IF_ERROR(CheckKey(row->key()));
    HOURCELL_RETURN_IF_ERROR(CheckCellOf(table.id, row->key(), row->value()));
    if (report_.rows % kProgressRows == 0) HOURCELL_RETURN_IF_ERROR(TellProgress());
  }
  if (const absl::Status read = row->status(); !read.ok()) {
    Add(FsckFault::kTable,
        fmt::format("{}, after {} rows: {}", table.name, report_.rows, MessageOf(read)));
    all_rows_are_good_ = false;
  }
  return absl::OkStatus();
}

absl::Status FsckChecks::BeginRows(TableView* view) {
  ScanRange range = PrefixRange(SeriesTsuidKey({}));
  range.is_large = true;
  tsuids_ = view->NewCursor(TableId::kSeries, range);
  tsuids_->Seek({});
  TableUidStore uid_store(*parts_.layout, parts_.tables, view);
  for (const UidKind kind : kUidKinds) {
    std::vector<bool>& named = named_[static_cast<size_t>(kind)];
    named.clear();
    const absl::Status scanned = uid_store.ScanReverse(kind, [&](const UidMapping& mapping) {
      if (mapping.uid >= kNamedMax) return false;  // they ascend
      if (mapping.uid >= named.size()) named.resize(mapping.uid + 1);
      named[mapping.uid] = DecodeName(mapping.name, parts_.layout->names).ok();
      return true;
    });
    // CheckNames reports it; other names are looked up.
    if (!scanned.ok() && !absl::IsDataLoss(scanned)) return scanned;
  }
  return absl::OkStatus();
}

// Rows come in the order of tsuids, hour by hour, and so the cursor mostly has to move on by one.
SeriesNumber FsckChecks::FindNumber(const std::string& tsuid) {
  const std::string key = SeriesTsuidKey(tsuid);
  for (int i = 0; i < kShownStepsMax && tsuids_->valid() && tsuids_->key() < key; ++i)
    tsuids_->Next();
  if (!tsuids_->valid() || tsuids_->key() != key) tsuids_->Seek(key);
  if (!tsuids_->valid() || tsuids_->key() != key) return 0;
  return DecodeU64(tsuids_->value()).value_or(0);
}

// Where a row is, for people.
std::string FsckChecks::Place(std::string_view key) const {
  const absl::StatusOr<RowKeyView> parsed = parts_.row_keys->Parse(key);
  if (!parsed.ok()) return fmt::format("row {}", ToHex(key));
  return fmt::format("row {} (metric {}, {})", ToHex(key), ToHex(parsed->metric),
                     UtcText(parsed->base_time_s));
}

absl::Status FsckChecks::CheckKey(std::string_view key) {
  const absl::StatusOr<RowKeyView> parsed = parts_.row_keys->Parse(key);
  if (!parsed.ok()) {
    Add(FsckFault::kKey, std::string(MessageOf(parsed.status())));
    return absl::OkStatus();  // no query reads it
  }
  std::string tsuid;
  RowKeyCodec::AppendTsuid(*parsed, &tsuid);
  std::string want;
  parts_.row_keys->Append(tsuid, parsed->base_time_s, &want);
  if (want != key) {
    Add(FsckFault::kSalt, fmt::format("{}: expected the row {}", Place(key), ToHex(want)));
  }
  const uint64_t hash = absl::HashOf(std::string_view(tsuid));
  auto known = good_series_.find(hash);
  if (known == good_series_.end()) {
    const SeriesNumber number = CheckSeriesOf(key, tsuid);
    if (number == 0) {
      all_rows_are_good_ = false;
      return absl::OkStatus();
    }
    if (good_series_.size() >= kSeriesMax) good_series_.clear();
    known = good_series_.emplace(hash, number).first;
  }
  const Uid metric = LoadBigEndian(parsed->metric.data(), parsed->metric.size());
  return active_.AddRow(metric, parsed->base_time_s, known->second);
}

// The number of a row's series; 0 if that has a fault.
SeriesNumber FsckChecks::CheckSeriesOf(std::string_view key, const std::string& tsuid) {
  const absl::StatusOr<SeriesUids> uids = ParseTsuid(*parts_.layout, tsuid);
  if (!uids.ok() || EncodeTsuid(*parts_.layout, uids->metric, uids->tags) != tsuid) {
    Add(FsckFault::kKey, fmt::format("{}: its tags do not ascend", Place(key)));
    return 0;
  }
  if (uids_ == nullptr) return 0;
  bool is_good = CheckName(key, UidKind::kMetric, uids->metric);
  for (const TagUids& tag : uids->tags) {
    is_good = CheckName(key, UidKind::kTagk, tag.tagk) && is_good;
    is_good = CheckName(key, UidKind::kTagv, tag.tagv) && is_good;
  }
  if (series_ == nullptr) return 0;
  absl::StatusOr<SeriesNumber> number = FindNumber(tsuid);
  if (*number == 0) number = series_->NumberOf(tsuid);
  if (number.ok() && *number != 0) {
    MarkUsed(*number);
    return is_good ? *number : 0;
  }
  Add(FsckFault::kSeries,
      fmt::format("{}: {}", Place(key),
                  number.ok() ? "its series has no number" : MessageOf(number.status())));
  return 0;
}

bool FsckChecks::CheckName(std::string_view key, UidKind kind, Uid uid) {
  const std::vector<bool>& named = named_[static_cast<size_t>(kind)];
  if (uid < named.size() && named[uid]) return true;
  const absl::StatusOr<std::string> name = uids_->NameOf(kind, uid);
  if (name.ok()) return true;
  Add(FsckFault::kName,
      fmt::format("{}: {} UID {}: {}", Place(key), KindName(kind), uid, MessageOf(name.status())));
  return false;
}

// A day whose cell does not decode is shown in all its hours (engine/days/day_cursor.h). True for
// those after the first.
absl::StatusOr<bool> FsckChecks::IsShownAgain(TableId table, std::string_view key) {
  const size_t at = parts_.row_keys->base_time_offset();
  const std::unique_ptr<TableView> view = parts_.tables->SnapshotWithHidden();
  if (!view->has_day_rows() || key.size() < at + kTimeFieldBytes ||
      HourOfDay(TimeFieldOf(key, at)) == 0) {
    return false;
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> own, view->stored().Get(table, key));
  return !own.has_value();
}

absl::Status FsckChecks::CheckCellOf(TableId table, std::string_view key, std::string_view cell) {
  const CellCheck check = CheckCell(cell);
  if (check.fault.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_again, IsShownAgain(table, key));
    if (is_again) return absl::OkStatus();
  }
  report_.points += check.points;
  if (!check.fault.has_value()) return absl::OkStatus();
  Add(*check.fault,
      fmt::format("{}: {}; {} points of it are good", Place(key), check.text, check.points));
  return options_.fix_cells ? SetAside(table, key, cell, check.good) : absl::OkStatus();
}

// Keeps the cell in the system table, and its good points in the row, in one batch.
absl::Status FsckChecks::SetAside(TableId table,
                                  std::string_view key,
                                  std::string_view cell,
                                  const std::string& good) {
  const Mutation group[] = {
      {.table = TableId::kSystem,
       .kind = Mutation::Kind::kSet,
       .key = fmt::format("{}row/{}/{:08x}", kAsidePrefix, ToHex(key), Crc32c(cell)),
       .value = std::string(cell)},
      {.table = table,
       .kind = good.empty() ? Mutation::Kind::kDelete : Mutation::Kind::kSet,
       .key = std::string(key),
       .value = good}};
  HOURCELL_KILL_POINT("fsck:before_cell");
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(group, /*sync=*/true));
  HOURCELL_KILL_POINT("fsck:cell");
  ++report_.fixed;
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckAnnotations() {
  HOURCELL_RETURN_IF_ERROR(Begin("annotations"));
  const absl::Status scanned = parts_.tables->Snapshot()->Scan(
      TableId::kAnnotation, {}, [&](std::string_view key, std::string_view cell) {
        const absl::StatusOr<AnnotationKeyView> parsed = ParseAnnotationKey(*parts_.row_keys, key);
        absl::Status status = parsed.status();
        const bool is_histogram = status.ok() && !parsed->is_annotation();
        ++(is_histogram ? report_.histograms : report_.annotations);
        if (status.ok()) {
          status =
              is_histogram ? ParseHistogramCell(cell).status() : ParseAnnotationCell(cell).status();
        }
        if (status.ok() && options_.drop_empty_series) status = MarkUsedBy(*parsed);
        if (!status.ok()) {
          Add(FsckFault::kAnnotation, fmt::format("row {}: {}", ToHex(key), MessageOf(status)));
        }
        return true;
      });
  if (!scanned.ok()) Add(FsckFault::kTable, std::string(MessageOf(scanned)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckAsides() {
  HOURCELL_RETURN_IF_ERROR(Begin("asides"));
  const absl::Status scanned = parts_.tables->Snapshot()->Scan(
      TableId::kSystem, PrefixRange(std::string(kAsidePrefix)),
      [&](std::string_view key, std::string_view cell) {
        Add(FsckFault::kAside, fmt::format("{}: a cell of {} bytes", key, cell.size()));
        return true;
      });
  if (!scanned.ok()) Add(FsckFault::kTable, std::string(MessageOf(scanned)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckDeletions() {
  HOURCELL_RETURN_IF_ERROR(Begin("deletions"));
  // Of one moment: points are taken out of rows while their delete has a record.
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  absl::Status scanned = CheckDeletionRecords(view.get());
  if (scanned.ok()) scanned = CheckTakenOut(view.get());
  if (scanned.ok()) scanned = CheckChangeRecords(view.get());
  if (!scanned.ok()) Add(FsckFault::kTable, std::string(MessageOf(scanned)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckDeletionRecords(TableView* view) {
  const absl::StatusOr<uint64_t> next_id = ReadNextDeletionId(view);
  if (absl::IsDataLoss(next_id.status())) {
    Add(FsckFault::kDeletion, std::string(MessageOf(next_id.status())));
  } else if (!next_id.ok()) {
    return next_id.status();
  }
  ScanRange range = PrefixRange(DeletionCounterKey());
  range.begin = AfterKey(range.begin);
  return view->Scan(TableId::kSystem, range, [&](std::string_view key, std::string_view value) {
    const absl::StatusOr<DeletionRow> row = ParseDeletionRow(*parts_.layout, key, value);
    if (!row.ok()) {
      Add(FsckFault::kDeletion, std::string(MessageOf(row.status())));
      return true;
    }
    deletions_.insert(row->id);
    if (next_id.ok() && row->id >= *next_id) {
      Add(FsckFault::kDeletion, fmt::format("deletion {}: the next id is {}", row->id, *next_id));
    }
    // An undo needs the series, with or without rows.
    for (const SeriesNumber number : row->series)
      if (row->state != DeletionState::kRemoved) MarkUsed(number);
    return true;
  });
}

absl::Status FsckChecks::CheckTakenOut(TableView* view) {
  return view->Scan(TableId::kSystem, PrefixRange(HiddenRowsPrefix()),
                    [&](std::string_view key, std::string_view cell) {
                      CheckTakenOutRow(key, cell);
                      return true;
                    });
}

// Of shortened TTLs and of renames.
absl::Status FsckChecks::CheckChangeRecords(TableView* view) {
  const absl::StatusOr<uint64_t> next_id = ReadNextDeletionId(view);
  const auto check = [&](const absl::Status& parsed, uint64_t id) {
    if (!parsed.ok()) {
      Add(FsckFault::kDeletion, std::string(MessageOf(parsed)));
    } else if (next_id.ok() && id >= *next_id) {
      Add(FsckFault::kDeletion, fmt::format("change {}: the next id is {}", id, *next_id));
    }
    return true;
  };
  HOURCELL_RETURN_IF_ERROR(view->Scan(TableId::kSystem, PrefixRange(TtlRowsPrefix()),
                                      [&](std::string_view key, std::string_view value) {
                                        const auto row = ParseTtlRow(key, value);
                                        return check(row.status(), row.ok() ? row->id : 0);
                                      }));
  return view->Scan(TableId::kSystem, PrefixRange(RenameRowsPrefix()),
                    [&](std::string_view key, std::string_view value) {
                      const auto row = ParseRenameRow(key, value);
                      return check(row.status(), row.ok() ? row->id : 0);
                    });
}

void FsckChecks::CheckTakenOutRow(std::string_view key, std::string_view cell) {
  const absl::StatusOr<HiddenRowKeyView> parsed = ParseHiddenRowKey(key);
  if (!parsed.ok()) return Add(FsckFault::kDeletion, std::string(MessageOf(parsed.status())));
  const auto tell = [&](std::string_view fault) {
    Add(FsckFault::kDeletion, fmt::format("deletion {}: points of row {}: {}", parsed->id,
                                          ToHex(parsed->row_key), fault));
  };
  if (!deletions_.contains(parsed->id)) tell("the delete has no record");
  const absl::StatusOr<RowKeyView> row = parts_.row_keys->ParseStored(parsed->row_key);
  if (!row.ok()) return tell(MessageOf(row.status()));
  if (cell.empty()) return;
  if (const CellCheck check = CheckCell(cell); check.fault.has_value()) tell(check.text);
  if (series_ == nullptr) return;
  const absl::StatusOr<SeriesNumber> number =
      series_->NumberOf(std::string(row->metric) + std::string(row->tags));
  if (number.ok() && *number != 0) MarkUsed(*number);
}

absl::Status FsckChecks::CheckDocuments() {
  HOURCELL_RETURN_IF_ERROR(Begin("documents"));
  const MetaDocuments documents(*parts_.layout, parts_.tables, /*sync=*/false);
  const absl::Status read =
      documents.Visit([](const DocumentKey& /*key*/, std::string_view /*text*/) { return true; });
  if (!read.ok()) Add(FsckFault::kTable, std::string(MessageOf(read)));
  const SavedViewStore views(parts_.tables, /*sync=*/false);
  const absl::Status named =
      views.Visit([](std::string_view /*name*/, std::string_view /*text*/) { return true; });
  if (!named.ok()) Add(FsckFault::kTable, std::string(MessageOf(named)));
  const TreeStore trees(parts_.tables, /*sync=*/false);
  const absl::Status numbered =
      trees.Visit([](uint16_t /*id*/, std::string_view /*text*/) { return true; });
  if (!numbered.ok()) Add(FsckFault::kTable, std::string(MessageOf(numbered)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckVirtualMetrics() {
  HOURCELL_RETURN_IF_ERROR(Begin("virtual metrics"));
  const absl::Status read = VisitVirtualMetrics(*parts_.layout, parts_.tables,
                                                [](Uid /*metric*/, const StoredExpression&) {});
  if (!read.ok()) Add(FsckFault::kTable, std::string(MessageOf(read)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckRollups() {
  HOURCELL_RETURN_IF_ERROR(Begin("rollups"));
  const auto check = [this](std::string_view key, std::string_view value) {
    Uid metric = 0;
    const absl::Status parsed = key.starts_with(kRollupMarkPrefix)
                                    ? ParseRollupMarkKey(key, &metric).status()
                                    : ParseRollupUntil(key, value).status();
    if (!parsed.ok()) Add(FsckFault::kTable, std::string(MessageOf(parsed)));
    return true;
  };
  const absl::Status scanned =
      parts_.tables->Snapshot()->Scan(TableId::kSystem, PrefixRange(kRollupRowsPrefix), check);
  if (!scanned.ok()) Add(FsckFault::kTable, std::string(MessageOf(scanned)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckJournal(const absl::Status& read) {
  if (!absl::IsDataLoss(read) && !absl::IsNotFound(read)) return read;
  Add(FsckFault::kJournal, std::string(MessageOf(read)));
  return absl::OkStatus();
}

void FsckChecks::TellCuts(const std::vector<JournalCut>& cuts) {
  for (const JournalCut& cut : cuts)
    Add(FsckFault::kCut, CutText(cut));
}

absl::Status FsckChecks::CheckBlock(uint64_t sequence, std::string_view payload) {
  if (report_.journal_blocks % kProgressBlocks == 0) HOURCELL_RETURN_IF_ERROR(Begin("journal"));
  ++report_.journal_blocks;
  std::vector<PointSection> sections;
  const bool is_split = SplitPayload(payload, &sections);
  JournalPayloadReader reader(payload);
  std::vector<SeriesNumber> unknown;  // of points, in their order
  JournalPayloadReader::Event event = reader.Next();
  while (event == JournalPayloadReader::Event::kPoint ||
         event == JournalPayloadReader::Event::kDefinition) {
    if (event == JournalPayloadReader::Event::kDefinition) {
      defined_.insert(reader.definition().number);
      MarkUsed(reader.definition().number);
    } else {
      ++report_.journal_points;
      MarkUsed(reader.series());
      if (!defined_.contains(reader.series())) unknown.push_back(reader.series());
    }
    event = reader.Next();
  }
  CheckSeriesNumbers(sequence, unknown);
  if (!is_split || event != JournalPayloadReader::Event::kEnd) {
    Add(FsckFault::kJournal, fmt::format("block {}: it does not decode", sequence));
  }
  return absl::OkStatus();
}

void FsckChecks::CheckSeriesNumbers(uint64_t sequence, const std::vector<SeriesNumber>& numbers) {
  if (series_ == nullptr) return;
  std::vector<SeriesNumber> distinct = numbers;
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<std::string> tsuids;
  if (series_->TsuidsFound(distinct, &tsuids).ok()) {
    for (size_t i = 0; i < distinct.size(); ++i) {
      if (!tsuids[i].empty()) defined_.insert(distinct[i]);
    }
  }
  for (const SeriesNumber number : numbers) {
    if (defined_.contains(number) || series_->WasDropped(number)) continue;
    Add(FsckFault::kJournal,
        fmt::format("block {}: a point of series {}, which is not there", sequence, number));
  }
}

void FsckChecks::MarkUsed(SeriesNumber number) {
  if (!options_.drop_empty_series || number >= kSeriesNumbersMax) return;
  if (number >= used_.size()) used_.resize(number + 1);
  used_[number] = true;
}

// The series of an annotation, if there is one.
absl::Status FsckChecks::MarkUsedBy(const AnnotationKeyView& key) {
  if (series_ == nullptr || key.is_global()) return absl::OkStatus();
  const absl::StatusOr<SeriesNumber> number =
      series_->NumberOf(std::string(key.metric) + std::string(key.tags));
  HOURCELL_RETURN_IF_ERROR(number.status());
  MarkUsed(*number);
  return absl::OkStatus();
}

absl::Status FsckChecks::DropEmptySeries() {
  if (!options_.drop_empty_series || series_ == nullptr || report_.faults() > 0) {
    return absl::OkStatus();
  }
  HOURCELL_RETURN_IF_ERROR(Begin("empty series"));
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                            view->Get(TableId::kSeries, IndexedKey()));
  if (!row.has_value()) return absl::OkStatus();  // no series has all its rows
  HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber indexed, DecodeU64(*row));
  std::vector<std::pair<SeriesNumber, std::string>> empty;
  ScanRange range = PrefixRange(SeriesTsuidKey({}));
  range.is_large = true;
  const std::unique_ptr<RowCursor> tsuid = view->NewCursor(TableId::kSeries, range);
  for (tsuid->Seek({}); tsuid->valid(); tsuid->Next()) {
    HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, DecodeU64(tsuid->value()));
    const bool is_used = number >= kSeriesNumbersMax || (number < used_.size() && used_[number]);
    if (is_used || number > indexed) continue;
    empty.emplace_back(number, tsuid->key().substr(1));
    if (empty.size() < kDroppedAtOnce) continue;
    HOURCELL_RETURN_IF_ERROR(Drop(&empty));
  }
  HOURCELL_RETURN_IF_ERROR(tsuid->status());
  return Drop(&empty);
}

absl::Status FsckChecks::Drop(std::vector<std::pair<SeriesNumber, std::string>>* series) {
  HOURCELL_RETURN_IF_ERROR(DropSeries(*parts_.layout, *series, parts_.tables));
  report_.dropped += series->size();
  series->clear();
  return TellProgress();
}

}  // namespace hourcell
