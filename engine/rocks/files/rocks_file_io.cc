#include "engine/rocks/files/rocks_file_io.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"
#include "engine/rocks/files/rocks_status.h"

// Why a file gets its name last: its bytes and directory are synced before, so every file with a
// final name is whole after a crash. FileIo uses the Env, so that the file system of the tests can
// fail each step.

namespace hourcell {
namespace {

constexpr size_t kReadPieceBytes = 1 << 20;

const rocksdb::IOOptions& Io() {
  static const rocksdb::IOOptions options;
  return options;
}

bool IsGone(const rocksdb::IOStatus& status) {
  return status.IsNotFound() || status.IsPathNotFound();
}

absl::Status OfRead(const rocksdb::IOStatus& status, std::string_view what) {
  if (!IsGone(status)) return FromRocks(status, what);
  return absl::NotFoundError(fmt::format("{}: {}", what, status.ToString()));
}

// Any failed write may be retried.
absl::Status OfWrite(const rocksdb::IOStatus& status, std::string_view what) {
  if (status.ok()) return absl::OkStatus();
  return absl::UnavailableError(fmt::format("{}: {}", what, status.ToString()));
}

}  // namespace

HeldFileLock::~HeldFileLock() {
  fs_.UnlockFile(lock_, Io(), nullptr).PermitUncheckedError();
}

FileIo::FileIo(rocksdb::Env* env)
    : env_(env != nullptr ? env : rocksdb::Env::Default()), fs_(*env_->GetFileSystem()) {}

absl::StatusOr<bool> FileIo::Exists(const std::string& path) const {
  const rocksdb::IOStatus found = fs_.FileExists(path, Io(), nullptr);
  if (IsGone(found)) return false;
  HOURCELL_RETURN_IF_ERROR(OfRead(found, "look for " + path));
  return true;
}

absl::StatusOr<uint64_t> FileIo::Bytes(const std::string& path) const {
  uint64_t bytes = 0;
  HOURCELL_RETURN_IF_ERROR(OfRead(fs_.GetFileSize(path, Io(), &bytes, nullptr), "read " + path));
  return bytes;
}

absl::StatusOr<std::vector<std::string>> FileIo::List(const std::string& directory) const {
  std::vector<std::string> names;
  HOURCELL_RETURN_IF_ERROR(
      OfRead(fs_.GetChildren(directory, Io(), &names, nullptr), "list " + directory));
  std::erase_if(names, [](const std::string& name) { return name == "." || name == ".."; });
  std::ranges::sort(names);
  return names;
}

absl::Status FileIo::MakeDirectories(const std::string& path) const {
  HOURCELL_ASSIGN_OR_RETURN(const bool is_there, Exists(path));
  if (is_there) return absl::OkStatus();
  std::string parent = std::filesystem::path(path).parent_path().string();
  if (parent.empty()) parent = ".";
  HOURCELL_RETURN_IF_ERROR(MakeDirectories(parent));
  HOURCELL_RETURN_IF_ERROR(
      OfWrite(fs_.CreateDirIfMissing(path, Io(), nullptr), "make directory " + path));
  return SyncDirectory(parent);
}

absl::Status FileIo::SyncDirectory(const std::string& path) const {
  std::unique_ptr<rocksdb::FSDirectory> directory;
  HOURCELL_RETURN_IF_ERROR(
      OfRead(fs_.NewDirectory(path, Io(), &directory, nullptr), "open " + path));
  return OfWrite(directory->Fsync(rocksdb::IOOptions(/*force_dir_fsync=*/true), nullptr),
                 "fsync " + path);
}

absl::Status FileIo::Rename(const std::string& from, const std::string& to) const {
  return OfWrite(fs_.RenameFile(from, to, Io(), nullptr), fmt::format("rename {} to {}", from, to));
}

absl::Status FileIo::Delete(const std::string& path) const {
  const rocksdb::IOStatus deleted = fs_.DeleteFile(path, Io(), nullptr);
  return IsGone(deleted) ? OfRead(deleted, "delete " + path) : OfWrite(deleted, "delete " + path);
}

absl::Status FileIo::DeleteDirectory(const std::string& path) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> names, List(path));
  if (!names.empty()) {
    return absl::FailedPreconditionError(
        fmt::format("delete {}: expected an empty directory, got {} in it", path, names.front()));
  }
  return OfWrite(fs_.DeleteDir(path, Io(), nullptr), "delete " + path);
}

absl::StatusOr<std::unique_ptr<HeldFileLock>> FileIo::Lock(const std::string& path) const {
  rocksdb::FileLock* lock = nullptr;
  HOURCELL_RETURN_IF_ERROR(OfWrite(fs_.LockFile(path, Io(), &lock, nullptr), "lock " + path));
  return std::make_unique<HeldFileLock>(&fs_, lock);
}

// Calls take(piece) for the first `bytes` bytes of a file; stops at the first error of `take`.
template <typename Take>
absl::StatusOr<uint32_t> FileIo::ReadPieces(const std::string& path,
                                            uint64_t bytes,
                                            const Take& take) const {
  std::unique_ptr<rocksdb::FSSequentialFile> file;
  rocksdb::FileOptions options;
  options.use_mmap_reads = false;
  HOURCELL_RETURN_IF_ERROR(
      OfRead(fs_.NewSequentialFile(path, options, &file, nullptr), "read " + path));
  std::string buffer(kReadPieceBytes, '\0');
  uint32_t crc = 0;
  for (uint64_t done = 0; done < bytes;) {
    const size_t want = static_cast<size_t>(std::min<uint64_t>(kReadPieceBytes, bytes - done));
    rocksdb::Slice got;
    HOURCELL_RETURN_IF_ERROR(
        OfRead(file->Read(want, Io(), &got, buffer.data(), nullptr), "read " + path));
    if (got.empty()) {
      return absl::DataLossError(fmt::format("{}: expected {} bytes, got {}", path, bytes, done));
    }
    const std::string_view piece(got.data(), got.size());
    crc = ExtendCrc32c(crc, piece);
    HOURCELL_RETURN_IF_ERROR(take(piece));
    done += got.size();
  }
  return crc;
}

absl::StatusOr<std::string> FileIo::Read(const std::string& path,
                                         std::optional<uint64_t> bytes) const {
  if (!bytes.has_value()) {
    HOURCELL_ASSIGN_OR_RETURN(bytes, Bytes(path));
  }
  std::string content;
  const absl::StatusOr<uint32_t> read = ReadPieces(path, *bytes, [&](std::string_view piece) {
    content += piece;
    return absl::OkStatus();
  });
  HOURCELL_RETURN_IF_ERROR(read.status());
  return content;
}

absl::StatusOr<uint32_t> FileIo::Crc(const std::string& path, uint64_t bytes) const {
  return ReadPieces(path, bytes, [](std::string_view) { return absl::OkStatus(); });
}

absl::StatusOr<std::unique_ptr<rocksdb::FSWritableFile>> FileIo::Create(
    const std::string& path) const {
  rocksdb::FileOptions options;
  options.use_mmap_writes = false;
  options.use_direct_writes = false;
  std::unique_ptr<rocksdb::FSWritableFile> file;
  HOURCELL_RETURN_IF_ERROR(
      OfWrite(fs_.NewWritableFile(path, options, &file, nullptr), "create " + path));
  return file;
}

absl::Status FileIo::Finish(rocksdb::FSWritableFile* file, const std::string& path) {
  HOURCELL_RETURN_IF_ERROR(OfWrite(file->Fsync(Io(), nullptr), "fsync " + path));
  return OfWrite(file->Close(Io(), nullptr), "close " + path);
}

absl::Status FileIo::Write(const std::string& path, std::string_view content) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<rocksdb::FSWritableFile> file, Create(path));
  HOURCELL_RETURN_IF_ERROR(
      OfWrite(file->Append(rocksdb::Slice(content.data(), content.size()), Io(), nullptr),
              "write " + path));
  return Finish(file.get(), path);
}

absl::StatusOr<uint32_t> FileIo::Copy(const std::string& from,
                                      const std::string& to,
                                      uint64_t bytes) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<rocksdb::FSWritableFile> file, Create(to));
  HOURCELL_ASSIGN_OR_RETURN(
      const uint32_t crc, ReadPieces(from, bytes, [&](std::string_view piece) {
        return OfWrite(file->Append(rocksdb::Slice(piece.data(), piece.size()), Io(), nullptr),
                       "write " + to);
      }));
  HOURCELL_RETURN_IF_ERROR(Finish(file.get(), to));
  return crc;
}

}  // namespace hourcell
