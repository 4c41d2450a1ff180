// RocksCursor: a RowCursor over a range of a table, region after region. Only the region it is in
// has an iterator. A region's keys are clamped to its range: its files may still hold rows that are
// its sister's.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <rocksdb/db.h>

#include "engine/rocks/regions/rocks_region.h"
#include "engine/table/table.h"

namespace hourcell {

// Thread-compatible.
class RocksCursor final : public RowCursor {
 public:
  // `set` and the snapshot of `options` outlive it.
  RocksCursor(rocksdb::DB* db,
              const RegionSet* set,
              const rocksdb::ReadOptions& options,
              const ScanRange& range);
  ~RocksCursor() override { CountRows(); }
  RocksCursor(const RocksCursor&) = delete;
  RocksCursor& operator=(const RocksCursor&) = delete;

  void Seek(std::string_view key) override;
  void SeekBefore(std::string_view key) override;
  void SeekToLast() override;
  void Next() override;
  bool valid() const override { return row_ != nullptr && row_->Valid(); }
  std::string_view key() const override { return {row_->key().data(), row_->key().size()}; }
  std::string_view value() const override { return {row_->value().data(), row_->value().size()}; }
  absl::Status status() const override;

 private:
  // Makes the iterator of region `index`, at no row.
  // A seek would forget what was wrong with a block that was passed, and its rows with it.
  bool has_failed() const { return row_ != nullptr && !row_->status().ok(); }
  void Enter(size_t index);
  // Tells the region how many rows were read of it: once for all of them, not with each.
  void CountRows();
  // While there is no row, on to the next region's first, or to the last of the one before.
  void SkipEmptyForward();
  void SkipEmptyBackward();

  rocksdb::DB* const db_;
  const RegionSet& set_;
  rocksdb::ReadOptions options_;
  const ScanRange range_;
  const RegionMap::Indexes indexes_;  // of the regions with keys in the range

  size_t index_;       // of the region with the iterator
  uint64_t rows_ = 0;  // read of it, and not told yet
  // Of the iterator, which borrows them.
  std::string begin_;
  std::string end_;
  rocksdb::Slice begin_slice_;
  rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> row_;
};

}  // namespace hourcell
