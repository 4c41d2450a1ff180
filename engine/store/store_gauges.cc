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
namespace {

// Adds values that are 0 while the store is not open.
class GaugeAdder {
 public:
  GaugeAdder(const std::atomic<bool>* is_open, Stats* stats) : is_open_(is_open), stats_(*stats) {}

  template <typename Read>
  void Gauge(std::string name, StatTags tags, Read read) const {
    stats_.AddGauge(std::move(name), std::move(tags), WhileOpen(std::move(read)));
  }
  template <typename Read>
  void Count(std::string name, StatTags tags, Read read) const {
    stats_.AddCount(std::move(name), std::move(tags), WhileOpen(std::move(read)));
  }

 private:
  template <typename Read>
  auto WhileOpen(Read read) const {
    return [open = is_open_, read = std::move(read)]() -> int64_t {
      return *open ? static_cast<int64_t>(read()) : 0;
    };
  }

  const std::atomic<bool>* const is_open_;
  Stats& stats_;
};

void AddNameGauges(UidDirectory* uids, const GaugeAdder& add) {
  for (const UidKind kind : kUidKinds) {
    const StatTags tags = {{"kind", std::string(KindName(kind))}};
    const auto of_kind = [&](std::string name, uint64_t UidStats::* field) {
      add.Gauge(std::move(name), tags, [uids, kind, field] { return uids->stats(kind).*field; });
    };
    const auto count_of_kind = [&](std::string name, uint64_t UidStats::* field) {
      add.Count(std::move(name), tags, [uids, kind, field] { return uids->stats(kind).*field; });
    };
    count_of_kind("uid.cache-hit", &UidStats::cache_hits);
    count_of_kind("uid.cache-miss", &UidStats::cache_misses);
    of_kind("uid.cache-size", &UidStats::cache_names);
    of_kind("uid.ids-used", &UidStats::ids_used);
    of_kind("uid.ids-available", &UidStats::ids_available);
    count_of_kind("uid.rejected-assignments", &UidStats::refused);
    count_of_kind("uid.random-collisions", &UidStats::random_collisions);
  }
}

}  // namespace

void StoreGauges::AddTo(Stats* stats) const {
  const GaugeAdder add(is_open, stats);
  AddNameGauges(uids, add);
  for (const TableSpec& table : kTableSpecs) {
    if (regions == nullptr || !table.has_regions()) continue;
    add.Gauge("region.count", {{"table", std::string(table.name)}},
              [regions = regions, id = table.id] { return regions->Regions(id).size(); });
  }
  add.Count("series.created", {}, [series = series] { return series->created(); });
  add.Gauge("query.memory_bytes", {}, [memory = query_memory] { return memory->used(); });
}

void WriteGauges::AddTo(Stats* stats) const {
  const GaugeAdder add(is_open, stats);
  add.Count("series.cache-hit", {}, [cache = series_cache] { return cache->hits(); });
  add.Count("series.cache-miss", {}, [cache = series_cache] { return cache->misses(); });
  add.Gauge("series.cache-size", {}, [cache = series_cache] { return cache->size(); });
  add.Gauge("series.cache-bytes", {}, [cache = series_cache] { return cache->bytes(); });
  add.Count("series.cache-evictions", {}, [cache = series_cache] { return cache->evictions(); });
  const auto sum_lanes = [open_hours = open_hours](size_t (Lane::*count)() const) {
    size_t sum = 0;
    for (const Lane& lane : open_hours->lanes())
      sum += (lane.*count)();
    return sum;
  };
  add.Gauge("hours.open", {}, [sum_lanes] { return sum_lanes(&Lane::open_hours); });
  add.Gauge("hours.series", {}, [sum_lanes] { return sum_lanes(&Lane::series); });
  add.Gauge("hours.bytes", {}, [open_hours = open_hours] { return open_hours->bytes(); });
  add.Gauge("journal.bytes", {}, [journal = journal] { return journal->bytes(); });
  add.Gauge("storage.disk_free_bytes", {},
            [journal = journal] { return journal->DiskFreeBytes().value_or(0); });
  add.Gauge("journal.segments", {}, [journal = journal] { return journal->segments(); });
  add.Gauge("journal.cut_files", {}, [journal = journal] { return journal->unseen_cuts(); });
  add.Count("journal.blocks", {}, [commit = commit] { return commit->blocks_written(); });
  add.Count("journal.errors", {}, [commit = commit] { return commit->failures(); });
  add.Count("append.waited", {}, [admission = admission] { return admission->waited(); });
  add.Count("append.refused", {}, [admission = admission] { return admission->refused(); });
}

}  // namespace hourcell
