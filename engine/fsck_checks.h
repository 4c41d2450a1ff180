// FsckChecks: the checks of a store whose tables are open: regions, names, series, rows,
// annotations, what was set aside, blocks of the journal. On a store that nobody else has open
// (engine/fsck.h) and on one that is written to meanwhile (engine/fsck_admin.h): names and rows are
// read as of one moment, and what a row needs was there before the row was.
//
// Each call adds what it finds to the report. What is found is no error; errors are of storage, and
// kCancelled where the options' progress said so. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_set.h>
#include <absl/status/status.h>

#include "codec/layout.h"
#include "codec/row_key.h"
#include "engine/fsck.h"
#include "engine/series_table.h"
#include "engine/table.h"
#include "uid/uid_directory.h"

namespace hourcell {

class FsckChecks {
 public:
  // All are borrowed and outlive the object.
  struct Parts {
    const Layout* layout = nullptr;
    TableStore* tables = nullptr;
    const RowKeyCodec* row_keys = nullptr;
  };

  FsckChecks(const Parts& parts, const FsckOptions& options, FsckReport* report);

  absl::Status CheckRegions();
  // Names and UIDs; repairs them if the options say so.
  absl::Status CheckNames();
  // What rows and blocks are held against from now on; null: it is damaged, and not looked at.
  void Use(UidDirectory* uids, SeriesTable* series);
  absl::Status CheckSeriesRows();
  // Reads every row of points, and repairs its cell if the options say so.
  absl::Status CheckRows();
  absl::Status CheckAnnotations();
  absl::Status CheckAsides();
  // Tells of a journal that cannot be read; returns errors that are none of the journal's.
  absl::Status CheckJournal(const absl::Status& read);
  // A block of the journal, in the order of the journal.
  absl::Status CheckBlock(uint64_t sequence, std::string_view payload);

 private:
  void Add(FsckFault fault, std::string text);
  absl::Status Begin(std::string_view phase);
  absl::Status TellProgress();
  absl::Status CheckFilesOf(TableId table, const RegionInfo& region);
  std::string Place(std::string_view key) const;
  void CheckKey(std::string_view key);
  bool CheckSeriesOf(std::string_view key, const std::string& tsuid);
  bool CheckName(std::string_view key, UidKind kind, Uid uid);
  absl::Status CheckCellOf(std::string_view key, std::string_view cell);
  absl::Status SetAside(std::string_view key, std::string_view cell, const std::string& good);
  void CheckSeriesNumber(uint64_t sequence, SeriesNumber number);

  const Parts parts_;
  const FsckOptions& options_;
  FsckReport& report_;
  UidDirectory* uids_ = nullptr;
  SeriesTable* series_ = nullptr;
  std::string_view phase_;
  absl::flat_hash_set<std::string> good_series_;
  absl::flat_hash_set<SeriesNumber> defined_;
};

}  // namespace hourcell
