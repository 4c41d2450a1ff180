#include "bench/lab/layouts/cell_form.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/qualifier.h"
#include "codec/value.h"

namespace hourcell::layouts {
namespace {

constexpr std::array kForms = {
    CellForm{CellKind::kPerPoint, false},  CellForm{CellKind::kAppend, false},
    CellForm{CellKind::kCompacted, false}, CellForm{CellKind::kPacked, false},
    CellForm{CellKind::kPerPoint, true},   CellForm{CellKind::kAppend, true},
    CellForm{CellKind::kCompacted, true},  CellForm{CellKind::kPacked, true},
};

std::string_view KindName(CellKind kind) {
  switch (kind) {
    case CellKind::kPerPoint:
      return "cell-per-point";
    case CellKind::kAppend:
      return "append";
    case CellKind::kCompacted:
      return "compacted";
    case CellKind::kPacked:
      break;
  }
  return "packed";
}

}  // namespace

std::span<const CellForm> CellForms() {
  return kForms;
}

std::string CellFormName(const CellForm& form) {
  return fmt::format("{}{}", KindName(form.kind), form.is_ms ? "-ms" : "");
}

absl::StatusOr<CellForm> FindCellForm(std::string_view name) {
  std::string names;
  for (const CellForm& form : kForms) {
    if (CellFormName(form) == name) return form;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", CellFormName(form));
  }
  return absl::InvalidArgumentError(
      fmt::format("cell form {}: expected one of {}", QuoteForMessage(name), names));
}

Mutation PointWrite(const CellForm& form, std::string row, const CellColumns& columns, size_t i) {
  HOURCELL_DCHECK(form.is_by_point());
  Mutation write{TableId::kData, Mutation::Kind::kMerge, std::move(row), ""};
  const Qualifier qualifier = columns.qualifier(i);
  if (form.kind == CellKind::kAppend) {
    AppendPointCell(qualifier.offset_ms, qualifier.is_ms, columns.value(i), &write.value);
    return write;
  }
  write.kind = Mutation::Kind::kSet;
  AppendQualifier(qualifier, &write.key);
  AppendValue(columns.value(i), qualifier.flags, &write.value);
  return write;
}

Mutation RowWrite(const CellForm& form, std::string row, const CellColumns& columns) {
  HOURCELL_DCHECK(!form.is_by_point());
  Mutation write{TableId::kData, Mutation::Kind::kMerge, std::move(row), ""};
  if (form.kind == CellKind::kPacked) {
    AppendPackedCell(columns, &write.value);
  } else {
    AppendCell(columns, &write.value);
  }
  return write;
}

Mutation DayWrite(std::string row, uint32_t hour, const CellColumns& columns) {
  HOURCELL_DCHECK(hour < 24);
  Mutation write{TableId::kData, Mutation::Kind::kMerge, std::move(row), ""};
  std::string of_hour;
  AppendPackedCell(columns, &of_hour);
  AppendDayCellOfHour(hour, of_hour, &write.value);
  return write;
}

absl::Status ReadStored(const CellForm& form,
                        std::string_view key,
                        std::string_view value,
                        CellColumns* out) {
  if (form.kind != CellKind::kPerPoint) return DecodeCell(value, out);
  const size_t width = form.qualifier_bytes();
  if (key.size() < width) {
    return absl::DataLossError(fmt::format("key {}: no qualifier in it", ToHex(key)));
  }
  HOURCELL_ASSIGN_OR_RETURN(const Qualifier qualifier,
                            ParseQualifier(key.substr(key.size() - width)));
  HOURCELL_ASSIGN_OR_RETURN(const Value parsed, ParseValue(qualifier.flags, value));
  out->push_back(qualifier, parsed);
  return absl::OkStatus();
}

}  // namespace hourcell::layouts
