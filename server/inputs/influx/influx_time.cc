#include "server/inputs/influx/influx_time.h"

#include <algorithm>
#include <array>

#include "codec/limits.h"

namespace hourcell {

const InfluxUnit* FindInfluxUnit(std::string_view name) {
  static constexpr std::array<InfluxUnit, 8> kUnits = {{{.name = "ns", .divide = 1'000'000},
                                                        {.name = "n", .divide = 1'000'000},
                                                        {.name = "us", .divide = 1'000},
                                                        {.name = "u", .divide = 1'000},
                                                        {.name = "ms"},
                                                        {.name = "s", .multiply = 1'000},
                                                        {.name = "m", .multiply = 60'000},
                                                        {.name = "h", .multiply = 3'600'000}}};
  const auto found = std::ranges::find(kUnits, name, &InfluxUnit::name);
  return found == kUnits.end() ? nullptr : found;
}

std::optional<int64_t> InfluxTimeMs(int64_t number, const InfluxUnit& unit) {
  const int64_t whole = number / unit.divide;  // truncation never exceeds the range
  if (whole <= 0 || whole > kTimestampMsMax / unit.multiply) return std::nullopt;
  return whole * unit.multiply;
}

}  // namespace hourcell
