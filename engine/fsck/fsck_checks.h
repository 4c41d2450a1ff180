// FsckChecks: checks a store with open tables: regions, names, series, rows, annotations, cells set
// aside, blocks of the journal. Used for a store that no process has open (engine/fsck.h) and for
// an open store (engine/fsck_admin.h): names and rows are each read in one snapshot, and the data
// that a row needs was written before the row.
//
// Each call adds its findings to the report. Findings are not errors; errors are of storage, or
// kCancelled by the options' progress. Thread-compatible.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>

#include "codec/rows/layout.h"
#include "codec/rows/row_key.h"
#include "engine/fsck.h"
#include "engine/fsck/fsck_active.h"
#include "engine/journal/journal_cut.h"
#include "engine/rows/annotation_key.h"
#include "engine/series/series_table.h"
#include "engine/table/region_list.h"
#include "engine/table/region_store.h"
#include "engine/table/tables.h"
#include "uid/uid_directory.h"

namespace hourcell {

class FsckChecks {
 public:
  // All are borrowed and outlive the object.
  struct Parts {
    const Layout* layout = nullptr;
    Tables* tables = nullptr;
    RegionList* list = nullptr;      // of the same store
    RegionStore* regions = nullptr;  // of the same store; may be null
    const RowKeyCodec* row_keys = nullptr;
    bool has_active_sets = false;       // whole sets, by ReadActiveSetsAreKept
    const RowExpiry* expiry = nullptr;  // null: nothing expires
  };

  FsckChecks(const Parts& parts, const FsckOptions& options, FsckReport* report);

  absl::Status CheckRegions();
  // Names and UIDs; repairs them if the options say so.
  absl::Status CheckNames();
  // Sets the reference data for rows and blocks; null: damaged, and not checked.
  void Use(UidDirectory* uids, SeriesTable* series);
  absl::Status CheckSeriesRows();
  // Reads every row of points, and repairs its cell if the options say so.
  absl::Status CheckRows();
  absl::Status CheckAnnotations();
  absl::Status CheckAsides();
  // The records of deletes, shortened TTLs and renames that can be undone, and the points that
  // deletes have taken out of rows.
  absl::Status CheckDeletions();
  // The keys of the texts of UIDs and series.
  absl::Status CheckDocuments();
  // The expressions of virtual metrics.
  absl::Status CheckVirtualMetrics();
  absl::Status CheckRollups();  // watermarks and marks
  // Reports an unreadable journal; returns errors that do not concern the journal.
  absl::Status CheckJournal(const absl::Status& read);
  // Drops series without any data, if the options want it and no fault was found. REQUIRES: all
  // other checks were made, and no other writer.
  absl::Status DropEmptySeries();
  // Reports unseen cuts of the journal.
  void TellCuts(const std::vector<JournalCut>& cuts);
  // A block of the journal, in the order of the journal.
  absl::Status CheckBlock(uint64_t sequence, std::string_view payload);

 private:
  void Add(FsckFault fault, std::string text);
  absl::Status Begin(std::string_view phase);
  absl::Status TellProgress();
  absl::Status CheckFilesOf(TableId table, const RegionInfo& region);
  // UIDs without a name are faults if a series has them.
  absl::Status CheckWastedUids();
  std::string Place(std::string_view key) const;
  // Finds the UIDs with names, and opens a cursor over tsuids, as references for the rows.
  absl::Status BeginRows(TableView* view);
  absl::Status ReadRows(const TableSpec& table, TableView* view);
  SeriesNumber FindNumber(const std::string& tsuid);
  absl::Status CheckKey(std::string_view key);
  SeriesNumber CheckSeriesOf(std::string_view key, const std::string& tsuid);
  bool CheckName(std::string_view key, UidKind kind, Uid uid);
  absl::StatusOr<bool> IsShownAgain(TableId table, std::string_view key);
  absl::Status CheckCellOf(TableId table, std::string_view key, std::string_view cell);
  absl::Status SetAside(TableId table,
                        std::string_view key,
                        std::string_view cell,
                        const std::string& good);
  void MarkUsed(SeriesNumber number);
  absl::Status MarkUsedBy(const AnnotationKeyView& key);
  absl::Status Drop(std::vector<std::pair<SeriesNumber, std::string>>* series);
  absl::Status CheckDeletionRecords(TableView* view);
  absl::Status CheckTakenOut(TableView* view);
  absl::Status CheckChangeRecords(TableView* view);
  void CheckTakenOutRow(std::string_view key, std::string_view cell);
  void CheckSeriesNumbers(uint64_t sequence, const std::vector<SeriesNumber>& numbers);

  const Parts parts_;
  const FsckOptions& options_;
  FsckReport& report_;
  UidDirectory* uids_ = nullptr;
  SeriesTable* series_ = nullptr;
  std::string_view phase_;
  std::array<absl::flat_hash_map<Uid, std::string>, 3> wasted_;  // by kind and UID: the message
  std::array<std::vector<bool>, 3> named_;  // by kind and UID; of some, it may have a name
  std::unique_ptr<RowCursor> tsuids_;       // null: not while rows are read
  absl::flat_hash_map<uint64_t, SeriesNumber> good_series_;  // by hash of the tsuid
  ActiveSetCheck active_;
  bool all_rows_are_good_ = true;  // each was read, and its series is known
  absl::flat_hash_set<SeriesNumber> defined_;
  absl::flat_hash_set<uint64_t> deletions_;  // ids with a record
  std::vector<bool> used_;  // by number: has a row, an annotation or something in the journal
};

}  // namespace hourcell
