// The numbers of a column as a stream of bits. integer_column.h and packed_cell.h describe it. Pure;
// bounded on any bytes; thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codec/cells/column_head.h"
#include "codec/cells/integer_column.h"

namespace hourcell {

inline constexpr uint32_t kEscapeWidthBits = 6;

// Appends the stream of `numbers` of a column of `values` values.
void AppendColumnStream(ColumnVersion version,
                        const ColumnHead& head,
                        size_t values,
                        std::span<const uint64_t> numbers,
                        std::string* out);

// Decodes the stream at the front of `bytes`; its arguments are those of TakeIntegerColumn. Returns its end, or
// nullptr if it is inconsistent. The first version overwrites the last value, too.
const char* DecodeColumnStream(ColumnVersion version,
                               const ColumnHead& head,
                               std::string_view bytes,
                               std::span<uint64_t> values,
                               IntegerTotals* totals);

// Adds a value to the totals.
inline void AddToTotals(uint64_t value, IntegerTotals* totals) {
  const auto number = static_cast<int64_t>(value);
  totals->min = number < totals->min ? number : totals->min;
  totals->max = number > totals->max ? number : totals->max;
  totals->sum += value;
}

}  // namespace hourcell
