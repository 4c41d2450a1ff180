#include "engine/rocks/files/rocks_staged_files.h"

#include <cstring>
#include <filesystem>
#include <utility>

#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include "codec/base/status_macros.h"
#include "engine/rocks/files/rocks_status.h"

// Why the bytes of both ends are kept: RocksDB 7.8.3 does not check whether it could read the first
// and last key of an imported file, and a damaged block ended the process. A read before the import
// is not enough, since the second read may fail where the first did not; so the import gets the
// bytes of the first.

namespace hourcell {
namespace {

// Indexes and blocks are far smaller.
constexpr size_t kPieceBytesMax = 16 << 20;

// RocksDB adds a slash to paths that begin with one.
std::string Normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

}  // namespace

std::string StagingDirectory(const std::string& db_path) {
  return db_path + ".split";
}

absl::Status ReadEnds(rocksdb::Env* env,
                      const rocksdb::ColumnFamilyOptions& options,
                      const std::string& path) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.no_block_cache = true;
  rocksdb::Options reading(rocksdb::DBOptions(), options);
  reading.env = env;
  reading.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  rocksdb::SstFileReader reader(reading);
  HOURCELL_RETURN_IF_ERROR(FromRocks(reader.Open(path), "import " + path));
  const std::unique_ptr<rocksdb::Iterator> row(reader.NewIterator(rocksdb::ReadOptions()));
  row->SeekToFirst();
  HOURCELL_RETURN_IF_ERROR(FromRocks(row->status(), "import " + path));
  row->SeekToLast();
  return FromRocks(row->status(), "import " + path);
}

class RocksStagedFiles::Pieces {
 public:
  // False: earlier reads do not cover the range.
  bool Find(uint64_t offset, size_t bytes, char* out) {
    MutexLock lock(&mutex_);
    auto it = by_offset_.upper_bound(offset);
    while (it != by_offset_.begin()) {
      --it;
      const uint64_t skipped = offset - it->first;
      if (skipped > it->second.size() || it->second.size() - skipped < bytes) continue;
      std::memcpy(out, it->second.data() + skipped, bytes);
      return true;
    }
    return false;
  }

  void Add(uint64_t offset, const rocksdb::Slice& read) {
    if (read.size() > kPieceBytesMax) return;
    MutexLock lock(&mutex_);
    std::string& piece = by_offset_[offset];
    if (piece.size() < read.size()) piece = read.ToString();
  }

 private:
  Mutex mutex_;
  std::map<uint64_t, std::string> by_offset_ ABSL_GUARDED_BY(mutex_);
};

class RocksStagedFiles::File : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  File(std::unique_ptr<rocksdb::FSRandomAccessFile> file, std::shared_ptr<Pieces> pieces)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), pieces_(std::move(pieces)) {}

  rocksdb::IOStatus Read(uint64_t offset,
                         size_t bytes,
                         const rocksdb::IOOptions& options,
                         rocksdb::Slice* result,
                         char* scratch,
                         rocksdb::IODebugContext* dbg) const override {
    if (pieces_->Find(offset, bytes, scratch)) {
      *result = rocksdb::Slice(scratch, bytes);
      return rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus status =
        FSRandomAccessFileOwnerWrapper::Read(offset, bytes, options, result, scratch, dbg);
    if (status.ok() && result->size() == bytes) pieces_->Add(offset, *result);
    return status;
  }

 private:
  const std::shared_ptr<Pieces> pieces_;
};

RocksStagedFiles::RocksStagedFiles(const std::string& db_path)
    : prefix_(Normal(StagingDirectory(db_path)) + "/") {}

bool RocksStagedFiles::IsStaged(const std::string& path) const {
  return Normal(path).starts_with(prefix_);
}

std::unique_ptr<rocksdb::FSRandomAccessFile> RocksStagedFiles::Keep(
    const std::string& path, std::unique_ptr<rocksdb::FSRandomAccessFile> file) {
  std::string name = Normal(path);
  if (!name.starts_with(prefix_)) return file;
  MutexLock lock(&mutex_);
  std::shared_ptr<Pieces>& pieces = pieces_[std::move(name)];
  if (pieces == nullptr) pieces = std::make_shared<Pieces>();
  return std::make_unique<File>(std::move(file), pieces);
}

void RocksStagedFiles::Forget(const std::string& path) {
  const std::string name = Normal(path);
  if (!name.starts_with(prefix_)) return;
  MutexLock lock(&mutex_);
  pieces_.erase(name);
}

}  // namespace hourcell
