// RepairJournal: takes what does not check out of a journal, and keeps it beside.
//
// After the first bad place the segments are looked at byte by byte for valid blocks. What is
// between them is lost, and is judged first:
//   below the low mark   the points of the lost blocks are in the tables: no harm
//   was synced           a block, header or footer after it says so, or the note beside the
//                        segments: damage, nothing is touched
//   else                 it was never synced, or nothing left says that it was
// Bytes that are taken out become files of their own (engine/journal/journal_cut.h). Then each
// segment with a bad place is replaced, as a whole, by one with its valid blocks, and a gap where
// blocks are missing between them; or only cut, where nothing valid is after. Segments at the end
// that have nothing valid go, the last one first. A crash meanwhile leaves the same question with
// the same answer for what is not done yet.
//
// Of a point that was written several times, one in a lost block and an older one in front of it,
// the older one is what is left, unless a later block has it again.
//
// A place that is bad is read three times before anything is taken out.

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
  absl::StatusOr<SegmentHeader> header;  // or what is wrong with it
};

// A place at which the journal is not whole.
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
  uint64_t synced_below = 0;  // by the note beside the segments; 0 = it says nothing
};

// `segments` are all that are needed, by number; `bad` is the first bad place in them. Returns what
// was taken out. When it is done, all segments are to be looked at anew.
// kDataLoss: damage. kUnavailable: the file system, or a disk that gives other bytes each time.
absl::StatusOr<std::vector<JournalCut>> RepairJournal(const JournalFiles& files,
                                                      std::span<const FoundSegment> segments,
                                                      const BadPlace& bad);

}  // namespace hourcell
