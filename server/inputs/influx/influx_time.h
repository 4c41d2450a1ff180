// InfluxUnit: the unit of the timestamps of InfluxDB's line protocol, which `precision` names.
// Pure.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hourcell {

// `multiply` or `divide` makes milliseconds of a number in the unit.
struct InfluxUnit {
  std::string_view name;
  int64_t multiply = 1;
  int64_t divide = 1;
};

inline constexpr std::string_view kInfluxUnitDefault = "ns";

// Of "ns", "us", "ms", "s", "m", "h", "n" or "u". Null for any other name.
const InfluxUnit* FindInfluxUnit(std::string_view name);

// The milliseconds since 1970 of a timestamp; finer times are cut off. Nothing: before or after
// what a store takes, 1 to kTimestampMsMax.
std::optional<int64_t> InfluxTimeMs(int64_t number, const InfluxUnit& unit);

}  // namespace hourcell
