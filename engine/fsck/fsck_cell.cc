#include "engine/fsck/fsck_cell.h"

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "codec/limits.h"
#include "codec/qualifier.h"

namespace hourcell {
namespace {

constexpr size_t kFloatBytes = 4;
constexpr size_t kDoubleBytes = 8;
constexpr size_t kSecondsQualifierBytes = 2;

// The corrected cell of a single float; nullopt if `cell` does not have one of the defects.
std::optional<std::string> RepairFloat(std::string_view cell) {
  if (cell.size() != 1 + kSecondsQualifierBytes + kDoubleBytes) return std::nullopt;
  if (static_cast<uint8_t>(cell[0]) != static_cast<uint8_t>(CellFormat::kOpenTsdb)) {
    return std::nullopt;
  }
  const absl::StatusOr<Qualifier> qualifier = ParseQualifier(cell.substr(1));
  if (!qualifier.ok() || qualifier->is_ms || !qualifier->is_float()) return std::nullopt;
  if (qualifier->value_size() != kFloatBytes) return std::nullopt;
  const std::string_view first = cell.substr(1 + kSecondsQualifierBytes, kFloatBytes);
  constexpr std::string_view kZeros("\0\0\0\0", 4);
  if (first != kZeros && first != "\xff\xff\xff\xff") return std::nullopt;
  return std::string(cell.substr(0, 1 + kSecondsQualifierBytes)) +
         std::string(cell.substr(cell.size() - kFloatBytes));
}

}  // namespace

CellCheck CheckCell(std::string_view cell) {
  CellCheck check;
  CellColumns columns;
  const absl::Status decoded = DecodeCell(cell, &columns);
  check.points = columns.size();
  if (decoded.ok()) return check;
  check.text = std::string(decoded.message());
  if (const std::optional<std::string> repaired = RepairFloat(cell)) {
    check.fault = FsckFault::kFloat;
    check.points = 1;
    check.good = *repaired;
    return check;
  }
  const bool is_record =
      !cell.empty() && static_cast<uint8_t>(cell[0]) == static_cast<uint8_t>(CellFormat::kDamaged);
  check.fault = is_record ? FsckFault::kDamagedRow : FsckFault::kCell;
  // Only a record identifies its good points.
  if (is_record && columns.size() > 0) {
    // The good cell of a day's row has offsets that no cell of an hour can hold.
    const bool is_of_day = columns.offset_ms.back() >= kQualifierSpanMs;
    is_of_day ? AppendDayCell(columns, &check.good) : AppendCell(columns, &check.good);
  } else {
    check.points = 0;
  }
  return check;
}

}  // namespace hourcell
