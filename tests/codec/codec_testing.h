// Short ways to write bytes and points in tests.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/qualifier.h"
#include "codec/rows/layout.h"
#include "codec/value.h"
#include "tests/support/vectors.h"

namespace hourcell {

// The bytes of hex text; blanks may group them.
inline std::string Hex(std::string text) {
  std::erase(text, ' ');
  const auto bytes = FromHex(text);
  HOURCELL_CHECK(bytes.ok());
  return *bytes;
}

// A format-1 cell from the hex of its qualifiers and values.
inline std::string Cell(const std::string& qualifiers, const std::string& values) {
  return '\x01' + Hex(qualifiers) + Hex(values);
}

inline constexpr bool kSeconds = false;
inline constexpr bool kMs = true;

// Adds a point stored as a put stores it.
inline void AddPoint(uint32_t offset_ms, bool is_ms, Value value, CellColumns* columns) {
  columns->push_back({.offset_ms = offset_ms, .is_ms = is_ms, .flags = ValueFlags(value)}, value);
}

// The cell of `columns` in either format.
inline std::string OpenTsdbCellOf(const CellColumns& columns) {
  std::string cell;
  AppendCell(columns, &cell);
  return cell;
}
inline std::string PackedCellOf(const CellColumns& columns) {
  std::string cell;
  AppendPackedCell(columns, &cell);
  return cell;
}

// A format-1 cell, packed.
inline std::string Packed(const std::string& cell) {
  CellColumns columns;
  HOURCELL_CHECK(DecodeCell(cell, &columns).ok());
  return PackedCellOf(columns);
}

// The layout of a vector that may give a salt.
inline Layout LayoutOf(simdjson::dom::element given) {
  Layout layout;
  if (Has(given, "salt_width")) layout.salt_width = static_cast<size_t>(IntOf(given, "salt_width"));
  if (Has(given, "salt_buckets")) {
    layout.salt_buckets = static_cast<uint32_t>(IntOf(given, "salt_buckets"));
  }
  return layout;
}

}  // namespace hourcell
