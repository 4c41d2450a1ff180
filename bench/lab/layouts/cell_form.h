// CellForm: maps the points of a row to stored keys and values.
//
//   cell-per-point   a key for each point, row key and qualifier, and the value's bytes: HBase's
//                    cells before row compaction. Written as points come
//   append           one cell a row, to which each point is merged as it comes: OpenTSDB's appends
//   compacted        one cell a row, format 1, written once its hour is over: OpenTSDB's row
//                    compaction
//   packed           one cell a row, format 3, likewise: Hourcell's form. With rows of days
//                    (row_keys.h) a cell of pages, format 5, to which each hour is merged
//
// Each form has qualifiers of 2 bytes (seconds) or 4 (milliseconds; "-ms" after the name), for the
// same instants. Pure; thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/cells/cell.h"
#include "engine/table/table.h"

namespace hourcell::layouts {

enum class CellKind : uint8_t { kPerPoint, kAppend, kCompacted, kPacked };

struct CellForm {
  CellKind kind = CellKind::kPacked;
  bool is_ms = false;  // 4-byte qualifiers

  // True if points are written one by one as they arrive, false if a row at a time.
  bool is_by_point() const { return kind == CellKind::kPerPoint || kind == CellKind::kAppend; }
  // Bytes of a stored key after the row key.
  size_t qualifier_bytes() const { return kind != CellKind::kPerPoint ? 0 : is_ms ? 4 : 2; }

  friend bool operator==(const CellForm&, const CellForm&) = default;
};

// All eight, first those with seconds.
std::span<const CellForm> CellForms();
std::string CellFormName(const CellForm& form);
// kInvalidArgument: unknown name; lists the known ones.
absl::StatusOr<CellForm> FindCellForm(std::string_view name);

// The write of point `i` of `columns` to the row of key `row`. REQUIRES: form.is_by_point().
Mutation PointWrite(const CellForm& form, std::string row, const CellColumns& columns, size_t i);

// The write of a whole row. REQUIRES: !form.is_by_point(), and at least one point.
Mutation RowWrite(const CellForm& form, std::string row, const CellColumns& columns);

// The write of an hour to the row of its day, with packed cells. REQUIRES: hour < 24, and at least
// one point.
Mutation DayWrite(std::string row, uint32_t hour, const CellColumns& columns);

// Appends the points of a stored key and value to `*out`. kDataLoss: they do not decode.
absl::Status ReadStored(const CellForm& form,
                        std::string_view key,
                        std::string_view value,
                        CellColumns* out);

}  // namespace hourcell::layouts
