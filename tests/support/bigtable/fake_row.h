// Rows and tables as a FakeBigtable has them. Values.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace hourcell {

// A name alone is a qualifier of the family that most tables have.
struct FakeColumn {
  FakeColumn(const char* name) : qualifier(name) {}  // NOLINT(google-explicit-constructor)
  FakeColumn(std::string name)
      : qualifier(std::move(name)) {}  // NOLINT(google-explicit-constructor)
  FakeColumn(std::string of, std::string name)
      : family(std::move(of)), qualifier(std::move(name)) {}
  std::string family = "h";
  std::string qualifier;
  friend auto operator<=>(const FakeColumn&, const FakeColumn&) = default;
};

// Cells by column, then by timestamp, the newest first.
using FakeRow = std::map<FakeColumn, std::map<int64_t, std::string, std::greater<>>>;
// Rows by key.
using FakeTable = std::map<std::string, FakeRow>;
// Tables by full name.
using FakeTables = std::map<std::string, FakeTable>;
// Families of tables, by the table's full name.
using FakeFamilies = std::map<std::string, std::set<std::string>>;

}  // namespace hourcell
