// BackupAdmin: backs up an open store, while points are put and queries run.
//
//   regions at rest, sealing paused:
//     commit pending points -> pin the journal's segments -> pin the tables' files   milliseconds
//   sealing resumes; copy the journal up to its end at that time -> unpin it
//     -> copy the tables' files -> manifest
//
// A backup has every point acknowledged before the call, and later points in the journal's blocks
// up to a certain one: the state after a crash at that moment. A backup does not seal or flush.
// Tables keep the files they have deleted until it is done, which takes disk space. Segments of the
// journal are not deleted while it is copied; puts wait if it comes near its limit meanwhile. A
// store restored from a backup replays the journal when it is opened.
//
// Thread-safe; one backup to a directory at a time.

#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <absl/status/statusor.h>

#include "engine/backup_manifest.h"

namespace rocksdb {
class Env;
}

namespace hourcell {

class BackupSet;
class WallClock;
class GroupCommit;
class Journal;
class Sealer;
class RegionStore;
class TableMaintenance;
class Tables;

class BackupAdmin {
 public:
  // All are borrowed.
  struct Parts {
    std::string store_path = {};
    Tables* tables = nullptr;
    RegionStore* regions = nullptr;           // of the same store; may be null
    TableMaintenance* maintenance = nullptr;  // of the same store
    GroupCommit* commit = nullptr;
    Journal* journal = nullptr;
    Sealer* sealer = nullptr;
    WallClock* clock = nullptr;
    rocksdb::Env* env = nullptr;  // null = the operating system's
    // Before a change: kFailedPrecondition if the store is closed, or this process only reads it;
    // kUnavailable if another process is known to be the writer. None: no check.
    std::function<absl::Status()> before_change = {};
  };

  // Called before each file: the bytes of earlier files, and of all. False ends the backup.
  using Progress = std::function<bool(uint64_t done, uint64_t total)>;

  explicit BackupAdmin(Parts parts);

  // Makes a backup in a directory of backups (engine/backup_set.h), creating the directory if
  // needed; copies only files that its other backups lack. Returns the manifest.
  // kInvalidArgument: the directory is the store's, or in it. kUnavailable: another backup is being
  // made there, or a disk is full, or fails. kDataLoss: an SST file is damaged; the backup is not
  // made.
  // kFailedPrecondition: the directory has other files. kCancelled: `progress`, which may be null,
  // returned false.
  // REQUIRES: the store is not closed meanwhile.
  absl::StatusOr<BackupManifest> Make(const std::string& directory,
                                      const Progress& progress = nullptr);

 private:
  struct Moment;
  absl::Status Pin(Moment* moment);
  static absl::Status Copy(Moment* moment, const Progress& progress, BackupSet* set);

  const Parts parts_;
};

}  // namespace hourcell
