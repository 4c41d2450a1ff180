#include "engine/rocks/rocks_pinned_files.h"

#include <cstdint>
#include <limits>

#include <rocksdb/metadata.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>

#include "codec/base/status_macros.h"
#include "engine/rocks/files/rocks_file_deletions.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/files/sst_footer.h"

// Why a backup pins files and does not flush: all rows outside of SST files are in the logs and the
// journal. So the copy is in the state that a crash at that moment would leave, and opening it is a
// replay, which is tested anyway (docs/backup.md).

namespace hourcell {

absl::StatusOr<std::unique_ptr<PinnedFiles>> RocksPinnedFiles::Pin(rocksdb::DB* db) {
  HOURCELL_RETURN_IF_ERROR(FromRocks(db->DisableFileDeletions(), "backup"));
  auto pinned = std::make_unique<RocksPinnedFiles>(db);
  // Does not flush: rows in memory are also in the logs, or in the journal.
  rocksdb::LiveFilesStorageInfoOptions options;
  options.wal_size_for_flush = std::numeric_limits<uint64_t>::max();
  std::vector<rocksdb::LiveFileStorageInfo> live;
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(db->GetLiveFilesStorageInfo(options, &live), "backup: list files"));
  for (rocksdb::LiveFileStorageInfo& file : live) {
    PinnedFile& mine = pinned->files_.emplace_back();
    mine.path = file.directory + "/" + file.relative_filename;
    mine.name = std::move(file.relative_filename);
    mine.bytes = file.size;
    if (!file.replacement_contents.empty()) mine.content = std::move(file.replacement_contents);
  }
  return pinned;
}

RocksPinnedFiles::~RocksPinnedFiles() {
  EnableFileDeletionsOnce(&db_).PermitUncheckedError();
}

absl::Status CheckSstFile(rocksdb::Env* env, const std::string& path) {
  rocksdb::FileSystem& files = *env->GetFileSystem();
  std::unique_ptr<rocksdb::FSRandomAccessFile> file;
  uint64_t bytes = 0;
  rocksdb::IOStatus tail = files.NewRandomAccessFile(path, {}, &file, nullptr);
  if (tail.ok()) tail = files.GetFileSize(path, rocksdb::IOOptions(), &bytes, nullptr);
  if (tail.ok()) tail = CheckSstFooter(file.get(), path, bytes);
  HOURCELL_RETURN_IF_ERROR(FromRocks(tail, "check " + path));
  rocksdb::Options options;
  options.env = env;
  rocksdb::SstFileReader reader(options);
  HOURCELL_RETURN_IF_ERROR(FromRocks(reader.Open(path), "check " + path));
  return FromRocks(reader.VerifyChecksum(), "check " + path);
}

}  // namespace hourcell
