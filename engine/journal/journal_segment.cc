#include "engine/journal/journal_segment.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/file_system.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/rocks/files/rocks_status.h"

// Why the reader takes a megabyte at a time and knows the file's size: a read that ends before that
// size is an error of the disk and not the end of the segment. Once acknowledged blocks were cut
// off after a short read (SegmentReaderTest.AReadThatGivesTooFewBytesIsNoEnd).

namespace hourcell {
namespace {

constexpr std::string_view kExtension = ".log";
constexpr size_t kNumberDigits = 20;
// The size of a read. Several fit in the processor's cache.
constexpr size_t kReadBytes = 1 << 20;

absl::StatusOr<std::unique_ptr<rocksdb::FSRandomAccessFile>> OpenFile(rocksdb::FileSystem* fs,
                                                                      const std::string& path) {
  rocksdb::FileOptions options;
  options.use_mmap_reads = false;
  options.use_direct_reads = false;
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs->NewRandomAccessFile(path, options, &file, nullptr), "open " + path));
  return file;
}

// A short read is the end of the file only if the file's size confirms it: bytes that a disk omits
// must not be taken for bytes that were never written.
absl::Status CheckEnd(rocksdb::FileSystem* fs, const std::string& path, uint64_t end) {
  uint64_t bytes = 0;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs->GetFileSize(path, rocksdb::IOOptions(), &bytes, nullptr), "size of " + path));
  if (bytes <= end) return absl::OkStatus();
  return absl::UnavailableError(fmt::format(
      "read {} at offset {}: expected some, up to its end at {}, got no bytes", path, end, bytes));
}

// Reads [from, from + size) to `out`; fewer bytes only at the end of the file.
absl::StatusOr<size_t> ReadAt(rocksdb::FileSystem* fs,
                              const rocksdb::FSRandomAccessFile& file,
                              const std::string& path,
                              uint64_t from,
                              size_t size,
                              char* out) {
  size_t got = 0;
  while (got < size) {
    rocksdb::Slice read;
    HOURCELL_RETURN_IF_ERROR(FromRocks(
        file.Read(from + got, size - got, rocksdb::IOOptions(), &read, out + got, nullptr),
        fmt::format("read {} at offset {}", path, from + got)));
    if (read.empty()) {
      HOURCELL_RETURN_IF_ERROR(CheckEnd(fs, path, from + got));
      break;
    }
    if (read.data() != out + got) std::memmove(out + got, read.data(), read.size());
    got += read.size();
  }
  return got;
}

absl::Status AtOffset(const absl::Status& fault, const std::string& path, uint64_t offset) {
  return {fault.code(), fmt::format("{} at offset {}: {}", path, offset,
                                    std::string_view(fault.message().data(),  //
                                                     fault.message().size()))};
}

}  // namespace

std::string SegmentName(uint64_t number) {
  return fmt::format("{:0{}}{}", number, kNumberDigits, kExtension);
}

std::optional<uint64_t> SegmentNumberOf(std::string_view name) {
  if (name.size() != kNumberDigits + kExtension.size() || !name.ends_with(kExtension)) {
    return std::nullopt;
  }
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + kNumberDigits, number);
  if (error != std::errc() || end != name.data() + kNumberDigits) return std::nullopt;
  return number;
}

SegmentReader::SegmentReader(rocksdb::FileSystem* fs,
                             std::unique_ptr<rocksdb::FSRandomAccessFile> file,
                             Range range)
    : fs_(fs), file_(std::move(file)), range_(std::move(range)) {}

SegmentReader::~SegmentReader() = default;

absl::StatusOr<std::unique_ptr<SegmentReader>> SegmentReader::Open(rocksdb::FileSystem* fs,
                                                                   Range range) {
  HOURCELL_ASSIGN_OR_RETURN(auto file, OpenFile(fs, range.path));
  std::unique_ptr<SegmentReader> reader(new SegmentReader(fs, std::move(file), std::move(range)));
  HOURCELL_RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

absl::Status SegmentReader::ReadHeader() {
  char bytes[kSegmentHeaderBytes];
  const size_t size = static_cast<size_t>(std::min<uint64_t>(sizeof bytes, range_.bytes));
  HOURCELL_ASSIGN_OR_RETURN(read_bytes_, ReadAt(fs_, *file_, range_.path, 0, size, bytes));
  const auto header = DecodeSegmentHeader({bytes, static_cast<size_t>(read_bytes_)}, range_.number);
  if (!header.ok()) return AtOffset(header.status(), range_.path, 0);
  header_ = *header;
  offset_ = kSegmentHeaderBytes;
  next_sequence_ = header_.first_sequence;
  synced_below_ = header_.synced_below;
  return absl::OkStatus();
}

// Moves the carry to the front of the batch and reads after it. Returns the bytes there are.
absl::StatusOr<size_t> SegmentReader::Fill(BlockBatch* batch) {
  const size_t want = std::max(kReadBytes, carry_block_);
  HOURCELL_DCHECK(carry_.size() < want && read_bytes_ <= range_.bytes);
  const size_t size =
      static_cast<size_t>(std::min<uint64_t>(want - carry_.size(), range_.bytes - read_bytes_));
  if (batch->bytes.size() < carry_.size() + size) batch->bytes.resize(carry_.size() + size);
  std::memcpy(batch->bytes.data(), carry_.data(), carry_.size());
  HOURCELL_ASSIGN_OR_RETURN(const size_t got, ReadAt(fs_, *file_, range_.path, read_bytes_, size,
                                                     batch->bytes.data() + carry_.size()));
  // A file that became shorter ends here.
  read_bytes_ = got < size ? range_.bytes : read_bytes_ + got;
  const size_t filled = carry_.size() + got;
  carry_.clear();
  carry_block_ = 0;
  return filled;
}

// Takes the block at the start of `rest` and returns its size; 0 if it is incomplete or missing.
size_t SegmentReader::TakeBlock(std::string_view rest, BlockBatch* batch) {
  const bool is_all = read_bytes_ == range_.bytes;
  if (next_sequence_ >= range_.end_sequence || (rest.empty() && is_all)) {
    has_ended_ = true;
    return 0;
  }
  const std::optional<size_t> size =
      rest.size() < kBlockHeaderBytes ? kBlockHeaderBytes : JournalBlockBytes(rest);
  if (!is_all && size.has_value() && rest.size() < *size) {
    carry_ = rest;
    carry_block_ = *size;
    return 0;
  }
  const auto block = DecodeJournalBlock(rest, range_.number, next_sequence_);
  if (!block.ok()) {
    fault_ = AtOffset(block.status(), range_.path, offset_);
    has_ended_ = true;
    return 0;
  }
  offset_ += block->size();
  synced_below_ = std::max(synced_below_, block->synced_below);
  if (block->is_footer) {
    has_ended_ = true;
    return 0;
  }
  if (block->is_gap) {
    has_gap_ = true;
    next_sequence_ = block->sequence;
    return block->size();
  }
  ++next_sequence_;
  batch->blocks.push_back(*block);
  return block->size();
}

absl::StatusOr<bool> SegmentReader::Next(BlockBatch* batch) {
  batch->blocks.clear();
  if (has_ended_) return false;
  HOURCELL_ASSIGN_OR_RETURN(const size_t filled, Fill(batch));
  std::string_view rest = std::string_view(batch->bytes).substr(0, filled);
  while (const size_t taken = TakeBlock(rest, batch))
    rest.remove_prefix(taken);
  return !has_ended_;
}

absl::StatusOr<std::string> ReadFileFrom(rocksdb::FileSystem* fs,
                                         const std::string& path,
                                         uint64_t from,
                                         uint64_t bytes) {
  HOURCELL_ASSIGN_OR_RETURN(const auto file, OpenFile(fs, path));
  std::string content(from < bytes ? static_cast<size_t>(bytes - from) : 0, '\0');
  HOURCELL_ASSIGN_OR_RETURN(const size_t got,
                            ReadAt(fs, *file, path, from, content.size(), content.data()));
  content.resize(got);
  return content;
}

}  // namespace hourcell
