#include "engine/journal/journal_synced.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <rocksdb/file_system.h>

#include "codec/base/bytes.h"
#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "engine/journal/journal_segment.h"
#include "engine/rocks/files/rocks_status.h"

// Why a note in the directory: each block records the sync before it, so the newest blocks need
// another record. The note is not synced itself, so it never claims more than is on disk. After
// kill -9 it is there; after a power loss it may be older, or missing. Damage to the newest synced
// blocks then looks like a torn tail (docs/reliability.md, "Not promised").

namespace hourcell {
namespace {

constexpr size_t kSequenceBytes = 8;
constexpr size_t kSyncedRecordBytes = 12;
// A longer file is begun again.
constexpr uint64_t kFileBytesMax = 64 << 10;

std::string PathIn(const std::string& directory) {
  return directory + "/synced";
}

}  // namespace

SyncedNote::SyncedNote(rocksdb::FileSystem* fs, const std::string& directory)
    : fs_(fs), path_(PathIn(directory)) {}

SyncedNote::~SyncedNote() = default;

void SyncedNote::Write(uint64_t sequence) {
  std::string record;
  AppendBigEndian(sequence, kSequenceBytes, &record);
  AppendBigEndian(Crc32c(record), kSyncedRecordBytes - kSequenceBytes, &record);
  if (bytes_ >= kFileBytesMax) file_.reset();
  if (file_ == nullptr) {
    bytes_ = 0;
    if (!fs_->NewWritableFile(path_, rocksdb::FileOptions(), &file_, nullptr).ok()) {
      file_.reset();
      return;
    }
  }
  // Half a record would precede all later ones.
  if (!file_->Append(record, rocksdb::IOOptions(), nullptr).ok()) file_.reset();
  bytes_ += record.size();
}

void SyncedNote::Remove() {
  file_.reset();
  fs_->DeleteFile(path_, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
}

absl::StatusOr<uint64_t> ReadSyncedNote(rocksdb::FileSystem* fs, const std::string& directory) {
  const std::string path = PathIn(directory);
  const rocksdb::IOOptions io;
  uint64_t bytes = 0;
  const rocksdb::IOStatus exists = fs->FileExists(path, io, nullptr);
  if (exists.IsNotFound()) return 0;
  HOURCELL_RETURN_IF_ERROR(FromRocks(exists, "look for " + path));
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(fs->GetFileSize(path, io, &bytes, nullptr), "size of " + path));
  HOURCELL_ASSIGN_OR_RETURN(const std::string content, ReadFileFrom(fs, path, 0, bytes));
  uint64_t highest = 0;
  bool is_whole = true;
  for (size_t at = 0; at + kSyncedRecordBytes <= content.size(); at += kSyncedRecordBytes) {
    const std::string_view sequence = std::string_view(content).substr(at, kSequenceBytes);
    const uint64_t crc = LoadBigEndian(content.data() + at + kSequenceBytes, 4);
    if (Crc32c(sequence) == crc) {
      highest = std::max<uint64_t>(highest, LoadBigEndian(sequence.data(), kSequenceBytes));
    } else {
      is_whole = false;
    }
  }
  if (is_whole) return highest;
  // After a power loss it may be anything; but not another thing each time.
  HOURCELL_ASSIGN_OR_RETURN(const std::string again, ReadFileFrom(fs, path, 0, bytes));
  if (again != content) {
    return absl::UnavailableError(path + ": two reads returned different bytes; check the disk");
  }
  return highest;
}

}  // namespace hourcell
