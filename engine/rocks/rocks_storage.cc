#include "engine/rocks/rocks_storage.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "codec/base/check.h"
#include "codec/base/mutex.h"
#include "codec/base/status_macros.h"
#include "engine/journal/file_journal.h"
#include "engine/journal/journal_recovery.h"
#include "engine/rocks/files/store_lock.h"
#include "engine/rocks/rocks_table_store.h"

namespace hourcell {
namespace {

class FileJournalPlace : public JournalPlace {
 public:
  explicit FileJournalPlace(const Options& options)
      : directory_(options.path + "/journal"),
        fs_(FileSystemOf(options.env)),
        segment_bytes_(options.journal_segment_bytes) {}

  absl::Status Make() override { return MakeJournalDirectory(fs_, directory_); }

  absl::StatusOr<std::unique_ptr<Journal>> Open(uint64_t low_mark) override {
    return FileJournal::Open({.directory = directory_,
                              .fs = fs_,
                              .segment_bytes = segment_bytes_,
                              .preallocate_bytes = std::min<size_t>(4 << 20, segment_bytes_),
                              .create = false,  // Make made that of a new store
                              // The first block of all is 1.
                              .low_mark = std::max<uint64_t>(low_mark, 1)});
  }

 private:
  const std::string directory_;
  rocksdb::FileSystem* const fs_;
  const size_t segment_bytes_;
};

// The journal of a store that no process writes to: it gets no blocks after the first read.
class FileJournalTail : public JournalTail {
 public:
  explicit FileJournalTail(const Options& options)
      : directory_(options.path + "/journal"), fs_(FileSystemOf(options.env)) {}

  absl::StatusOr<uint64_t> Read(uint64_t from, const Journal::Visit& visit) override {
    const MutexLock lock(&mutex_);
    if (next_ > 0 && from >= next_) return from;
    HOURCELL_ASSIGN_OR_RETURN(next_, VisitJournal(fs_, directory_, from, visit));
    return std::max(from, next_);
  }

  absl::StatusOr<StoreMoment> Look() override { return StoreMoment(); }

 private:
  const std::string directory_;
  rocksdb::FileSystem* const fs_;
  Mutex mutex_;
  uint64_t next_ ABSL_GUARDED_BY(mutex_) = 0;  // 0: not read
};

absl::Status OnlyReader() {
  return absl::FailedPreconditionError("rocksdb: this process only reads the store");
}

}  // namespace

RocksReader::RocksReader(Options options) : options_(std::move(options)) {
  HOURCELL_DCHECK(options_.follow);
}

absl::StatusOr<FollowedStorage> RocksReader::Follow(
    const std::function<void(std::string_view message)>& /*warn*/) {
  HOURCELL_RETURN_IF_ERROR(MakeStoreDirectory(options_.path, /*create_if_missing=*/false));
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<StoreLock> lock,
                            StoreLock::AcquireToRead(options_.path));
  FollowedStorage followed;
  HOURCELL_ASSIGN_OR_RETURN(followed.tables,
                            OpenRocksTableStore(options_.path + "/db", options_, std::move(lock)));
  followed.journal = std::make_unique<FileJournalTail>(options_);
  return followed;
}

absl::StatusOr<OpenedStorage> RocksReader::Open(
    const std::function<void(std::string_view message)>& /*warn*/) {
  return OnlyReader();
}

absl::StatusOr<SharedSecrets> RocksReader::Join(const std::string& /*address*/,
                                                StorageEvents /*events*/) {
  return OnlyReader();
}

absl::StatusOr<SharedSecrets> RocksReader::RefreshSecrets() {
  return OnlyReader();
}

// The lock comes first, so that two processes never have the files open.
absl::StatusOr<OpenedStorage> RocksStorage::Open(
    const std::function<void(std::string_view message)>& /*warn*/) {
  HOURCELL_RETURN_IF_ERROR(MakeStoreDirectory(options_.path, options_.create_if_missing));
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<StoreLock> lock, StoreLock::Acquire(options_.path));
  OpenedStorage opened;
  HOURCELL_ASSIGN_OR_RETURN(opened.tables,
                            OpenRocksTableStore(options_.path + "/db", options_, std::move(lock)));
  opened.journal_place = std::make_unique<FileJournalPlace>(options_);
  return opened;
}

}  // namespace hourcell
