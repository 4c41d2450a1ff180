// BackupSet: a directory of backups of a store. Each is a manifest; the files that manifests name
// are shared: what an earlier backup has is not copied again.
//
//   LOCK                               held by the writer; a file as StoreLock's is not one of ours
//   files/<name>-<bytes>-<crc32c>      files of the store; never changed once they have that name
//   backups/<id, six digits or more>   manifests (engine/backup_manifest.h); ids count up from 1
//
// A backup is there once its manifest is, which comes last:
//
//   copy to files/*.tmp -> sync -> rename   for each file that is not there yet
//     -> sync of files/ -> manifest to backups/*.tmp -> sync -> rename -> sync of backups/
//
// What a crash leaves before that is used by the next backup, where it has its name, and removed by
// Prune; no backup that is there is touched. Of files that are there the size is looked at each
// time, and their bytes by Verify.
//
// One writer at a time, held by LOCK; readers take no lock, and may meet a file that Prune has just
// removed. All I/O goes through the Env. Thread-compatible.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/backup_manifest.h"

namespace rocksdb {
class Env;
}

namespace hourcell {

class FileIo;
class HeldFileLock;

// Told before each file: the bytes of those before it, and of all. False ends the work.
using BackupProgress = std::function<bool(uint64_t done, uint64_t total)>;

// What Verify found.
struct BackupCheck {
  uint64_t backups = 0;
  uint64_t files = 0;  // each once, however many backups have it
  uint64_t bytes = 0;
  std::vector<std::string> faults = {};  // in order; empty: all is as it was written
};

// What Prune removed.
struct BackupPrune {
  uint64_t backups = 0;
  uint64_t files = 0;
  uint64_t bytes = 0;
};

// Where a file of a backup comes from.
struct BackupSource {
  std::string path = {};                    // in the store: db/000012.sst
  std::string from = {};                    // on disk
  uint64_t bytes = 0;                       // the first so many
  std::optional<std::string> content = {};  // instead of what is on disk
};

class BackupSet {
 public:
  enum class Use : uint8_t {
    kRead,   // there must be one; nothing is locked
    kWrite,  // made if there is none; locked
  };

  // `env` is borrowed; null = the operating system's. kNotFound: no backups there. kUnavailable: it
  // is locked by somebody else, or cannot be written. kFailedPrecondition: the directory has files
  // of something else.
  static absl::StatusOr<std::unique_ptr<BackupSet>> Open(const std::string& directory,
                                                         Use use,
                                                         rocksdb::Env* env = nullptr);
  ~BackupSet();
  BackupSet(const BackupSet&) = delete;
  BackupSet& operator=(const BackupSet&) = delete;

  // Of the backups there are, ascending.
  const std::vector<uint64_t>& ids() const { return ids_; }

  // kNotFound: no such backup. kDataLoss: its manifest is damaged.
  absl::StatusOr<BackupManifest> Read(uint64_t id) const;

  // Where a file is.
  std::string PathOf(const BackupFile& file) const;

  // Adds a file to the backup that Commit makes: copies it, if none of its name, size and CRC is
  // there. An SST file that is copied is checked, block by block. kDataLoss: it is damaged.
  absl::Status Add(const BackupSource& source);

  // Makes the backup of what was added, and returns its manifest. `made` says when it was made, and
  // what of the journal is in it. Errors: there is no new backup then, or nobody knows.
  absl::StatusOr<BackupManifest> Commit(BackupManifest made);

  // Reads every file of the backups, and checks that it is what was copied; `id` nothing: of all.
  // Errors as Read; what is wrong with files is in the result, as are damaged manifests if all are
  // asked for. kCancelled: `progress`, which may be null, said so.
  absl::StatusOr<BackupCheck> Verify(std::optional<uint64_t> id,
                                     const BackupProgress& progress = nullptr) const;

  // Removes all backups but the newest `keep`, the oldest first, and then all files that none of
  // those has. kInvalidArgument: `keep` is 0. kDataLoss: the manifest of one that is kept is
  // damaged; nothing is removed then.
  absl::StatusOr<BackupPrune> Prune(uint64_t keep);

 private:
  BackupSet(std::string directory, rocksdb::Env* env);

  absl::Status MakeOrCheck(Use use);
  absl::Status ReadNames(Use use);
  std::string ManifestPath(uint64_t id) const;
  std::string FilePath(std::string_view name) const;
  absl::Status CheckFile(const BackupFile& file) const;
  absl::StatusOr<bool> IsStored(const BackupFile& file) const;
  bool MayBeStored(const BackupSource& source) const;
  absl::StatusOr<uint32_t> CopyToTemporary(const BackupSource& source, const std::string& to) const;

  const std::string directory_;
  const std::unique_ptr<FileIo> io_;
  std::unique_ptr<HeldFileLock> lock_;  // null: only reads
  std::vector<uint64_t> ids_;
  std::set<std::string> stored_;  // names in files/
  BackupManifest next_;           // files added so far
};

}  // namespace hourcell
