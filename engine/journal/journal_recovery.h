// RecoverJournal: reads a directory of segments after a crash, and takes out invalid bytes.
//
// It reads the segments in order up to the first bad place: an invalid block, an early end, or an
// invalid header. The bytes after that place decide (engine/journal/journal_repair.h): if the
// missing blocks had been synced, this is damage, and the files stay as they are. Otherwise valid
// blocks after the place stay, and the bytes between are moved to files of cuts.
//
// Later blocks show that a block was synced; for the newest blocks, the note in the directory does
// (engine/journal/journal_synced.h). Two cases cannot be distinguished: after a power loss, which
// may have taken the note, damage to the newest synced blocks looks like a torn tail; and whole
// blocks lost at the end that were never synced look as if they had never been written.
//
// A missing number among the segments is always damage: their names become durable in order.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
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
  std::vector<JournalCut> cuts = {};  // removed by this open
};

// `low_mark`: blocks below it are not needed; 0 = not known. Deletes segments that hold only such
// blocks, even damaged ones; if the journal ends below the low mark, it continues there.
// kDataLoss: damage. kFailedPrecondition: a newer format. kUnavailable: the file system.
absl::StatusOr<RecoveredJournal> RecoverJournal(rocksdb::FileSystem* fs,
                                                rocksdb::FSDirectory* directory,
                                                const std::string& path,
                                                uint64_t low_mark);

// Reads a journal without any change, for a store that is only read: visits the blocks from
// `low_mark` on in order, and returns the number after the last. `fs` null: the operating system's.
// kDataLoss: damage, and invalid bytes that RecoverJournal would take out. kUnavailable as above;
// an error of `visit` is returned.
absl::StatusOr<uint64_t> VisitJournal(
    rocksdb::FileSystem* fs,
    const std::string& path,
    uint64_t low_mark,
    const std::function<absl::Status(uint64_t sequence, std::string_view payload)>& visit);

}  // namespace hourcell
