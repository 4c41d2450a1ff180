// GroupStages: a group of mutations as the calls that write it. Bigtable writes the rows of one
// call in any order, and a group may be cut only between its mutations (engine/table/tables.h). So
// what must follow something is in a later call.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/table/table.h"

namespace hourcell {

// What one stage does with a row: a set, a delete or a merge, whatever the mutations of the group
// were.
struct RowChange {
  std::string key = {};
  Mutation::Kind kind = Mutation::Kind::kSet;
  std::string value = {};
};

// Rows of one table that are written in any order. No key is in it twice.
struct GroupStage {
  TableId table = TableId::kData;
  std::vector<RowChange> rows = {};
};

// Mutations that follow each other are one stage if they may be applied in any order: those of the
// data table, merges of one table, and sets (or deletes) of rows of one kind of the tables `uid`
// and `series`. Every other row is a stage of its own.
std::vector<GroupStage> StagesOf(std::span<const Mutation> group);

}  // namespace hourcell
