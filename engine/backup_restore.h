// RestoreBackup: makes a store from a backup. It checks every file's size and CRC during the copy;
// a file that differs ends the restore without a store.
//
//   <target>.restoring/, emptied -> db/*, journal/*, each synced; db/CURRENT the last
//     -> sync of the directories -> rename to <target> -> sync of the directory it is in
//
// <target> exists only once it is complete. A crash leaves <target>.restoring; the next restore to
// that target removes it first. Without CURRENT, no open takes it for a store, and with it the
// store is complete.
//
// Thread-safe.

#pragma once

#include <string>

#include <absl/status/status.h>

#include "engine/backup_set.h"

namespace hourcell {

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
