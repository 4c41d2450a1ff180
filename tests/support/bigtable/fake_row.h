// Rows and tables as a FakeBigtable has them. Values.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace hourcell {

// Cells of one family: by qualifier, then by timestamp, the newest first.
using FakeRow = std::map<std::string, std::map<int64_t, std::string, std::greater<>>>;
// Rows by key.
using FakeTable = std::map<std::string, FakeRow>;
// Tables by full name.
using FakeTables = std::map<std::string, FakeTable>;

}  // namespace hourcell
