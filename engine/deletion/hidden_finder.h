// HiddenFinder: the series of a metric without a point that no delete hides. It looks at the active
// sets first: a day outside all records has a point, and a day inside a record does not. It reads
// rows only of the other days: those at the edges of a record, and those with keys 'U'
// (engine/rows/deletion_row.h). Thread-compatible.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/row_key.h"
#include "codec/rows/uid.h"
#include "engine/rows/deletion_row.h"
#include "engine/rows/series_key.h"
#include "engine/series/series_table.h"
#include "engine/table/table.h"

namespace hourcell {

class HiddenFinder {
 public:
  // Borrowed.
  struct Parts {
    const RowKeyCodec* row_keys = nullptr;
    const SeriesTable* series = nullptr;
    TableView* view = nullptr;  // without the hidden points
  };
  // `records`: those of the metric that hide points in the view; borrowed.
  HiddenFinder(const Parts& parts, Uid metric, std::span<const DeletionRow> records);
  ~HiddenFinder();

  // Those of `numbers` that are in a record and have neither a point in the rows of the view nor an
  // annotation or a histogram, ascending. kDataLoss: a set does not decode. Once.
  absl::StatusOr<std::vector<SeriesNumber>> Find(std::span<const SeriesNumber> numbers);

 private:
  struct Record;
  struct RowsToRead;
  struct Sets;

  absl::Status ReadSets();
  void TakeSet(uint32_t day, std::span<const SeriesNumber> active);
  absl::Status ReadTakenOut();
  absl::Status TakeTakenOut(std::string_view key);
  absl::Status ReadRows(uint32_t day, const RowsToRead& rows);
  absl::Status GetRows(uint32_t day, uint32_t hours, std::span<const SeriesNumber> numbers);
  absl::Status ScanRows(uint32_t begin_s, uint64_t end_s);
  absl::StatusOr<SeriesNumber> NumberOf(const std::string& tsuid);

  const Parts parts_;
  const Uid metric_;
  std::vector<Record> records_;
  const std::unique_ptr<Sets> sets_;
  absl::flat_hash_map<std::string, SeriesNumber> numbers_of_;  // by tsuid; empty: not read
};

}  // namespace hourcell
