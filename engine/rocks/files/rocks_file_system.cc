#include "engine/rocks/files/rocks_file_system.h"

#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <rocksdb/file_system.h>
#include <rocksdb/system_clock.h>

#include "engine/rocks/files/rocks_file_checksums.h"
#include "engine/rocks/files/rocks_manifest.h"
#include "engine/rocks/files/rocks_staged_files.h"
#include "engine/rocks/files/rocks_wal.h"
#include "engine/rocks/files/sst_footer.h"

// Why RocksDB runs on our own file system: most points of the header's list are bugs of RocksDB
// 7.8.3 that fault sweeps and power-loss tests found (docs/reliability.md). Debian 12 has that
// version, so a newer one was not an option (docs/decisions/0012).

namespace hourcell {
namespace {

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// The database's own directory. RocksDB stops when the name of a new WAL cannot be synced.
class DatabaseDirectory : public rocksdb::FSDirectoryWrapper {
 public:
  DatabaseDirectory(std::unique_ptr<rocksdb::FSDirectory> directory,
                    std::string path,
                    RocksManifests* manifests,
                    std::shared_ptr<RocksErrorWatch> errors)
      : FSDirectoryWrapper(std::move(directory)),
        path_(std::move(path)),
        manifests_(*manifests),
        errors_(std::move(errors)) {}

  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options,
                                        rocksdb::IODebugContext* dbg,
                                        const rocksdb::DirFsyncOptions& reason) override {
    rocksdb::IOStatus status = FSDirectoryWrapper::FsyncWithDirOptions(options, dbg, reason);
    if (status.ok() || reason.reason != rocksdb::DirFsyncOptions::kNewFileSynced) return status;
    // The name of a WAL, so nothing in it is acknowledged, or of an SST file, which no manifest
    // names before the directory is synced.
    manifests_.AddLink(path_);
    errors_->CountWalFailure(status);
    return rocksdb::IOStatus::OK();
  }

 private:
  const std::string path_;
  RocksManifests& manifests_;
  const std::shared_ptr<RocksErrorWatch> errors_;
};

// RocksDB takes a short read for the end of its manifest or log, and ignores the rest. This file
// reports an end only if the file's size confirms it.
class WholeSequentialFile : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  WholeSequentialFile(std::unique_ptr<rocksdb::FSSequentialFile> file,
                      rocksdb::FileSystem* files,
                      std::string path)
      : FSSequentialFileOwnerWrapper(std::move(file)), files_(*files), path_(std::move(path)) {}

  rocksdb::IOStatus Read(size_t bytes,
                         const rocksdb::IOOptions& options,
                         rocksdb::Slice* result,
                         char* scratch,
                         rocksdb::IODebugContext* dbg) override {
    size_t got = 0;
    while (got < bytes) {
      rocksdb::Slice piece;
      rocksdb::IOStatus status =
          FSSequentialFileOwnerWrapper::Read(bytes - got, options, &piece, scratch + got, dbg);
      const bool is_end = status.ok() && piece.empty();
      if (is_end) status = CheckEnd(options, dbg);
      if (is_end && !status.ok() && path_.ends_with(".log")) {
        // A backup reads the newest log while it grows: the size is of a later moment.
        status =
            FSSequentialFileOwnerWrapper::Read(bytes - got, options, &piece, scratch + got, dbg);
        if (status.ok() && piece.empty()) status = CheckEnd(options, dbg);
      }
      if (!status.ok()) return status;
      if (piece.empty()) break;
      if (piece.data() != scratch + got) std::memmove(scratch + got, piece.data(), piece.size());
      got += piece.size();
      offset_ += piece.size();
    }
    *result = rocksdb::Slice(scratch, got);
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Skip(uint64_t bytes) override {
    offset_ += bytes;
    return FSSequentialFileOwnerWrapper::Skip(bytes);
  }

 private:
  rocksdb::IOStatus CheckEnd(const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) {
    uint64_t size = 0;
    rocksdb::IOStatus status = files_.GetFileSize(path_, options, &size, dbg);
    if (!status.ok() || size <= offset_) return status;
    return rocksdb::IOStatus::IOError(path_, "read at offset " + std::to_string(offset_) +
                                                 ": no more bytes; expected some, up to " +
                                                 std::to_string(size));
  }

  rocksdb::FileSystem& files_;
  const std::string path_;
  uint64_t offset_ = 0;
};

class RocksFileSystem : public rocksdb::FileSystemWrapper {
 public:
  RocksFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base,
                  std::string directory,
                  const std::shared_ptr<RocksErrorWatch>& errors)
      : FileSystemWrapper(base),
        directory_(std::move(directory)),
        errors_(errors),
        wals_(base.get(), errors),
        manifests_(base.get(), &wals_),
        staged_(directory_) {}

  const char* Name() const override { return "HourcellFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path,
                                    const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* dbg) override {
    if (BaseName(path).starts_with("OPTIONS-")) {
      return rocksdb::IOStatus::NotSupported("OPTIONS files are not written");
    }
    if (BaseName(path).ends_with(".log")) {
      DeleteSum(path).PermitUncheckedError();
      *file = wals_.New(path, options);
      return rocksdb::IOStatus::OK();
    }
    const bool is_manifest = BaseName(path).starts_with("MANIFEST-");
    // A crash can leave the .sum file of an unused manifest with the same number.
    rocksdb::IOStatus status = is_manifest ? DeleteSum(path) : rocksdb::IOStatus::OK();
    if (status.ok()) status = FileSystemWrapper::NewWritableFile(path, options, file, dbg);
    if (status.ok() && is_manifest) {
      *file = manifests_.New(std::move(*file), path);
    }
    return status;
  }

  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* dbg) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewRandomAccessFile(path, options, file, dbg);
    if (!status.ok() || !BaseName(path).ends_with(".sst")) return status;
    *file = staged_.Keep(path, std::move(*file));
    uint64_t bytes = 0;
    status = FileSystemWrapper::GetFileSize(path, rocksdb::IOOptions(), &bytes, dbg);
    if (status.ok()) status = CheckSstFooter(file->get(), path, bytes);
    if (!status.ok()) file->reset();
    return status;
  }

  rocksdb::IOStatus NewSequentialFile(const std::string& path,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* file,
                                      rocksdb::IODebugContext* dbg) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewSequentialFile(path, options, file, dbg);
    if (status.ok()) {
      *file = std::make_unique<WholeSequentialFile>(std::move(*file), target(), path);
    }
    return status;
  }

  rocksdb::IOStatus NewDirectory(const std::string& path,
                                 const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* dbg) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewDirectory(path, options, directory, dbg);
    if (status.ok() && path == directory_) {
      *directory =
          std::make_unique<DatabaseDirectory>(std::move(*directory), path, &manifests_, errors_);
    }
    return status;
  }

  rocksdb::IOStatus LinkFile(const std::string& source,
                             const std::string& link,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* dbg) override {
    rocksdb::IOStatus status = FileSystemWrapper::LinkFile(source, link, options, dbg);
    // No manifest names a staged file.
    if (!status.ok() || staged_.IsStaged(link)) return status;
    manifests_.AddLink(DirectoryOf(link));
    // If this fails, the write of the manifest tries again.
    if (RocksFamilyChange::CountLink()) manifests_.SyncLinks().PermitUncheckedError();
    return status;
  }

  rocksdb::IOStatus RenameFile(const std::string& from,
                               const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override {
    rocksdb::IOStatus status = FileSystemWrapper::RenameFile(from, to, options, dbg);
    if (status.ok() && BaseName(to) == "CURRENT") manifests_.NoteNew();
    return status;
  }

  rocksdb::IOStatus DeleteFile(const std::string& path,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* dbg) override {
    staged_.Forget(path);
    if (BaseName(path).ends_with(".sst") && manifests_.is_uncertain()) {
      return rocksdb::IOStatus::OK();
    }
    // The .sum file first: without its file it would report a loss.
    const bool has_sum =
        BaseName(path).starts_with("MANIFEST-") || BaseName(path).ends_with(".log");
    rocksdb::IOStatus status = has_sum ? DeleteSum(path) : rocksdb::IOStatus::OK();
    return status.ok() ? FileSystemWrapper::DeleteFile(path, options, dbg) : status;
  }

 private:
  // Deletes the .sum file of `file`, if it exists.
  rocksdb::IOStatus DeleteSum(const std::string& file) {
    const std::string path = SyncedSumPath(file);
    rocksdb::IOStatus exists = FileSystemWrapper::FileExists(path, rocksdb::IOOptions(), nullptr);
    if (exists.IsNotFound()) return rocksdb::IOStatus::OK();
    if (!exists.ok()) return exists;
    return FileSystemWrapper::DeleteFile(path, rocksdb::IOOptions(), nullptr);
  }

  const std::string directory_;
  const std::shared_ptr<RocksErrorWatch> errors_;
  RocksWals wals_;
  RocksManifests manifests_;
  RocksStagedFiles staged_;
};

// For an environment that overrides more than the file system. Not for the default one:
// ThreadSanitizer does not see the locking of a wrapped environment's mutexes, only their
// unlocking.
class RocksEnv : public rocksdb::EnvWrapper {
 public:
  RocksEnv(rocksdb::Env* base, std::shared_ptr<rocksdb::FileSystem> files) : EnvWrapper(base) {
    file_system_ = std::move(files);
  }
};

}  // namespace

RocksEnvironment MakeRocksEnvironment(rocksdb::Env* base, const std::string& directory) {
  RocksEnvironment made;
  made.errors = std::make_shared<RocksErrorWatch>();
  auto files = std::make_shared<RocksFileSystem>(base->GetFileSystem(), directory, made.errors);
  if (base->GetSystemClock() == rocksdb::SystemClock::Default()) {
    made.env = rocksdb::NewCompositeEnv(files);
  } else {
    made.env = std::make_unique<RocksEnv>(base, std::move(files));
  }
  return made;
}

}  // namespace hourcell
