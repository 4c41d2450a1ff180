// Figures of an open store that are read when somebody asks for its statistics: names, series,
// regions, open hours, journal and waiting appends. All are 0 before it is open and once it is
// closed.

#pragma once

#include <atomic>

#include "engine/stats.h"

namespace hourcell {

class Admission;
class GroupCommit;
class Journal;
class OpenHours;
class QueryMemory;
class RegionStore;
class SeriesCache;
class SeriesTable;
class UidDirectory;

// Borrowed; they outlive `stats`' readers, or is_open is false.
struct StoreGauges {
  const std::atomic<bool>* is_open = nullptr;
  // Null: the storage makes its regions by itself, and would have to be asked for their count.
  RegionStore* regions = nullptr;
  UidDirectory* uids = nullptr;
  SeriesTable* series = nullptr;
  SeriesCache* series_cache = nullptr;
  OpenHours* open_hours = nullptr;
  Journal* journal = nullptr;
  GroupCommit* commit = nullptr;
  Admission* admission = nullptr;
  const QueryMemory* query_memory = nullptr;

  void AddTo(Stats* stats) const;
};

}  // namespace hourcell
