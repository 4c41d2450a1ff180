#include "server/cli/fsck.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/fsck.h"
#include "engine/fsck_admin.h"
#include "server/cli/command_line.h"
#include "server/cli/http_client.h"
#include "server/cli/progress.h"
#include "server/cli/store_flags.h"
#include "server/config.h"
#include "server/engine_options.h"
#include "server/fsck_json.h"

namespace hourcell {
namespace {

constexpr std::string_view kCommand = "fsck";
constexpr std::string_view kTarget = "/api/admin/fsck";
constexpr int kHttpOk = 200;
constexpr int64_t kPollMsMax = 500;

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

int Print(const FsckCommandOptions& options,
          const FsckReport& report,
          int64_t elapsed_ms,
          Terminal& terminal) {
  if (options.json) {
    std::string text;
    AppendFsckReport(report, elapsed_ms, &text);
    fmt::print(terminal.out, "{}\n", text);
  } else {
    PrintText(report, elapsed_ms, terminal);
  }
  return report.faults() == 0 ? kExitOk : kExitFailure;
}

absl::StatusOr<FsckRun> AskForRun(HttpClient* client, const absl::StatusOr<HttpReply>& reply) {
  HOURCELL_RETURN_IF_ERROR(reply.status());
  if (reply->status != kHttpOk) {
    return absl::UnavailableError(fmt::format("{}: {}", client->address(), HttpErrorText(*reply)));
  }
  absl::StatusOr<FsckRun> run = ParseFsckRun(reply->body);
  if (run.ok()) return run;
  return absl::UnavailableError(fmt::format("{}: {}", client->address(), StatusText(run.status())));
}

// Begins a check on a server and waits for its end.
absl::StatusOr<FsckRun> RunOnServer(const HttpUrl& url, uint64_t examples, ProgressMeter* meter) {
  HttpClient client(url);
  HOURCELL_ASSIGN_OR_RETURN(
      FsckRun run,
      AskForRun(&client, client.Post(fmt::format("{}?examples={}", kTarget, examples), "")));
  const uint64_t id = run.id;
  // Soon at first: a small store is checked at once.
  for (int64_t wait_ms = 5; run.state == FsckState::kRunning;
       wait_ms = std::min(2 * wait_ms, kPollMsMax)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    HOURCELL_ASSIGN_OR_RETURN(run, AskForRun(&client, client.Get(kTarget)));
    if (run.id != id) {
      return absl::UnavailableError(
          fmt::format("{}: its check {} is gone; it is at {}", client.address(), id, run.id));
    }
    meter->Update(run.points, 0);
  }
  if (run.state == FsckState::kDone) return run;
  return absl::UnavailableError(
      fmt::format("{}: {}: {}", client.address(), FsckStateName(run.state), run.error));
}

int CheckServer(const FsckCommandOptions& options, Terminal& terminal) {
  if (options.fix_cells || options.fix_uids || options.fix_index) {
    return FailUsage(terminal, kCommand,
                     "--url: got a --fix flag; want none: what is repaired no process has open");
  }
  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url);
  if (!url.ok()) return FailUsage(terminal, kCommand, StatusText(url.status()));
  ProgressMeter meter(terminal.err, terminal.is_tty, terminal.clock, /*bytes_total=*/0);
  const absl::StatusOr<FsckRun> run = RunOnServer(*url, options.examples, &meter);
  meter.Clear();
  if (!run.ok()) return NotChecked(terminal, run.status());
  return Print(options, run->report, run->elapsed_ms, terminal);
}

}  // namespace

int RunFsckCommand(const FsckCommandOptions& options, Terminal& terminal) {
  if (!options.url.empty()) return CheckServer(options, terminal);
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kCommand, config.status());
  const absl::StatusOr<Options> store = EngineOptionsOf(*config);
  if (!store.ok()) return FailStore(terminal, kCommand, store.status());
  ProgressMeter meter(terminal.err, terminal.is_tty, terminal.clock, /*bytes_total=*/0);
  FsckOptions fsck{.fix_cells = options.fix_cells,
                   .fix_uids = options.fix_uids,
                   .fix_index = options.fix_index,
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
  AddUrl(&line, &options.url);
  line.AddFlag("--fix-cells", &options.fix_cells,
               "repair cells; what is replaced or removed is kept in meta under aside/row/");
  line.AddFlag("--fix-uids", &options.fix_uids,
               "repair names and UIDs, as 'hourcell uid fsck fix'");
  line.AddFlag("--fix-index", &options.fix_index,
               "repair what finds series by their tags: numbers, tsuids, posting sets");
  line.AddFlag("--json", &options.json, "print the report as one JSON object");
  line.AddOption("--examples", &options.examples, "N",
                 "findings printed of each kind (default 10)");
  line.set_footer(
      "Exit: 0 no faults, 1 faults (fixed or not), 2 usage, 3 it could not be checked.\n"
      "Nothing is written without a --fix flag, but for what every open of a store does. Without\n"
      "--url, and for repairs, no process may have the store open.\n"
      "What is looked at and what is not: docs/fsck.md.\n"
      "\nExamples:\n"
      "  hourcell fsck --data /var/lib/hourcell\n"
      "  hourcell fsck --fix-cells --json\n"
      "  hourcell fsck --url http://localhost:4242\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunFsckCommand(options, terminal);
}

}  // namespace hourcell
