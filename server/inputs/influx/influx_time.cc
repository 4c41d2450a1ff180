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
  if (number <= 0 || number > kTimestampMsMax / unit.multiply * unit.divide) return std::nullopt;
  const int64_t ms = number / unit.divide * unit.multiply;
  return ms > 0 ? std::optional(ms) : std::nullopt;
}

}  // namespace hourcell
