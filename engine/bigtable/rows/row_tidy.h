// RowTidy: chooses the rows of a store that are due for row compaction (row_rewrite.h) because they
// have gathered many cells. It counts the writes of the process, and reads nothing.
//
// Rows that are written again and again are counters, marks of the table `meta`, the row of the
// number up to which series have their index rows, posting sets, and annotations. They are due
// after kWritesMax writes. Counts are kept by a hash of the key: a row that shares its count with
// others is due sooner, which costs a read and changes nothing.
//
// A row that leaves no mark (LeavesNoMark) is due after its deletion, together with kMarksMax
// others.
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

  // Keys of each table, ascending, no two alike.
  using Due = std::map<TableId, std::vector<std::string>>;

  // Counts stages that were written, and returns the rows that are due.
  Due Written(const std::vector<GroupStage>& stages);

  // These were deleted, and could not be rewritten yet: they are due with the next ones.
  void Again(std::vector<std::string> marks);

 private:
  Mutex mutex_;
  std::vector<uint8_t> counts_ ABSL_GUARDED_BY(mutex_) = std::vector<uint8_t>(kCounts);
  std::vector<std::string> marks_ ABSL_GUARDED_BY(mutex_);  // keys of the table `series`
};

}  // namespace hourcell
