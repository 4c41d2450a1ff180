// HiddenRows: the hidden parts of the rows of one view. A delete hides nothing of a row with a key
// 'U' of its id (engine/rows/deletion_row.h): its points were taken out of the row. The keys are
// read in the same view as the rows, so a reader sees both or neither.
//
// Few rows have such keys, so the next key is remembered: rows in key order cost no read before it.
// Thread-compatible; a view that several threads read has one for each.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/hidden/hidden_points.h"
#include "engine/table/table.h"

namespace hourcell {

class HiddenRows {
 public:
  // Borrowed. `stored` has the rows with their hidden points.
  HiddenRows(const HiddenPoints* hidden, TableView* stored) : hidden_(*hidden), stored_(*stored) {}

  // Sets `*parts` to the hidden parts of a row, ascending by id. Errors of reads.
  absl::Status FindParts(std::string_view row_key, std::vector<HiddenPart>* parts);

  // Changes the value of a row into that of its visible points, as ShowParts; false: all are
  // hidden.
  absl::StatusOr<bool> Show(std::string_view row_key, std::string* value);

 private:
  absl::Status RemoveTakenOut(std::string_view row_key, std::vector<HiddenPart>* parts);
  absl::StatusOr<bool> MayHaveKeys(std::string_view prefix);

  const HiddenPoints& hidden_;
  TableView& stored_;
  std::unique_ptr<RowCursor> next_;  // the first key 'U' at or after sought_; null: none sought
  std::string sought_;
  std::vector<HiddenPart> parts_;  // of Show
};

}  // namespace hourcell
