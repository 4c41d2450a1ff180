// The encoder's choice of the form of a column. Integer arithmetic only, so that every machine
// makes the same bytes. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codec/cells/column_stream.h"
#include "codec/cells/integer_column.h"

namespace hourcell {

struct ColumnChoice {
  ColumnHead head;
  // The residuals of all values but the first, and in the second version but the last, as they are
  // coded.
  std::vector<uint64_t> numbers;
};

// REQUIRES: values that are not a line.
ColumnChoice ChooseColumn(ColumnVersion version, std::span<const uint64_t> values);

}  // namespace hourcell
