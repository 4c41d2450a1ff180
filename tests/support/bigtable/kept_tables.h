// KeptTables: the tables of a FakeBigtable in a directory, so that they outlive its process. Rows
// are values of a RocksDB. Writes survive kill -9, but not a power loss: it is for tests.

#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "tests/support/bigtable/fake_row.h"

namespace rocksdb {
class DB;
}

namespace hourcell {

// Thread-safe. Ends the process if the directory cannot be used.
class KeptTables {
 public:
  // Creates the directory if it is missing. No other process has it open.
  explicit KeptTables(const std::string& directory);
  ~KeptTables();
  KeptTables(const KeptTables&) = delete;
  KeptTables& operator=(const KeptTables&) = delete;

  // All tables, by full name, and their families.
  FakeTables Load(FakeFamilies* families) const;

  // Adds a table with these families. Names contain no byte 0.
  void KeepTable(const std::string& name, const std::set<std::string>& families);
  // Replaces the row atomically. An empty row is deleted.
  void KeepRow(const std::string& table, const std::string& key, const FakeRow& row);

 private:
  const std::unique_ptr<rocksdb::DB> db_;
};

}  // namespace hourcell
