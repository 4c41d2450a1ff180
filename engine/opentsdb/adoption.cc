#include "engine/opentsdb/adoption.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/cells/hbase_row.h"
#include "codec/rows/row_key.h"
#include "codec/text/name.h"
#include "engine/adoption_admin.h"
#include "engine/rows/annotation_cell.h"

namespace hourcell {
namespace {

constexpr size_t kCounterBytes = 8;
// UIDs this far above the counter were drawn at random, and would leave the store none to assign.
constexpr Uid kAboveCounterMax = 1 << 20;

// The kind of a name column; nullopt for UIDMeta and other columns.
std::optional<UidKind> KindOf(std::string_view qualifier) {
  const absl::StatusOr<UidKind> kind = ParseKindName(qualifier);
  return kind.ok() ? std::optional<UidKind>(*kind) : std::nullopt;
}

std::vector<HBaseCell> CellsOf(const OpenTsdbRow& row) {
  std::vector<HBaseCell> cells;
  cells.reserve(row.columns.size());
  for (const OpenTsdbColumn& column : row.columns) {
    cells.push_back({.qualifier = column.qualifier,
                     .value = column.value,
                     .write_time_ms = column.write_time_ms});
  }
  return cells;
}

class AdoptionRun {
 public:
  AdoptionRun(OpenTsdbTables* tables, Tsdb* store, const AdoptionOptions& options)
      : tables_(*tables),
        store_(*store),
        admin_(*store->maintenance().adoption()),
        row_keys_(store->layout()),
        options_(options) {}

  absl::StatusOr<AdoptionProgress> Run() {
    HOURCELL_ASSIGN_OR_RETURN(mark_, tables_.ReadMark());
    was_done_ = mark_.is_done;
    // Reads all rows again; the store remains open to readers meanwhile.
    if (was_done_) mark_ = {};
    done_.rows = mark_.rows;
    done_.points = mark_.points;
    HOURCELL_RETURN_IF_ERROR(AdoptNames());
    HOURCELL_RETURN_IF_ERROR(AdoptRows());
    mark_.is_done = true;
    mark_.next.clear();
    HOURCELL_RETURN_IF_ERROR(tables_.WriteMark(mark_));
    return done_;
  }

 private:
  // Reports a skipped fault, or returns the error that ends the adoption.
  absl::Status Fault(const std::string& fault) {
    if (!options_.skip_faults) return absl::DataLossError(fault);
    ++done_.faults;
    if (options_.fault) options_.fault(fault);
    return absl::OkStatus();
  }

  absl::Status CheckGoOn() const {
    if (!options_.progress || options_.progress(done_)) return absl::OkStatus();
    return absl::CancelledError("adoption: ended; what is done stays");
  }

  absl::Status AdoptNames() {
    // The counter row is the first row of the table.
    std::map<UidKind, Uid> counters;
    for (std::string begin;;) {
      HOURCELL_ASSIGN_OR_RETURN(const OpenTsdbPage page, tables_.Read(OpenTsdbTable::kUid, begin));
      std::map<UidKind, std::vector<RestoredName>> names;
      for (const OpenTsdbRow& row : page.rows)
        HOURCELL_RETURN_IF_ERROR(AddNamesOf(row, &counters, &names));
      for (auto& [kind, some] : names)
        HOURCELL_RETURN_IF_ERROR(RestoreNames(kind, &some));
      HOURCELL_RETURN_IF_ERROR(CheckGoOn());
      if (page.is_complete) break;
      begin = page.next;
    }
    for (const auto& [kind, counter] : counters)
      HOURCELL_RETURN_IF_ERROR(admin_.RestoreNames(kind, {}, counter));
    return absl::OkStatus();
  }

  // Collects the UIDs, or the counters, from the `id` columns of a row.
  absl::Status AddNamesOf(const OpenTsdbRow& row,
                          std::map<UidKind, Uid>* counters,
                          std::map<UidKind, std::vector<RestoredName>>* names) {
    for (const OpenTsdbColumn& column : row.columns) {
      const std::optional<UidKind> kind = KindOf(column.qualifier);
      if (column.family != kOpenTsdbIdFamily || !kind.has_value()) continue;
      if (row.key == kOpenTsdbCounterRow && column.value.size() == kCounterBytes) {
        (*counters)[*kind] = LoadBigEndian(column.value.data(), kCounterBytes);
      } else {
        HOURCELL_RETURN_IF_ERROR(
            AddName(*kind, row.key, column.value, (*counters)[*kind], &(*names)[*kind]));
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddName(UidKind kind,
                       std::string_view stored,
                       std::string_view uid_bytes,
                       Uid counter,
                       std::vector<RestoredName>* names) {
    const absl::StatusOr<Uid> uid = UidFromBytes(uid_bytes, store_.layout().width(kind));
    const absl::StatusOr<std::string> name = DecodeName(stored, NameEncoding::kLatin1);
    if (uid.ok() && *uid > counter + kAboveCounterMax) {
      return absl::FailedPreconditionError(
          fmt::format("{}: {} name '{}' has UID {}, and the counter is {}; random UIDs "
                      "(tsd.core.uid.random_metrics) are not taken over",
                      tables_.name(), KindName(kind), std::string(stored), *uid, counter));
    }
    if (uid.ok() && *uid != kNoUid && name.ok()) {
      names->push_back({.name = *name, .uid = *uid});
      return absl::OkStatus();
    }
    return Fault(fmt::format("{}: {} row {}: UID {}; expected {} bytes, not all zero",
                             tables_.name(), KindName(kind), ToHex(stored), ToHex(uid_bytes),
                             store_.layout().width(kind)));
  }

  // An interrupted rename leaves two names for one UID; the reverse row decides which one is valid.
  absl::Status RestoreNames(UidKind kind, std::vector<RestoredName>* names) {
    std::vector<std::string> keys;
    for (const RestoredName& name : *names) {
      HOURCELL_ASSIGN_OR_RETURN(keys.emplace_back(),
                                UidToBytes(name.uid, store_.layout().width(kind)));
    }
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<OpenTsdbRow> rows,
                              tables_.ReadKeys(OpenTsdbTable::kUid, std::move(keys)));
    std::map<Uid, std::string> reverse;
    for (const OpenTsdbRow& row : rows) {
      for (const OpenTsdbColumn& column : row.columns) {
        if (column.family != kOpenTsdbNameFamily || KindOf(column.qualifier) != kind) continue;
        HOURCELL_ASSIGN_OR_RETURN(reverse[LoadBigEndian(row.key.data(), row.key.size())],
                                  DecodeName(column.value, NameEncoding::kLatin1));
      }
    }
    std::vector<RestoredName> good;
    for (RestoredName& name : *names) {
      const auto found = reverse.find(name.uid);
      if (found == reverse.end() || found->second == name.name) {
        good.push_back(std::move(name));
        continue;
      }
      HOURCELL_RETURN_IF_ERROR(
          Fault(fmt::format("{}: {} name '{}' has UID {}, which is the name '{}'", tables_.name(),
                            KindName(kind), name.name, name.uid, found->second)));
    }
    done_.names += good.size();
    return admin_.RestoreNames(kind, good, kNoUid);
  }

  absl::Status AdoptRows() {
    for (bool is_complete = false; !is_complete;) {
      HOURCELL_ASSIGN_OR_RETURN(const OpenTsdbPage page,
                                tables_.Read(OpenTsdbTable::kData, mark_.next));
      HOURCELL_RETURN_IF_ERROR(AdoptPage(page));
      is_complete = page.is_complete;
      mark_.next = page.next;
      mark_.rows = done_.rows;
      mark_.points = done_.points;
      if (!was_done_) HOURCELL_RETURN_IF_ERROR(tables_.WriteMark(mark_));
      HOURCELL_RETURN_IF_ERROR(CheckGoOn());
    }
    return absl::OkStatus();
  }

  // A row with points, before it is indexed.
  struct PointRow {
    std::string cell;
    uint64_t points = 0;
    bool is_damaged = false;
  };

  absl::Status AdoptPage(const OpenTsdbPage& page) {
    std::vector<std::string> keys;
    std::vector<PointRow> rows;
    std::vector<AnnotationEdit> edits;
    for (const OpenTsdbRow& row : page.rows) {
      const std::vector<HBaseCell> cells = CellsOf(row);
      HBaseRowContent content = ReadHBaseRow(cells);
      done_.duplicates += content.duplicates;
      done_.skipped += content.skipped.size();
      for (const size_t i : content.annotations)
        HOURCELL_RETURN_IF_ERROR(AddAnnotation(row.key, cells[i], &edits));
      for (const DamagedColumn& damaged : content.damaged) {
        HOURCELL_RETURN_IF_ERROR(
            Fault(fmt::format("{}: row {}, column {}: {}", tables_.name(), ToHex(row.key),
                              ToHex(cells[damaged.index].qualifier.substr(0, 32)), damaged.fault)));
      }
      if (content.cell.empty() && content.damaged.empty()) continue;
      CellColumns points;
      if (!content.cell.empty()) HOURCELL_RETURN_IF_ERROR(DecodeCell(content.cell, &points));
      keys.push_back(row.key);
      rows.push_back({.cell = std::move(content.cell),
                      .points = points.size(),
                      .is_damaged = !content.damaged.empty()});
    }
    HOURCELL_RETURN_IF_ERROR(IndexRows(keys, rows));
    if (edits.empty()) return absl::OkStatus();
    done_.annotations += edits.size();
    return store_.annotations().Put(edits, AnnotationWrite::kReplace).status();
  }

  absl::Status IndexRows(const std::vector<std::string>& keys, const std::vector<PointRow>& rows) {
    std::vector<RowFault> faults;
    HOURCELL_RETURN_IF_ERROR(admin_.IndexRows(keys, &faults));
    auto fault = faults.begin();
    for (size_t i = 0; i < keys.size(); ++i) {
      if (fault != faults.end() && fault->index == i) {
        HOURCELL_RETURN_IF_ERROR(
            Fault(fmt::format("{}: row {}: {}", tables_.name(), ToHex(keys[i]), (fault++)->fault)));
        // Otherwise scans of all rows would find it.
        HOURCELL_RETURN_IF_ERROR(admin_.ReplaceRow(keys[i], ""));
        continue;
      }
      if (rows[i].is_damaged) HOURCELL_RETURN_IF_ERROR(admin_.ReplaceRow(keys[i], rows[i].cell));
      if (rows[i].points == 0) continue;
      ++done_.rows;
      done_.points += rows[i].points;
    }
    return absl::OkStatus();
  }

  // The row key names the series; the row of a global annotation names none.
  absl::Status AddAnnotation(std::string_view key,
                             const HBaseCell& cell,
                             std::vector<AnnotationEdit>* edits) {
    std::string tsuid;
    if (!row_keys_.ParseGlobal(key).has_value()) {
      const absl::StatusOr<RowKeyView> parsed = row_keys_.Parse(key);
      if (!parsed.ok()) {
        return Fault(fmt::format("{}: annotation {}: {}", tables_.name(), ToHex(cell.qualifier),
                                 MessageOf(parsed.status())));
      }
      RowKeyCodec::AppendTsuid(*parsed, &tsuid);
    }
    absl::StatusOr<Annotation> note = ParseAnnotationCell(cell.value);
    if (!note.ok()) {
      return Fault(fmt::format("{}: row {}, annotation {}: {}", tables_.name(), ToHex(key),
                               ToHex(cell.qualifier), MessageOf(note.status())));
    }
    edits->push_back({.tsuid = ToUpperHex(tsuid),
                      .start_time = note->start_time,
                      .end_time = note->end_time,
                      .description = std::move(note->description),
                      .notes = std::move(note->notes),
                      .custom = std::move(note->custom)});
    return absl::OkStatus();
  }

  OpenTsdbTables& tables_;
  Tsdb& store_;
  AdoptionAdmin& admin_;
  const RowKeyCodec row_keys_;
  const AdoptionOptions& options_;
  AdoptionMark mark_;
  bool was_done_ = false;
  AdoptionProgress done_;
};

}  // namespace

absl::StatusOr<AdoptionProgress> AdoptTables(OpenTsdbTables* tables,
                                             Tsdb* store,
                                             const AdoptionOptions& options) {
  return AdoptionRun(tables, store, options).Run();
}

}  // namespace hourcell
