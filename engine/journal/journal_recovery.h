// RecoverJournal: what a directory of segments holds after a crash, with what does not check taken
// out.
//
// It reads the segments in order up to the first place that is not right: a block that does not
// check, an end too early, a header that does not check. What is after that place decides
// (engine/journal/journal_repair.h): if the missing blocks had been synced, this is damage, and
// nothing is touched. Else valid blocks after the place stay, and what is between is taken out and
// kept beside.
//
// What was synced is known from blocks that were written later, and of the newest ones from the
// note beside the segments (engine/journal/journal_synced.h). What cannot be told apart: after a
// power loss, which may have taken the note, damage to the newest blocks that were synced looks
// like a torn tail; and whole blocks that are gone from the end, and were never synced, as if they
// had never been written.
//
// A missing number among the segments is damage always: their names become durable in order.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "engine/journal/journal_cut.h"

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
  bool has_gap = false;       // blocks are missing in the middle, by this open or an earlier one
  std::vector<JournalCut> cuts = {};  // what this open took out
};

// `low_mark`: blocks below it are not needed; 0 = not known. Segments that hold only such blocks
// are deleted, whatever state they are in; if the journal ends below it, it goes on there.
// kDataLoss: damage. kFailedPrecondition: a newer format. kUnavailable: the file system.
absl::StatusOr<RecoveredJournal> RecoverJournal(rocksdb::FileSystem* fs,
                                                rocksdb::FSDirectory* directory,
                                                const std::string& path,
                                                uint64_t low_mark);

}  // namespace hourcell
