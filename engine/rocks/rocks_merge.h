// The merge operators of the tables: a write never reads; RocksDB combines the operands in a flush,
// an LSM compaction or a read. Both operators may combine any parts first, and neither ever fails:
// in RocksDB 7.8.3 a failed merge stops the whole store, so the value records damage instead
// (codec/cells/cell.h, series_key.h).

#pragma once

#include <memory>

#include <rocksdb/merge_operator.h>

namespace hourcell {

// `data`: cells of a row, oldest first; last write wins for an instant. This is row compaction.
std::shared_ptr<rocksdb::MergeOperator> NewRowMergeOperator();

// `series`: posting sets; the union.
std::shared_ptr<rocksdb::MergeOperator> NewPostingMergeOperator();

}  // namespace hourcell
