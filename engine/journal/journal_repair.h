// RepairJournal: moves invalid bytes out of a journal, into files of cuts.
//
// After the first bad place it searches the segments, byte by byte, for valid blocks. The blocks
// between them are lost, and it first judges each loss:
//   below the low mark   the points of the lost blocks are in the tables: harmless
//   was synced           by a later block, header or footer, or by the note in the directory:
//                        damage, the files stay as they are
//   else                 it was never synced, or all evidence of the sync is lost
// Bytes that are taken out become files (engine/journal/journal_cut.h). Then each segment with a
// bad place is replaced, as a whole, by one with its valid blocks, and a gap where blocks are
// missing between them; or it is only cut, if all bytes after the place are invalid. Segments at
// the end without valid blocks are deleted, the last one first. After a crash meanwhile, the next
// repair decides the rest in the same way.
//
// If a point was written several times, and the later one is in a lost block, the older one
// remains, unless a later block has the point again.
//
// A bad place is read three times before bytes are taken out.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/journal/journal_block.h"
#include "engine/journal/journal_cut.h"

namespace hourcell {

// A segment file as it was found.
struct FoundSegment {
  uint64_t number = 0;
  std::string path;
  uint64_t file_bytes = 0;
  absl::StatusOr<SegmentHeader> header;  // or its error
};

// A place at which the journal is damaged or torn.
struct BadPlace {
  size_t index = 0;       // of the segment
  uint64_t offset = 0;    // its good bytes
  uint64_t sequence = 0;  // of the block that should be there
  absl::Status fault;     // with file and offset
};

struct JournalFiles {
  rocksdb::FileSystem* fs = nullptr;
  rocksdb::FSDirectory* directory = nullptr;
  std::string path = {};      // of the directory
  uint64_t low_mark = 0;      // no block below it is needed; 0 = not known
  uint64_t synced_below = 0;  // by the note in the directory; 0 = unknown
};

// `segments` are all needed segments, by number; `bad` is the first bad place in them. Returns the
// cuts. Afterwards the caller must read all segments again.
// kDataLoss: damage. kUnavailable: the file system, or a disk that returns different bytes each
// time.
absl::StatusOr<std::vector<JournalCut>> RepairJournal(const JournalFiles& files,
                                                      std::span<const FoundSegment> segments,
                                                      const BadPlace& bad);

}  // namespace hourcell
