// RecoverJournal: what a directory of segments holds after a crash, with a torn tail cut off.
//
// It reads the segments in order up to the first place that is not right: a block that does not
// check, an end too early, a header that does not check. What is behind that place decides. If a
// header, block or footer there says that the missing block had been synced, this is damage, and
// nothing is touched. Else it was never synced, or is the block that was being written: a torn
// tail. The segment is cut back to its good blocks and what is behind it deleted, the last one
// first, so that a crash meanwhile leaves the same question with the same answer.
//
// What cannot be told apart: damage to blocks that were synced, but behind which nothing was
// written that says so, looks like a torn tail.
//
// A place that is bad is read twice before anything is cut off.
//
// A missing number among the segments is damage always: their names become durable in order.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

namespace rocksdb {
class FileSystem;
class FSDirectory;
}  // namespace rocksdb

namespace hourcell {

struct RecoveredSegment {
  uint64_t number = 0;
  uint64_t first_sequence = 0;
  uint64_t bytes = 0;  // header and valid blocks
};

struct RecoveredJournal {
  std::vector<RecoveredSegment> segments;  // by number; each ends where the next begins
  uint64_t next_sequence = 1;
  uint64_t synced_below = 1;  // all blocks below it are known to be synced
};

// `low_mark`: blocks below it are not needed; 0 = not known. Segments that hold only such blocks
// are deleted, whatever state they are in; if the journal ends below it, it goes on there.
// kDataLoss: damage. kFailedPrecondition: a newer format. kUnavailable: the file system.
absl::StatusOr<RecoveredJournal> RecoverJournal(rocksdb::FileSystem* fs,
                                                rocksdb::FSDirectory* directory,
                                                const std::string& path,
                                                uint64_t low_mark);

}  // namespace hourcell
