#include "server/cli/lab/simulate_html.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/lab/simulate/report/prediction.h"
#include "engine/regions/region_name.h"
#include "engine/regions/split/split_settings.h"
#include "server/cli/lab/html_report.h"
#include "server/cli/lab/simulate_figure.h"
#include "server/plot/figure.h"

namespace hourcell {
namespace {

constexpr size_t kRegionsListed = 40;
constexpr size_t kRegionsDrawn = 64;
constexpr size_t kIncidentsListed = 40;
constexpr uint32_t kChartWidthPx = 1'200;
constexpr uint32_t kChartHeightPx = 360;

std::string SizeText(uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double size = static_cast<double>(bytes);
  size_t unit = 0;
  while (size >= 1024 && unit + 1 < std::size(kUnits)) {
    size /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", size, kUnits[unit]);
}

std::string Percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string KeyBytesText(std::string_view key) {
  return key.empty() ? "(start)" : ToStringBinary(key);
}

HtmlTable CompareTable(std::span<const SimulationResult> results) {
  HtmlTable table{
      .heads = {"design", "layout", "distributor", "policy", "regions", "empty", "hottest / mean",
                "hot share, mean", "hot share, p99", "Gini", "written", "in files",
                "write amplification", "blocked puts", "warnings"},
      .texts = 4};
  for (const SimulationResult& result : results) {
    uint64_t file_bytes = 0;
    for (const SimulatedRegion& region : result.regions)
      file_bytes += region.file_bytes;
    const std::vector<Prediction> predictions = Predict(result);
    table.rows.push_back(
        {result.design.name, result.design.layout, result.design.distributor,
         std::string(SplitPolicyName(result.design.settings.regions.split.policy)),
         fmt::format("{}", result.regions.size()), fmt::format("{}", result.empty_regions()),
         fmt::format("{:.2f}", result.max_over_mean()), Percent(result.windows.mean_hot_share()),
         Percent(result.windows.p99_hot_share()), fmt::format("{:.3f}", result.spread.gini),
         SizeText(result.totals.written_bytes), SizeText(file_bytes),
         fmt::format("{:.2f} x", result.write_amplification()),
         fmt::format("{}", result.totals.blocked),
         fmt::format("{}", std::ranges::count_if(predictions, &Prediction::is_warning))});
  }
  return table;
}

// A bar chart that compares the designs.
plot::Figure CompareFigure(std::span<const SimulationResult> results) {
  plot::Figure figure{.kind = plot::FigureKind::kBars,
                      .title = "Share of the puts that the hottest region takes",
                      .note = "of all windows of the run; less is better",
                      .y = {.title = "share, %"},
                      .series = {{.name = "mean"}, {.name = "p99"}},
                      .width_px = kChartWidthPx,
                      .height_px = kChartHeightPx};
  for (const SimulationResult& result : results) {
    figure.x.categories.push_back(result.design.name);
    figure.series[0].y.push_back(100 * result.windows.mean_hot_share());
    figure.series[1].y.push_back(100 * result.windows.p99_hot_share());
  }
  return figure;
}

// The regions with the most puts, in the order of keys.
std::vector<const SimulatedRegion*> BusiestRegions(const SimulationResult& result, size_t max) {
  std::vector<const SimulatedRegion*> regions;
  for (const SimulatedRegion& region : result.regions)
    regions.push_back(&region);
  const auto by_puts = [](const SimulatedRegion* region) { return region->puts; };
  std::ranges::stable_sort(regions, std::greater<>(), by_puts);
  regions.resize(std::min(regions.size(), max));
  std::ranges::sort(regions, {},
                    [](const SimulatedRegion* region) { return region->info.range.start; });
  return regions;
}

plot::Figure RegionsFigure(const SimulationResult& result) {
  const std::vector<const SimulatedRegion*> regions = BusiestRegions(result, kRegionsDrawn);
  constexpr double kMebi = 1 << 20;
  plot::Figure figure{.kind = plot::FigureKind::kBars,
                      .title = "Size of the regions in files",
                      .y = {.title = "size, MiB"},
                      .series = {{.name = "file bytes"}},
                      .width_px = kChartWidthPx,
                      .height_px = kChartHeightPx};
  if (regions.size() < result.regions.size()) {
    figure.note = fmt::format("the {} regions with most puts of {}, by key", regions.size(),
                              result.regions.size());
  }
  for (const SimulatedRegion* const region : regions) {
    figure.x.categories.push_back(fmt::format("{}", figure.x.categories.size() + 1));
    figure.series[0].y.push_back(static_cast<double>(region->file_bytes) / kMebi);
  }
  return figure;
}

HtmlTable RegionsTable(const SimulationResult& result) {
  HtmlTable table{.heads = {"begins at", "bytes of the key", "puts", "x mean", "rows", "in files",
                            "in memory", "files", "flushes", "LSM compactions", "hot share, most"},
                  .texts = 2};
  const double mean = result.regions.empty() ? 0
                                             : static_cast<double>(result.totals.puts) /
                                                   static_cast<double>(result.regions.size());
  for (const SimulatedRegion* const region : BusiestRegions(result, kRegionsListed)) {
    const std::string& start = region->info.range.start;
    const std::string words = result.words.Of(start);
    table.rows.push_back(
        {words.empty() ? (start.empty() ? "the first key" : "") : words, KeyBytesText(start),
         fmt::format("{}", region->puts),
         fmt::format("{:.3f}", mean > 0 ? static_cast<double>(region->puts) / mean : 0.0),
         fmt::format("{}", region->rows), SizeText(region->file_bytes),
         SizeText(region->memory_bytes), fmt::format("{}", region->files),
         fmt::format("{}", region->flushes), fmt::format("{}", region->rewrites),
         Percent(region->hot_share)});
  }
  table.caption = table.rows.size() < result.regions.size()
                      ? fmt::format("The {} regions with most puts of {}", table.rows.size(),
                                    result.regions.size())
                      : "Regions";
  return table;
}

std::string SinceText(uint64_t ms) {
  const uint64_t seconds = ms / 1'000;
  return fmt::format("{}:{:02}:{:02}", seconds / 3'600, seconds / 60 % 60, seconds % 60);
}

HtmlTable TimelineTable(const SimulationResult& result) {
  HtmlTable table{.heads = {"after", "what", "at", "bytes of the key", "cause", "region", "size",
                            "left", "regions after"},
                  .texts = 5};
  for (const Incident& incident : result.timeline.incidents()) {
    if (table.rows.size() == kIncidentsListed) break;
    table.rows.push_back({SinceText(incident.time_ms - std::min(incident.time_ms, result.start_ms)),
                          std::string(IncidentName(incident.kind)), result.words.Of(incident.key),
                          incident.key.empty() ? "" : ToStringBinary(incident.key),
                          std::string(SplitCauseName(incident.cause)),
                          fmt::format("{}", incident.region.value), SizeText(incident.bytes),
                          Percent(incident.left_share), fmt::format("{}", incident.regions)});
  }
  const size_t all = result.timeline.incidents().size();
  table.caption = all > table.rows.size()
                      ? fmt::format("The first {} of {} events", table.rows.size(), all)
                      : "Events";
  return table;
}

HtmlSection DesignSection(const SimulationResult& result) {
  HtmlSection section{.title = result.design.name};
  section.intro = fmt::format(
      "Layout {} = {}, distributor {}, pre-split {}, policy {}, seed {}. {} puts, row keys of "
      "{:.1f} "
      "bytes on average; a scan of one metric visits {} ranges.",
      result.design.layout, result.layout_fields, result.design.distributor,
      result.design.presplit.empty() ? "none" : result.design.presplit,
      SplitPolicyName(result.design.settings.regions.split.policy), result.design.settings.seed,
      result.totals.puts, result.key_bytes,
      result.scan_ranges == 0 ? "all" : fmt::format("{}", result.scan_ranges));
  for (const Prediction& prediction : Predict(result)) {
    section.notes.push_back(
        {.text = fmt::format("{}: {}", PredictionName(prediction.kind), prediction.text),
         .is_warning = prediction.is_warning});
  }
  section.tables.push_back(RegionsTable(result));
  if (!result.timeline.incidents().empty()) section.tables.push_back(TimelineTable(result));
  if (result.heat.rows() > 0 && result.heat.steps > 0) {
    section.figures.push_back(HeatFigure(result, {.rows_max = 48, .in_words = true}));
  }
  section.figures.push_back(RegionsFigure(result));
  return section;
}

}  // namespace

absl::StatusOr<std::string> SimulateHtml(std::span<const SimulationResult> results,
                                         const std::string& source) {
  std::vector<HtmlSection> sections;
  HtmlSection compare{.title = results.size() == 1 ? "The design" : "Designs side by side"};
  compare.tables.push_back(CompareTable(results));
  if (results.size() > 1) compare.figures.push_back(CompareFigure(results));
  sections.push_back(std::move(compare));
  for (const SimulationResult& result : results)
    sections.push_back(DesignSection(result));
  return HtmlPage("Hourcell: simulated designs",
                  fmt::format("Made by `hourcell simulate` from {}. A model of memory, files, "
                              "splits and merges; nothing was measured.",
                              source),
                  sections);
}

}  // namespace hourcell
