// FaultFs: a file system for tests that injects faults and can lose unsynced data, as a power loss
// does. Its files are real files of the real file system, but FaultFs itself keeps account of the
// bytes "on disk" in the sense of a power loss. So nothing is really synced, and tests are fast.
//
//   FaultFs fs;
//   fs.FailOn({.operations = FaultFs::kAppend, .nth = 3, .with = FaultFs::Failure::kNoSpace});
//   ... drop everything that has files open ...
//   fs.LoseUnsynced(/*seed=*/7);
//
// Reads fail, too, if they are named: with an error, with fewer bytes than requested, as at the end
// of a file, or with a bit that is another. A hook sees every operation first, to be slow, or to do
// something meanwhile. Every fault that came to pass is in a log, for tests to print if they fail.
//
// The model of a power loss:
//   content    appends and cuts since the file's last sync are there, or not, or in part: a
//              prefix, or any pages of 4 KiB, with zeros for the others, torn at a sector of
//              512 bytes, or garbage. A cut that was not synced may be undone.
//   names      a file that was created, renamed, linked or deleted since its directory's last sync
//              may be as it was before. Changes to one directory survive in their order: the last
//              ones are lost, as on ext4, XFS and Btrfs. Directories themselves are never lost.
// A file that existed before FaultFs first saw it counts as synced. Thread-safe, but for
// LoseUnsynced.

#pragma once

#include <cstdint>
#include <functional>
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
  // As bits.
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
    kAllOperations = 511,  // that write
    kOpen = 512,           // NewSequentialFile, NewRandomAccessFile
    kRead = 1024,
    kLook = 2048,  // FileExists, GetChildren, GetFileSize
    kAllReads = 3584,
  };
  enum class Failure {
    kIoError,
    kNoSpace,
    // Of kRead only:
    kShort,  // half of the requested bytes, and OK
    kEnded,  // none, and OK, as at the end of the file
    kFlip,   // all bytes, and one bit of the middle one is another
  };
  // As bits.
  enum FileKind : uint32_t {
    kJournalFile = 1,  // and its directory
    kWalFile = 2,
    kManifestFile = 4,
    kCurrentFile = 8,
    kSstFile = 16,
    kOtherFile = 32,  // directories too
    kAllFiles = 63,
  };
  // The loss of unsynced bytes: any page, or the end only, as where a file grows once its bytes are
  // on disk (ext4's data=ordered). RocksDB's manifest, which is read as a whole or not at all,
  // tolerates the second.
  enum class Loss { kPages, kEnds };

  struct Fault {
    uint32_t operations = kAllOperations;  // a set of bits
    uint64_t nth = 1;                      // the n-th of these operations from now on fails
    bool is_lasting = false;               // and all after it
    Failure with = Failure::kIoError;
    size_t append_bytes = 0;  // of a failing append that get into the file
    uint32_t files = kAllFiles;
  };
  // The next operation, and its path.
  using Hook = std::function<void(Operation operation, const std::string& path)>;

  FaultFs();
  ~FaultFs() override;
  const char* Name() const override { return "FaultFs"; }

  // Adds a fault. Several may be pending; the first that fits counts.
  void FailOn(const Fault& fault);
  // Forgets all faults.
  void Heal();
  // Operations of these kinds so far, failed ones too.
  uint64_t Count(uint32_t operations = kAllOperations) const;
  // The faults that came to pass, oldest first: "read 000007.log at 4096: short (1024th)", a line
  // each, counted among operations of that kind.
  std::string Log() const;
  // Called before each operation, on the thread that does it; may block. Empty = none.
  void SetHook(Hook hook);

  static FileKind KindOf(const std::string& path);

  // Power loss. Open files stay dead: operations on them fail and change nothing. REQUIRES: no
  // other call meanwhile.
  void LoseUnsynced(uint64_t seed, Loss loss = Loss::kPages);

  rocksdb::IOStatus NewWritableFile(const std::string& path,
                                    const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path,
                                       const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewSequentialFile(const std::string& path,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& path,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus FileExists(const std::string& path,
                               const rocksdb::IOOptions& io,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetChildren(const std::string& path,
                                const rocksdb::IOOptions& io,
                                std::vector<std::string>* names,
                                rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFileSize(const std::string& path,
                                const rocksdb::IOOptions& io,
                                uint64_t* bytes,
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
  friend class FaultReads;

  // A file, under any number of names: its length, and the bytes that are on disk.
  struct Inode {
    uint64_t bytes = 0;
    uint64_t synced_bytes = 0;
    // If the file was cut below synced_bytes since its sync: the offset from which it differs, and
    // the old bytes.
    std::optional<uint64_t> cut_at;
    std::string cut_content;
  };
  // The former target of a name.
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

  // Counts an operation, and returns the fault it has to meet.
  std::optional<Fault> Meet(Operation operation, const std::string& path, uint64_t offset);
  // The same; not OK: it has to fail that way. `append_bytes` as in Fault.
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
  std::string log_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const Hook> hook_ ABSL_GUARDED_BY(mutex_);                      // may be null
  std::map<std::string, std::shared_ptr<Inode>> inodes_ ABSL_GUARDED_BY(mutex_);  // by path
  std::vector<NameChange> name_changes_ ABSL_GUARDED_BY(mutex_);                  // oldest first
  uint64_t generation_ ABSL_GUARDED_BY(mutex_) = 0;  // power losses so far
};

}  // namespace hourcell
