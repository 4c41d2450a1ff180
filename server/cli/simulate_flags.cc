#include "server/cli/simulate_flags.h"

#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>

#include "server/cli/command_line.h"
#include "server/cli/simulate.h"

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
  return absl::InvalidArgumentError("--format: want table, classic, csv or json");
}

void AddSource(CommandLine* line, SimulateOptions* options) {
  line->AddOption("--fleet", &options->fleet, "SPEC", "puts of a made-up fleet, see below");
  line->AddOption("--trace", &options->trace, "FILE",
                  "puts of a file: lines as of telnet or import");
  line->AddOption("--keys", &options->keys, "FILE", "a file of row keys: KEY [tab PUTS [tab MS]]");
  line->AddOption("--ids", &options->ids, "N",
                  "so many ids in turn, as region-helper's generators");
  line->AddFlag("--store", &options->from_store, "the rows of the store at --data");
  line->AddOption("--rate", &options->rate, "N", "ids or keys a second (default 100000)");
}

void AddDesign(CommandLine* line, SimulateOptions* options) {
  line->AddOption("--layout", &options->layout, "FIELDS",
                  "how a row key is made (default opentsdb; of ids: id; of a store: stored)");
  line->AddOption("--distributor", &options->distributor, "SPEC",
                  "what spreads keys (default none)");
  line->AddOption("--presplit", &options->presplit, "SPEC",
                  "hex:16, salt, keys:a,b, file:F, sample:16 ...");
  line->AddOption("--engine", &options->engine, "NAME",
                  "hourcell or hbase: defaults, and size of a cell");
  line->AddOption("--site", &options->site, "FILE",
                  "settings: hbase-site.xml, or a properties file");
  line->AddOption("--seed", &options->seed, "N", "of all that is random (default 1)");
  line->AddRepeated("--design", &options->designs, "TEXT",
                    "'NAME: layout=.. presplit=.. setting=..'; again to compare several");
}

void AddReport(CommandLine* line, SimulateOptions* options) {
  line->AddTaken(
      "--format", [options](const std::string& name) { return TakeFormat(name, &options->format); },
      "NAME", "table (the default), classic (region-helper's), csv or json");
  line->AddFlag("--heat", &options->heat, "a map of keys and time, too");
  line->AddOption("--heatmap", &options->heatmap, "FILE", "draw that map to a file: .png or .svg");
  line->AddOption("--regions", &options->regions_max, "N", "lines of regions (default 40)");
  line->AddOption("--timeline", &options->timeline_max, "N", "lines of the timeline (default 20)");
  line->AddOption("--window", &options->window, "1m", "by which the hottest region is looked for");
  line->AddOption("--settle", &options->settle, "1h", "time that passes after the last put");
  line->AddOption(
      "--validate", &options->validate, "DIR",
      "put the same rows into a store in this empty directory, and compare its regions");
  line->AddOption("--max-ratio", &options->ratio_max, "R",
                  "exit 1 if a region gets more than so many times the mean");
}

}  // namespace

void AddSimulateFlags(CommandLine* line, SimulateOptions* options) {
  AddSource(line, options);
  AddDesign(line, options);
  AddReport(line, options);
}

}  // namespace hourcell
