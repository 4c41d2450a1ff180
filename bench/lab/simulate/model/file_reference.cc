#include "bench/lab/simulate/model/file_reference.h"

#include "codec/base/check.h"

namespace hourcell {

DaughterFiles ShareFile(std::string_view first_row,
                        std::string_view last_row,
                        std::string_view split_row) {
  HOURCELL_DCHECK(first_row <= last_row);
  if (split_row <= first_row) return {.bottom = FileShare::kNothing, .top = FileShare::kLink};
  if (split_row > last_row) return {.bottom = FileShare::kLink, .top = FileShare::kNothing};
  return {.bottom = FileShare::kReference, .top = FileShare::kReference};
}

}  // namespace hourcell
