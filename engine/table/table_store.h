// TableStore: the storage port, the engine's only interface to a storage engine. RocksDB is one
// implementation (rocks_table_store.h), and the tests have one in memory. No type of RocksDB
// appears in the port.
//
// The port has four parts. A user takes only the part that it calls:
//
//   Tables            writes and reads rows                       tables.h
//   RegionList        lists regions and sizes                     region_list.h
//   TableMaintenance  looks after files, and closes               table_maintenance.h
//   RegionStore       divides tables into regions, optional       region_store.h
//
// An implementation lists its further promises in capabilities() (table_capabilities.h).

#pragma once

#include "engine/table/region_list.h"
#include "engine/table/region_store.h"
#include "engine/table/table_capabilities.h"
#include "engine/table/table_maintenance.h"
#include "engine/table/tables.h"

namespace hourcell {

class TableStore : public Tables, public RegionList, public TableMaintenance {
 public:
  // Constant for the life of the object.
  virtual TableCapabilities capabilities() const = 0;

  // Null: the engine alone divides tables. Constant for the life of the object.
  virtual RegionStore* regions() { return nullptr; }
};

}  // namespace hourcell
