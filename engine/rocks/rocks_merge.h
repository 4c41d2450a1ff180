// The merge operators of the tables: a write never reads; RocksDB combines the operands in a flush,
// an LSM compaction or a read. Operators may combine any parts first, and never fail: in RocksDB
// 7.8.3 a failed merge stops the whole store, so the value records damage instead
// (engine/rows/merge_operands.h).

#pragma once

#include <memory>

#include <rocksdb/merge_operator.h>

#include "engine/table/table_spec.h"

namespace hourcell {

// The operator of a merge; null for TableMerge::kNone. kCells is row compaction.
std::shared_ptr<rocksdb::MergeOperator> NewMergeOperator(TableMerge merge);

}  // namespace hourcell
