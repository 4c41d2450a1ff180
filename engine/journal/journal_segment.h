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

// "00000000000000000007.log" for 7, and back; nullopt for other names.
std::string SegmentName(uint64_t number);
std::optional<uint64_t> SegmentNumberOf(std::string_view name);

// Blocks that were read together, without footers and gaps. They point into `bytes`.
struct BlockBatch {
  std::string bytes;
  std::vector<JournalBlock> blocks;
};

// Thread-compatible.
class SegmentReader {
 public:
  // The part of a segment to read.
  struct Range {
    std::string path;
    uint64_t number = 0;
    uint64_t bytes = 0;  // of the file; later bytes are not read
    // The sequence at which a later segment takes over: reading ends before that block.
    uint64_t end_sequence = ~uint64_t{0};
  };

  // Opens the file and reads its header. kDataLoss or kFailedPrecondition: as DecodeSegmentHeader,
  // with the file. kUnavailable or kNotFound: the file system.
  static absl::StatusOr<std::unique_ptr<SegmentReader>> Open(rocksdb::FileSystem* fs, Range range);
  ~SegmentReader();
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  // Replaces `*batch` by the next blocks. Returns false at the end of the segment: in good order,
  // or with a fault(). The last call may return blocks and false. kUnavailable: the file system
  // failed, or returned fewer bytes than the file has.
  absl::StatusOr<bool> Next(BlockBatch* batch);

  const SegmentHeader& header() const { return header_; }
  // The offset of the first byte after the blocks returned, and the sequence of the block there.
  uint64_t offset() const { return offset_; }
  uint64_t next_sequence() const { return next_sequence_; }
  // The highest in the header, blocks and footer so far.
  uint64_t synced_below() const { return synced_below_; }
  // Whether there was a gap: an earlier open skipped blocks.
  bool has_gap() const { return has_gap_; }
  // The error at offset(): kDataLoss with file and offset; OK if the segment ended in order.
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
  std::string carry_;        // bytes read and not returned yet
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
