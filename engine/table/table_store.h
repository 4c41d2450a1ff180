// TableStore: the storage port, the engine's only interface to a storage engine. RocksDB is one
// implementation (rocks_table_store.h), and the tests have one in memory. No type of RocksDB
// appears in the port.
//
// The port has three parts. An implementation has all parts; a user takes only the part that it
// calls:
//
//   Tables            writes and reads rows             tables.h
//   RegionStore       divides tables into regions       region_store.h
//   TableMaintenance  looks after files, and closes     table_maintenance.h
//
// An implementation lists its further promises in capabilities() (table_capabilities.h).

#pragma once

#include "engine/table/region_store.h"
#include "engine/table/table_capabilities.h"
#include "engine/table/table_maintenance.h"
#include "engine/table/tables.h"

namespace hourcell {

class TableStore : public Tables, public RegionStore, public TableMaintenance {
 public:
  // Constant for the life of the object.
  virtual TableCapabilities capabilities() const = 0;
};

}  // namespace hourcell
