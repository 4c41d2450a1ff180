// The merges of tables: how operands of a row become its value. Every store of tables uses these
// functions, so all merge alike. They may be applied to any consecutive operands first, and never
// fail: the value records damage instead (codec/cells/cell.h, series_key.h).

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/table/table_spec.h"

namespace hourcell {

// Appends the value of the operands, at least one, oldest first.
using OperandMerge = void (*)(std::span<const std::string_view> oldest_first, std::string* out);

// Null for TableMerge::kNone.
OperandMerge OperandMergeOf(TableMerge merge);

// The value of operands of a table, oldest first. REQUIRES: not empty; the table has a merge.
std::string MergedOperands(TableId table, std::span<const std::string_view> operands);

}  // namespace hourcell
