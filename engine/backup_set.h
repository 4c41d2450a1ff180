// BackupSet: a directory of backups of a store. Each backup is a manifest. Manifests share files: a
// backup copies only files that earlier backups lack.
//
//   LOCK                               held by the writer; not a StoreLock
//   files/<name>-<bytes>-<crc32c>      files of the store; never changed once they have that name
//   backups/<id, six digits or more>   manifests (engine/backup_manifest.h); ids count up from 1
//
// A backup exists once its manifest does, which comes last:
//
//   copy to files/*.tmp -> sync -> rename   for each file that is not there yet
//     -> sync of files/ -> manifest to backups/*.tmp -> sync -> rename -> sync of backups/
//
// If a crash interrupts this, the next backup uses files that have their final name, and Prune
// removes the others; existing backups do not change. Each backup checks the size of existing
// files; Verify checks their bytes.
//
// One writer at a time, held by LOCK; readers do not lock, and may meet a file that Prune has just
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

// Called before each file: the bytes of earlier files, and of all. False ends the work.
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

// The source of a backup's file.
struct BackupSource {
  std::string path = {};                    // in the store: db/000012.sst
  std::string from = {};                    // on disk
  uint64_t bytes = 0;                       // the size of the prefix to copy
  std::optional<std::string> content = {};  // instead of the bytes on disk
};

class BackupSet {
 public:
  enum class Use : uint8_t {
    kRead,   // must exist; not locked
    kWrite,  // made if missing; locked
  };

  // `env` is borrowed; null = the operating system's. kNotFound: no backups there. kUnavailable:
  // another process has locked it, or it cannot be written. kFailedPrecondition: the directory has
  // other files.
  static absl::StatusOr<std::unique_ptr<BackupSet>> Open(const std::string& directory,
                                                         Use use,
                                                         rocksdb::Env* env = nullptr);
  ~BackupSet();
  BackupSet(const BackupSet&) = delete;
  BackupSet& operator=(const BackupSet&) = delete;

  // The ids of the backups, ascending.
  const std::vector<uint64_t>& ids() const { return ids_; }

  // kNotFound: no such backup. kDataLoss: its manifest is damaged.
  absl::StatusOr<BackupManifest> Read(uint64_t id) const;

  // The path of a file.
  std::string PathOf(const BackupFile& file) const;

  // Adds a file to the next backup: copies it, unless a file of its name, size and CRC exists.
  // Checks a copied SST file block by block. kDataLoss: it is damaged.
  absl::Status Add(const BackupSource& source);

  // Makes the backup of the added files, and returns its manifest. `made` has the time and the
  // position in the journal. After an error the new backup is missing, or it is unknown whether it
  // exists.
  absl::StatusOr<BackupManifest> Commit(BackupManifest made);

  // Reads every file of the backups, and checks it against its manifest; `id` nullopt: of all
  // backups.
  // Errors as Read; the result has the faults of files, and damaged manifests if `id` is nullopt.
  // kCancelled: `progress`, which may be null, returned false.
  absl::StatusOr<BackupCheck> Verify(std::optional<uint64_t> id,
                                     const BackupProgress& progress = nullptr) const;

  // Removes all backups except the newest `keep`, the oldest first, and then the files that only
  // the removed ones have. kInvalidArgument: `keep` is 0. kDataLoss: the manifest of a kept backup
  // is damaged; then nothing is removed.
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

// Makes a store from a backup. Checks each file's size and CRC during the copy; a file that differs
// ends the restore without a store.
//
//   <target>.restoring/, emptied -> db/*, journal/*, each synced; db/CURRENT the last
//     -> sync of the directories -> rename to <target> -> sync of the directory it is in
//
// <target> exists only once it is complete. A crash leaves <target>.restoring; the next restore to
// that target removes it first. Without CURRENT, no open takes it for a store, and with it the
// store is complete. Thread-safe.
//
// `target` does not exist, or is an empty directory. `env` is borrowed; null = the operating
// system's.
// kFailedPrecondition: the target is something else, or <target>.restoring has other files than
// those of a restore. kDataLoss: a file of the backup, named in the message, is damaged or missing.
// kUnavailable: an error of the file system. kCancelled: `progress`, which may be null, returned
// false; <target>.restoring stays, and the next restore to that target removes it.
absl::Status RestoreBackup(const BackupSet& set,
                           const BackupManifest& manifest,
                           const std::string& target,
                           rocksdb::Env* env = nullptr,
                           const BackupProgress& progress = nullptr);

}  // namespace hourcell
