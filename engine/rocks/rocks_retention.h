// Retention on RocksDB: how expired rows of the data table go from disk.
//
//   filter     LSM compactions leave expired rows out, values and merge operands alike, and skip to
//              the metric's first live hour without reading what is between.
//   summary    each file has the times of its rows as a property, written with the file.
//   DropFiles  looks at the summaries, and has the files rewritten in which enough is expired; of a
//              file in which all is, nothing is written and next to nothing read.
//
// Why files are not deleted by name: DB::DeleteFile is deprecated, and DeleteFilesInRange
// deletes by keys, so that a file that came into the range meanwhile would go
// unseen. A rewrite asks the filter about every row, so no race can drop what is not expired.
//
// Why not periodic_compaction_seconds: it needs every file open (max_open_files = -1), and goes by
// the age of a file, so that it rewrites a store all over in which nothing is expired.

#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include "codec/base/mutex.h"
#include "codec/rows/uid.h"
#include "engine/table/retention.h"

namespace hourcell {

// What rows a file has.
struct FileRows {
  // Those of all metrics with UIDs from `first` to `last`: of one, unless the file has very many.
  struct OfMetrics {
    Uid first = kNoUid;
    Uid last = kNoUid;
    uint32_t oldest_s = 0;  // base times
    uint32_t newest_s = 0;
    uint64_t rows = 0;  // versions of a row count each; deletions too
    friend bool operator==(const OfMetrics&, const OfMetrics&) = default;
  };
  std::vector<OfMetrics> metrics;  // ascending

  // The value of the property kFileRowsProperty:
  //   01 | { first - last one's last: V | last - first: V
  //      | oldest: V | newest - oldest: V | rows: V }...
  // V is a varint (base/bytes.h); times are in hours.
  std::string Encode() const;
  // Nothing for what does not decode.
  static std::optional<FileRows> Decode(std::string_view bytes);

  friend bool operator==(const FileRows&, const FileRows&) = default;
};
inline constexpr char kFileRowsProperty[] = "hourcell.rows";

// How urgent a rewrite is that drops what is expired.
enum class RewriteNeed : uint8_t {
  kNone,
  // Half of the rows are expired, by what their times say; or some have been for a week, so that
  // nothing stays for ever in a file that is otherwise alive.
  kSome,
  kAll,  // all are expired: a rewrite costs nothing
};
RewriteNeed NeedOf(const FileRows& rows, const RowExpiry::Pass& pass);

// Thread-safe.
class RocksRetention {
 public:
  RocksRetention();

  // Puts filter and summary into the options of a family that is going to be opened.
  void AddTo(rocksdb::ColumnFamilyOptions* family) const;

  // From now on rows expire. Borrowed; outlives the database. Files written before have no summary,
  // and are left to LSM compactions.
  void SetExpiry(const RowExpiry* expiry) { expiry_->store(expiry); }

  // Rewrites what needs it, some files a call at most. Returns the bytes freed. Files that an LSM
  // compaction is busy with are left for next time. kUnavailable, kDataLoss: storage's.
  absl::StatusOr<uint64_t> DropFiles(rocksdb::DB* db,
                                     std::span<rocksdb::ColumnFamilyHandle* const> families);

 private:
  using Files = std::map<uint64_t, FileRows>;  // by number
  absl::StatusOr<uint64_t> DropFilesOf(rocksdb::DB* db,
                                       rocksdb::ColumnFamilyHandle* family,
                                       const RowExpiry::Pass& pass,
                                       Files* seen) ABSL_EXCLUSIVE_LOCKS_REQUIRED(dropping_);
  absl::Status LearnFiles(rocksdb::DB* db,
                          rocksdb::ColumnFamilyHandle* family,
                          const rocksdb::ColumnFamilyMetaData& metadata,
                          Files* seen) ABSL_EXCLUSIVE_LOCKS_REQUIRED(dropping_);

  // Shared with filters and summaries under way, which RocksDB may keep longer than this.
  const std::shared_ptr<std::atomic<const RowExpiry*>> expiry_;
  Mutex dropping_;                          // one DropFiles at a time
  Files files_ ABSL_GUARDED_BY(dropping_);  // of all families
};

}  // namespace hourcell
