// RocksCursor: a RowCursor over a range of a table, region after region. Only the current region
// has an iterator. Its keys are clamped to the region's range, because its files may still have
// rows of a sister.

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
  // `set` and the snapshot of `options` outlive the cursor.
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
  bool valid() const override { return is_valid_; }
  std::string_view key() const override { return key_; }
  std::string_view value() const override { return value_; }
  absl::Status status() const override;

 private:
  // True after a failed read. A cursor stays failed: a seek of the iterator would forget the error,
  // and the rows of a bad block would be missing.
  bool has_failed() const { return row_ != nullptr && !row_->status().ok(); }
  // Makes the iterator of region `index`, without a position.
  void Enter(size_t index);
  // Takes the row of the iterator. False if the iterator is not valid.
  bool TakeRow();
  // Adds the rows read to the region's counter: once for all rows, not for each.
  void CountRows();
  // While the iterator is not valid, moves to the first row of the next region, or to the last row
  // of the previous one.
  void SkipEmptyForward();
  void SkipEmptyBackward();

  rocksdb::DB* const db_;
  const RegionSet& set_;
  rocksdb::ReadOptions options_;
  const ScanRange range_;
  const RegionMap::Indexes indexes_;  // of the regions with keys in the range

  size_t index_;       // of the region with the iterator
  uint64_t rows_ = 0;  // read from it, not yet counted
  // Bounds of the iterator, which borrows them.
  std::string begin_;
  std::string end_;
  rocksdb::Slice begin_slice_;
  rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> row_;
  // Its row: the iterator's own functions for it cost two virtual calls each.
  bool is_valid_ = false;
  std::string_view key_;
  std::string_view value_;
};

}  // namespace hourcell
