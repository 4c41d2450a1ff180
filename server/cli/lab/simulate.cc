#include "server/cli/lab/simulate.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "bench/lab/simulate/design_source.h"
#include "bench/lab/simulate/design_text.h"
#include "bench/lab/simulate/engine_run.h"
#include "bench/lab/simulate/input/fleet.h"
#include "bench/lab/simulate/input/id_source.h"
#include "bench/lab/simulate/input/key_maker.h"
#include "bench/lab/simulate/input/row_list.h"
#include "bench/lab/simulate/input/site_file.h"
#include "bench/lab/simulate/input/trace_source.h"
#include "bench/lab/simulate/report/simulation_report.h"
#include "bench/lab/simulate/simulation.h"
#include "bench/lab/simulate/validation.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/data/import/line_reader.h"
#include "server/cli/lab/html_report.h"
#include "server/cli/lab/simulate_figure.h"
#include "server/cli/lab/simulate_flags.h"
#include "server/cli/lab/simulate_html.h"
#include "server/cli/store_flags.h"
#include "server/config/properties.h"

namespace hourcell {
namespace {

constexpr std::string_view kSimulateCommand = "simulate";

// Size of the map as text and in JSON.
constexpr size_t kHeatRows = 24;
constexpr size_t kHeatSteps = 96;
// Bins of a step's keys for a picture: at least two for each of its rows.
constexpr size_t kPictureBins = 256;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(
        fmt::format("{}: cannot be read: {}", path, std::generic_category().message(errno)));
  }
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

absl::StatusOr<SettingMap> ReadSite(const std::string& path) {
  if (path.empty()) return SettingMap();
  HOURCELL_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  if (LooksLikeXml(text)) {
    absl::StatusOr<SettingMap> settings = ParseSiteFile(text);
    if (settings.ok()) return settings;
    return absl::InvalidArgumentError(fmt::format("{}: {}", path, StatusText(settings.status())));
  }
  SettingMap settings;
  PropertiesReader reader(text);
  while (std::optional<Property> property = reader.Next())
    settings.insert_or_assign(std::move(property->key), std::move(property->value));
  return settings;
}

// Opens a trace; called again for each design.
absl::StatusOr<std::unique_ptr<PutSource>> OpenTrace(const std::string& path,
                                                     const TraceOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<LineReader> reader, LineReader::Open(path));
  const std::shared_ptr<LineReader> shared = std::move(reader);
  return MakeTrace(
      [shared](std::string_view* text) -> absl::StatusOr<bool> {
        Line line;
        HOURCELL_ASSIGN_OR_RETURN(const bool more, shared->Next(&line));
        if (more && line.too_long) {
          return absl::InvalidArgumentError(
              fmt::format("{}:{}: line too long; expected at most {} bytes", shared->name(),
                          line.number, kLineBytesMax));
        }
        *text = line.text;
        return more;
      },
      options);
}

absl::StatusOr<std::shared_ptr<RowList>> ReadStore(const StoreOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<Tsdb> tsdb, OpenStore(options, StoreUse::kRead));
  auto rows = std::make_shared<RowList>();
  absl::Status added;
  HOURCELL_RETURN_IF_ERROR(tsdb->queries().Scan({}, [&](const ScannedRow& row) {
    added = rows->Add(row.key, row.metric, row.tags, row.base_time_s,
                      static_cast<uint32_t>(row.times.size()));
    return added.ok();
  }));
  HOURCELL_RETURN_IF_ERROR(added);
  rows->Sort();
  return rows;
}

// The regions that the engine makes from the same rows.
absl::StatusOr<std::vector<MeasuredRegion>> Replay(const SimulationResult& model,
                                                   const PutSourceFactory& factory,
                                                   const std::string& directory) {
  const SimulationDesign& design = model.design;
  const CellSettings& cells = design.settings.cells;
  HOURCELL_ASSIGN_OR_RETURN(KeyMaker keys, KeyMaker::Make(design.layout, design.distributor));
  if (keys.has_day_rows()) {
    return absl::FailedPreconditionError(
        "--validate: expected a layout with hours, got rows of days, which grow by merges");
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<PutSource> source, factory());
  HOURCELL_ASSIGN_OR_RETURN(const std::unique_ptr<EngineRun> replay,
                            OpenEngineRun({.directory = directory,
                                           .regions = design.settings.regions,
                                           .split_keys = model.split_keys,
                                           .start_ms = source->start_ms(),
                                           .seed = design.settings.seed}));
  SourcePut put;
  while (true) {
    HOURCELL_ASSIGN_OR_RETURN(const bool more, source->Next(&put));
    if (!more) break;
    if (!put.begins_row) {
      return absl::FailedPreconditionError(
          "--validate: the source has single points; use a source of whole rows: a fleet or a "
          "store with --engine hourcell, or --ids");
    }
    HOURCELL_ASSIGN_OR_RETURN(const std::string_view key, keys.KeyOf(put));
    HOURCELL_RETURN_IF_ERROR(
        replay->Put(key, CellBytes(cells, key.size(), 1, put.puts), put.now_ms));
  }
  HOURCELL_RETURN_IF_ERROR(replay->Finish());
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<RegionUse> uses, replay->Regions());
  std::vector<MeasuredRegion> measured;
  for (const RegionUse& use : uses) {
    measured.push_back({.start = use.region.range.start, .bytes = use.file_bytes});
  }
  return measured;
}

// One invocation of the command.
class SimulateRun {
 public:
  explicit SimulateRun(const SimulateOptions& options) : options_(options) {}

  absl::StatusOr<std::vector<SimulationResult>> Run() {
    HOURCELL_RETURN_IF_ERROR(CheckSources());
    HOURCELL_RETURN_IF_ERROR(ReadSettings());
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<SimulationDesign> designs, Designs());
    HOURCELL_RETURN_IF_ERROR(ReadSpans());
    HOURCELL_RETURN_IF_ERROR(ReadKeyNames());
    if (options_.from_store) {
      HOURCELL_ASSIGN_OR_RETURN(rows_, ReadStore(options_.store));
    }
    std::vector<SimulationResult> results;
    for (const SimulationDesign& design : designs) {
      HOURCELL_ASSIGN_OR_RETURN(const PutSourceFactory source, SourceOf(design));
      HOURCELL_ASSIGN_OR_RETURN(SimulationResult result,
                                RunSimulation(design, source, simulation_));
      if (!options_.validate.empty()) {
        HOURCELL_ASSIGN_OR_RETURN(const std::vector<MeasuredRegion> measured,
                                  Replay(result, source, options_.validate));
        validation_ += ValidationText(result.regions, measured);
      }
      results.push_back(std::move(result));
    }
    return results;
  }

  // The engine's result next to the model's; empty without options.validate.
  const std::string& validation() const { return validation_; }

 private:
  absl::Status CheckSources() const {
    for (const auto& [flag, value] :
         {std::pair("--validate", &options_.validate), std::pair("--heatmap", &options_.heatmap)}) {
      if (value->empty() || options_.designs.size() <= 1) continue;
      return absl::InvalidArgumentError(
          fmt::format("{}: more than one --design; give only one", flag));
    }
    if (!options_.heatmap.empty()) HOURCELL_RETURN_IF_ERROR(CheckFigurePath(options_.heatmap));
    const int sources = int{!options_.fleet.empty()} + int{!options_.trace.empty()} +
                        int{!options_.keys.empty()} + int{options_.ids > 0} +
                        int{options_.from_store};
    if (sources > 1) {
      return absl::InvalidArgumentError(
          "expected one of --fleet, --trace, --keys, --ids and --store, got several");
    }
    if (options_.rate == 0) return absl::InvalidArgumentError("--rate: expected at least 1, got 0");
    return absl::OkStatus();
  }

  absl::Status ReadSettings() {
    HOURCELL_ASSIGN_OR_RETURN(defaults_.settings, ReadSite(options_.site));
    for (const std::string_view setting : options_.store.settings) {
      const size_t equals = setting.find('=');
      if (equals == std::string_view::npos) {
        return absl::InvalidArgumentError(
            fmt::format("setting: expected key=value, got {}", QuoteForMessage(setting)));
      }
      defaults_.settings.insert_or_assign(std::string(setting.substr(0, equals)),
                                          std::string(setting.substr(equals + 1)));
    }
    defaults_.layout = !options_.layout.empty() ? options_.layout
                       : options_.ids > 0       ? "id"
                       : options_.from_store    ? "stored"
                                                : "opentsdb";
    defaults_.distributor = options_.distributor;
    defaults_.presplit = options_.presplit;
    defaults_.engine = options_.engine;
    defaults_.seed = options_.seed;
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<SimulationDesign>> Designs() const {
    std::vector<SimulationDesign> designs;
    if (options_.designs.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(SimulationDesign design, MakeDesign("design", defaults_));
      designs.push_back(std::move(design));
    }
    for (const std::string& text : options_.designs) {
      HOURCELL_ASSIGN_OR_RETURN(SimulationDesign design, ParseDesign(text, defaults_));
      designs.push_back(std::move(design));
    }
    for (SimulationDesign& design : designs) {
      // The engine's run has rows of hours: rows of days grow by merges.
      if (!options_.validate.empty()) design.settings.cells.day_row_points = 0;
      constexpr std::string_view kFile = "file:";
      if (!design.presplit.starts_with(kFile)) continue;
      HOURCELL_ASSIGN_OR_RETURN(design.presplit_file,
                                ReadFile(design.presplit.substr(kFile.size())));
    }
    return designs;
  }

  absl::Status ReadSpans() {
    simulation_.flushes_together = !options_.validate.empty();
    const bool has_picture = !options_.heatmap.empty() || !options_.html.empty();
    simulation_.has_heat = options_.heat || has_picture || options_.format == SimulateFormat::kJson;
    if (has_picture) {
      const HeatFigureOptions picture;
      simulation_.heat_rows = picture.rows_max;
      simulation_.heat_resolution = {.steps_max = picture.steps_max, .bins = kPictureBins};
    }
    if (!options_.window.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(simulation_.window_ms, ParseSpanMs(options_.window));
    }
    if (!options_.settle.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(simulation_.settle_ms, ParseSpanMs(options_.settle));
    }
    return absl::OkStatus();
  }

  absl::Status ReadKeyNames() {
    const bool is_fleet = !options_.from_store && options_.ids == 0 && options_.trace.empty() &&
                          options_.keys.empty();
    if (!is_fleet) return absl::OkStatus();
    HOURCELL_ASSIGN_OR_RETURN(const FleetSpec spec, ParseFleet(options_.fleet));
    simulation_.key_names = KeyNamesOf(spec);
    return absl::OkStatus();
  }

  absl::StatusOr<PutSourceFactory> SourceOf(const SimulationDesign& design) const {
    using Source = absl::StatusOr<std::unique_ptr<PutSource>>;
    if (options_.from_store) {
      return PutSourceFactory([rows = rows_]() -> Source { return rows->NewSource(); });
    }
    if (options_.ids > 0) {
      return IdsSource({.ids = options_.ids, .ids_per_s = options_.rate});
    }
    if (!options_.trace.empty() || !options_.keys.empty()) {
      const bool are_keys = options_.trace.empty();
      const TraceOptions trace{.form = are_keys ? TraceForm::kKeys : TraceForm::kPuts,
                               .keys_per_s = options_.rate};
      return PutSourceFactory([path = are_keys ? options_.keys : options_.trace,
                               trace]() -> Source { return OpenTrace(path, trace); });
    }
    HOURCELL_ASSIGN_OR_RETURN(FleetSpec spec, ParseFleet(options_.fleet));
    return FleetSource(std::move(spec), design);
  }

  const SimulateOptions& options_;
  DesignDefaults defaults_;
  SimulationOptions simulation_;
  std::shared_ptr<RowList> rows_;
  std::string validation_;
};

std::string ReportOf(const std::vector<SimulationResult>& results, const SimulateOptions& options) {
  if (options.format == SimulateFormat::kJson) return JsonText(results);
  std::string text;
  for (const SimulationResult& result : results) {
    switch (options.format) {
      case SimulateFormat::kClassic:
        text += ClassicText(result);
        break;
      case SimulateFormat::kCsv:
        text += CsvText(result);
        break;
      default:
        text += text.empty() ? "" : "\n";
        text += TableText(
            result, {.regions_max = options.regions_max, .incidents_max = options.timeline_max});
    }
    if (options.heat && options.format == SimulateFormat::kTable) {
      text += "\n" + HeatText(BinnedHeat(result.heat, kHeatRows, kHeatSteps));
    }
  }
  if (results.size() > 1 && options.format == SimulateFormat::kTable) {
    text += "\n" + CompareText(results);
  }
  return text;
}

// Describes the source of the puts.
std::string SourceText(const SimulateOptions& options) {
  if (options.from_store) return fmt::format("the rows of {}", options.store.data);
  if (options.ids > 0) return fmt::format("{} ids in sequence", options.ids);
  if (!options.trace.empty()) return fmt::format("the lines of {}", options.trace);
  if (!options.keys.empty()) return fmt::format("the keys of {}", options.keys);
  return options.fleet.empty() ? "a fleet of the defaults" : "the fleet " + options.fleet;
}

// True if each design keeps to the limit; prints the others on `err`.
bool KeepsRatio(const std::vector<SimulationResult>& results,
                double ratio_max,
                Terminal& terminal) {
  bool keeps = true;
  for (const SimulationResult& result : results) {
    if (ratio_max <= 0 || result.max_over_mean() <= ratio_max) continue;
    PrintTo(terminal.err,
            "hourcell simulate: design {}: the hottest region has {:.4f} times the mean; "
            "--max-ratio is {:.4f}\n",
            result.design.name, result.max_over_mean(), ratio_max);
    keeps = false;
  }
  return keeps;
}

}  // namespace

int RunSimulate(const SimulateOptions& options, Terminal& terminal) {
  SimulateRun run(options);
  const absl::StatusOr<std::vector<SimulationResult>> results = run.Run();
  if (!results.ok()) return FailStore(terminal, kSimulateCommand, results.status());
  if (!options.html.empty()) {
    const absl::StatusOr<std::string> page = SimulateHtml(*results, SourceText(options));
    const absl::Status written = page.ok() ? WriteHtml(*page, options.html) : page.status();
    if (!written.ok()) return Fail(terminal, kSimulateCommand, written);
  }
  if (!options.heatmap.empty()) {
    const absl::Status drawn = WriteHeatFigure(results->front(), options.heatmap);
    if (!drawn.ok()) return FailStore(terminal, kSimulateCommand, drawn);
  }
  TextOutput output(terminal.out);
  *output.buffer() = ReportOf(*results, options);
  if (!run.validation().empty()) *output.buffer() += "\n" + run.validation();
  if (const absl::Status written = output.Finish(); !written.ok()) {
    return Fail(terminal, kSimulateCommand, written);
  }
  return KeepsRatio(*results, options.ratio_max, terminal) ? kExitOk : kExitFailure;
}

int SimulateMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("simulate", "Predicts region sizes, splits and hot spots of a row-key design.");
  SimulateOptions options;
  AddStoreOptions(&line, &options.store);
  RefuseUrl(&line);
  AddSimulateFlags(&line, &options);
  line.set_footer(
      "Parts of a fleet, all optional: metrics=10,tags=host:1000/cpu:8,interval=10s,\n"
      "duration=1d,churn=0.05,skew=1,late=0.01:6h.\n"
      "FIELDS: opentsdb, salted:20, hash-prefix:2, reversed-metric, tags-first, time-first,\n"
      "newest-first, partition:20, or fields joined by '+'.\n"
      "Settings are region settings, by HBase's or Hourcell's names, and tsd.simulate.*; see\n"
      "docs/simulate.md.\n"
      "The command reads only the files and the store it is given, and writes files only for\n"
      "--heatmap, --html and --validate.\n"
      "\nExamples:\n"
      "  hourcell simulate --fleet metrics=100,tags=host:500,duration=7d --heat\n"
      "  hourcell simulate --layout salted:20 --presplit salt --max-ratio 1.2\n"
      "  hourcell simulate --ids 100000000 --distributor md5-8hex --presplit hex:10 \\\n"
      "      --format classic\n"
      "  hourcell simulate --trace puts.gz --design 'plain: layout=opentsdb' \\\n"
      "      --design 'salted: layout=salted:20 presplit=salt'\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunSimulate(options, terminal);
}

}  // namespace hourcell
