#include "server/plot/ticks.h"

#include <cmath>

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell::plot {
namespace {

// An axis with more ticks is not labelled one by one.
constexpr double kTicksMax = 1'000;

// The least step of the series 1, 2, 2.5, 5, 10 ... that is not below `step`.
double RoundStep(double step) {
  const double power = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * power >= step * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

std::vector<Tick> LinearTicks(double low, double high, size_t count) {
  HOURCELL_CHECK(low <= high && count >= 2);
  if (low == high) {  // one value: from zero to it, or around zero
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
    if (low == high) high = 1;
  }
  const double step = RoundStep((high - low) / static_cast<double>(count - 1));
  const double first = std::floor(low / step + 1e-9);
  const double last = std::ceil(high / step - 1e-9);
  HOURCELL_CHECK(last - first <= kTicksMax);
  std::vector<Tick> ticks;
  for (int i = 0; i <= static_cast<int>(last - first); ++i) {
    // Adding steps would give 0.30000000000000004 at the third.
    const double value = (first + i) * step;
    ticks.push_back({.value = value, .label = NumberText(value)});
  }
  return ticks;
}

std::vector<Tick> LogTicks(double low, double high, size_t count) {
  HOURCELL_CHECK(0 < low && low <= high && count >= 2);
  double first = std::floor(std::log10(low) + 1e-9);
  double last = std::ceil(std::log10(high) - 1e-9);
  if (last <= first) last = first + 1;
  const double every = std::ceil((last - first) / static_cast<double>(count - 1));
  last = first + std::ceil((last - first) / every) * every;
  const bool has_room = 3 * (last - first) <= static_cast<double>(count) + 1;
  std::vector<Tick> ticks;
  for (int i = 0; i <= static_cast<int>((last - first) / every); ++i) {
    const double decade = first + i * every;
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor > 1 && (!has_room || decade == last)) continue;
      const double value = factor * std::pow(10, decade);
      ticks.push_back({.value = value, .label = NumberText(value)});
    }
  }
  return ticks;
}

std::string NumberText(double value) {
  struct Unit {
    double size;
    const char* letter;
  };
  constexpr Unit kUnits[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  if (std::fabs(value) >= 9'999.5 && std::fabs(value) < 1e15) {
    for (const Unit& unit : kUnits) {
      if (std::fabs(value) >= unit.size * 0.99995) {
        return fmt::format("{:.4g}{}", value / unit.size, unit.letter);
      }
    }
  }
  return fmt::format("{:.4g}", value == 0 ? 0.0 : value);  // never -0
}

}  // namespace hourcell::plot
