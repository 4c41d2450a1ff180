// Region names in HBase's format, for users and tools that know HBase:
//
//   <table>,<start key>,<region id>.<encoded name>.
//
// The encoded name is the MD5 of "<table>,<start key>,<region id>" in hex. Sort regions by table,
// start key and id, never by this name: as text, "aa1!" sorts before "aa1," (HBASE-24376). Pure.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "engine/regions/region_info.h"

namespace hourcell {

// Bytes as HBase's shell prints them (Bytes.toStringBinary): printable ASCII but for the backslash
// as it is, any other byte as \xNN with upper-case digits.
std::string ToStringBinary(std::string_view bytes);

// "[start, end)", both as ToStringBinary prints them.
std::string RangeText(const RegionRange& range);

// The reverse of ToStringBinary. Digits of either case. kInvalidArgument for a backslash that
// begins no \xNN and for characters that ToStringBinary would have escaped.
absl::StatusOr<std::string> FromStringBinary(std::string_view text);

// 32 hex digits.
std::string EncodedRegionName(std::string_view table, std::string_view start, RegionId id);

// With the start key as raw bytes, as in HBase's catalogue.
std::string RegionName(std::string_view table, std::string_view start, RegionId id);

// With the start key escaped, as it is printed.
std::string PrintableRegionName(std::string_view table, std::string_view start, RegionId id);

struct RegionNameParts {
  std::string table = {};
  std::string start = {};
  RegionId id = {};

  friend bool operator==(const RegionNameParts&, const RegionNameParts&) = default;
};

// The parts of a raw name. The table ends at the first comma, the start key at the last one.
// kInvalidArgument for another form, an id other than 1 to 19 digits without leading zeros, and an
// encoded name that does not match the rest.
absl::StatusOr<RegionNameParts> ParseRegionName(std::string_view name);

// The same for a printed name.
absl::StatusOr<RegionNameParts> ParsePrintableRegionName(std::string_view text);

}  // namespace hourcell
