#include "engine/bigtable/rows/stored_row.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/cells/cell.h"
#include "codec/cells/hbase_row.h"
#include "engine/opentsdb/opentsdb_tables.h"
#include "engine/rows/merge_operands.h"

namespace hourcell {
namespace {

constexpr char kSetKind = '=';
constexpr char kDeleteKind = '-';
constexpr char kOperand = 'm';
constexpr char kJoined = 'j';
constexpr size_t kNameBytes = 1 + 4 * 8;

absl::StatusOr<StoredBase> DecodeBase(BigtableCell cell) {
  StoredBase base;
  base.version = static_cast<uint64_t>(cell.timestamp_micros) / 1000;
  if (cell.timestamp_micros > 0 && !cell.value.empty() && cell.value[0] == kSetKind) {
    cell.value.erase(0, 1);
    base.value = std::move(cell.value);
    return base;
  }
  if (cell.timestamp_micros > 0 && cell.value == EncodeDelete()) return base;
  return absl::DataLossError("a set or delete of a form that is not ours");
}

// Turns a column that does not decode into a cell that does not either: no format begins with 0.
std::string DamagedCellOf(const HBaseCell& column) {
  return std::string(1, '\0').append(column.qualifier).append(column.value);
}

std::string CellOfColumns(const std::vector<BigtableCell>& columns) {
  std::vector<HBaseCell> cells;
  for (const BigtableCell& column : columns) {
    // Only the newest version of a column counts.
    if (!cells.empty() && cells.back().qualifier == column.qualifier) continue;
    cells.push_back({.qualifier = column.qualifier,
                     .value = column.value,
                     .write_time_ms = column.timestamp_micros / 1000});
  }
  HBaseRowContent content = ReadHBaseRow(cells);
  if (content.damaged.empty()) return std::move(content.cell);
  std::vector<std::string> parts;
  if (!content.cell.empty()) parts.push_back(std::move(content.cell));
  for (const DamagedColumn& damaged : content.damaged)
    parts.push_back(DamagedCellOf(cells[damaged.index]));
  const std::vector<std::string_view> operands(parts.begin(), parts.end());
  std::string merged;
  MergeCells({}, operands, &merged);
  return merged;
}

}  // namespace

int64_t MicrosOf(uint64_t version) {
  HOURCELL_CHECK(version <= kVersionMax);
  return static_cast<int64_t>(version) * 1000;
}

std::string EncodeSet(std::string_view value) {
  std::string bytes(1, kSetKind);
  bytes += value;
  return bytes;
}

std::string EncodeDelete() {
  return std::string(1, kDeleteKind);
}

bool OperandName::Covers(const OperandName& other) const {
  return writer == other.writer && cut == other.cut && first <= other.first && other.last <= last;
}

std::string EncodeOperandName(const OperandName& name) {
  std::string bytes(1, name.is_joined() ? kJoined : kOperand);
  for (const uint64_t part : {name.writer, name.cut, name.first, name.last})
    AppendBigEndian(part, 8, &bytes);
  return bytes;
}

absl::StatusOr<OperandName> DecodeOperandName(std::string_view qualifier) {
  if (qualifier.size() != kNameBytes) {
    return absl::DataLossError(
        fmt::format("operand name has {} bytes; expected {}", qualifier.size(), kNameBytes));
  }
  const auto part = [&](size_t i) { return LoadBigEndian(qualifier.data() + 1 + 8 * i, 8); };
  const OperandName name = {.writer = part(0), .cut = part(1), .first = part(2), .last = part(3)};
  if (name.first > name.last || name.last > kVersionMax ||
      qualifier[0] != (name.is_joined() ? kJoined : kOperand)) {
    return absl::DataLossError("operand name of a form that is not ours");
  }
  return name;
}

absl::StatusOr<StoredRow> DecodeStoredRow(BigtableRow row) {
  StoredRow stored;
  stored.key = std::move(row.key);
  std::vector<BigtableCell> opentsdb;
  for (BigtableCell& cell : row.cells) {
    if (cell.family == kOpenTsdbDataFamily) {
      opentsdb.push_back(std::move(cell));
    } else if (cell.qualifier == kBaseQualifier) {
      HOURCELL_ASSIGN_OR_RETURN(stored.bases.emplace_back(), DecodeBase(std::move(cell)));
    } else {
      HOURCELL_ASSIGN_OR_RETURN(const OperandName name, DecodeOperandName(cell.qualifier));
      // All cells of an operand name have the same value; the newest comes first.
      if (!stored.operands.empty() && stored.operands.back().name == name) continue;
      stored.operands.push_back({.name = name, .value = std::move(cell.value)});
    }
  }
  if (!opentsdb.empty()) stored.opentsdb = CellOfColumns(opentsdb);
  std::ranges::sort(stored.bases, std::ranges::greater(), &StoredBase::version);
  std::ranges::sort(stored.operands, [](const StoredOperand& a, const StoredOperand& b) {
    return std::tuple(a.name.last, b.name.first, a.name.writer) <
           std::tuple(b.name.last, a.name.first, b.name.writer);
  });
  return stored;
}

const StoredBase* BaseOf(const StoredRow& row, const VersionView& view) {
  const auto base = std::ranges::find_if(
      row.bases, [&](const StoredBase& each) { return view.Sees(each.version); });
  return base == row.bases.end() ? nullptr : &*base;
}

std::vector<const StoredOperand*> OperandsAbove(const StoredRow& row,
                                                const VersionView& view,
                                                const StoredBase* base) {
  std::vector<const StoredOperand*> above;
  for (const StoredOperand& operand : row.operands) {
    if (!view.Sees(operand.name.last)) continue;
    if (base != nullptr && operand.name.last <= base->version) continue;
    const bool is_inside = std::ranges::any_of(row.operands, [&](const StoredOperand& other) {
      return &other != &operand && view.Sees(other.name.last) && other.name.Covers(operand.name);
    });
    if (!is_inside) above.push_back(&operand);
  }
  return above;
}

std::optional<std::string> ValueOf(TableId table, const StoredRow& row, const VersionView& view) {
  const StoredBase* const base = BaseOf(row, view);
  const std::vector<const StoredOperand*> above = OperandsAbove(row, view, base);
  const bool has_opentsdb = base == nullptr && !row.opentsdb.empty();
  if (above.empty()) {
    if (has_opentsdb) return row.opentsdb;
    return base == nullptr ? std::nullopt : base->value;
  }
  std::vector<std::string_view> values;
  if (has_opentsdb) values.push_back(row.opentsdb);
  if (base != nullptr && base->value.has_value()) values.push_back(*base->value);
  for (const StoredOperand* const operand : above)
    values.push_back(operand->value);
  return MergedOperands(table, values);
}

}  // namespace hourcell
