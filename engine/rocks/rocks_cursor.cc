#include "engine/rocks/rocks_cursor.h"

#include <algorithm>
#include <string_view>

#include "codec/base/check.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_slice.h"

// Why an iterator for one region at a time: an iterator holds the files and memtables of its
// region, and a scan over a thousand regions would hold them all. A failed cursor stays failed,
// also after a seek: RocksDB forgets an error at the next seek, and a query once missed the rows of
// a bad block.

namespace hourcell {
namespace {

// The lower of two ends; an empty end is above all keys.
std::string_view LowerEnd(std::string_view a, std::string_view b) {
  if (a.empty()) return b;
  return b.empty() || a < b ? a : b;
}

}  // namespace

RocksCursor::RocksCursor(rocksdb::DB* db,
                         const RegionSet* set,
                         const rocksdb::ReadOptions& options,
                         const ScanRange& range)
    : db_(db),
      set_(*set),
      options_(options),
      range_(range),
      indexes_(set->map().Overlapping(range.begin, range.end)),
      index_(indexes_.end) {
  options_.fill_cache = !range.is_large;
}

void RocksCursor::Enter(size_t index) {
  if (row_ != nullptr && index_ == index) return;
  HOURCELL_DCHECK(index >= indexes_.begin && index < indexes_.end);
  CountRows();
  row_.reset();  // before its bounds
  index_ = index;
  const RegionRange& region = set_.info(index).range;
  begin_ = std::max(range_.begin, region.start);
  end_ = LowerEnd(range_.end, region.end);
  begin_slice_ = ToSlice(begin_);
  end_slice_ = ToSlice(end_);
  options_.iterate_lower_bound = begin_.empty() ? nullptr : &begin_slice_;
  options_.iterate_upper_bound = end_.empty() ? nullptr : &end_slice_;
  row_.reset(db_->NewIterator(options_, set_.family(index)));
}

void RocksCursor::CountRows() {
  if (rows_ > 0) set_.region(index_)->CountRead(rows_);
  rows_ = 0;
}

void RocksCursor::Seek(std::string_view key) {
  if (indexes_.begin == indexes_.end || has_failed()) return;
  const size_t index = std::clamp(set_.Find(key), indexes_.begin, indexes_.end - 1);
  Enter(index);
  row_->Seek(ToSlice(key));
  SkipEmptyForward();
}

void RocksCursor::SeekBefore(std::string_view key) {
  if (indexes_.begin == indexes_.end || has_failed()) return;
  const size_t index = std::clamp(set_.Find(key), indexes_.begin, indexes_.end - 1);
  Enter(index);
  row_->SeekForPrev(ToSlice(key));
  if (row_->Valid() && ToView(row_->key()) == key) row_->Prev();
  SkipEmptyBackward();
}

void RocksCursor::SeekToLast() {
  if (indexes_.begin == indexes_.end || has_failed()) return;
  Enter(indexes_.end - 1);
  row_->SeekToLast();
  SkipEmptyBackward();
}

void RocksCursor::Next() {
  row_->Next();
  SkipEmptyForward();
}

bool RocksCursor::TakeRow() {
  is_valid_ = row_->Valid();
  if (!is_valid_) return false;
  key_ = ToView(row_->key());
  value_ = ToView(row_->value());
  ++rows_;
  return true;
}

void RocksCursor::SkipEmptyForward() {
  while (!TakeRow() && row_->status().ok() && index_ + 1 < indexes_.end) {
    Enter(index_ + 1);
    row_->SeekToFirst();
  }
}

void RocksCursor::SkipEmptyBackward() {
  while (!TakeRow() && row_->status().ok() && index_ > indexes_.begin) {
    Enter(index_ - 1);
    row_->SeekToLast();
  }
}

absl::Status RocksCursor::status() const {
  if (!has_failed()) return absl::OkStatus();
  return FromRocks(row_->status(), "read " + ColumnFamilyOf(set_.info(index_)));
}

}  // namespace hourcell
