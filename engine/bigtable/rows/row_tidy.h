// RowTidy: chooses rows for row compaction (row_rewrite.h) that have gathered many cells. It counts
// this process's writes and reads nothing.
//
// The rows that are written often are counters, marks of the system table, the row with the number
// up to which series are indexed, posting sets, and annotations. A row is due after kWritesMax
// writes. Counts are kept per key hash: rows that share a count are due sooner, which costs only a
// read.
//
// Deleted rows that leave no mark (LeavesNoMark) are due together, once kMarksMax have gathered.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/mutex.h"
#include "engine/bigtable/rows/group_stages.h"
#include "engine/table/table.h"

namespace hourcell {

class RowTidy {
 public:
  static constexpr uint8_t kWritesMax = 32;
  static constexpr size_t kMarksMax = 256;
  static constexpr size_t kCounts = size_t{1} << 16;

  // Keys of each table, ascending, without duplicates.
  using Due = std::map<TableId, std::vector<std::string>>;

  // Counts the written stages and returns the rows that are due.
  Due Written(const std::vector<GroupStage>& stages);

  // Re-queues deleted rows that could not be rewritten yet: they are due with the next ones.
  void Again(std::vector<std::string> marks);

 private:
  Mutex mutex_;
  std::vector<uint8_t> counts_ ABSL_GUARDED_BY(mutex_) = std::vector<uint8_t>(kCounts);
  std::vector<std::string> marks_ ABSL_GUARDED_BY(mutex_);  // keys in `series`
};

}  // namespace hourcell
