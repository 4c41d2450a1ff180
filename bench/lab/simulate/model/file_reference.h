// Which daughter of a split gets what of a file of its parent: HBase's rules of HalfStoreFileReader
// references. A reference is a file of which half is foreign, and must be rewritten; a link is a
// whole file that changes its owner. Pure.

#pragma once

#include <cstdint>
#include <string_view>

namespace hourcell {

enum class FileShare : uint8_t { kNothing, kLink, kReference };

struct DaughterFiles {
  FileShare bottom = FileShare::kNothing;  // the daughter below the split key
  FileShare top = FileShare::kNothing;     // the one that begins with it

  friend bool operator==(const DaughterFiles&, const DaughterFiles&) = default;
};

// Of a file with rows from `first_row` to `last_row`, inclusive. The split row is the top
// daughter's.
DaughterFiles ShareFile(std::string_view first_row,
                        std::string_view last_row,
                        std::string_view split_row);

}  // namespace hourcell
