#include "bench/lab/simulate/report/simulation_report.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "bench/lab/simulate/report/append_text.h"
#include "engine/regions/region_name.h"

namespace hourcell {
namespace {

constexpr size_t kKeyChars = 28;

// "1.5 GiB".
std::string Bytes(uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

// Hours and minutes since the start.
std::string After(const SimulationResult& result, uint64_t time_ms) {
  const uint64_t since_s = (time_ms - std::min(time_ms, result.start_ms)) / 1'000;
  return fmt::format("{}:{:02}:{:02}", since_s / 3'600, since_s / 60 % 60, since_s % 60);
}

std::string Key(std::string_view key) {
  std::string text = ToStringBinary(key);
  if (text.size() > kKeyChars) text = text.substr(0, kKeyChars - 2) + "..";
  return text;
}

// Positions of the shown regions, in key order.
std::vector<size_t> Shown(const SimulationResult& result, size_t regions_max) {
  std::vector<size_t> shown(result.regions.size());
  std::iota(shown.begin(), shown.end(), size_t{0});
  if (shown.size() <= regions_max) return shown;
  std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) {
    return result.regions[a].puts > result.regions[b].puts;
  });
  shown.resize(regions_max);
  std::sort(shown.begin(), shown.end());
  return shown;
}

double RatioToMean(const SimulationResult& result, const SimulatedRegion& region) {
  if (result.spread.total == 0) return 0;
  return static_cast<double>(region.puts) * static_cast<double>(result.regions.size()) /
         static_cast<double>(result.spread.total);
}

double AmplificationOf(const SimulatedRegion& region) {
  if (region.flushed_bytes == 0) return 0;
  return static_cast<double>(region.flushed_bytes + region.rewritten_bytes) /
         static_cast<double>(region.flushed_bytes);
}

void AppendRegions(const SimulationResult& result, size_t regions_max, std::string* out) {
  const std::vector<size_t> shown = Shown(result, regions_max);
  AppendText(out, "\n{:<28} {:>13} {:>6} {:>10} {:>10} {:>10} {:>5} {:>6} {:>6} {:>5} {:>5}\n",
             "start", "puts", "x mean", "rows", "on disk", "memory", "files", "flush", "rewr.",
             "w.amp", "hot %");
  for (const size_t i : shown) {
    const SimulatedRegion& region = result.regions[i];
    AppendText(
        out, "{:<28} {:>13} {:>6.3f} {:>10} {:>10} {:>10} {:>5} {:>6} {:>6} {:>5.1f} {:>5.1f}{}\n",
        region.info.range.start.empty() ? "(start)" : Key(region.info.range.start), region.puts,
        RatioToMean(result, region), region.rows, Bytes(region.file_bytes),
        Bytes(region.memory_bytes), region.files, region.flushes, region.rewrites,
        AmplificationOf(region), 100 * region.hot_share,
        region.why_unsplittable.empty() ? "" : "  unsplittable");
  }
  if (shown.size() < result.regions.size()) {
    AppendText(out, "... the {} regions with most puts of {}\n", shown.size(),
               result.regions.size());
  }
}

std::string IncidentText(const Incident& incident) {
  switch (incident.kind) {
    case IncidentKind::kSplit:
      return fmt::format("region {} of {} at {}, {:.1f} % left, by {}; {} regions",
                         incident.region.value, Bytes(incident.bytes), Key(incident.key),
                         100 * incident.left_share, SplitCauseName(incident.cause),
                         incident.regions);
    case IncidentKind::kMerge:
      return fmt::format("{} regions from {} on become region {} of {}", incident.regions,
                         Key(incident.key), incident.region.value, Bytes(incident.bytes));
    case IncidentKind::kStall:
      return fmt::format("region {}: writes blocked for {:.1f} s, {} in memory",
                         incident.region.value, static_cast<double>(incident.duration_ms) / 1'000,
                         Bytes(incident.bytes));
    case IncidentKind::kUnsplittable:
      return fmt::format("region {} of {}: {}; heaviest row {} has {:.0f} %", incident.region.value,
                         Bytes(incident.bytes), incident.reason, Key(incident.key),
                         100 * incident.left_share);
  }
  return "";
}

// A figure of a result, for the comparison.
struct Figure {
  std::string_view name;
  std::function<std::string(const SimulationResult&)> text;
};

std::vector<Figure> Figures() {
  using Result = SimulationResult;
  const auto count = [](uint64_t number) { return fmt::format("{}", number); };
  return {
      {"layout", [](const Result& r) { return r.design.layout; }},
      {"distributor", [](const Result& r) { return r.design.distributor; }},
      {"pre-split",
       [](const Result& r) { return r.design.presplit.empty() ? "none" : r.design.presplit; }},
      {"policy",
       [](const Result& r) {
         return std::string(SplitPolicyName(r.design.settings.regions.split.policy));
       }},
      {"regions at the end", [=](const Result& r) { return count(r.regions.size()); }},
      {"empty regions", [=](const Result& r) { return count(r.empty_regions()); }},
      {"puts, hottest / mean",
       [](const Result& r) { return fmt::format("{:.3f}", r.max_over_mean()); }},
      {"Gini", [](const Result& r) { return fmt::format("{:.3f}", r.spread.gini); }},
      {"hottest of a window, mean %",
       [](const Result& r) { return fmt::format("{:.1f}", 100 * r.windows.mean_hot_share()); }},
      {"hottest of a window, p99 %",
       [](const Result& r) { return fmt::format("{:.1f}", 100 * r.windows.p99_hot_share()); }},
      {"splits", [=](const Result& r) { return count(r.timeline.count(IncidentKind::kSplit)); }},
      {"merges", [=](const Result& r) { return count(r.timeline.count(IncidentKind::kMerge)); }},
      {"unsplittable regions",
       [=](const Result& r) { return count(r.timeline.count(IncidentKind::kUnsplittable)); }},
      {"stalls", [=](const Result& r) { return count(r.timeline.count(IncidentKind::kStall)); }},
      {"blocked puts", [=](const Result& r) { return count(r.totals.blocked); }},
      {"write amplification",
       [](const Result& r) { return fmt::format("{:.2f}", r.write_amplification()); }},
      {"bytes a row key", [](const Result& r) { return fmt::format("{:.1f}", r.key_bytes); }},
      {"scans for one metric",
       [](const Result& r) {
         return r.scan_ranges == 0 ? std::string("all keys") : fmt::format("{}", r.scan_ranges);
       }},
  };
}

}  // namespace

std::string ClassicText(const SimulationResult& result) {
  std::vector<RegionPuts> regions;
  for (const SimulatedRegion& region : result.regions)
    regions.push_back({.start = region.info.range.start, .puts = region.puts});
  return ClassicReport(regions);
}

std::string TableText(const SimulationResult& result, const TableTextOptions& options) {
  const TableTotals& totals = result.totals;
  std::string text;
  AppendText(
      &text, "design {}: layout {}{}{}, distributor {}, pre-split {}, policy {}, seed {}\n",
      result.design.name, result.design.layout,
      result.layout_fields == result.design.layout || result.layout_fields.empty() ? "" : " = ",
      result.layout_fields == result.design.layout ? "" : result.layout_fields,
      result.design.distributor, result.design.presplit.empty() ? "none" : result.design.presplit,
      SplitPolicyName(result.design.settings.regions.split.policy), result.design.settings.seed);
  AppendText(&text, "{} puts in {}, {} steps; {} row keys of {:.1f} bytes on average\n",
             totals.puts, After(result, result.end_ms), result.steps,
             std::accumulate(result.regions.begin(), result.regions.end(), uint64_t{0},
                             [](uint64_t sum, const SimulatedRegion& r) { return sum + r.rows; }),
             result.key_bytes);
  AppendText(
      &text, "{} regions, {} empty; {} splits, {} merges, {} stalls, {} unsplittable\n",
      result.regions.size(), result.empty_regions(), result.timeline.count(IncidentKind::kSplit),
      result.timeline.count(IncidentKind::kMerge), result.timeline.count(IncidentKind::kStall),
      result.timeline.count(IncidentKind::kUnsplittable));
  AppendText(&text, "puts: hottest / mean {:.3f}, Gini {:.3f}, deviation {:.2f} %\n",
             result.spread.max_over_mean, result.spread.gini,
             100 * result.spread.relative_deviation);
  AppendText(&text, "hottest region of a window: mean {:.1f} %, p99 {:.1f} %, at most {:.1f} %\n",
             100 * result.windows.mean_hot_share(), 100 * result.windows.p99_hot_share(),
             100 * result.windows.max_hot_share());
  AppendText(&text,
             "{} put, {} flushed in {} files, {} rewritten by {} LSM compactions: {:.2f} x\n",
             Bytes(totals.written_bytes), Bytes(totals.flushed_bytes), totals.flushes,
             Bytes(totals.rewritten_bytes), totals.rewrites, result.write_amplification());
  if (totals.expired.cells > 0) {
    AppendText(&text, "{} points expired, {}\n", totals.expired.cells, Bytes(totals.expired.bytes));
  }
  AppendRegions(result, options.regions_max, &text);
  if (options.incidents_max > 0 && !result.timeline.incidents().empty()) {
    text += "\n" + TimelineText(result, options.incidents_max);
  }
  const std::vector<Prediction> predictions = Predict(result);
  if (!predictions.empty()) text += "\n";
  for (const Prediction& prediction : predictions) {
    AppendText(&text, "{} {}: {}\n", prediction.is_warning ? "warning" : "advice",
               PredictionName(prediction.kind), prediction.text);
  }
  return text;
}

std::string TimelineText(const SimulationResult& result, size_t incidents_max) {
  std::string text;
  const auto incidents = result.timeline.incidents();
  const size_t shown = std::min(incidents.size(), incidents_max);
  for (const Incident& incident : incidents.first(shown)) {
    AppendText(&text, "{:>12}  {:<12} {}\n", After(result, incident.time_ms),
               IncidentName(incident.kind), IncidentText(incident));
  }
  if (shown < incidents.size()) AppendText(&text, "... {} more\n", incidents.size() - shown);
  return text;
}

std::string CompareText(std::span<const SimulationResult> results) {
  constexpr size_t kNameChars = 28;
  const std::vector<Figure> figures = Figures();
  std::vector<size_t> widths;
  for (const SimulationResult& result : results) {
    size_t width = result.design.name.size();
    for (const Figure& figure : figures)
      width = std::max(width, figure.text(result).size());
    widths.push_back(width);
  }
  std::string text(kNameChars, ' ');
  for (size_t i = 0; i < results.size(); ++i)
    AppendText(&text, "  {:>{}}", results[i].design.name, widths[i]);
  text += "\n";
  for (const Figure& figure : figures) {
    AppendText(&text, "{:<{}}", figure.name, kNameChars);
    for (size_t i = 0; i < results.size(); ++i)
      AppendText(&text, "  {:>{}}", figure.text(results[i]), widths[i]);
    text += "\n";
  }
  return text;
}

}  // namespace hourcell
