// BackupManifest: what one backup consists of: the files of a store, by the names they have in it,
// and when it was made. As text, a line each, every line ended by \n:
//
//   hourcell-backup 1
//   id <n>
//   made_ms <n>                            since 1970
//   low_mark <n>                           the journal's, in `meta`
//   next_block <n>                         the first block of the journal that is not in it
//   copied <files> <bytes>                 what no earlier backup had
//   file <crc32c> <bytes> <path>           ascending by path
//   ...
//   crc32c <crc32c>                        of all bytes before this line
//
// Numbers are decimal, CRCs eight lower-case hexadecimal digits. A path is db/<name> or
// journal/<name>, a name of letters, digits, '-', '_' and '.', and more than dots: what a manifest
// says, nothing of it leads out of a store. One manifest has one text: what differs in a bit is
// refused.
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

  // "<name>-<bytes>-<crc32c>": under which a set of backups has it.
  std::string StoredName() const;
  // What it begins with, whatever its CRC is.
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

// kDataLoss: not the whole text of a manifest, or not to the bit; says what is wrong.
// kFailedPrecondition: whole, but of a later format.
absl::StatusOr<BackupManifest> DecodeBackupManifest(std::string_view text);

}  // namespace hourcell
