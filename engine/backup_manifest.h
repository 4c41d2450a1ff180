// BackupManifest: the contents of one backup: the files of a store, by their names in the store,
// and the time of the backup. As text, a line each, every line ended by \n:
//
//   hourcell-backup 1
//   id <n>
//   made_ms <n>                            since 1970
//   low_mark <n>                           the journal's, in the system table
//   next_block <n>                         the journal's first block after the backup
//   copied <files> <bytes>                 not in earlier backups
//   file <crc32c> <bytes> <path>           ascending by path
//   ...
//   crc32c <crc32c>                        of all bytes before this line
//
// Numbers are decimal, CRCs eight lower-case hexadecimal digits. A path is db/<name> or
// journal/<name>. A name has letters, digits, '-', '_' and '.', and not only dots, so that no path
// leads out of a store. One manifest has one text: any other text is refused.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

namespace hourcell {

struct BackupFile {
  std::string path = {};  // in the store
  uint64_t bytes = 0;
  uint32_t crc = 0;  // CRC-32C of its bytes

  // "<name>-<bytes>-<crc32c>": the file's name in a set of backups.
  std::string StoredName() const;
  // The name up to its CRC.
  static std::string StoredPrefix(std::string_view path, uint64_t bytes);

  friend bool operator==(const BackupFile&, const BackupFile&) = default;
};

struct BackupManifest {
  uint64_t id = 0;
  int64_t made_ms = 0;
  uint64_t low_mark = 0;
  uint64_t next_block = 0;
  uint64_t copied_files = 0;
  uint64_t copied_bytes = 0;
  std::vector<BackupFile> files = {};  // ascending by path, none twice

  uint64_t bytes() const;  // of all files

  friend bool operator==(const BackupManifest&, const BackupManifest&) = default;
};

std::string EncodeBackupManifest(const BackupManifest& manifest);

// kDataLoss: the text is not exactly that of a manifest; the message has the reason.
// kFailedPrecondition: valid, but of a later format.
absl::StatusOr<BackupManifest> DecodeBackupManifest(std::string_view text);

}  // namespace hourcell
