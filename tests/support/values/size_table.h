// Tables of sizes in golden files. A size is a count, the same on every machine, so a test can hold
// it: a test measures rows, and compares them with the rows of its file.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hourcell {

// The bytes of some stored points.
struct SizeRow {
  std::string name;  // at most 35 bytes
  size_t points = 0;
  size_t bytes = 0;
};

// Prints `rows`. Fails the test for each row whose bytes differ from the file's by more than
// `tolerance`, a fraction, and for each row that the file lacks. `golden` is a path in the source
// tree. HOURCELL_GOLDEN=1 writes the file anew.
void ExpectSizes(std::string_view golden, std::span<const SizeRow> rows, double tolerance);

}  // namespace hourcell
