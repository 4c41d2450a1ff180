// Segment files of the journal: their names, and SegmentReader, which reads one from its first
// block to its last, about a megabyte at a time. The bytes are described in
// engine/journal/journal_block.h.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/journal/journal_block.h"

namespace rocksdb {
class FileSystem;
class FSRandomAccessFile;
}  // namespace rocksdb

namespace hourcell {

// "00000000000000000007.log" for 7, and back; nullopt for the name of something else.
std::string SegmentName(uint64_t number);
std::optional<uint64_t> SegmentNumberOf(std::string_view name);

// Blocks that were read together, footers and gaps not among them. They point into `bytes`.
struct BlockBatch {
  std::string bytes;
  std::vector<JournalBlock> blocks;
};

// Thread-compatible.
class SegmentReader {
 public:
  // Where to read and up to where.
  struct Range {
    std::string path;
    uint64_t number = 0;
    uint64_t bytes = 0;  // of the file; what follows them is not read
    // The sequence at which a later segment takes over: that block and what follows it is not
    // read.
    uint64_t end_sequence = ~uint64_t{0};
  };

  // Opens the file and reads its header. kDataLoss or kFailedPrecondition: as DecodeSegmentHeader
  // has it, with the file. kUnavailable or kNotFound: the file system.
  static absl::StatusOr<std::unique_ptr<SegmentReader>> Open(rocksdb::FileSystem* fs, Range range);
  ~SegmentReader();
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  // Replaces what is in `*batch` by the next blocks. Returns false when the segment has ended: in
  // good order, or with a fault(). The last call may give blocks and false. kUnavailable: the file
  // system failed, or gave fewer bytes than the file has.
  absl::StatusOr<bool> Next(BlockBatch* batch);

  const SegmentHeader& header() const { return header_; }
  // Where the first byte is that was not given out as a block or footer, and its block's sequence.
  uint64_t offset() const { return offset_; }
  uint64_t next_sequence() const { return next_sequence_; }
  // The highest that the header, a block or a footer said so far.
  uint64_t synced_below() const { return synced_below_; }
  // Whether there was a gap: an earlier open skipped blocks.
  bool has_gap() const { return has_gap_; }
  // What is wrong at offset(): kDataLoss with file and offset; OK if the segment ended in order.
  const absl::Status& fault() const { return fault_; }

 private:
  SegmentReader(rocksdb::FileSystem* fs,
                std::unique_ptr<rocksdb::FSRandomAccessFile> file,
                Range range);

  absl::Status ReadHeader();
  absl::StatusOr<size_t> Fill(BlockBatch* batch);
  size_t TakeBlock(std::string_view rest, BlockBatch* batch);

  rocksdb::FileSystem* const fs_;
  const std::unique_ptr<rocksdb::FSRandomAccessFile> file_;
  const Range range_;
  SegmentHeader header_;
  uint64_t read_bytes_ = 0;  // of the file
  std::string carry_;        // of them, what is not given out yet
  size_t carry_block_ = 0;   // bytes of the block that carry_ begins, where known
  uint64_t offset_ = 0;
  uint64_t next_sequence_ = 0;
  uint64_t synced_below_ = 0;
  bool has_gap_ = false;
  bool has_ended_ = false;
  absl::Status fault_;
};

// The bytes [from, bytes) of a file, less if it is shorter. kUnavailable: the file system failed.
absl::StatusOr<std::string> ReadFileFrom(rocksdb::FileSystem* fs,
                                         const std::string& path,
                                         uint64_t from,
                                         uint64_t bytes);

}  // namespace hourcell
