// HiddenWrites: keeps writes of rows and the points that deletes hide apart. Before the first write
// of a row with hidden points, these are taken out of the row. From then on the row has only points
// that no delete hides:
//
//   row: a b c    delete 7 hides b       U row 7: b
//   merge of d                           row: a c d
//
// A row does not store when its points were written, so old and new points could not be told apart
// later. Each delete that hides a part of the row gets a key 'U', also if the part is empty. A
// point that several deletes hide goes to the oldest delete, whose points are removed for good
// first.
//
// One thread owns it.

#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "engine/hidden/hidden_points.h"
#include "engine/hidden/hidden_rows.h"
#include "engine/table/table.h"

namespace hourcell {

class HiddenWrites {
 public:
  // Borrowed. `stored` has the rows with their hidden points.
  HiddenWrites(const HiddenPoints* hidden, TableView* stored)
      : stored_(*stored), hidden_(hidden, stored) {}

  // Divides a group into `*changed`, the writes of rows with hidden points, to be applied at once,
  // and `*others`, in their order. Leaves both empty for a group without such rows. Errors of
  // reads.
  absl::Status Divide(std::span<const Mutation> group,
                      std::vector<Mutation>* changed,
                      std::vector<Mutation>* others);

 private:
  // A row with hidden points.
  struct Row {
    std::vector<HiddenPart> parts;
    std::optional<std::string> cell;  // as stored, and then as changed so far
  };

  absl::Status FindRows(std::span<const Mutation> group);
  absl::Status ReadRows();
  static void TakeOut(const std::string& key, Row* row, std::vector<Mutation>* changed);
  static void Change(const Mutation& write, Row* row);

  TableView& stored_;
  HiddenRows hidden_;
  std::map<std::string, Row> rows_;  // by key
};

// True if a write of the group is of a row with points that `hidden` may hide. Reads nothing.
bool MayHaveHiddenPoints(const HiddenPoints& hidden, std::span<const Mutation> group);

}  // namespace hourcell
