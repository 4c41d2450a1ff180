#include "bench/lab/simulate/region_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "engine/regions/region_name.h"

namespace hourcell {
namespace {

// Java's Float.toString of a ratio, which is 1 or more: the shortest digits that read back, at
// least one after the point, scientific from 10^7 on.
std::string RatioText(float ratio) {
  char buffer[64];
  const bool is_scientific = ratio >= 1e7F;
  const auto format = is_scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const auto end = std::to_chars(std::begin(buffer), std::end(buffer), ratio, format).ptr;
  std::string text(std::begin(buffer), end);
  const size_t exponent = std::min(text.find('e'), text.size());
  std::string mantissa = text.substr(0, exponent);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  if (!is_scientific) return mantissa;
  // C++ writes e+07 where Java writes E7.
  const size_t digits = text.find_first_not_of("e+0", exponent);
  return fmt::format("{}E{}", mantissa, text.substr(digits));
}

// Java multiplies by 1.0f and divides by an int converted to float.
std::string RatioOf(uint64_t puts, uint64_t least) {
  if (puts == least) return "1.0";
  if (least == 0) return "inf";
  return RatioText(static_cast<float>(puts) / static_cast<float>(least));
}

// Of ascending counts: 2 sum(i x_i) / (n sum(x)) - (n + 1) / n, i from 1.
double GiniOf(const std::vector<uint64_t>& ascending, double total) {
  const auto n = static_cast<double>(ascending.size());
  double weighted = 0;
  for (size_t i = 0; i < ascending.size(); ++i)
    weighted += static_cast<double>(i + 1) * static_cast<double>(ascending[i]);
  return std::max(0.0, 2 * weighted / (n * total) - (n + 1) / n);
}

}  // namespace

SpreadOfCounts SpreadOf(std::span<const uint64_t> counts) {
  SpreadOfCounts spread;
  if (counts.empty()) return spread;
  std::vector<uint64_t> ascending(counts.begin(), counts.end());
  std::sort(ascending.begin(), ascending.end());
  spread.min = ascending.front();
  spread.max = ascending.back();
  for (const uint64_t count : counts)
    spread.total += count;
  if (spread.total == 0) return spread;

  const auto total = static_cast<double>(spread.total);
  const double mean = total / static_cast<double>(counts.size());
  double squares = 0;
  for (const uint64_t count : counts)
    squares += std::pow(static_cast<double>(count) - mean, 2);
  const auto hottest = std::find(counts.begin(), counts.end(), spread.max);
  spread.hottest = static_cast<size_t>(hottest - counts.begin());
  spread.hottest_share = static_cast<double>(spread.max) / total;
  spread.max_over_mean = static_cast<double>(spread.max) / mean;
  if (counts.size() > 1) {
    spread.relative_deviation = std::sqrt(squares / static_cast<double>(counts.size() - 1)) / mean;
  }
  spread.gini = GiniOf(ascending, total);
  return spread;
}

std::string ClassicReport(std::span<const RegionPuts> regions) {
  uint64_t least = regions.empty() ? 0 : regions[0].puts;
  for (const RegionPuts& region : regions)
    least = std::min(least, region.puts);
  std::string report = "Report Result:\n";
  uint64_t total = 0;
  for (const RegionPuts& region : regions) {
    total += region.puts;
    fmt::format_to(std::back_inserter(report), "{}:{}:({})\n", ToStringBinary(region.start),
                   region.puts, RatioOf(region.puts, least));
  }
  fmt::format_to(std::back_inserter(report), "total requests:{}\n", total);
  return report;
}

}  // namespace hourcell
