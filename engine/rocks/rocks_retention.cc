#include "engine/rocks/rocks_retention.h"

#include <algorithm>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <rocksdb/compaction_filter.h>
#include <rocksdb/table_properties.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_slice.h"
#include "engine/table/table_spec.h"

// Why expiry uses a compaction filter and summaries of files: DB::DeleteFile is deprecated, and
// DeleteFilesInRange deletes by keys, so that it would also delete a file that was added to the
// range in the meantime. periodic_compaction_seconds needs every file open and rewrites stores
// without expired rows. With 800,000 rows in two files of 59 MB, dropping one file and the head of
// the other took 0.19 s, and the rest 4 ms (docs/storage.md).

namespace hourcell {
namespace {

using ExpirySlot = std::shared_ptr<std::atomic<const RowExpiry*>>;

constexpr char kRowsFormat = 1;

// The most entries of a summary; beyond that, neighbouring metrics share one.
constexpr size_t kEntriesMax = 1024;

// Files have the times of their rows in hours.
constexpr uint32_t kRowsUnitS = 3600;
static_assert(kDataRowSpan.seconds % kRowsUnitS == 0);

// The most rewrites in a call, without files in which all rows are expired.
constexpr size_t kRewritesMax = 16;

// After this time a file is rewritten even for a few expired rows.
constexpr int64_t kLeftForMs = 7 * int64_t{24 * 3600 * 1000};

// With more unknown files, all summaries of the family are read at once.
constexpr size_t kLookupsMax = 16;

class ExpiryFilter : public rocksdb::CompactionFilter {
 public:
  explicit ExpiryFilter(const RowExpiry& expiry) : pass_(expiry) {}

  const char* Name() const override { return "hourcell.expiry"; }

  // Not Filter, which RocksDB does not call for merge operands.
  Decision FilterV2(int /*level*/,
                    const rocksdb::Slice& key,
                    ValueType type,
                    const rocksdb::Slice& /*value*/,
                    std::string* /*new_value*/,
                    std::string* skip_until) const override {
    if (type != ValueType::kValue && type != ValueType::kMergeOperand) return Decision::kKeep;
    if (!pass_.IsExpired(ToView(key))) return Decision::kKeep;
    *skip_until = pass_.EndOfExpired(ToView(key));
    return skip_until->empty() ? Decision::kRemove : Decision::kRemoveAndSkipUntil;
  }

 private:
  mutable RowExpiry::Pass pass_;  // one thread uses a filter
};

class ExpiryFilterFactory : public rocksdb::CompactionFilterFactory {
 public:
  explicit ExpiryFilterFactory(ExpirySlot expiry) : expiry_(std::move(expiry)) {}

  const char* Name() const override { return "hourcell.expiry"; }

  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& /*context*/) override {
    const RowExpiry* const expiry = expiry_->load();
    if (expiry == nullptr || !RowExpiry::Pass(*expiry).is_any()) return nullptr;
    return std::make_unique<ExpiryFilter>(*expiry);
  }

 private:
  const ExpirySlot expiry_;
};

class RowsCollector : public rocksdb::TablePropertiesCollector {
 public:
  // Null: the layout is not known yet, so the file gets no summary.
  explicit RowsCollector(const RowExpiry* expiry) : expiry_(expiry) {}

  const char* Name() const override { return "hourcell.rows"; }

  rocksdb::Status AddUserKey(const rocksdb::Slice& key,
                             const rocksdb::Slice& /*value*/,
                             rocksdb::EntryType /*type*/,
                             rocksdb::SequenceNumber /*sequence*/,
                             uint64_t /*file_size*/) override {
    if (expiry_ == nullptr) return rocksdb::Status::OK();
    const absl::StatusOr<RowKeyView> row = expiry_->row_keys().ParseStored(ToView(key));
    if (!row.ok()) {
      expiry_ = nullptr;  // unknown rows: no summary
      return rocksdb::Status::OK();
    }
    const Uid metric = LoadBigEndian(row->metric.data(), row->metric.size());
    if (current_ == nullptr || current_->first != metric) {
      const FileRows::OfMetrics none{.first = metric,
                                     .last = metric,
                                     .oldest_s = row->base_time_s,
                                     .newest_s = row->base_time_s,
                                     .rows = 0};
      current_ = &metrics_.try_emplace(metric, none).first->second;
    }
    current_->oldest_s = std::min(current_->oldest_s, row->base_time_s);
    // The last hour of the row.
    const uint64_t last_s = row->span.EndS(row->base_time_s) - kDataRowSpan.seconds;
    current_->newest_s = static_cast<uint32_t>(
        std::clamp<uint64_t>(last_s, current_->newest_s, kDataRowSpan.LastBaseS()));
    ++current_->rows;
    return rocksdb::Status::OK();
  }

  rocksdb::Status Finish(rocksdb::UserCollectedProperties* properties) override {
    if (expiry_ == nullptr) return rocksdb::Status::OK();
    FileRows rows;
    for (const auto& [metric, of_metric] : metrics_)
      rows.metrics.push_back(of_metric);
    while (rows.metrics.size() > kEntriesMax)
      JoinNeighbours(&rows.metrics);
    properties->emplace(kFileRowsProperty, rows.Encode());
    return rocksdb::Status::OK();
  }

  rocksdb::UserCollectedProperties GetReadableProperties() const override { return {}; }

 private:
  static void JoinNeighbours(std::vector<FileRows::OfMetrics>* metrics) {
    std::vector<FileRows::OfMetrics> joined;
    for (size_t i = 0; i < metrics->size(); ++i) {
      const FileRows::OfMetrics& one = (*metrics)[i];
      if (i % 2 == 0) {
        joined.push_back(one);
        continue;
      }
      joined.back().last = one.last;
      joined.back().oldest_s = std::min(joined.back().oldest_s, one.oldest_s);
      joined.back().newest_s = std::max(joined.back().newest_s, one.newest_s);
      joined.back().rows += one.rows;
    }
    *metrics = std::move(joined);
  }

  const RowExpiry* expiry_;
  std::map<Uid, FileRows::OfMetrics> metrics_;
  FileRows::OfMetrics* current_ = nullptr;  // in metrics_, of the previous key
};

class RowsCollectorFactory : public rocksdb::TablePropertiesCollectorFactory {
 public:
  explicit RowsCollectorFactory(ExpirySlot expiry) : expiry_(std::move(expiry)) {}

  const char* Name() const override { return "hourcell.rows"; }

  rocksdb::TablePropertiesCollector* CreateTablePropertiesCollector(
      rocksdb::TablePropertiesCollectorFactory::Context /*context*/) override {
    return std::make_unique<RowsCollector>(expiry_->load()).release();
  }

 private:
  const ExpirySlot expiry_;
};

// Estimates the number of expired rows, spread evenly over their time.
uint64_t CountExpired(const FileRows::OfMetrics& rows, int64_t before_ms) {
  if (RowIsBefore(kDataRowSpan, rows.newest_s, before_ms)) return rows.rows;
  if (!RowIsBefore(kDataRowSpan, rows.oldest_s, before_ms)) return 0;
  const double expired_s = FirstRowFromS(kDataRowSpan, before_ms) - rows.oldest_s;
  const double all_s = rows.newest_s - rows.oldest_s + kDataRowSpan.seconds;
  return static_cast<uint64_t>(static_cast<double>(rows.rows) * expired_s / all_s);
}

// One LSM compaction of files, named without their directory. Returns the bytes freed; 0 if the
// files are gone or in use.
absl::StatusOr<uint64_t> Rewrite(rocksdb::DB* db,
                                 rocksdb::ColumnFamilyHandle* family,
                                 const std::vector<std::string>& names,
                                 int to_level) {
  rocksdb::CompactionOptions options;
  options.compression = rocksdb::kDisableCompressionOption;  // the family's
  rocksdb::CompactionJobInfo done{};
  const rocksdb::Status status =
      db->CompactFiles(options, family, names, to_level, /*output_path_id=*/-1, nullptr, &done);
  if (status.IsAborted() || status.IsInvalidArgument() || status.IsIncomplete()) return 0;
  if (status.IsColumnFamilyDropped()) return 0;  // it was split or merged meanwhile
  if (!status.ok()) return FromRocks(status, "drop expired rows");
  const uint64_t before = done.stats.total_input_bytes;
  const uint64_t after = done.stats.total_output_bytes;
  return before > after ? before - after : 0;
}

// Target of level-0 files: the first level below that has files, or the last.
int LevelBelowZero(const rocksdb::ColumnFamilyMetaData& metadata) {
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    if (level.level > 0 && !level.files.empty()) return level.level;
  }
  return metadata.levels.back().level;
}

}  // namespace

std::string FileRows::Encode() const {
  std::string bytes(1, kRowsFormat);
  Uid before = 0;
  for (const OfMetrics& one : metrics) {
    AppendVarint(one.first - before, &bytes);
    AppendVarint(one.last - one.first, &bytes);
    AppendVarint(one.oldest_s / kRowsUnitS, &bytes);
    AppendVarint((one.newest_s - one.oldest_s) / kRowsUnitS, &bytes);
    AppendVarint(one.rows, &bytes);
    before = one.last;
  }
  return bytes;
}

std::optional<FileRows> FileRows::Decode(std::string_view bytes) {
  if (!bytes.starts_with(kRowsFormat)) return std::nullopt;
  bytes.remove_prefix(1);
  FileRows rows;
  Uid before = 0;
  while (!bytes.empty()) {
    uint64_t fields[5];
    for (uint64_t& field : fields) {
      const absl::StatusOr<uint64_t> value = TakeVarint(&bytes);
      if (!value.ok()) return std::nullopt;
      field = *value;
    }
    constexpr uint64_t kHoursMax = UINT32_MAX / kRowsUnitS;
    if (fields[2] > kHoursMax || fields[3] > kHoursMax - fields[2]) return std::nullopt;
    OfMetrics& one = rows.metrics.emplace_back();
    one.first = before + fields[0];
    one.last = one.first + fields[1];
    one.oldest_s = static_cast<uint32_t>(fields[2]) * kRowsUnitS;
    one.newest_s = static_cast<uint32_t>(fields[2] + fields[3]) * kRowsUnitS;
    one.rows = fields[4];
    before = one.last;
  }
  return rows;
}

RewriteNeed NeedOf(const FileRows& rows, const RowExpiry::Pass& pass) {
  uint64_t all = 0;
  uint64_t expired = 0;
  bool is_overdue = false;
  for (const FileRows::OfMetrics& one : rows.metrics) {
    const int64_t before_ms = pass.FilesExpireBeforeMs(one.first, one.last);
    all += one.rows;
    expired += CountExpired(one, before_ms);
    is_overdue = is_overdue || RowIsBefore(kDataRowSpan, one.oldest_s, before_ms - kLeftForMs);
  }
  if (all == 0) return RewriteNeed::kNone;
  if (expired == all) return RewriteNeed::kAll;
  return 2 * expired >= all || is_overdue ? RewriteNeed::kSome : RewriteNeed::kNone;
}

RocksRetention::RocksRetention()
    : expiry_(std::make_shared<std::atomic<const RowExpiry*>>(nullptr)) {}

void RocksRetention::AddTo(rocksdb::ColumnFamilyOptions* family) const {
  family->compaction_filter_factory = std::make_shared<ExpiryFilterFactory>(expiry_);
  family->table_properties_collector_factories.push_back(
      std::make_shared<RowsCollectorFactory>(expiry_));
}

absl::StatusOr<uint64_t> RocksRetention::DropFiles(
    rocksdb::DB* db, std::span<rocksdb::ColumnFamilyHandle* const> families) {
  const RowExpiry* const expiry = expiry_->load();
  if (expiry == nullptr) return 0;
  const RowExpiry::Pass pass(*expiry);
  if (!pass.is_any()) return 0;
  MutexLock lock(&dropping_);
  uint64_t freed = 0;
  Files seen;
  for (rocksdb::ColumnFamilyHandle* const family : families) {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes, DropFilesOf(db, family, pass, &seen));
    freed += bytes;
  }
  files_ = std::move(seen);  // forgets deleted files
  return freed;
}

absl::StatusOr<uint64_t> RocksRetention::DropFilesOf(rocksdb::DB* db,
                                                     rocksdb::ColumnFamilyHandle* family,
                                                     const RowExpiry::Pass& pass,
                                                     Files* seen) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  HOURCELL_RETURN_IF_ERROR(LearnFiles(db, family, metadata, seen));

  uint64_t freed = 0;
  size_t rewrites = 0;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    std::vector<std::string> of_level_0;
    bool level_0_needs_it = false;
    for (const rocksdb::SstFileMetaData& file : level.files) {
      const RewriteNeed need = NeedOf((*seen)[file.file_number], pass);
      if (level.level == 0) {
        // These are versions of one key range, and move together.
        of_level_0.push_back(file.name);
        level_0_needs_it = level_0_needs_it || need != RewriteNeed::kNone;
        continue;
      }
      if (need == RewriteNeed::kNone || file.being_compacted) continue;
      if (need == RewriteNeed::kSome && ++rewrites > kRewritesMax) continue;
      HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes,
                                Rewrite(db, family, {file.name}, level.level));
      freed += bytes;
    }
    if (!level_0_needs_it) continue;
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t bytes,
                              Rewrite(db, family, of_level_0, LevelBelowZero(metadata)));
    freed += bytes;
  }
  return freed;
}

// Adds the summaries of the family's files to `seen`; reads those of new files. A file never
// changes, and a read of its properties may have to open it.
absl::Status RocksRetention::LearnFiles(rocksdb::DB* db,
                                        rocksdb::ColumnFamilyHandle* family,
                                        const rocksdb::ColumnFamilyMetaData& metadata,
                                        Files* seen) {
  std::vector<const rocksdb::SstFileMetaData*> unknown;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      const auto found = files_.find(file.file_number);
      if (found == files_.end()) {
        unknown.push_back(&file);
      } else {
        seen->insert(files_.extract(found));
      }
    }
  }
  if (unknown.empty()) return absl::OkStatus();
  rocksdb::TablePropertiesCollection properties;
  rocksdb::Status read;
  if (unknown.size() > kLookupsMax) {
    read = db->GetPropertiesOfAllTables(family, &properties);
  } else {
    std::vector<rocksdb::Range> ranges;
    for (const rocksdb::SstFileMetaData* const file : unknown)
      ranges.emplace_back(file->smallestkey, file->largestkey);
    read = db->GetPropertiesOfTablesInRange(family, ranges.data(), ranges.size(), &properties);
  }
  HOURCELL_RETURN_IF_ERROR(FromRocks(read, "read table properties"));
  for (const rocksdb::SstFileMetaData* const file : unknown) {
    FileRows& rows = (*seen)[file->file_number];  // without a summary it is never rewritten
    const auto found = properties.find(file->db_path + file->name);
    if (found == properties.end()) continue;
    const auto& collected = found->second->user_collected_properties;
    if (const auto summary = collected.find(kFileRowsProperty); summary != collected.end()) {
      rows = FileRows::Decode(summary->second).value_or(FileRows());
    }
  }
  return absl::OkStatus();
}

}  // namespace hourcell
