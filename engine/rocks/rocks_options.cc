#include "engine/rocks/rocks_options.h"

#include <algorithm>

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include "engine/rocks/files/sst_footer.h"
#include "engine/rocks/regions/rocks_memtable_budget.h"
#include "engine/rocks/rocks_log.h"
#include "engine/rocks/rocks_merge.h"

// Why these numbers: docs/storage.md has the measurements, on the rows of finished stores. Levels
// with dynamic sizes write 1.3 times as much as fixed ones and keep nine rows in ten in the lowest
// level, whose files expire whole. Universal LSM compaction writes least with many metrics and
// needs room for a second copy. RocksDB's stalls stop all families, so their limits are out of
// reach, and RegionBacklog refuses writes earlier.

namespace hourcell {
namespace {

// The figures below are from docs/storage.md, which has the data sets and the alternatives.

// Of all blocks. A point read decodes one: 6 to 8 us, against 13 with blocks of 16 KiB. With the
// dictionary, files are smaller than with 16 KiB blocks without it, or larger by at most 0.2 %.
constexpr size_t kTableBlockBytes = 8 << 10;

// For the lowest level of `data`. The tags of keys, most of the repetition in a block, repeat in
// other blocks, too: integers take 6 % less (1 % with many hosts), doubles 11 %, sparse rows 11 %.
// The dictionary is raw pieces of blocks: a trained one is no better, and costs an LSM compaction
// four to seven times its CPU. Each open file has its dictionary in memory.
constexpr uint32_t kDictionaryBytes = 64 << 10;
constexpr uint64_t kDictionarySampleBytes = 4 << 20;

// Replay costs about a second for 8 MB; this limits the time to open after kill -9. A burst of a
// million new series logs some 250 MB, so it is flushed several times.
constexpr uint64_t kLogBytesMax = 64 << 20;

// RocksDB's stalls for a family that lags delay all families, and a stalled write waits as long as
// the disk refuses writes. So the limits are far above RegionBacklog's, and RocksRecovery refuses
// writes first.
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
  // Both are in the footer, which has no checksum; sst_footer.h expects these values.
  blocks.format_version = kTableFormatVersion;
  blocks.checksum = kTableChecksum;
  // Halves the index, in memory too; a lookup takes as long as with 1.
  blocks.index_block_restart_interval = 16;
  // Index, filter and dictionary of a file stay in memory while it is open, 0.9 MB for 64 MiB,
  // without a look-up; but they count against the cache, which evicts blocks for them.
  blocks.cache_usage_options.options_overrides[rocksdb::CacheEntryRole::kBlockBasedTableReader] = {
      .charged = rocksdb::CacheEntryRoleOptions::Decision::kEnabled};
  return blocks;
}

void SetUpRows(const Options& options,
               rocksdb::BlockBasedTableOptions* blocks,
               rocksdb::ColumnFamilyOptions* family) {
  // RocksDB's minimum.
  constexpr uint64_t kFlushBytesMin = 64 << 10;
  family->write_buffer_size = std::clamp<uint64_t>(options.regions.split.flush_bytes,
                                                   kFlushBytesMin, options.write_buffer_bytes);
  // A query looks up rows of hours in which a series had no points. The filter has 70 % of Bloom's
  // size, 0.9 B a row, and is as fast.
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
  // Every new name and series is looked up first, and not found: filters answer this for files, and
  // for memory, too, which saves a fifth of the CPU of new series.
  blocks->filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  family->memtable_prefix_bloom_size_ratio = 0.02;
  family->memtable_whole_key_filtering = true;
  // Keys are long and alike: 2 % smaller than with 16. A dictionary does not help here.
  blocks->block_restart_interval = 32;
  // A burst of new series is flushed while it is written, and LSM compactions merge the files soon.
  // LZ4 takes a fifth of a flush's CPU.
  family->compression_per_level = {rocksdb::kLZ4Compression, rocksdb::kZSTD};
}

}  // namespace

uint64_t MemtableBytes(const Options& options) {
  return 4 * uint64_t{options.write_buffer_bytes};
}

rocksdb::DBOptions RocksDbOptions(const Options& options) {
  rocksdb::DBOptions db;
  db.create_if_missing = options.create_if_missing;
  // A crash while a store is created leaves only some of its tables; a store older than annotations
  // lacks theirs.
  db.create_missing_column_families = true;
  db.max_background_jobs = options.background_jobs;
  db.max_open_files = options.open_files_max;
  // A power loss may lose unsynced writes from the end, never from the middle.
  db.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  db.max_total_wal_size = kLogBytesMax;
  // A store flushes its tables before it closes; the default family needs no file.
  db.avoid_flush_during_shutdown = true;
  db.write_buffer_manager = NewMemtableCount(MemtableBytes(options));
  // Writes dirty pages to the disk continuously, so that a sync has little left to do.
  db.wal_bytes_per_sync = 512 << 10;
  db.bytes_per_sync = 1 << 20;
  // Not RocksDB's logger, which does not survive a full disk.
  if (!options.follow) db.info_log = OpenRocksLog(options.path + "/rocksdb.log");
  // Refuses a damaged file at open, before a query finds it.
  db.paranoid_checks = true;
  // OPTIONS files are never written or read. Without this, release 9 would refuse to open.
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
  // The lowest level has nine rows in ten, so that they use the dictionary, are read from one place
  // and expire in whole files. This writes 1.3 times as much as fixed levels.
  family.compaction_style = rocksdb::kCompactionStyleLevel;
  family.level_compaction_dynamic_level_bytes = true;
  // Never rewrites a file because of its age. rocks_retention.h finds expired rows; and RocksDB
  // would need every file open.
  family.periodic_compaction_seconds = 0;
  family.ttl = 0;
  PutOffStalls(&family);
  family.merge_operator = NewMergeOperator(SpecOf(table).merge);
  switch (SpecOf(table).files) {
    case FileTuning::kRows:
      SetUpRows(options, &blocks, &family);
      break;
    case FileTuning::kIndex:
      // Index rows come by the ten thousand: half the flushes, half the LSM compactions.
      SetUpNames(options.write_buffer_bytes, &blocks, &family);
      break;
    case FileTuning::kNames:
      SetUpNames(std::min<size_t>(options.write_buffer_bytes, 8 << 20), &blocks, &family);
      break;
  }
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  return family;
}

rocksdb::ReadOptions RocksReadOptions() {
  rocksdb::ReadOptions options;
  // The store has no range deletions. RocksDB 7.8.3 looks for them where a file ends and the next
  // one of its level begins, ignores there that it could not read the next one
  // (MergingIterator::SkipNextDeleted), and continues without its rows.
  options.ignore_range_deletions = true;
  return options;
}

}  // namespace hourcell
