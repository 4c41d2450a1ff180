#include "engine/rocks_file_system.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <rocksdb/file_system.h>

#include "codec/base/mutex.h"

namespace hourcell {
namespace {

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

// Directories with links that may not last yet.
class LinkedDirectories {
 public:
  void Add(std::string directory) {
    MutexLock lock(&mutex_);
    unsynced_.insert(std::move(directory));
  }

  rocksdb::IOStatus Sync(rocksdb::FileSystem* files) {
    MutexLock lock(&mutex_);
    while (!unsynced_.empty()) {
      std::unique_ptr<rocksdb::FSDirectory> directory;
      rocksdb::IOStatus status =
          files->NewDirectory(*unsynced_.begin(), rocksdb::IOOptions(), &directory, nullptr);
      if (status.ok()) status = directory->Fsync(rocksdb::IOOptions(), nullptr);
      // One that is gone has no links to lose.
      if (!status.ok() && !status.IsNotFound() && !status.IsPathNotFound()) return status;
      unsynced_.erase(unsynced_.begin());
    }
    return rocksdb::IOStatus::OK();
  }

 private:
  Mutex mutex_;
  std::set<std::string> unsynced_ ABSL_GUARDED_BY(mutex_);
};

class ManifestFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  ManifestFile(std::unique_ptr<rocksdb::FSWritableFile> file,
               rocksdb::FileSystem* files,
               LinkedDirectories* linked)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(*files), linked_(*linked) {}

  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* dbg) override {
    rocksdb::IOStatus status = linked_.Sync(&files_);
    return status.ok() ? FSWritableFileOwnerWrapper::Sync(options, dbg) : status;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* dbg) override {
    rocksdb::IOStatus status = linked_.Sync(&files_);
    return status.ok() ? FSWritableFileOwnerWrapper::Fsync(options, dbg) : status;
  }

 private:
  rocksdb::FileSystem& files_;
  LinkedDirectories& linked_;
};

class RocksFileSystem : public rocksdb::FileSystemWrapper {
 public:
  explicit RocksFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base)
      : FileSystemWrapper(base) {}

  const char* Name() const override { return "HourcellFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path,
                                    const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* dbg) override {
    if (BaseName(path).starts_with("OPTIONS-")) {
      return rocksdb::IOStatus::NotSupported("OPTIONS files are not written");
    }
    rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(path, options, file, dbg);
    if (status.ok() && BaseName(path).starts_with("MANIFEST-")) {
      *file = std::make_unique<ManifestFile>(std::move(*file), target(), &linked_);
    }
    return status;
  }

  rocksdb::IOStatus LinkFile(const std::string& source,
                             const std::string& link,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* dbg) override {
    rocksdb::IOStatus status = FileSystemWrapper::LinkFile(source, link, options, dbg);
    if (status.ok()) linked_.Add(DirectoryOf(link));
    return status;
  }

 private:
  LinkedDirectories linked_;
};

}  // namespace

std::unique_ptr<rocksdb::Env> NewRocksEnv(rocksdb::Env* base) {
  return rocksdb::NewCompositeEnv(std::make_shared<RocksFileSystem>(base->GetFileSystem()));
}

}  // namespace hourcell
