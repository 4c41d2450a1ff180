// Divides a file of a parent among the daughters of a split: HBase's rules of HalfStoreFileReader
// references. A reference is a file with a foreign half, and must be rewritten; a link is a whole
// file that changes its owner. Pure.

#pragma once

#include <cstdint>
#include <string_view>

namespace hourcell {

enum class FileShare : uint8_t { kNothing, kLink, kReference };

struct DaughterFiles {
  FileShare bottom = FileShare::kNothing;  // the daughter below the split key
  FileShare top = FileShare::kNothing;     // the daughter that begins with it

  friend bool operator==(const DaughterFiles&, const DaughterFiles&) = default;
};

// Divides a file with rows from `first_row` to `last_row`, inclusive. The split row belongs to the
// top daughter.
DaughterFiles ShareFile(std::string_view first_row,
                        std::string_view last_row,
                        std::string_view split_row);

}  // namespace hourcell
