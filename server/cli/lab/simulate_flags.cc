#include "server/cli/lab/simulate_flags.h"

#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "server/cli/command_line.h"
#include "server/cli/lab/simulate.h"

namespace hourcell {
namespace {

absl::Status TakeFormat(std::string_view name, SimulateFormat* format) {
  static constexpr std::pair<std::string_view, SimulateFormat> kFormats[] = {
      {"table", SimulateFormat::kTable},
      {"classic", SimulateFormat::kClassic},
      {"csv", SimulateFormat::kCsv},
      {"json", SimulateFormat::kJson}};
  for (const auto& [known, value] : kFormats) {
    if (name != known) continue;
    *format = value;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError("--format: expected table, classic, csv or json");
}

void AddSource(CommandLine* line, SimulateOptions* options) {
  line->AddOption("--fleet", &options->fleet, "SPEC", "puts of a generated fleet; see below");
  line->AddOption("--trace", &options->trace, "FILE", "puts from a file of telnet or import lines");
  line->AddOption("--keys", &options->keys, "FILE",
                  "row keys from a file: KEY [tab PUTS [tab MS]]");
  line->AddOption("--ids", &options->ids, "N",
                  "N ids in sequence, like region-helper's generators");
  line->AddFlag("--store", &options->from_store, "rows of the store at --data");
  line->AddOption("--rate", &options->rate, "N", "ids or keys per second (default 100000)");
}

void AddDesign(CommandLine* line, SimulateOptions* options) {
  line->AddOption("--layout", &options->layout, "FIELDS",
                  "fields of a row key (default: opentsdb; with --ids: id; with --store: stored)");
  line->AddOption("--distributor", &options->distributor, "SPEC",
                  "distributor that spreads the keys (default none)");
  line->AddOption("--presplit", &options->presplit, "SPEC",
                  "initial regions: hex:16, salt, keys:a,b, file:F, sample:16 ...");
  line->AddOption("--engine", &options->engine, "NAME",
                  "hourcell or hbase: whose default settings and cell size to use");
  line->AddOption("--site", &options->site, "FILE",
                  "hbase-site.xml or properties file with settings");
  line->AddOption("--seed", &options->seed, "N", "random seed (default 1)");
  line->AddRepeated("--design", &options->designs, "TEXT",
                    "'NAME: layout=.. presplit=.. setting=..'; may be repeated to compare designs");
}

void AddReport(CommandLine* line, SimulateOptions* options) {
  line->AddTaken(
      "--format", [options](const std::string& name) { return TakeFormat(name, &options->format); },
      "{table,classic,csv,json}", "output format (default: table); classic is region-helper's");
  line->AddFlag("--heat", &options->heat, "also print a map of puts by key and time");
  line->AddOption("--heatmap", &options->heatmap, "FILE", "write that map to a .png or .svg file");
  line->AddOption("--html", &options->html, "FILE",
                  "write a report with charts to one self-contained HTML file");
  line->AddOption("--regions", &options->regions_max, "N",
                  "maximum number of regions printed (default 40)");
  line->AddOption("--timeline", &options->timeline_max, "N",
                  "maximum number of timeline lines printed (default 20)");
  line->AddOption("--window", &options->window, "1m", "time window for finding the hottest region");
  line->AddOption("--settle", &options->settle, "1h", "time to simulate after the last put");
  line->AddOption(
      "--validate", &options->validate, "DIR",
      "write the same rows to a store in this empty directory, and compare the regions");
  line->AddOption("--max-ratio", &options->ratio_max, "R",
                  "exit 1 if a region gets more than R times the mean number of puts");
}

}  // namespace

void AddSimulateFlags(CommandLine* line, SimulateOptions* options) {
  AddSource(line, options);
  AddDesign(line, options);
  AddReport(line, options);
}

}  // namespace hourcell
