#include "engine/rocks/regions/rocks_region_files.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <rocksdb/comparator.h>
#include <rocksdb/env.h>
#include <rocksdb/utilities/checkpoint.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/rocks/files/rocks_manifest.h"
#include "engine/rocks/files/rocks_staged_files.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/regions/rocks_flush.h"

// Why names of files are compared after an export: with RocksDB 7.8 a flush may return before the
// exported version has its file. A tombstone as a fence does not prove it, since an LSM compaction
// may remove the tombstone between flush and export. Level-0 files whose sequence numbers nest hang
// the database, so the import gets disjoint numbers, which is correct because no key is in two
// files (docs/decisions/0011).

namespace hourcell {
namespace {

// Exports of a family until one has exactly its live files: an LSM compaction may run between, and
// with 7.8 a flush may return before the exported version has its file.
constexpr int kExportsMax = 10;
// Pause before the second export; doubled before each later one, half a second in all.
constexpr std::chrono::milliseconds kFirstRest(1);

void RemoveDirectory(rocksdb::Env* env, const std::string& directory) {
  std::vector<std::string> names;
  env->GetChildren(directory, &names).PermitUncheckedError();
  for (const std::string& name : names)
    env->DeleteFile(directory + "/" + name).PermitUncheckedError();
  env->DeleteDir(directory).PermitUncheckedError();
}

std::set<std::string> LiveFilesOf(rocksdb::DB* db, const std::string& family) {
  RocksFiles files;
  db->GetLiveFilesMetaData(&files);
  std::set<std::string> names;
  for (const rocksdb::LiveFileMetaData& file : files) {
    if (file.column_family_name == family) names.insert(file.name);
  }
  return names;
}

std::set<std::string> NamesOf(const RocksFiles& files) {
  std::set<std::string> names;
  for (const rocksdb::LiveFileMetaData& file : files)
    names.insert(file.name);
  return names;
}

bool HasKeysOf(const RegionRange& range, const rocksdb::LiveFileMetaData& file) {
  return file.largestkey >= range.start && (range.end.empty() || file.smallestkey < range.end);
}

// Files of level 0 are versions of one key range, and move down together: to the uppermost level
// that has files, where little must be rewritten.
int LevelBelowYoung(const rocksdb::ColumnFamilyMetaData& metadata) {
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    if (level.level > 0 && !level.files.empty()) return level.level;
  }
  return metadata.levels.back().level;
}

}  // namespace

absl::Status EmptyStaging(rocksdb::Env* env, const std::string& db_path) {
  const std::string staging = StagingDirectory(db_path);
  std::vector<std::string> names;
  const rocksdb::Status listed = env->GetChildren(staging, &names);
  if (listed.IsNotFound() || listed.IsPathNotFound()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(FromRocks(listed, "read " + staging));
  for (const std::string& name : names)
    RemoveDirectory(env, staging + "/" + name);
  return FromRocks(env->DeleteDir(staging), "remove " + staging);
}

absl::StatusOr<std::unique_ptr<RocksExport>> RocksExport::Make(rocksdb::DB* db,
                                                               rocksdb::ColumnFamilyHandle* family,
                                                               const RocksErrorWatch& errors) {
  rocksdb::Checkpoint* raw = nullptr;
  HOURCELL_RETURN_IF_ERROR(FromRocks(rocksdb::Checkpoint::Create(db, &raw), "export"));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  const std::string staging = StagingDirectory(db->GetName());
  HOURCELL_RETURN_IF_ERROR(FromRocks(db->GetEnv()->CreateDirIfMissing(staging), "export"));
  for (int i = 0; i < kExportsMax; ++i) {
    // The other thread may need the processor to finish its step.
    if (i > 0) std::this_thread::sleep_for(kFirstRest * (1 << (i - 1)));
    // ExportColumnFamily flushes, too, and would never return if that flush failed.
    HOURCELL_RETURN_IF_ERROR(FromRocks(FlushFamily(db, family, errors), "export: flush"));
    std::unique_ptr<RocksExport> made(new RocksExport(db, staging + "/" + family->GetName()));
    rocksdb::ExportImportFilesMetaData* raw_files = nullptr;
    const rocksdb::Status exported =
        checkpoint->ExportColumnFamily(family, made->directory_, &raw_files);
    const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(raw_files);
    HOURCELL_RETURN_IF_ERROR(FromRocks(exported, "export " + family->GetName()));
    HOURCELL_KILL_POINT("region:exported");
    made->files_ = std::move(files->files);
    if (NamesOf(made->files_) == LiveFilesOf(db, family->GetName())) return made;
  }
  return absl::UnavailableError(
      fmt::format("export {}: its files change all the time; try again later", family->GetName()));
}

RocksExport::~RocksExport() {
  for (const std::string& directory : further_)
    RemoveDirectory(db_.GetEnv(), directory);
  RemoveDirectory(db_.GetEnv(), directory_);
}

absl::StatusOr<std::vector<RocksFiles>> RocksExport::Share(std::span<const RegionRange> ranges) {
  std::vector<RocksFiles> shares(ranges.size());
  for (const rocksdb::LiveFileMetaData& file : files_) {
    bool is_taken = false;
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (!HasKeysOf(ranges[i], file)) continue;
      rocksdb::LiveFileMetaData& mine = shares[i].emplace_back(file);
      if (!std::exchange(is_taken, true)) continue;
      const std::string directory = fmt::format("{}.{}", directory_, i);
      if (std::ranges::find(further_, directory) == further_.end()) {
        HOURCELL_RETURN_IF_ERROR(FromRocks(db_.GetEnv()->CreateDir(directory), "export"));
        further_.push_back(directory);
      }
      HOURCELL_RETURN_IF_ERROR(FromRocks(
          db_.GetEnv()->LinkFile(directory_ + "/" + file.name, directory + "/" + file.name),
          "export"));
      mine.db_path = directory;
    }
  }
  return shares;
}

void SeparateYoungFiles(RocksFiles* files) {
  std::vector<rocksdb::LiveFileMetaData*> young;
  for (rocksdb::LiveFileMetaData& file : *files) {
    if (file.level == 0) young.push_back(&file);
  }
  std::ranges::sort(young, {}, &rocksdb::LiveFileMetaData::largest_seqno);
  for (size_t i = 1; i < young.size(); ++i) {
    if (young[i]->smallest_seqno <= young[i - 1]->smallest_seqno) {
      young[i]->smallest_seqno = young[i - 1]->largest_seqno;
    }
  }
}

absl::StatusOr<rocksdb::ColumnFamilyHandle*> ImportFiles(
    rocksdb::DB* db,
    const rocksdb::ColumnFamilyOptions& options,
    const std::string& name,
    RocksFiles files) {
  for (const rocksdb::LiveFileMetaData& file : files)
    HOURCELL_RETURN_IF_ERROR(ReadEnds(db->GetEnv(), options, file.db_path + "/" + file.name));
  RocksFamilyChange change(files.size());
  rocksdb::ColumnFamilyHandle* family = nullptr;
  if (files.empty()) {
    HOURCELL_RETURN_IF_ERROR(
        FromRocks(db->CreateColumnFamily(options, name, &family), "create " + name));
  } else {
    rocksdb::ExportImportFilesMetaData metadata;
    metadata.db_comparator_name = options.comparator->Name();
    metadata.files = std::move(files);
    rocksdb::ImportColumnFamilyOptions move;
    move.move_files = true;
    HOURCELL_RETURN_IF_ERROR(
        FromRocks(db->CreateColumnFamilyWithImport(options, name, move, metadata, &family),
                  "import " + name));
  }
  const rocksdb::IOStatus synced = change.Finish();
  if (synced.ok()) return family;
  // The next open drops it, if this cannot.
  db->DropColumnFamily(family).PermitUncheckedError();
  db->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  return FromRocks(synced, "create " + name);
}

absl::StatusOr<bool> TrimFiles(rocksdb::DB* db,
                               rocksdb::ColumnFamilyHandle* family,
                               const RegionRange& range) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  bool is_clean = true;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    std::vector<std::string> straddling;
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (range.Contains(file.smallestkey) && range.Contains(file.largestkey)) continue;
      straddling.push_back(file.name);
    }
    if (straddling.empty()) continue;
    is_clean = false;
    const int to_level = level.level > 0 ? level.level : LevelBelowYoung(metadata);
    if (level.level == 0) {
      straddling.clear();
      for (const rocksdb::SstFileMetaData& file : level.files)
        straddling.push_back(file.name);
    }
    rocksdb::CompactionOptions options;
    options.compression = rocksdb::kDisableCompressionOption;  // the family's
    const rocksdb::Status done = db->CompactFiles(options, family, straddling, to_level);
    HOURCELL_KILL_POINT("trim:rewritten");
    if (done.IsAborted() || done.IsInvalidArgument() || done.IsIncomplete()) continue;
    if (done.IsColumnFamilyDropped()) return false;  // it was split or merged meanwhile
    HOURCELL_RETURN_IF_ERROR(FromRocks(done, "trim"));
  }
  return is_clean;
}

}  // namespace hourcell
