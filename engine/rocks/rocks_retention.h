// Retention on RocksDB: removes expired rows of the data table from disk.
//
//   filter     LSM compactions drop expired rows, values and merge operands alike, and skip to
//              the metric's first live hour without reading the rows between.
//   summary    each file has the times of its rows as a property, written with the file.
//   DropFiles  reads the summaries, and rewrites files with enough expired rows. If all rows of
//              a file are expired, it writes nothing and reads almost nothing.
//
// Why files are not deleted by name: DB::DeleteFile is deprecated, and DeleteFilesInRange deletes
// by keys, so that it would also delete a file that was added to the range in the meantime. A
// rewrite calls the filter for every row, so no race can drop a live row.
//
// Why not periodic_compaction_seconds: it needs every file open (max_open_files = -1), and goes by
// the age of a file, so that it rewrites whole stores without expired rows.

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

// Summary of the rows in a file.
struct FileRows {
  // The rows of all metrics with UIDs from `first` to `last`: one metric, unless the file has many.
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
  // Nothing if the bytes do not decode.
  static std::optional<FileRows> Decode(std::string_view bytes);

  friend bool operator==(const FileRows&, const FileRows&) = default;
};
inline constexpr char kFileRowsProperty[] = "hourcell.rows";

// The urgency of a rewrite that drops expired rows.
enum class RewriteNeed : uint8_t {
  kNone,
  // Estimated from the times, half of the rows are expired; or some expired a week ago, so that
  // they do not stay forever in a file with live rows.
  kSome,
  kAll,  // all are expired: a rewrite costs nothing
};
RewriteNeed NeedOf(const FileRows& rows, const RowExpiry::Pass& pass);

// Thread-safe.
class RocksRetention {
 public:
  RocksRetention();

  // Adds the filter and the summary to the options of a family, before it is opened.
  void AddTo(rocksdb::ColumnFamilyOptions* family) const;

  // Rows expire from now on. `expiry` is borrowed, and outlives the database. Older files have no
  // summary; LSM compactions drop their expired rows.
  void SetExpiry(const RowExpiry* expiry) { expiry_->store(expiry); }

  // Rewrites files that need it, some files a call at most. Returns the bytes freed. Skips files
  // that an LSM compaction is using. kUnavailable, kDataLoss: storage's.
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

  // Shared with active filters and summaries, which RocksDB may keep longer than this object.
  const std::shared_ptr<std::atomic<const RowExpiry*>> expiry_;
  Mutex dropping_;                          // one DropFiles at a time
  Files files_ ABSL_GUARDED_BY(dropping_);  // of all families
};

}  // namespace hourcell
