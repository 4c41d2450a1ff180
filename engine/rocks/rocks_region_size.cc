#include "engine/rocks/rocks_region_size.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/rocks/rocks_options.h"

// Why sizes and middle keys come from files and not from rows: a policy needs them for each region
// once a second. An estimate by blocks is enough for regions of gigabytes; small regions that a
// user splits are read row by row (engine/regions/live/row_split_probe.h).

namespace hourcell {
namespace {

// Files at either end of a range that are less than this part of the total count whole.
constexpr double kErrorMargin = 0.005;

// The most steps of the search for the middle of a file.
constexpr int kHalvings = 64;

// `with_memory`: includes memtables.
uint64_t BytesBetween(rocksdb::DB* db,
                      rocksdb::ColumnFamilyHandle* family,
                      std::string_view start,
                      std::string_view end,
                      bool with_memory = false) {
  // All our keys are shorter.
  static const std::string above_all(256, '\xff');
  if (end.empty()) end = above_all;
  const rocksdb::Range range({start.data(), start.size()}, {end.data(), end.size()});
  rocksdb::SizeApproximationOptions options;
  options.include_files = true;
  options.include_memtables = with_memory;
  options.files_size_error_margin = kErrorMargin;
  uint64_t bytes = 0;
  db->GetApproximateSizes(options, family, &range, 1, &bytes).PermitUncheckedError();
  return bytes;
}

std::string FirstRowFrom(rocksdb::DB* db,
                         rocksdb::ColumnFamilyHandle* family,
                         const RegionRange& range,
                         std::string_view key) {
  const rocksdb::Slice end = range.end;
  rocksdb::ReadOptions options = RocksReadOptions();
  options.fill_cache = false;
  if (!range.end.empty()) options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> row(db->NewIterator(options, family));
  row->Seek({key.data(), key.size()});
  return row->Valid() ? row->key().ToString() : std::string();
}

// A key in the middle of a file, by bytes, from a binary search: RocksDB does not report the middle
// block of a file.
std::string MiddleOf(const FileSpan& file, const SplitProbe& probe) {
  const uint64_t half = probe.bytes_between(file.smallest, file.largest) / 2;
  std::string low = file.smallest;
  std::string high = file.largest;
  std::string middle = low;
  for (int i = 0; i < kHalvings && low < high; ++i) {
    std::string key = KeyBetween(low, high);
    if (key <= low || key >= high) break;
    middle = key;
    (probe.bytes_between(file.smallest, key) < half ? low : high) = std::move(key);
  }
  return probe.first_row_from(middle);
}

}  // namespace

uint64_t BytesIn(rocksdb::DB* db, const RegionSet& set, size_t index, const ScanRange& range) {
  const RegionRange& region = set.info(index).range;
  const std::string_view start = std::max<std::string_view>(range.begin, region.start);
  std::string_view end = region.end;
  if (end.empty() || (!range.end.empty() && range.end < end)) end = range.end;
  return BytesBetween(db, set.family(index), start, end, /*with_memory=*/true);
}

RegionUse UseOf(rocksdb::DB* db, const RegionSet& set, size_t index) {
  RegionUse use{.region = set.info(index)};
  rocksdb::ColumnFamilyHandle* const family = set.family(index);
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    use.files += level.files.size();
    if (level.level == 0) use.young_files = level.files.size();
  }
  const RegionRange& range = use.region.range;
  use.file_bytes =
      use.region.has_references ? BytesBetween(db, family, range.start, range.end) : metadata.size;
  db->GetIntProperty(family, rocksdb::DB::Properties::kCurSizeAllMemTables, &use.memory_bytes);
  use.rows_written = set.region(index)->backlog()->written();
  use.rows_blocked = set.region(index)->backlog()->blocked();
  use.rows_read = set.region(index)->rows_read();
  return use;
}

RegionProbe ProbeOf(rocksdb::DB* db, const std::shared_ptr<const RegionSet>& set, size_t index) {
  RegionProbe probe;
  rocksdb::ColumnFamilyHandle* const family = set->family(index);
  probe.probe.bytes_between = [db, set, family](std::string_view start, std::string_view end) {
    return BytesBetween(db, family, start, end);
  };
  probe.probe.first_row_from = [db, set, index](std::string_view key) {
    return FirstRowFrom(db, set->family(index), set->info(index).range, key);
  };
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      probe.files.push_back({.smallest = file.smallestkey,
                             .largest = file.largestkey,
                             .mid = {},
                             .bytes = file.size,
                             .store = 0,
                             .level = static_cast<uint32_t>(level.level)});
    }
  }
  const auto largest = std::ranges::max_element(probe.files, {}, &FileSpan::bytes);
  if (largest != probe.files.end()) largest->mid = MiddleOf(*largest, probe.probe);
  return probe;
}

}  // namespace hourcell
