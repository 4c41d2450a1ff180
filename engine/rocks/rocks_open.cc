#include "engine/rocks/rocks_open.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <rocksdb/write_batch.h>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/rocks/files/rocks_file_checksums.h"
#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/regions/rocks_region_files.h"
#include "engine/rocks/rocks_options.h"
#include "engine/rows/key_range.h"
#include "engine/rows/region_catalogue.h"
#include "engine/rows/store_format.h"

// Why families that no row names are dropped: a split or merge names its new families only once
// they are complete, so recovery only drops the others. They are dropped only after the regions of
// all tables are known to tile them: once, a read that failed halfway through the catalogue dropped
// the families of unread regions.

namespace hourcell {
namespace {

// The region of a table that was never split.
constexpr RegionId kFirstRegion{1};

// An open family that is not yet a region.
struct Family {
  std::string name;
  TableId table = TableId::kSystem;
  std::shared_ptr<RegionBounds> bounds;
  rocksdb::ColumnFamilyHandle* handle = nullptr;
};

std::vector<std::string_view> TableNames() {
  std::vector<std::string_view> names;
  for (const TableId table : kTableIds)
    names.push_back(TableName(table));
  return names;
}

std::string FirstFamilyOf(TableId table) {
  return SpecOf(table).has_regions() ? DefaultColumnFamily(TableName(table), kFirstRegion)
                                     : std::string(TableName(table));
}

// Nothing if the name does not belong to a table.
std::optional<TableId> TableOf(std::string_view family) {
  for (const TableId table : kTableIds) {
    if (!SpecOf(table).has_regions()) {
      if (family == TableName(table)) return table;
      continue;
    }
    if (!family.starts_with(TableName(table))) continue;
    const std::string_view id = family.substr(TableName(table).size());
    const bool is_number =
        id.size() > 1 && id[0] == '.' && id.find_first_not_of("0123456789", 1) == id.npos;
    if (is_number) return table;
  }
  return std::nullopt;
}

// Refuses a store of a newer format before it is changed. An open for writing is too late: it
// flushes the log and may begin an LSM compaction, whose merge operators mark values of an unknown
// format as damaged.
absl::Status CheckFormat(const std::string& directory,
                         rocksdb::DBOptions options,
                         const rocksdb::ColumnFamilyOptions& system_options) {
  const std::string what = fmt::format("open {}", directory);
  options.listeners.clear();
  const std::vector<rocksdb::ColumnFamilyDescriptor> descriptors = {
      {rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions()},
      {std::string(TableName(TableId::kSystem)), system_options}};
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  HOURCELL_RETURN_IF_ERROR(FromRocks(
      rocksdb::DB::OpenForReadOnly(options, directory, descriptors, &handles, &raw), what));
  const std::unique_ptr<rocksdb::DB> db(raw);
  std::string format;
  const rocksdb::Status read = db->Get(RocksReadOptions(), handles[1],
                                       {kStoreFormatKey.data(), kStoreFormatKey.size()}, &format);
  for (rocksdb::ColumnFamilyHandle* const handle : handles)
    HOURCELL_RETURN_IF_ERROR(FromRocks(db->DestroyColumnFamilyHandle(handle), what));
  if (read.IsNotFound()) return absl::OkStatus();  // its creation was interrupted
  HOURCELL_RETURN_IF_ERROR(FromRocks(read, what));
  return CheckStoreFormat(directory, format);
}

// The names of the existing families; empty without a store.
absl::StatusOr<std::vector<std::string>> ListFamilies(const std::string& directory,
                                                      const rocksdb::DBOptions& options) {
  std::vector<std::string> names;
  const rocksdb::Status listed = rocksdb::DB::ListColumnFamilies(options, directory, &names);
  if (listed.IsPathNotFound()) return std::vector<std::string>();
  HOURCELL_RETURN_IF_ERROR(FromRocks(listed, fmt::format("open {}", directory)));
  return names;
}

// The families of `names`, and a first one for each table without families.
absl::StatusOr<std::vector<Family>> FindFamilies(const std::string& directory,
                                                 const std::vector<std::string>& names) {
  std::vector<Family> families;
  for (const std::string& name : names) {
    if (name == rocksdb::kDefaultColumnFamilyName) continue;
    const std::optional<TableId> table = TableOf(name);
    if (!table.has_value()) {
      return absl::FailedPreconditionError(
          NewerFormatMessage(fmt::format("open {}: unknown column family {}", directory, name),
                             fmt::format("{}", fmt::join(TableNames(), ", "))));
    }
    families.push_back({.name = name, .table = *table, .bounds = {}, .handle = nullptr});
  }
  for (const TableId table : kTableIds) {
    if (std::ranges::find(families, table, &Family::table) != families.end()) continue;
    families.push_back(
        {.name = FirstFamilyOf(table), .table = table, .bounds = {}, .handle = nullptr});
  }
  for (Family& family : families)
    family.bounds = std::make_shared<RegionBounds>();
  return families;
}

absl::StatusOr<std::unique_ptr<rocksdb::DB>> OpenDb(const std::string& directory,
                                                    const Options& options,
                                                    const RocksFamilies& factory,
                                                    const rocksdb::DBOptions& db_options,
                                                    std::vector<Family>* families) {
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.emplace_back(rocksdb::kDefaultColumnFamilyName, rocksdb::ColumnFamilyOptions());
  for (const Family& family : *families)
    descriptors.emplace_back(family.name, factory.OptionsOf(family.table, family.bounds));
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* raw = nullptr;
  const rocksdb::Status opened =
      options.follow
          ? rocksdb::DB::OpenForReadOnly(db_options, directory, descriptors, &handles, &raw)
          : rocksdb::DB::Open(db_options, directory, descriptors, &handles, &raw);
  if (opened.IsInvalidArgument() && !options.create_if_missing) {
    return absl::NotFoundError(fmt::format("open {}: {}", directory, opened.ToString()));
  }
  HOURCELL_RETURN_IF_ERROR(FromRocks(opened, fmt::format("open {}", directory)));
  std::unique_ptr<rocksdb::DB> db(raw);
  for (size_t i = 0; i < families->size(); ++i)
    (*families)[i].handle = handles[i + 1];
  // The default family is never read, but RocksDB requires that it is opened.
  HOURCELL_RETURN_IF_ERROR(
      FromRocks(db->DestroyColumnFamilyHandle(handles[0]), fmt::format("open {}", directory)));
  return db;
}

// The catalogue's regions by the name of their family; adds keys of transitions to `forgotten`.
absl::StatusOr<std::map<std::string, RegionInfo>> ReadCatalogue(
    rocksdb::DB* db, rocksdb::ColumnFamilyHandle* system, std::vector<std::string>* forgotten) {
  std::map<std::string, RegionInfo> regions;
  const std::unique_ptr<rocksdb::Iterator> row(db->NewIterator(RocksReadOptions(), system));
  const auto visit = [&row](std::string_view prefix) {
    return row->Valid() && row->key().starts_with({prefix.data(), prefix.size()});
  };
  for (row->Seek({kRegionPrefix.data(), kRegionPrefix.size()}); visit(kRegionPrefix); row->Next()) {
    const rocksdb::Slice key = row->key();
    const rocksdb::Slice value = row->value();
    HOURCELL_ASSIGN_OR_RETURN(RegionInfo region,
                              DecodeRegion({key.data(), key.size()}, {value.data(), value.size()}));
    std::string family = region.column_family;
    if (!regions.try_emplace(std::move(family), std::move(region)).second) {
      return absl::DataLossError(
          fmt::format("meta {}: another region has its column family", key.ToString()));
    }
  }
  // Before the next Seek, which forgets an error.
  HOURCELL_RETURN_IF_ERROR(FromRocks(row->status(), "read the region catalogue"));
  for (row->Seek({kTransitionPrefix.data(), kTransitionPrefix.size()}); visit(kTransitionPrefix);
       row->Next()) {
    forgotten->push_back(row->key().ToString());
  }
  HOURCELL_RETURN_IF_ERROR(FromRocks(row->status(), "read the region catalogue"));
  return regions;
}

class Opening {
 public:
  Opening(rocksdb::DB* db, std::vector<Family>* families) : db_(*db), families_(*families) {}

  // With `may_write`, forgets changes of regions without a commit.
  absl::StatusOr<RegionSets> MakeSets(bool may_write) {
    rocksdb::ColumnFamilyHandle* const system =
        std::ranges::find(families_, TableId::kSystem, &Family::table)->handle;
    std::vector<std::string> forgotten;
    HOURCELL_ASSIGN_OR_RETURN(catalogue_, ReadCatalogue(&db_, system, &forgotten));
    rocksdb::WriteBatch batch;
    for (const std::string& key : forgotten)
      HOURCELL_RETURN_IF_ERROR(FromRocks(batch.Delete(system, key), "batch"));
    RegionSets sets;
    for (const TableId table : kTableIds) {
      HOURCELL_ASSIGN_OR_RETURN(sets[static_cast<size_t>(table)], MakeSet(table));
    }
    if (!catalogue_.empty()) {
      const std::string& name = catalogue_.begin()->first;
      return absl::DataLossError(
          fmt::format("region catalogue: column family {} is not in the store", name));
    }
    if (!may_write) return sets;
    // The regions are now known to be complete. These families are from a change without a commit,
    // or of the parents of a committed one.
    for (const std::shared_ptr<RocksRegion>& region : unnamed_)
      HOURCELL_RETURN_IF_ERROR(
          FromRocks(db_.DropColumnFamily(region->family()), "drop " + region->family()->GetName()));
    unnamed_.clear();
    if (batch.Count() > 0) {
      rocksdb::WriteOptions sync;
      sync.sync = true;
      HOURCELL_RETURN_IF_ERROR(FromRocks(db_.Write(sync, &batch), "write the region catalogue"));
      HOURCELL_KILL_POINT("open:catalogue");
    }
    return sets;
  }

 private:
  // Takes the families of `table`, and removes its regions from catalogue_.
  absl::StatusOr<std::shared_ptr<const RegionSet>> MakeSet(TableId table) {
    const std::string_view name = TableName(table);
    const bool was_cut = std::ranges::any_of(
        catalogue_, [name](const auto& entry) { return entry.second.table == name; });
    if (!was_cut) {
      RegionInfo first = FirstRegionOf(table);
      if (std::ranges::find(families_, first.column_family, &Family::name) == families_.end()) {
        return absl::DataLossError(
            fmt::format("region catalogue: table {} has no row, and no column family {}", name,
                        first.column_family));
      }
      std::string family = first.column_family;
      catalogue_.emplace(std::move(family), std::move(first));
    }
    std::vector<std::pair<RegionInfo, std::shared_ptr<RocksRegion>>> regions;
    for (Family& family : families_) {
      if (family.table != table) continue;
      auto region =
          std::make_shared<RocksRegion>(&db_, std::exchange(family.handle, nullptr), family.bounds);
      const auto found = catalogue_.find(family.name);
      if (found == catalogue_.end()) {
        unnamed_.push_back(std::move(region));
        continue;
      }
      region->bounds()->Set(found->second.range);
      regions.emplace_back(std::move(found->second), std::move(region));
      catalogue_.erase(found);
    }
    absl::StatusOr<std::shared_ptr<const RegionSet>> set = RegionSet::Make(std::move(regions));
    if (!set.ok()) {
      return absl::DataLossError(
          fmt::format("region catalogue of table {}: {}", name, set.status().ToString()));
    }
    return set;
  }

  static RegionInfo FirstRegionOf(TableId table) {
    return {.table = std::string(TableName(table)),
            .range = {},
            .id = kFirstRegion,
            .state = RegionState::kOpen,
            .parents = {},
            .pinned_until_ms = 0,
            .has_references = false,
            .column_family = FirstFamilyOf(table)};
  }

  rocksdb::DB& db_;
  std::vector<Family>& families_;
  std::map<std::string, RegionInfo> catalogue_;        // without a region so far, by family
  std::vector<std::shared_ptr<RocksRegion>> unnamed_;  // families without a region
};

}  // namespace

RocksFamilies::RocksFamilies(const Options& options, const RocksRetention* retention)
    : options_(options),
      retention_(*retention),
      cache_(rocksdb::NewLRUCache(options.block_cache_bytes)) {}

rocksdb::ColumnFamilyOptions RocksFamilies::OptionsOf(
    TableId table, std::shared_ptr<const RegionBounds> bounds) const {
  rocksdb::ColumnFamilyOptions family = RocksTableOptions(options_, table, cache_);
  if (SpecOf(table).expiry == TableExpiry::kOfMetric) retention_.AddTo(&family);
  if (SpecOf(table).has_regions()) AddRegionFilter(std::move(bounds), &family);
  return family;
}

absl::StatusOr<OpenedRocks> OpenRocks(const std::string& directory,
                                      const Options& options,
                                      const RocksFamilies& families) {
  OpenedRocks opened;
  opened.environment = MakeRocksEnvironment(
      options.env != nullptr ? options.env : rocksdb::Env::Default(), directory);
  rocksdb::DBOptions db_options = RocksDbOptions(options);
  db_options.env = opened.environment.env.get();
  db_options.listeners.push_back(opened.environment.errors);
  if (!options.observers.empty()) {
    opened.flush_watch = std::make_shared<RocksFlushWatch>(options.observers);
    db_options.listeners.push_back(opened.flush_watch);
  }
  HOURCELL_RETURN_IF_ERROR(CheckSyncedFiles(db_options.env->GetFileSystem().get(), directory));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            ListFamilies(directory, db_options));
  if (std::ranges::find(names, TableName(TableId::kSystem)) != names.end()) {
    HOURCELL_RETURN_IF_ERROR(
        CheckFormat(directory, db_options, families.OptionsOf(TableId::kSystem, nullptr)));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Family> found, FindFamilies(directory, names));
  HOURCELL_ASSIGN_OR_RETURN(opened.db, OpenDb(directory, options, families, db_options, &found));
  absl::StatusOr<RegionSets> sets =
      Opening(opened.db.get(), &found).MakeSets(/*may_write=*/!options.follow);
  for (const Family& family : found) {
    if (family.handle == nullptr) continue;  // a region has it
    opened.db->DestroyColumnFamilyHandle(family.handle).PermitUncheckedError();
  }
  if (!sets.ok()) return sets.status();
  // All writes of the opening must be in a log.
  if (opened.environment.errors->counts().wal > 0) {
    return FromRocks(opened.environment.errors->last(), fmt::format("open {}: WAL", directory));
  }
  opened.sets = *std::move(sets);
  if (!options.follow) {
    HOURCELL_RETURN_IF_ERROR(EmptyStaging(opened.environment.env.get(), directory));
  }
  return opened;
}

}  // namespace hourcell
