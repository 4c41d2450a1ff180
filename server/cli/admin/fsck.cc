#include "server/cli/admin/fsck.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/fsck.h"
#include "server/admin/fsck_json.h"
#include "server/cli/command_line.h"
#include "server/cli/progress.h"
#include "server/cli/server_job.h"
#include "server/cli/store_flags.h"
#include "server/cluster/storage_choice.h"
#include "server/config/config.h"
#include "server/http/http_client.h"

namespace hourcell {
namespace {

constexpr std::string_view kFsckCommand = "fsck";
constexpr std::string_view kFsckTarget = "/api/admin/fsck";

int NotChecked(Terminal& terminal, const absl::Status& status) {
  Fail(terminal, kFsckCommand, status);
  return kExitNotChecked;
}

void PrintText(const FsckReport& report, int64_t elapsed_ms, Terminal& terminal) {
  for (const FsckFinding& finding : report.examples)
    PrintTo(terminal.out, "{}: {}\n", FsckFaultName(finding.fault), finding.text);
  // Without histograms, the line is that of version 0.1.0, which scripts may read.
  const std::string histograms =
      report.histograms == 0 ? "" : fmt::format(" {} histograms,", report.histograms);
  PrintTo(terminal.out,
          "checked {} rows, {} points, {} annotations, {}{} series, {} mappings, "
          "{} regions, {} journal blocks with {} points in {} ms\n",
          report.rows, report.points, report.annotations, histograms, report.series,
          report.mappings, report.regions, report.journal_blocks, report.journal_points,
          elapsed_ms);
  for (const auto& [fault, count] : report.counts)
    PrintTo(terminal.out, "{}: {}\n", FsckFaultName(fault), Counted(count, "fault"));
  if (report.wasted_uids > 0) {
    PrintTo(terminal.out, "{} {} unused: a process ended while it made their names\n",
            Counted(report.wasted_uids, "UID"), report.wasted_uids == 1 ? "is" : "are");
  }
  if (report.fixed > 0) PrintTo(terminal.out, "{} fixed\n", report.fixed);
  if (report.dropped > 0) PrintTo(terminal.out, "{} empty series dropped\n", report.dropped);
  PrintTo(terminal.out, "{}\n",
          report.faults() == 0 ? "no faults found"
                               : fmt::format("{} found", Counted(report.faults(), "fault")));
}

int Print(const FsckCommandOptions& options,
          const FsckReport& report,
          int64_t elapsed_ms,
          Terminal& terminal) {
  if (options.json) {
    std::string text;
    AppendFsckReport(report, elapsed_ms, &text);
    PrintTo(terminal.out, "{}\n", text);
  } else {
    PrintText(report, elapsed_ms, terminal);
  }
  return report.faults() == 0 ? kExitOk : kExitFailure;
}

// The server's report, and the duration of its check.
absl::StatusOr<FsckReport> AskServer(const HttpUrl& url,
                                     uint64_t examples,
                                     Terminal& terminal,
                                     int64_t* elapsed_ms) {
  const std::string target = fmt::format("{}?examples={}", kFsckTarget, examples);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, RunServerJob(url, target, "", terminal));
  const auto failure = [&url](std::string_view why) {
    return absl::UnavailableError(fmt::format("{}:{}: {}", url.host, url.port, why));
  };
  if (reply.status != kHttpOk) return failure(HttpErrorText(reply));
  absl::StatusOr<FsckReport> report = ParseFsckReport(reply.body, elapsed_ms);
  if (!report.ok()) return failure(StatusText(report.status()));
  return report;
}

int CheckServer(const FsckCommandOptions& options, Terminal& terminal) {
  if (options.fix_cells || options.fix_uids || options.fix_index || options.drop_empty_series) {
    return FailUsage(terminal, kFsckCommand,
                     "--url: a running server cannot repair its store; stop the server and use the "
                     "--fix and --drop flags without --url");
  }
  if (options.acknowledge_cuts) {
    return FailUsage(
        terminal, kFsckCommand,
        "--url: --acknowledge-cuts is not supported; stop the server and use it without "
        "--url, or move the server's journal/*.cut files elsewhere");
  }
  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
  if (!url.ok()) return FailUsage(terminal, kFsckCommand, StatusText(url.status()));
  int64_t elapsed_ms = 0;
  const absl::StatusOr<FsckReport> report =
      AskServer(*url, options.examples, terminal, &elapsed_ms);
  if (!report.ok()) return NotChecked(terminal, report.status());
  return Print(options, *report, elapsed_ms, terminal);
}

}  // namespace

int RunFsckCommand(const FsckCommandOptions& options, Terminal& terminal) {
  if (!options.url.empty()) return CheckServer(options, terminal);
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kFsckCommand, config.status());
  absl::StatusOr<Options> store = OptionsOfStore(*config);
  if (!store.ok()) return FailStore(terminal, kFsckCommand, store.status());
  if (store->storage != nullptr) {
    return FailUsage(terminal, kFsckCommand,
                     "without --url it checks a directory, and tsd.storage.engine is not rocksdb");
  }
  const bool changes = options.fix_cells || options.fix_uids || options.fix_index ||
                       options.drop_empty_series || options.acknowledge_cuts;
  if (!changes) FollowIfReadOnly(&*store);
  ProgressMeter meter(terminal.err, terminal.is_tty, terminal.clock, /*bytes_total=*/0);
  FsckOptions fsck{.fix_cells = options.fix_cells,
                   .fix_uids = options.fix_uids,
                   .fix_index = options.fix_index,
                   .drop_empty_series = options.drop_empty_series,
                   .acknowledge_cuts = options.acknowledge_cuts,
                   .examples_max = static_cast<size_t>(options.examples)};
  fsck.progress = [&meter](const FsckProgress& progress) {
    meter.Update(progress.points, 0);
    return true;
  };
  const absl::StatusOr<FsckReport> report = RunFsck(*store, fsck);
  meter.Clear();
  if (!report.ok()) return NotChecked(terminal, report.status());
  return Print(options, *report, meter.elapsed_ms(), terminal);
}

int FsckMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("fsck", "Checks a store: every row, name, series and region, and the journal.");
  FsckCommandOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--fix-cells", &options.fix_cells,
               "repair damaged cells; their old bytes are kept in table meta under aside/row/");
  line.AddFlag("--fix-uids", &options.fix_uids,
               "repair names and UIDs, like 'hourcell uid fsck fix'");
  line.AddFlag("--fix-index", &options.fix_index,
               "repair the index of series: numbers, tsuids, posting sets, active sets");
  line.AddFlag("--drop-empty-series", &options.drop_empty_series,
               "remove series without points and annotations, if no fault is found");
  line.AddFlag("--acknowledge-cuts", &options.acknowledge_cuts,
               "report the cuts of the journal once more and mark them as seen; the bytes stay in "
               "journal/*.cut.seen");
  line.AddFlag("--json", &options.json, "print the report as one JSON object");
  line.AddOption("--examples", &options.examples, "N",
                 "maximum number of findings printed of each kind (default 10)");
  line.set_footer(
      "Exit code: 0 no faults, 1 faults (fixed or not), 2 usage error, 3 the store could not be\n"
      "checked.\n"
      "Without --fix and --drop flags, fsck writes nothing beyond the writes of every open\n"
      "of a store.\n"
      "Without --url, and for repairs, no process may have the store open.\n"
      "docs/fsck.md lists the checks and their limits.\n"
      "\nExamples:\n"
      "  hourcell fsck --data /var/lib/hourcell\n"
      "  hourcell fsck --fix-cells --json\n"
      "  hourcell fsck --url http://localhost:4242\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunFsckCommand(options, terminal);
}

}  // namespace hourcell
