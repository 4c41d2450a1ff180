#include "engine/rocks/files/rocks_manifest.h"

#include <utility>

#include "codec/base/check.h"
#include "engine/rocks/files/rocks_file_checksums.h"

// Why some syncs are put off: a split creates a family for each daughter and drops the parent's,
// and RocksDB 7.8.3 syncs the manifest each time inside its queue of writers, so the writers of
// all regions waited for the disk. The import of files syncs inside of the queue, too, but RocksDB
// may write its record together with those of flushes, which must be on disk when the flush ends:
// that sync stays where it is.

namespace hourcell {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class RocksManifests::File : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(std::unique_ptr<rocksdb::FSWritableFile> file,
       const std::string& path,
       RocksManifests* manifests)
      : FSWritableFileOwnerWrapper(std::move(file)),
        manifests_(*manifests),
        sum_(&manifests->files_, path) {
    MutexLock lock(&manifests_.open_mutex_);
    manifests_.open_.insert(this);
  }
  ~File() override {
    MutexLock lock(&manifests_.open_mutex_);
    manifests_.open_.erase(this);
  }

  IOStatus Append(const rocksdb::Slice& data,
                  const IOOptions& options,
                  IODebugContext* dbg) override {
    return AppendWith(data, [&] { return FSWritableFileOwnerWrapper::Append(data, options, dbg); });
  }
  IOStatus Append(const rocksdb::Slice& data,
                  const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* dbg) override {
    return AppendWith(
        data, [&] { return FSWritableFileOwnerWrapper::Append(data, options, verification, dbg); });
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return SyncWith([&] { return FSWritableFileOwnerWrapper::Sync(options, dbg); });
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return SyncWith([&] { return FSWritableFileOwnerWrapper::Fsync(options, dbg); });
  }

  // The sync that was put off, if none was made since.
  IOStatus SyncPutOff() {
    IOStatus status = manifests_.SyncNamed();
    MutexLock lock(&mutex_);
    if (!is_put_off_) return IOStatus::OK();
    if (status.ok()) status = FSWritableFileOwnerWrapper::Sync(IOOptions(), nullptr);
    // RocksDB does not see this failure. It will see that of its next append.
    is_broken_ = !status.ok();
    return NoteSynced(std::move(status));
  }

 private:
  template <typename Call>
  IOStatus AppendWith(const rocksdb::Slice& data, const Call& call) {
    // Before each append, not only before a sync: after a power loss, appended bytes may be on
    // disk.
    IOStatus status = manifests_.SyncNamed();
    MutexLock lock(&mutex_);
    if (is_broken_) status = IOStatus::IOError("an earlier sync of this manifest failed");
    if (status.ok()) status = call();
    if (status.ok()) {
      sum_.Add({data.data(), data.size()});
    } else {
      sum_.Stop();
    }
    return manifests_.Note(std::move(status));
  }

  template <typename Call>
  IOStatus SyncWith(const Call& call) {
    IOStatus status = manifests_.SyncNamed();
    MutexLock lock(&mutex_);
    // CURRENT names a new manifest after its first sync.
    if (status.ok() && has_synced_ && RocksFamilyChange::PutsOff(&manifests_)) {
      is_put_off_ = true;
      return status;
    }
    if (status.ok()) status = call();
    return NoteSynced(std::move(status));
  }

  IOStatus NoteSynced(IOStatus synced) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (synced.ok()) {
      has_synced_ = true;
      is_put_off_ = false;
      sum_.Synced(sum_.part());
    } else {
      sum_.Stop();
    }
    return manifests_.Note(std::move(synced));
  }

  RocksManifests& manifests_;
  Mutex mutex_;
  SyncedSum sum_ ABSL_GUARDED_BY(mutex_);
  bool has_synced_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_put_off_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_broken_ ABSL_GUARDED_BY(mutex_) = false;
};

std::unique_ptr<rocksdb::FSWritableFile> RocksManifests::New(
    std::unique_ptr<rocksdb::FSWritableFile> file, const std::string& path) {
  return std::make_unique<File>(std::move(file), path, this);
}

void RocksManifests::AddLink(std::string directory) {
  MutexLock lock(&mutex_);
  unsynced_.insert(std::move(directory));
}

IOStatus RocksManifests::SyncLinks() {
  MutexLock lock(&mutex_);
  while (!unsynced_.empty()) {
    std::unique_ptr<rocksdb::FSDirectory> directory;
    IOStatus status = files_.NewDirectory(*unsynced_.begin(), IOOptions(), &directory, nullptr);
    if (status.ok()) status = directory->Fsync(IOOptions(), nullptr);
    // A deleted directory has lost its links anyway.
    if (!status.ok() && !status.IsNotFound() && !status.IsPathNotFound()) return status;
    unsynced_.erase(unsynced_.begin());
  }
  return IOStatus::OK();
}

void RocksManifests::NoteNew() {
  MutexLock lock(&mutex_);
  is_uncertain_ = false;
}

bool RocksManifests::is_uncertain() const {
  MutexLock lock(&mutex_);
  return is_uncertain_;
}

IOStatus RocksManifests::Note(IOStatus written) {
  if (written.ok()) return written;
  MutexLock lock(&mutex_);
  is_uncertain_ = true;
  return written;
}

IOStatus RocksManifests::SyncNamed() {
  IOStatus status = SyncLinks();
  return status.ok() ? wals_.SyncBroken() : status;
}

IOStatus RocksManifests::SyncPutOff() {
  MutexLock lock(&open_mutex_);
  for (File* const file : open_) {
    IOStatus status = file->SyncPutOff();
    if (!status.ok()) return status;
  }
  return IOStatus::OK();
}

thread_local RocksFamilyChange* RocksFamilyChange::of_thread_ = nullptr;

RocksFamilyChange::RocksFamilyChange(size_t links) : links_left_(links) {
  HOURCELL_DCHECK(of_thread_ == nullptr);
  of_thread_ = this;
}

RocksFamilyChange::~RocksFamilyChange() {
  // RocksDB's own error is the caller's to report.
  Finish().PermitUncheckedError();
  of_thread_ = nullptr;
}

IOStatus RocksFamilyChange::Finish() {
  RocksManifests* const manifests = std::exchange(unsynced_, nullptr);
  puts_off_ = false;
  return manifests == nullptr ? IOStatus::OK() : manifests->SyncPutOff();
}

bool RocksFamilyChange::PutsOff(RocksManifests* manifests) {
  if (of_thread_ == nullptr || !std::exchange(of_thread_->puts_off_, false)) return false;
  of_thread_->unsynced_ = manifests;
  return true;
}

bool RocksFamilyChange::CountLink() {
  if (of_thread_ == nullptr || of_thread_->links_left_ == 0) return false;
  return --of_thread_->links_left_ == 0;
}

}  // namespace hourcell
