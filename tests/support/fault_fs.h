// FaultFs: a file system for tests that fails when told to and can lose what was not synced, as a
// power loss does. Real files of the real file system lie behind it; what is "on disk" in the sense
// of a power loss it keeps account of by itself, so nothing is really synced and tests are fast.
//
//   FaultFs fs;
//   fs.FailOn({.operations = FaultFs::kAppend, .nth = 3, .with = FaultFs::Failure::kNoSpace});
//   ... drop everything that has files open ...
//   fs.LoseUnsynced(/*seed=*/7);
//
// The model of a power loss:
//   content    what was appended or cut since the file's last sync is there, or not, or in part: a
//              prefix, or any pages of 4 KiB of it, the others being zeros, torn at a sector of
//              512 bytes, or garbage. A cut that was not synced may be undone.
//   names      a file that was created, renamed, linked or deleted since its directory's last sync
//              may be as it was before. Changes to one directory survive in their order: the last
//              ones are lost, as on ext4, XFS and Btrfs. Directories themselves are never lost.
// A file that existed before FaultFs first saw it counts as synced. Thread-safe, but for
// LoseUnsynced.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <rocksdb/file_system.h>

#include "codec/base/mutex.h"
#include "codec/base/random.h"

namespace hourcell {

class FaultFs : public rocksdb::FileSystemWrapper {
 public:
  // Write-side operations, as bits.
  enum Operation : uint32_t {
    kCreate = 1,  // NewWritableFile, ReopenWritableFile
    kAppend = 2,
    kSync = 4,  // of a file
    kTruncate = 8,
    kAllocate = 16,
    kDirectorySync = 32,
    kDelete = 64,
    kRename = 128,
    kLink = 256,
    kAllOperations = 511,
  };
  enum class Failure { kIoError, kNoSpace };
  // What becomes of bytes that were not synced: any page of them, or their end only, as where a
  // file grows once its bytes are on disk (ext4's data=ordered). RocksDB's manifest, which is read
  // as a whole or not at all, bears the second.
  enum class Loss { kPages, kEnds };

  struct Fault {
    uint32_t operations = kAllOperations;  // which of them
    uint64_t nth = 1;                      // the n-th of those from now on fails
    bool is_lasting = false;               // and all after it
    Failure with = Failure::kIoError;
    size_t append_bytes = 0;  // of a failing append that get into the file
  };

  FaultFs();
  ~FaultFs() override;
  const char* Name() const override { return "FaultFs"; }

  // Adds a fault. Several may be pending; the first that fits counts.
  void FailOn(const Fault& fault);
  // Forgets all faults.
  void Heal();
  // Write-side operations of these kinds so far, failed ones too.
  uint64_t Count(uint32_t operations = kAllOperations) const;

  // Power loss. Files that are open stay dead: what is done to them fails, and changes nothing.
  // REQUIRES: no other call meanwhile.
  void LoseUnsynced(uint64_t seed, Loss loss = Loss::kPages);

  rocksdb::IOStatus NewWritableFile(const std::string& path,
                                    const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path,
                                       const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path,
                                 const rocksdb::IOOptions& io,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus Truncate(const std::string& path,
                             size_t size,
                             const rocksdb::IOOptions& io,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path,
                               const rocksdb::IOOptions& io,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from,
                               const std::string& to,
                               const rocksdb::IOOptions& io,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LinkFile(const std::string& from,
                             const std::string& to,
                             const rocksdb::IOOptions& io,
                             rocksdb::IODebugContext* debug) override;

 private:
  friend class FaultFile;
  friend class FaultDirectory;

  // A file whatever its names are: how long it is and how much of it is on disk.
  struct Inode {
    uint64_t bytes = 0;
    uint64_t synced_bytes = 0;
    // Where the file was cut below synced_bytes since its sync: from where on it differs, and what
    // was there.
    std::optional<uint64_t> cut_at;
    std::string cut_content;
  };
  // What a name led to.
  struct Entry {
    std::shared_ptr<Inode> inode;
    std::string content;
  };
  // A change of names that is not synced: `path` led to `before` (null: to nothing).
  struct NameChange {
    std::string directory;
    std::string path;
    std::shared_ptr<Entry> before;
    bool with_next = false;  // undone only together with the next one, as a rename is
  };

  // Counts an operation; not OK: it has to fail that way. `append_bytes` as in Fault.
  rocksdb::IOStatus Begin(Operation operation, const std::string& path, size_t* append_bytes);
  rocksdb::IOStatus Open(const std::string& path,
                         bool is_new,
                         const rocksdb::FileOptions& options,
                         std::unique_ptr<rocksdb::FSWritableFile>* result);
  bool IsAlive(uint64_t generation) const;
  std::shared_ptr<Inode> InodeOf(const std::string& path) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Entry> EntryOf(const std::string& path) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteName(const std::string& path, std::shared_ptr<Entry> before, bool with_next)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteCut(Inode* inode, const std::string& path, uint64_t bytes)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A directory has another name, at once and for good.
  void MoveDirectory(const std::string& from, const std::string& to)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void UndoNames(Random* random) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  std::vector<Fault> faults_ ABSL_GUARDED_BY(mutex_);
  std::map<Operation, uint64_t> counts_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Inode>> inodes_ ABSL_GUARDED_BY(mutex_);  // by path
  std::vector<NameChange> name_changes_ ABSL_GUARDED_BY(mutex_);                  // oldest first
  uint64_t generation_ ABSL_GUARDED_BY(mutex_) = 0;  // power losses so far
};

}  // namespace hourcell
