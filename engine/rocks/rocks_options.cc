#include "engine/rocks/rocks_options.h"

#include <algorithm>

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "engine/rocks/files/sst_footer.h"
#include "engine/rocks/regions/rocks_memtable_budget.h"
#include "engine/rocks/rocks_log.h"
#include "engine/rocks/rocks_merge.h"

// Why these numbers: docs/storage.md has the measurements, on the rows of finished stores.
// Levels with dynamic sizes write 1.3 times what fixed ones write and keep nine rows in ten in
// the lowest level, whose files expire whole; universal LSM compaction writes least with many
// metrics and needs room for a second copy. RocksDB's stalls stop all families, so their limits
// are out of reach and RegionBacklog refuses before.

namespace hourcell {
namespace {

// The figures below are docs/storage.md's, where the data sets and the alternatives are.

// All blocks. A point read decodes one: 6 to 8 us against 13 with 16 KiB ones; and with the
// dictionary files are smaller than theirs are without, or larger by 0.2 % at most.
constexpr size_t kTableBlockBytes = 8 << 10;

// Of the lowest level of `data`. Most of what a block repeats, the tags of its keys, is in other
// blocks too: integers take 6 % less (1 % with many hosts), doubles 11 %, sparse rows 11 %. It is
// pieces of blocks as they are: a trained one is no better, and costs an LSM compaction four to
// seven times its CPU. Each open file has its dictionary in memory.
constexpr uint32_t kDictionaryBytes = 64 << 10;
constexpr uint64_t kDictionarySampleBytes = 4 << 20;

// Replay costs about a second for 8 MB; this bounds an open after kill -9. A burst of a million new
// series logs some 250 MB, and is flushed as often as that takes.
constexpr uint64_t kLogBytesMax = 64 << 20;

// What RocksDB does for a family that lags holds up all of them, and a write that waits there
// waits as long as a disk takes nothing. So it comes long after RegionBacklog's limits, and after
// RocksRecovery has refused to write.
void PutOffStalls(rocksdb::ColumnFamilyOptions* family) {
  family->max_write_buffer_number = 64;
  family->level0_slowdown_writes_trigger = 1000;
  family->level0_stop_writes_trigger = 1000;
  family->soft_pending_compaction_bytes_limit = 0;  // no limit
  family->hard_pending_compaction_bytes_limit = 0;
}

rocksdb::BlockBasedTableOptions BlockOptions(const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.block_size = kTableBlockBytes;
  // Both are in the footer, which has no checksum; sst_footer.h wants these.
  blocks.format_version = kTableFormatVersion;
  blocks.checksum = kTableChecksum;
  // Half of the index's size, in memory too; a lookup takes as long as with 1.
  blocks.index_block_restart_interval = 16;
  // Index, filter and dictionary of a file stay with it while it is open, 0.9 MB for 64 MiB, and
  // cost no look-up; but they count in the cache, where blocks make room for them.
  blocks.cache_usage_options.options_overrides[rocksdb::CacheEntryRole::kBlockBasedTableReader] = {
      .charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled};
  return blocks;
}

void SetUpRows(const Options& options,
               rocksdb::BlockBasedTableOptions* blocks,
               rocksdb::ColumnFamilyOptions* family) {
  family->merge_operator = NewRowMergeOperator();
  // RocksDB's least.
  constexpr uint64_t kFlushBytesMin = 64 << 10;
  family->write_buffer_size = std::clamp<uint64_t>(options.regions.split.flush_bytes,
                                                   kFlushBytesMin, options.write_buffer_bytes);
  // A query asks for rows of hours in which a series had no points. Of Bloom's size 70 %, that is
  // 0.9 B a row, and as quick to ask.
  blocks->filter_policy.reset(rocksdb::NewRibbonFilterPolicy(10));
  family->bottommost_compression = rocksdb::kZSTD;
  family->bottommost_compression_opts.enabled = true;
  family->bottommost_compression_opts.max_dict_bytes = kDictionaryBytes;
  family->bottommost_compression_opts.max_dict_buffer_bytes = kDictionarySampleBytes;
}

void SetUpNames(size_t write_buffer_bytes,
                rocksdb::BlockBasedTableOptions* blocks,
                rocksdb::ColumnFamilyOptions* family) {
  family->write_buffer_size = write_buffer_bytes;
  // Every new name and series is looked for first, and not found: in files by their filters, and in
  // memory by a filter too, a fifth of the CPU of making new series.
  blocks->filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  family->memtable_prefix_bloom_size_ratio = 0.02;
  family->memtable_whole_key_filtering = true;
  // Keys are long and alike: 2 % less than with 16. A dictionary pays nothing here.
  blocks->block_restart_interval = 32;
  // A burst of new series is flushed while it comes in, and what is flushed is soon merged. A fifth
  // of a flush's CPU.
  family->compression_per_level = {rocksdb::kLZ4Compression, rocksdb::kZSTD};
}

}  // namespace

uint64_t MemtableBytes(const Options& options) {
  return 4 * uint64_t{options.write_buffer_bytes};
}

rocksdb::DBOptions RocksDbOptions(const Options& options) {
  rocksdb::DBOptions db;
  db.create_if_missing = options.create_if_missing;
  // A store that was being created when the process died has some of its tables only; one that was
  // made before there were annotations lacks theirs.
  db.create_missing_column_families = true;
  db.max_background_jobs = options.background_jobs;
  db.max_open_files = options.open_files_max;
  // What was written but not synced may be lost from its end, never from its middle.
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  db.max_total_wal_size = kLogBytesMax;
  // A store flushes its tables before it closes; what is in the default family is worth no file.
  db.avoid_flush_during_shutdown = true;
  db.write_buffer_manager = NewMemtableCount(MemtableBytes(options));
  // Hands dirty pages to the disk as they come, so that a sync has little left to do.
  db.wal_bytes_per_sync = 512 << 10;
  db.bytes_per_sync = 1 << 20;
  // Not RocksDB's own, which does not survive a full disk.
  db.info_log = OpenRocksLog(options.path + "/rocksdb.log");
  // A damaged file is refused at open instead of being found by a query.
  db.paranoid_checks = true;
  // Nothing is read from RocksDB's file of options: a store opens without it. Release 9 says no.
  db.fail_if_options_file_error = false;
  return db;
}

rocksdb::ColumnFamilyOptions RocksTableOptions(const Options& options,
                                               TableId table,
                                               const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::ColumnFamilyOptions family;
  rocksdb::BlockBasedTableOptions blocks = BlockOptions(cache);
  // Level 3; LZ4 is 13 % larger, ZSTD 9 is 1 % smaller for five times the CPU.
  family.compression = rocksdb::kZSTD;
  // Nine rows in ten are in the lowest level, where the dictionary is, one place to read them from,
  // and whole files to expire; it writes 1.3 times what fixed levels do.
  family.compaction_style = rocksdb::kCompactionStyleLevel;
  family.level_compaction_dynamic_level_bytes = true;
  // Rewrite a file for its age: never. What expires is found by rocks_retention.h; and RocksDB
  // would need every file open.
  family.periodic_compaction_seconds = 0;
  family.ttl = 0;
  PutOffStalls(&family);
  switch (table) {
    case TableId::kData:
      SetUpRows(options, &blocks, &family);
      break;
    case TableId::kSeries:
      family.merge_operator = NewPostingMergeOperator();
      // Index rows come by the ten thousand; half as many flushes, half as many LSM compactions.
      SetUpNames(options.write_buffer_bytes, &blocks, &family);
      break;
    case TableId::kUid:
    case TableId::kMeta:
    case TableId::kAnnotation:
      SetUpNames(std::min<size_t>(options.write_buffer_bytes, 8 << 20), &blocks, &family);
      break;
  }
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  return family;
}

rocksdb::ReadOptions RocksReadOptions() {
  rocksdb::ReadOptions options;
  // There are none. RocksDB 7.8.3 looks for them where a file ends and the next one of its level
  // begins, forgets there that the next one could not be read (MergingIterator::SkipNextDeleted),
  // and goes on without its rows.
  options.ignore_range_deletions = true;
  return options;
}

}  // namespace hourcell
