#include "tests/support/values/size_table.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/base/check.h"
#include "tests/support/source_dir.h"

namespace hourcell {
namespace {

constexpr size_t kNameWidth = 36;
constexpr size_t kKeyWidth = kNameWidth + 8;  // with the points

std::string LineOf(const SizeRow& row) {
  HOURCELL_CHECK(row.name.size() < kNameWidth && row.points > 0);
  return fmt::format("{:<36}{:>8}{:>9}{:>8.3f}", row.name, row.points, row.bytes,
                     static_cast<double>(row.bytes) / static_cast<double>(row.points));
}

// The bytes of each line, by the line's name and points.
std::map<std::string, double> ReadBytes(const std::string& path) {
  std::map<std::string, double> bytes;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream numbers(line.substr(std::min(line.size(), kKeyWidth)));
    double count = 0;
    if (numbers >> count) bytes[line.substr(0, kKeyWidth)] = count;
  }
  return bytes;
}

}  // namespace

void ExpectSizes(std::string_view golden, std::span<const SizeRow> rows, double tolerance) {
  std::string table = "# points, bytes, bytes a point\n";
  for (const SizeRow& row : rows)
    table.append(LineOf(row)).push_back('\n');
  fmt::print("{}", table);
  const std::string path = SourcePath(golden);
  if (std::getenv("HOURCELL_GOLDEN") != nullptr) std::ofstream(path) << table;

  const std::map<std::string, double> expected = ReadBytes(path);
  EXPECT_EQ(expected.size(), rows.size()) << golden;
  for (const SizeRow& row : rows) {
    const auto found = expected.find(LineOf(row).substr(0, kKeyWidth));
    if (found == expected.end()) {
      ADD_FAILURE() << golden << ": no row \"" << row.name << "\" of " << row.points << " points";
    } else {
      EXPECT_NEAR(static_cast<double>(row.bytes), found->second, tolerance * found->second)
          << golden << ": " << row.name;
    }
  }
}

}  // namespace hourcell
