// Options: how a store is opened. Every field has its unit, its default and its setting's name.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>

#include "codec/limits.h"
#include "codec/rollups/metric_rules.h"
#include "codec/rollups/rollup_config.h"
#include "codec/rows/layout.h"
#include "engine/regions/split/region_settings.h"

namespace rocksdb {
class Env;
}

namespace hourcell {

class Clock;
class StorageEngine;
class StoreObserver;

// The failures that an acknowledged point survives.
enum class Durability : uint8_t {
  kNever,     // kill -9 of the process; the operating system writes when it likes
  kInterval,  // kill -9; power loss, except the last `sync_interval_ms`
  kAlways,    // kill -9 and power loss
};

// How rows are stored once their hour is sealed. Both formats may mix in a store.
enum class CellEncoding : uint8_t {
  kPacked,    // columns; the smallest
  kOpenTsdb,  // OpenTSDB's bytes
};

// Limits of one sub query; 0 = no limit. A query beyond one fails with kResourceExhausted.
struct QueryLimits {
  uint64_t points = 0;   // read
  uint64_t bytes = 0;    // of the cells read
  uint64_t rows = 0;     // read, those of other series that a scan meets included
  uint64_t series = 0;   // selected
  int64_t range_ms = 0;  // end - start
  friend bool operator==(const QueryLimits&, const QueryLimits&) = default;
};

// Limits of the metrics with a name that matches a regular expression. The first matching entry
// counts, with all its fields.
struct MetricQueryLimits {
  std::string metric;  // RE2, found anywhere in the name
  QueryLimits limits;
  friend bool operator==(const MetricQueryLimits&, const MetricQueryLimits&) = default;
};

struct Options {
  std::string path;  // the store's directory; with `storage`, what errors call the store
  // Where tables and journal are, if not in `path`. Null: in `path`, by RocksDB.
  std::shared_ptr<StorageEngine> storage;
  bool create_if_missing = true;
  // This process only reads. All writes fail with kFailedPrecondition, and it writes nothing to the
  // storage. With `storage` it follows a store with another writer: its reads have every point that
  // was acknowledged before they began, and it neither excludes other processes nor waits for them.
  // Without, it reads a directory that no process writes meanwhile (engine/rocks/rocks_storage.h).
  bool follow = false;

  // Fixed when the store is created; opening with another one is refused.
  Layout layout;
  // False: use the store's layout (tools). True: the store must have `layout`.
  bool check_layout = true;
  // True: use the store's name encoding; layout.names is for a new store.
  bool names_of_store = false;

  Durability sync = Durability::kInterval;  // tsd.storage.sync
  int64_t sync_interval_ms = 1000;          // tsd.storage.sync_interval

  bool auto_create_metrics = true;  // tsd.core.auto_create_metrics (OpenTSDB: false)
  bool auto_create_tagks = true;    // tsd.core.auto_create_tagks
  bool auto_create_tagvs = true;    // tsd.core.auto_create_tagvs
  bool random_metric_uids = false;  // tsd.core.uid.random_metrics
  std::string extra_name_chars;     // tsd.core.tag.allow_specialchars, UTF-8
  // Of a store with NameEncoding::kAny: points that do not say so may have any names, too.
  bool put_any_names = false;              // tsd.core.put_any_names
  size_t tags_max = kTagsMaxDefault;       // tsd.storage.max_tags
  size_t uid_cache_names_max = 1'000'000;  // per kind and direction
  size_t series_cache_bytes = 512 << 20;   // tsd.storage.series_cache: series by their raw tags

  // Open hours and their journal. Beyond a limit an append waits (AppendOptions::wait_ms).
  size_t open_hours_bytes = 512 << 20;         // tsd.storage.open_hours
  uint64_t journal_bytes = uint64_t{1} << 30;  // tsd.storage.journal
  size_t journal_segment_bytes = 64 << 20;     // tsd.storage.journal.segment
  // Time after an hour's end, and its last write, before it is sealed.
  int64_t seal_grace_s = 600;     // tsd.storage.seal_grace
  bool drop_empty_series = true;  // tsd.storage.drop_empty_series: once all points expired
  // An hour that needs the journal for longer is sealed early.
  int64_t journal_age_s = 3 * 3600;                    // tsd.storage.journal.age
  CellEncoding cell_encoding = CellEncoding::kPacked;  // tsd.storage.cell
  // Hours with fewer points share the row of their day if cells are packed; 0: none.
  uint32_t day_row_points = 250;  // tsd.storage.day_row_points
  // Points older than this expire, unless their metric has another TTL; 0 = never. Stored in the
  // store; nullopt = the stored value, or else never.
  std::optional<int64_t> ttl_s = {};  // tsd.storage.ttl
  // How long a delete, a rename or a shorter TTL can be undone; until then points stay in files. 0:
  // deletes remove points at once, also in a store without TableCapability::kAtomicGroups.
  int64_t undo_s = 0;              // tsd.storage.undo
  size_t lanes = 0;                // shards of ingest; 0 = by the processors
  bool seal_in_background = true;  // false: only SealDue and pressure seal

  // Receives messages for the operator, one line each. May be null. Called by any thread.
  std::function<void(std::string_view message)> warn = {};

  // RocksDB's memory for all tables together: stored blocks, and the index, filter and dictionary
  // of each open file, which displace blocks.
  size_t block_cache_bytes = 512 << 20;  // tsd.storage.block_cache
  // All memtables are four of these at most.
  size_t write_buffer_bytes = 64 << 20;  // tsd.storage.write_buffer: one memtable
  int background_jobs = 2;   // tsd.storage.background_jobs: flushes and LSM compactions at once
  int open_files_max = 512;  // tsd.storage.open_files: SST files open at once

  // tsd.region.presplit: the regions a new store's data table begins with, as regions/presplit.h
  // says (`hex:16`, `salt`, `keys:a,b`, `file:PATH` and others); empty: one.
  std::string presplit;
  // tsd.region.split.*, tsd.region.normalizer.* and HBase's names: of the data table.
  RegionSettings regions;

  QueryLimits query_limits;                              // tsd.query.limits.*
  std::vector<MetricQueryLimits> query_limit_overrides;  // tsd.query.limits.overrides.config
  size_t query_memory_bytes = size_t{1} << 30;           // tsd.query.memory: of all queries at once
  int64_t query_timeout_ms = 0;                          // tsd.query.timeout; 0 = none
  size_t query_threads = 0;  // tsd.query.threads: that work for one query; 0 = by the processors
  bool skip_unresolved_tagvs = false;  // tsd.query.skip_unresolved_tagvs
  // From this number of series on, a plan reads which are active: engine/series/active_sets.h.
  size_t active_from_series = 256;
  // From this number of series on, a filter with a common prefix of its values is looked up among
  // the names.
  size_t names_from_series = 1024;

  // tsd.rollups.config: queries read rollups in place of points where they can. nullopt: none.
  std::optional<RollupConfig> rollups = {};
  // tsd.rollups.rules: the store computes levels, and reads them. nullopt: none. Not with a storage
  // that processes share.
  std::optional<MetricRules> rollup_rules = {};
  bool split_rollups = false;  // tsd.rollups.split_query.enable: points after a level's delay
  std::string aggregate_tagk = "_aggregate";  // tsd.rollups.agg_tag_key: of pre-aggregates
  std::string raw_aggregate = "RAW";          // tsd.rollups.raw_agg_tag_value

  // Observers, called in this order: engine/store_observer.h. Borrowed until the store is
  // closed.
  std::vector<StoreObserver*> observers = {};

  // Seams for tests. Borrowed; null = the real thing.
  Clock* clock = nullptr;
  rocksdb::Env* env = nullptr;
  // Called before each growth of the memory under query_memory_bytes; true refuses the growth.
  std::function<bool()> refuse_query_memory = {};

  // kInvalidArgument: the message has the field, its value and the valid values.
  absl::Status Validate() const;
};

}  // namespace hourcell
