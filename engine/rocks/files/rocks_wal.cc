#include "engine/rocks/files/rocks_wal.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/rocks/files/rocks_file_checksums.h"

// Why a broken WAL is hidden from RocksDB 7.8.3: if RocksDB touches a WAL after its first failure,
// an assert ends the process; Debian's build has asserts enabled (docs/decisions/0012).

namespace hourcell {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

constexpr uint64_t kWalBlockBytes = 32 << 10;
constexpr size_t kHeaderBytes = 7;  // CRC of 4 bytes, length of 2, little-endian, type
constexpr char kFullRecord = 1;
constexpr char kLastFragment = 4;

}  // namespace

void WalRecords::Add(rocksdb::Slice bytes) {
  while (!bytes.empty()) {
    size_t taken = 1;
    const uint64_t left_in_block = kWalBlockBytes - bytes_ % kWalBlockBytes;
    if (left_ > 0) {
      taken = std::min(left_, bytes.size());
      left_ -= taken;
    } else if (header_.empty() && left_in_block < kHeaderBytes) {
      taken = std::min<size_t>(left_in_block, bytes.size());  // the block's zeros
    } else {
      header_ += bytes[0];
      if (header_.size() == kHeaderBytes) {
        const auto low = static_cast<uint8_t>(header_[4]);
        const auto high = static_cast<uint8_t>(header_[5]);
        left_ = static_cast<size_t>(low | high << 8);
        is_last_ = header_[6] == kFullRecord || header_[6] == kLastFragment;
        header_.clear();
      }
    }
    bytes.remove_prefix(taken);
    bytes_ += taken;
    if (header_.empty() && left_ == 0 && is_last_) whole_bytes_ = bytes_;
  }
}

class RocksWals::File : public rocksdb::FSWritableFile {
 public:
  File(RocksWals* wals, std::string path, const rocksdb::FileOptions& options)
      : FSWritableFile(options),
        wals_(*wals),
        path_(std::move(path)),
        options_(options),
        sum_(&wals->files_, path_) {
    MutexLock lock(&wals_.mutex_);
    wals_.open_.insert(this);
  }
  ~File() override {
    MutexLock lock(&wals_.mutex_);
    wals_.open_.erase(this);
  }

  using FSWritableFile::Append;
  IOStatus Append(const rocksdb::Slice& data,
                  const IOOptions& options,
                  IODebugContext* dbg) override {
    MutexLock lock(&mutex_);
    if (is_broken_) {
      wals_.errors_->CountWalFailure(IOStatus::IOError("the WAL has an earlier failure", path_));
      return IOStatus::OK();
    }
    IOStatus status = Create();
    if (status.ok()) status = file_->Append(data, options, dbg);
    if (status.ok()) {
      records_.Add(data);
      sum_.Add({data.data(), data.size()});
      if (sum_.part().bytes == records_.whole_bytes()) whole_ = sum_.part();
    } else {
      Break(status);
    }
    return IOStatus::OK();
  }

  IOStatus Sync(const IOOptions& options, IODebugContext* dbg) override {
    return SyncWith(&FSWritableFile::Sync, options, dbg);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* dbg) override {
    return SyncWith(&FSWritableFile::Fsync, options, dbg);
  }
  bool IsSyncThreadSafe() const override { return true; }

  IOStatus RangeSync(uint64_t offset,
                     uint64_t bytes,
                     const IOOptions& options,
                     IODebugContext* dbg) override {
    MutexLock lock(&mutex_);
    if (is_broken_ || file_ == nullptr) return IOStatus::OK();
    const IOStatus status = file_->RangeSync(offset, bytes, options, dbg);
    if (!status.ok()) Break(status);
    return IOStatus::OK();
  }

  IOStatus Flush(const IOOptions& options, IODebugContext* dbg) override {
    MutexLock lock(&mutex_);
    if (is_broken_ || file_ == nullptr) return IOStatus::OK();
    const IOStatus status = file_->Flush(options, dbg);
    if (!status.ok()) Break(status);
    return IOStatus::OK();
  }

  // RocksDB closes a WAL when it begins another, or at the end.
  IOStatus Close(const IOOptions& options, IODebugContext* dbg) override {
    MutexLock lock(&mutex_);
    if (file_ == nullptr) return IOStatus::OK();
    const IOStatus status = file_->Close(options, dbg);
    file_.reset();
    return is_broken_ ? IOStatus::OK() : status;
  }

  uint64_t GetFileSize(const IOOptions& /*options*/, IODebugContext* /*dbg*/) override {
    MutexLock lock(&mutex_);
    return records_.whole_bytes();
  }

  void PrepareWrite(size_t offset,
                    size_t bytes,
                    const IOOptions& options,
                    IODebugContext* dbg) override {
    MutexLock lock(&mutex_);
    if (!is_broken_ && file_ != nullptr) file_->PrepareWrite(offset, bytes, options, dbg);
  }

  // Syncs the whole records of a broken file; otherwise does nothing.
  IOStatus SyncBroken() {
    MutexLock lock(&mutex_);
    if (!is_broken_ || file_ == nullptr) return IOStatus::OK();
    IOStatus status = is_cut_ ? IOStatus::OK() : Cut();
    if (status.ok()) status = file_->Sync(IOOptions(), nullptr);
    if (status.ok() && !has_synced_name_) status = SyncName();
    has_synced_name_ = has_synced_name_ || status.ok();
    return status;
  }

 private:
  using SyncCall = IOStatus (FSWritableFile::*)(const IOOptions&, IODebugContext*);

  IOStatus Create() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (file_ != nullptr) return IOStatus::OK();
    const IOStatus status = wals_.files_.NewWritableFile(path_, options_, &file_, nullptr);
    if (!status.ok()) return status;
    file_->SetWriteLifeTimeHint(GetWriteLifeTimeHint());
    file_->SetIOPriority(GetIOPriority());
    size_t block_bytes = 0;
    size_t unused = 0;
    GetPreallocationStatus(&block_bytes, &unused);
    file_->SetPreallocationBlockSize(block_bytes);
    return status;
  }

  // Runs while other threads append.
  IOStatus SyncWith(SyncCall sync, const IOOptions& options, IODebugContext* dbg) {
    FSWritableFile* file = nullptr;
    SyncedSum::Part part;
    bool has_name = false;
    {
      MutexLock lock(&mutex_);
      if (!is_broken_) file = file_.get();  // else the failure was counted
      part = whole_;
      has_name = has_synced_name_;
    }
    if (file == nullptr) return IOStatus::OK();
    IOStatus status = (file->*sync)(options, dbg);
    if (status.ok() && !has_name) status = SyncName();
    MutexLock lock(&mutex_);
    if (status.ok()) {
      has_synced_name_ = true;
      sum_.Synced(part);
      return status;
    }
    Break(status);
    return IOStatus::OK();
  }

  // RocksDB syncs the name of a new WAL once, perhaps before the file exists.
  IOStatus SyncName() {
    std::unique_ptr<rocksdb::FSDirectory> directory;
    const std::string path = std::filesystem::path(path_).parent_path().string();
    const IOStatus status = wals_.files_.NewDirectory(path, IOOptions(), &directory, nullptr);
    if (!status.ok()) return status;
    using rocksdb::DirFsyncOptions;
    return directory->FsyncWithDirOptions(IOOptions(), nullptr,
                                          DirFsyncOptions(DirFsyncOptions::kNewFileSynced));
  }

  void Break(const IOStatus& status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    is_broken_ = true;
    sum_.Stop();
    if (file_ != nullptr) Cut().PermitUncheckedError();  // SyncBroken tries again
    wals_.errors_->CountWalFailure(status);
  }

  IOStatus Cut() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    IOStatus status = file_->Truncate(records_.whole_bytes(), IOOptions(), nullptr);
    is_cut_ = status.ok();
    return status;
  }

  RocksWals& wals_;
  const std::string path_;
  const rocksdb::FileOptions options_;
  Mutex mutex_;
  std::unique_ptr<FSWritableFile> file_ ABSL_GUARDED_BY(mutex_);  // null: nothing written so far
  WalRecords records_ ABSL_GUARDED_BY(mutex_);
  SyncedSum sum_ ABSL_GUARDED_BY(mutex_);
  // The whole records, which remain after a cut.
  SyncedSum::Part whole_ ABSL_GUARDED_BY(mutex_);
  bool has_synced_name_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_broken_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_cut_ ABSL_GUARDED_BY(mutex_) = false;
};

std::unique_ptr<rocksdb::FSWritableFile> RocksWals::New(const std::string& path,
                                                        const rocksdb::FileOptions& options) {
  return std::make_unique<File>(this, path, options);
}

IOStatus RocksWals::SyncBroken() {
  MutexLock lock(&mutex_);
  for (File* const file : open_) {
    const IOStatus status = file->SyncBroken();
    if (!status.ok()) return status;
  }
  return IOStatus::OK();
}

}  // namespace hourcell
