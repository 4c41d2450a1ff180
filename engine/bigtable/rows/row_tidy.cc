#include "engine/bigtable/rows/row_tidy.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "codec/base/check.h"
#include "engine/bigtable/rows/row_rewrite.h"
#include "engine/rows/series_key.h"
#include "engine/rows/uid_key.h"

namespace hourcell {
namespace {

bool IsWrittenOften(TableId table, const RowChange& row) {
  switch (SpecOf(table).row_writes) {
    case RowWrites::kFew:
      return false;
    case RowWrites::kMany:
      return true;
    case RowWrites::kManyOfSome:  // posting sets, counters, the number of indexed series
      return row.kind == Mutation::Kind::kMerge || row.key == IndexedKey() ||
             row.key == SeriesCounterKey() ||
             row.key.front() == UidCounterKey(UidKind::kMetric).front();
  }
  HOURCELL_CHECK(false);
}

}  // namespace

RowTidy::Due RowTidy::Written(const std::vector<GroupStage>& stages) {
  Due due;
  MutexLock lock(&mutex_);
  for (const GroupStage& stage : stages) {
    for (const RowChange& row : stage.rows) {
      if (row.key.empty()) continue;
      if (row.kind == Mutation::Kind::kDelete && LeavesNoMark(stage.table, row.key)) {
        marks_.push_back(row.key);
      }
      if (!IsWrittenOften(stage.table, row)) continue;
      uint8_t& count = counts_[std::hash<std::string_view>()(row.key) % kCounts];
      if (++count < kWritesMax) continue;
      count = 0;
      due[stage.table].push_back(row.key);
    }
  }
  if (marks_.size() >= kMarksMax) {
    std::vector<std::string>& keys = due[TableId::kSeries];
    std::ranges::move(std::exchange(marks_, {}), std::back_inserter(keys));
  }
  for (auto& [table, keys] : due) {
    std::ranges::sort(keys);
    keys.erase(std::ranges::unique(keys).begin(), keys.end());
  }
  return due;
}

void RowTidy::Again(std::vector<std::string> marks) {
  MutexLock lock(&mutex_);
  std::ranges::move(marks, std::back_inserter(marks_));
}

}  // namespace hourcell
