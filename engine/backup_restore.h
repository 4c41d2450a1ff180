// RestoreBackup: a store out of a backup. Every file's size and CRC are checked while it is copied;
// one that is not as it was written ends the restore, and leaves no store.
//
//   <target>.restoring/, emptied -> db/*, journal/*, each synced; db/CURRENT the last
//     -> sync of the directories -> rename to <target> -> sync of the directory it is in
//
// <target> is there only when all of it is. What a crash leaves is <target>.restoring, which the
// next restore to that target removes first. No open takes it for a store until it has CURRENT,
// and then it is whole.
//
// Thread-safe.

#pragma once

#include <string>

#include <absl/status/status.h>

#include "engine/backup_set.h"

namespace hourcell {

// `target` does not exist, or is an empty directory. `env` is borrowed; null = the operating
// system's.
// kFailedPrecondition: the target is something else, or <target>.restoring has what is not a
// restore's. kDataLoss: a file of the backup is damaged or missing; it is named.
// kUnavailable: the file system refuses something. kCancelled: `progress`, which may be null, said
// so; <target>.restoring stays, and the next restore to that target removes it.
absl::Status RestoreBackup(const BackupSet& set,
                           const BackupManifest& manifest,
                           const std::string& target,
                           rocksdb::Env* env = nullptr,
                           const BackupProgress& progress = nullptr);

}  // namespace hourcell
