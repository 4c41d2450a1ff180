#include "engine/fsck_checks.h"

#include <memory>
#include <utility>
#include <vector>

#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/tsuid.h"
#include "engine/annotation_cell.h"
#include "engine/annotation_key.h"
#include "engine/fsck_cell.h"
#include "engine/fsck_series.h"
#include "engine/ingest/point_log.h"
#include "engine/key_range.h"
#include "engine/key_text.h"
#include "engine/regions/region_invariants.h"
#include "engine/regions/region_name.h"
#include "engine/table_uid_store.h"
#include "uid/uid_check.h"

namespace hourcell {
namespace {

constexpr std::string_view kAsidePrefix = "aside/";
constexpr uint64_t kProgressRows = 1'000;
constexpr uint64_t kProgressBlocks = 100;
// Series whose names were looked up; forgotten beyond that.
constexpr size_t kSeriesMax = 1 << 20;

std::string_view MessageOf(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

}  // namespace

FsckChecks::FsckChecks(const Parts& parts, const FsckOptions& options, FsckReport* report)
    : parts_(parts), options_(options), report_(*report) {}

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
    const std::vector<RegionInfo> regions = parts_.tables->Regions(table);
    report_.regions += regions.size();
    for (const RegionFinding& finding : CheckInvariants(regions))
      Add(FsckFault::kRegion, fmt::format("table {}: {}", TableName(table), finding.text));
    for (const RegionInfo& region : regions)
      HOURCELL_RETURN_IF_ERROR(CheckFilesOf(table, region));
  }
  return absl::OkStatus();
}

// Rows outside of the region's range are never read, and never trimmed if it says that there are
// none. A file's first and last row say whether it has some.
absl::Status FsckChecks::CheckFilesOf(TableId table, const RegionInfo& region) {
  if (region.has_references || region.range == RegionRange()) return absl::OkStatus();
  const absl::StatusOr<RegionProbe> probe = parts_.tables->ProbeRegion(table, region.id);
  if (absl::IsNotFound(probe.status())) return absl::OkStatus();  // split or merged meanwhile
  HOURCELL_RETURN_IF_ERROR(probe.status());
  for (const FileSpan& file : probe->files) {
    if (region.range.Contains(file.smallest) && region.range.Contains(file.largest)) continue;
    Add(FsckFault::kRegion,
        fmt::format("table {}: region {}: a file of {} bytes has rows from {} to {}; want them in "
                    "[{}, {}), as it says that it has no rows of its sisters",
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
    if (finding.is_error) Add(FsckFault::kUid, finding.text);
    if (finding.is_error && finding.repaired) ++report_.fixed;
  }
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckSeriesRows() {
  HOURCELL_RETURN_IF_ERROR(Begin("series"));
  if (series_ == nullptr) return absl::OkStatus();
  const absl::Status checked =
      CheckSeries(*parts_.layout, *series_, parts_.tables,
                  {.fix = options_.fix_index, .examples_max = options_.examples_max}, &report_);
  if (!checked.ok()) Add(FsckFault::kIndex, std::string(MessageOf(checked)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckRows() {
  HOURCELL_RETURN_IF_ERROR(Begin("rows"));
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  const std::unique_ptr<RowCursor> row =
      view->NewCursor(TableId::kData, {.begin = {}, .end = {}, .is_large = true});
  for (row->Seek({}); row->valid(); row->Next()) {
    ++report_.rows;
    CheckKey(row->key());
    HOURCELL_RETURN_IF_ERROR(CheckCellOf(row->key(), row->value()));
    if (report_.rows % kProgressRows == 0) HOURCELL_RETURN_IF_ERROR(TellProgress());
  }
  if (const absl::Status read = row->status(); !read.ok()) {
    Add(FsckFault::kTable, fmt::format("data, behind {} rows: {}", report_.rows, MessageOf(read)));
  }
  return absl::OkStatus();
}

// Where a row is, for people.
std::string FsckChecks::Place(std::string_view key) const {
  const absl::StatusOr<RowKeyView> parsed = parts_.row_keys->Parse(key);
  if (!parsed.ok()) return fmt::format("row {}", ToHex(key));
  return fmt::format("row {} (metric {}, {})", ToHex(key), ToHex(parsed->metric),
                     UtcText(parsed->base_time_s));
}

void FsckChecks::CheckKey(std::string_view key) {
  const absl::StatusOr<RowKeyView> parsed = parts_.row_keys->Parse(key);
  if (!parsed.ok()) {
    Add(FsckFault::kKey, std::string(MessageOf(parsed.status())));
    return;
  }
  std::string tsuid;
  RowKeyCodec::AppendTsuid(*parsed, &tsuid);
  std::string want;
  parts_.row_keys->Append(tsuid, parsed->base_time_s, &want);
  if (want != key) {
    Add(FsckFault::kSalt, fmt::format("{}: want the row {}", Place(key), ToHex(want)));
  }
  if (good_series_.contains(tsuid)) return;
  if (!CheckSeriesOf(key, tsuid)) return;
  if (good_series_.size() >= kSeriesMax) good_series_.clear();
  good_series_.insert(std::move(tsuid));
}

// False if a row of that series has a fault.
bool FsckChecks::CheckSeriesOf(std::string_view key, const std::string& tsuid) {
  const absl::StatusOr<SeriesUids> uids = ParseTsuid(*parts_.layout, tsuid);
  if (!uids.ok() || EncodeTsuid(*parts_.layout, uids->metric, uids->tags) != tsuid) {
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

bool FsckChecks::CheckName(std::string_view key, UidKind kind, Uid uid) {
  const absl::StatusOr<std::string> name = uids_->NameOf(kind, uid);
  if (name.ok()) return true;
  Add(FsckFault::kName,
      fmt::format("{}: {} UID {}: {}", Place(key), KindName(kind), uid, MessageOf(name.status())));
  return false;
}

absl::Status FsckChecks::CheckCellOf(std::string_view key, std::string_view cell) {
  const CellCheck check = CheckCell(cell);
  report_.points += check.points;
  if (!check.fault.has_value()) return absl::OkStatus();
  Add(*check.fault,
      fmt::format("{}: {}; {} points of it are good", Place(key), check.text, check.points));
  return options_.fix_cells ? SetAside(key, cell, check.good) : absl::OkStatus();
}

// Keeps the cell in `meta`, and leaves what is good of it in its row, in one batch.
absl::Status FsckChecks::SetAside(std::string_view key,
                                  std::string_view cell,
                                  const std::string& good) {
  const Mutation group[] = {
      {.table = TableId::kMeta,
       .kind = Mutation::Kind::kSet,
       .key = fmt::format("{}row/{}/{:08x}", kAsidePrefix, ToHex(key), Crc32c(cell)),
       .value = std::string(cell)},
      {.table = TableId::kData,
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
      TableId::kAnnotation, {}, {}, [&](std::string_view key, std::string_view cell) {
        ++report_.annotations;
        const absl::StatusOr<AnnotationKeyView> parsed = ParseAnnotationKey(*parts_.row_keys, key);
        absl::Status status = parsed.status();
        if (status.ok()) status = ParseAnnotationCell(cell).status();
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
      TableId::kMeta, PrefixRange(std::string(kAsidePrefix)), {},
      [&](std::string_view key, std::string_view cell) {
        Add(FsckFault::kAside, fmt::format("{}: a cell of {} bytes", key, cell.size()));
        return true;
      });
  if (!scanned.ok()) Add(FsckFault::kTable, std::string(MessageOf(scanned)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckJournal(const absl::Status& read) {
  if (!absl::IsDataLoss(read) && !absl::IsNotFound(read)) return read;
  Add(FsckFault::kJournal, std::string(MessageOf(read)));
  return absl::OkStatus();
}

absl::Status FsckChecks::CheckBlock(uint64_t sequence, std::string_view payload) {
  if (report_.journal_blocks % kProgressBlocks == 0) HOURCELL_RETURN_IF_ERROR(Begin("journal"));
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
  if (!is_split || event != PointLogReader::Event::kEnd) {
    Add(FsckFault::kJournal, fmt::format("block {}: it does not decode", sequence));
  }
  return absl::OkStatus();
}

void FsckChecks::CheckSeriesNumber(uint64_t sequence, SeriesNumber number) {
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

}  // namespace hourcell
