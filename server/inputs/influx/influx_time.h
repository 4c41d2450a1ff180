// InfluxUnit: the unit of timestamps in InfluxDB's line protocol, named by `precision`. No I/O.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace hourcell {

// Converts to milliseconds: multiply by `multiply`, or divide by `divide`.
struct InfluxUnit {
  std::string_view name;
  int64_t multiply = 1;
  int64_t divide = 1;
};

inline constexpr std::string_view kInfluxUnitDefault = "ns";

// Accepts "ns", "us", "ms", "s", "m", "h", "n" and "u". Null for other names.
const InfluxUnit* FindInfluxUnit(std::string_view name);

// Converts a timestamp to milliseconds since 1970, truncated. Nullopt: outside the range of a
// store, 1 to kTimestampMsMax.
std::optional<int64_t> InfluxTimeMs(int64_t number, const InfluxUnit& unit);

}  // namespace hourcell
