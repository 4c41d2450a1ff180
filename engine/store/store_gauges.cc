#include "engine/store/store_gauges.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "codec/rows/uid.h"
#include "engine/hours/open_hours.h"
#include "engine/hours/series_cache.h"
#include "engine/journal/journal.h"
#include "engine/read/query_meter.h"
#include "engine/series/series_table.h"
#include "engine/table/region_store.h"
#include "engine/write/admission.h"
#include "engine/write/group_commit.h"
#include "uid/uid_directory.h"

namespace hourcell {

void StoreGauges::AddTo(Stats* stats) const {
  const auto add = [this, stats](std::string name, StatTags tags, auto read) {
    stats->AddGauge(std::move(name), std::move(tags), [open = is_open, read]() -> int64_t {
      return *open ? static_cast<int64_t>(read()) : 0;
    });
  };
  const auto add_count = [this, stats](std::string name, StatTags tags, auto read) {
    stats->AddCount(std::move(name), std::move(tags), [open = is_open, read]() -> int64_t {
      return *open ? static_cast<int64_t>(read()) : 0;
    });
  };
  for (const UidKind kind : kUidKinds) {
    const StatTags tags = {{"kind", std::string(KindName(kind))}};
    const auto of_kind = [&](std::string name, uint64_t UidStats::* field) {
      add(std::move(name), tags, [uids = uids, kind, field] { return uids->stats(kind).*field; });
    };
    const auto count_of_kind = [&](std::string name, uint64_t UidStats::* field) {
      add_count(std::move(name), tags,
                [uids = uids, kind, field] { return uids->stats(kind).*field; });
    };
    count_of_kind("uid.cache-hit", &UidStats::cache_hits);
    count_of_kind("uid.cache-miss", &UidStats::cache_misses);
    of_kind("uid.cache-size", &UidStats::cache_names);
    of_kind("uid.ids-used", &UidStats::ids_used);
    of_kind("uid.ids-available", &UidStats::ids_available);
    count_of_kind("uid.rejected-assignments", &UidStats::refused);
    count_of_kind("uid.random-collisions", &UidStats::random_collisions);
  }
  for (const TableSpec& table : kTableSpecs) {
    if (regions == nullptr || !table.has_regions()) continue;
    add("region.count", {{"table", std::string(table.name)}},
        [regions = regions, id = table.id] { return regions->Regions(id).size(); });
  }
  add_count("series.created", {}, [series = series] { return series->created(); });
  add_count("series.cache-hit", {}, [series_cache = series_cache] { return series_cache->hits(); });
  add_count("series.cache-miss", {},
            [series_cache = series_cache] { return series_cache->misses(); });
  add("series.cache-size", {}, [series_cache = series_cache] { return series_cache->size(); });
  add("series.cache-bytes", {}, [series_cache = series_cache] { return series_cache->bytes(); });
  add_count("series.cache-evictions", {},
            [series_cache = series_cache] { return series_cache->evictions(); });
  const auto sum_lanes = [open_hours = open_hours](size_t (Lane::*count)() const) {
    size_t sum = 0;
    for (const Lane& lane : open_hours->lanes())
      sum += (lane.*count)();
    return sum;
  };
  add("hours.open", {}, [sum_lanes] { return sum_lanes(&Lane::open_hours); });
  add("hours.series", {}, [sum_lanes] { return sum_lanes(&Lane::series); });
  add("hours.bytes", {}, [open_hours = open_hours] { return open_hours->bytes(); });
  add("journal.bytes", {}, [journal = journal] { return journal->bytes(); });
  add("query.memory_bytes", {}, [query_memory = query_memory] { return query_memory->used(); });
  add("storage.disk_free_bytes", {},
      [journal = journal] { return journal->DiskFreeBytes().value_or(0); });
  add("journal.segments", {}, [journal = journal] { return journal->segments(); });
  add("journal.cut_files", {}, [journal = journal] { return journal->unseen_cuts(); });
  add_count("journal.blocks", {}, [commit = commit] { return commit->blocks_written(); });
  add_count("journal.errors", {}, [commit = commit] { return commit->failures(); });
  add_count("append.waited", {}, [admission = admission] { return admission->waited(); });
  add_count("append.refused", {}, [admission = admission] { return admission->refused(); });
}

}  // namespace hourcell
