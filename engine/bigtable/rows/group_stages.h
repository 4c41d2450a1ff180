// GroupStages: splits a group of mutations into the calls that write it. Bigtable writes the rows
// of one call in any order, and a crash may cut a group only between its mutations
// (engine/table/tables.h). So a mutation that must come after another goes into a later call.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/table/table.h"

namespace hourcell {

// The combined effect of a stage on one row: a set, a delete or a merge.
struct RowChange {
  std::string key = {};
  Mutation::Kind kind = Mutation::Kind::kSet;
  std::string value = {};
};

// Rows of one table, written in any order, without duplicate keys.
struct GroupStage {
  TableId table = TableId::kData;
  std::vector<RowChange> rows = {};
};

// Adjacent mutations share a stage if their order does not matter: those of the data table, merges
// of one table, and sets (or deletes) of one kind of row in the tables `uid` and `series`. Every
// other row is a separate stage.
std::vector<GroupStage> StagesOf(std::span<const Mutation> group);

}  // namespace hourcell
