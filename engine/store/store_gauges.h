// Gauges of an open store, read on each request for statistics: StoreGauges are those of every
// role, names, series and regions; WriteGauges those of a process that writes, its open hours,
// journal and waiting appends. All are 0 before the store is open and after it is closed.

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
  // Null: the storage manages its regions, and counting them needs a call.
  RegionStore* regions = nullptr;
  UidDirectory* uids = nullptr;
  SeriesTable* series = nullptr;
  const QueryMemory* query_memory = nullptr;

  void AddTo(Stats* stats) const;
};

// Borrowed as above.
struct WriteGauges {
  const std::atomic<bool>* is_open = nullptr;
  SeriesCache* series_cache = nullptr;
  OpenHours* open_hours = nullptr;
  Journal* journal = nullptr;
  GroupCommit* commit = nullptr;
  Admission* admission = nullptr;

  void AddTo(Stats* stats) const;
};

}  // namespace hourcell
