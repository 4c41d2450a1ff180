#include "server/cli/fsck.h"

#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "engine/fsck.h"
#include "server/cli/progress.h"
#include "server/config.h"
#include "server/json_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kCommand = "fsck";

int NotChecked(Terminal& terminal, const absl::Status& status) {
  Fail(terminal, kCommand, status);
  return kExitNotChecked;
}

void PrintText(const FsckReport& report, int64_t elapsed_ms, Terminal& terminal) {
  for (const FsckFinding& finding : report.examples)
    fmt::print(terminal.out, "{}: {}\n", FsckFaultName(finding.fault), finding.text);
  fmt::print(terminal.out,
             "checked {} rows, {} points, {} annotations, {} series, {} mappings, {} regions, "
             "{} journal blocks with {} points in {} ms\n",
             report.rows, report.points, report.annotations, report.series, report.mappings,
             report.regions, report.journal_blocks, report.journal_points, elapsed_ms);
  for (const auto& [fault, count] : report.counts)
    fmt::print(terminal.out, "{}: {} faults\n", FsckFaultName(fault), count);
  if (report.fixed > 0) fmt::print(terminal.out, "{} fixed\n", report.fixed);
  fmt::print(
      terminal.out, "{}\n",
      report.faults() == 0 ? "no faults found" : fmt::format("{} faults found", report.faults()));
}

void PrintJson(const FsckReport& report, int64_t elapsed_ms, Terminal& terminal) {
  std::string text = fmt::format(
      R"({{"rows":{},"points":{},"annotations":{},"series":{},"mappings":{},"regions":{},)"
      R"("journal_blocks":{},"journal_points":{},"ms":{},"fixed":{},"faults":{{)",
      report.rows, report.points, report.annotations, report.series, report.mappings,
      report.regions, report.journal_blocks, report.journal_points, elapsed_ms, report.fixed);
  std::string_view comma;
  for (const auto& [fault, count] : report.counts) {
    text += fmt::format("{}\"{}\":{}", comma, FsckFaultName(fault), count);
    comma = ",";
  }
  text += "},\"examples\":[";
  comma = "";
  for (const FsckFinding& finding : report.examples) {
    text += fmt::format("{}{{\"fault\":\"{}\",\"text\":", comma, FsckFaultName(finding.fault));
    AppendJsonString(finding.text, &text);
    text += '}';
    comma = ",";
  }
  fmt::print(terminal.out, "{}]}}\n", text);
}

}  // namespace

int RunFsckCommand(const FsckCommandOptions& options, Terminal& terminal) {
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kCommand, config.status());
  const absl::StatusOr<Options> store = config->ToOptions();
  if (!store.ok()) return FailStore(terminal, kCommand, store.status());
  ProgressMeter meter(terminal.err, terminal.is_tty, terminal.clock, /*bytes_total=*/0);
  FsckOptions fsck{.fix_cells = options.fix_cells,
                   .fix_uids = options.fix_uids,
                   .examples_max = static_cast<size_t>(options.examples)};
  fsck.progress = [&meter](uint64_t /*rows*/, uint64_t points) { meter.Update(points, 0); };
  const absl::StatusOr<FsckReport> report = RunFsck(*store, fsck);
  meter.Clear();
  if (!report.ok()) return NotChecked(terminal, report.status());
  if (options.json) {
    PrintJson(*report, meter.elapsed_ms(), terminal);
  } else {
    PrintText(*report, meter.elapsed_ms(), terminal);
  }
  return report->faults() == 0 ? kExitOk : kExitFailure;
}

}  // namespace hourcell
