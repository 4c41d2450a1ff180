#include "bench/lab/simulate/validation.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "engine/regions/region_name.h"

namespace hourcell {
namespace {

uint64_t BytesOf(const SimulatedRegion& region) {
  return region.file_bytes + region.memory_bytes;
}

double Share(uint64_t bytes, uint64_t total) {
  return total == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(total);
}

// The end of a region of the engine; empty for the last.
std::string_view EndOf(std::span<const MeasuredRegion> engine, size_t i) {
  return i + 1 < engine.size() ? std::string_view(engine[i + 1].start) : std::string_view();
}

// Largest first, as shares of their mean.
std::vector<double> InOrderOfSize(std::vector<uint64_t> bytes) {
  std::sort(bytes.rbegin(), bytes.rend());
  double total = 0;
  for (const uint64_t count : bytes)
    total += static_cast<double>(count);
  std::vector<double> sizes;
  for (const uint64_t count : bytes) {
    sizes.push_back(
        total == 0 ? 0 : static_cast<double>(count) * static_cast<double>(bytes.size()) / total);
  }
  return sizes;
}

double SizeError(std::span<const SimulatedRegion> model, std::span<const MeasuredRegion> engine) {
  std::vector<uint64_t> of_model;
  std::vector<uint64_t> of_engine;
  for (const SimulatedRegion& region : model)
    of_model.push_back(BytesOf(region));
  for (const MeasuredRegion& region : engine)
    of_engine.push_back(region.bytes);
  const std::vector<double> a = InOrderOfSize(of_model);
  const std::vector<double> b = InOrderOfSize(of_engine);
  double error = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    error = std::max(error, std::abs(a[i] - b[i]));
  return error;
}

}  // namespace

Validation Validate(std::span<const SimulatedRegion> model,
                    std::span<const MeasuredRegion> engine) {
  Validation validation{.model_regions = model.size(), .engine_regions = engine.size()};
  std::map<std::string_view, const SimulatedRegion*> by_start;
  for (const SimulatedRegion& region : model) {
    by_start[region.info.range.start] = &region;
    validation.model_bytes += BytesOf(region);
  }
  for (const MeasuredRegion& region : engine)
    validation.engine_bytes += region.bytes;
  double errors = 0;
  for (size_t i = 0; i < engine.size(); ++i) {
    const auto same = by_start.find(engine[i].start);
    if (same == by_start.end()) continue;
    ++validation.equal_starts;
    if (same->second->info.range.end != EndOf(engine, i)) continue;
    ++validation.equal_regions;
    const double of_model = Share(BytesOf(*same->second), validation.model_bytes);
    const double of_engine = Share(engine[i].bytes, validation.engine_bytes);
    const double error = of_engine == 0 ? of_model : std::abs(of_model / of_engine - 1);
    errors += error;
    validation.share_error_max = std::max(validation.share_error_max, error);
  }
  if (validation.equal_regions > 0) {
    validation.share_error_mean = errors / static_cast<double>(validation.equal_regions);
  }
  validation.size_error_max = SizeError(model, engine);
  return validation;
}

std::string ValidationText(std::span<const SimulatedRegion> model,
                           std::span<const MeasuredRegion> engine) {
  struct Both {
    std::optional<uint64_t> model;
    std::optional<uint64_t> engine;
  };
  std::map<std::string_view, Both> starts;
  for (const SimulatedRegion& region : model)
    starts[region.info.range.start].model = BytesOf(region);
  for (const MeasuredRegion& region : engine)
    starts[region.start].engine = region.bytes;
  std::string text = fmt::format("{:<40} {:>14} {:>14}\n", "start", "model bytes", "engine bytes");
  for (const auto& [start, bytes] : starts) {
    const auto number = [](const std::optional<uint64_t>& count) {
      return count.has_value() ? fmt::format("{}", *count) : std::string("-");
    };
    fmt::format_to(std::back_inserter(text), "{:<40} {:>14} {:>14}\n",
                   start.empty() ? "(start)" : ToStringBinary(start), number(bytes.model),
                   number(bytes.engine));
  }
  const Validation found = Validate(model, engine);
  fmt::format_to(
      std::back_inserter(text),
      "regions: {} in the model, {} in the engine; {} begin alike, {} are the same\n"
      "bytes: {} and {}; shares of the same regions differ by {:.1f} % on average, {:.1f} "
      "% at most\n"
      "sizes in their order differ by {:.1f} % of the mean at most\n",
      found.model_regions, found.engine_regions, found.equal_starts, found.equal_regions,
      found.model_bytes, found.engine_bytes, 100 * found.share_error_mean,
      100 * found.share_error_max, 100 * found.size_error_max);
  return text;
}

}  // namespace hourcell
