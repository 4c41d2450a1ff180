#include "server/cli/lab/bench.h"

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "bench/lab/layouts/cases/case_matrix.h"
#include "bench/lab/layouts/cases/case_report.h"
#include "bench/lab/layouts/cases/case_state.h"
#include "bench/lab/layouts/cases/case_summary.h"
#include "bench/lab/layouts/cell_form.h"
#include "bench/lab/layouts/layout_list.h"
#include "bench/lab/layouts/split_rule.h"
#include "bench/lab/layouts/workload.h"
#include "codec/base/status_macros.h"
#include "server/cli/command_line.h"
#include "server/cli/lab/bench_html.h"
#include "server/cli/lab/html_report.h"
#include "server/cli/lab/series_source.h"
#include "server/cli/long_work.h"
#include "server/config/build_info.h"
#include "server/config/version.h"

namespace hourcell {
namespace {

constexpr std::string_view kBenchCommand = "bench";
constexpr std::string_view kStateName = "cases.state";
constexpr const char* kMemoryDirectory = "/dev/shm";
constexpr int64_t kUsualTimeMs = 55'000;
constexpr uint64_t kBenchRoundsMax = 100;

void PrintNames(Terminal& terminal) {
  PrintTo(terminal.out, "layouts\n");
  for (const layouts::NamedLayout& layout : layouts::NamedLayouts()) {
    PrintTo(terminal.out, "  {:<16}{:<32}{}\n", layout.name, layout.key_template, layout.idea);
  }
  PrintTo(terminal.out, "cells    ");
  for (const layouts::CellForm& form : layouts::CellForms())
    PrintTo(terminal.out, " {}", layouts::CellFormName(form));
  PrintTo(terminal.out, "\nsplits   ");
  for (const layouts::SplitRule rule : layouts::kSplitRules)
    PrintTo(terminal.out, " {}", layouts::SplitRuleName(rule));
  PrintTo(terminal.out, "\nworkloads");
  for (const layouts::WorkloadKind kind : layouts::kWorkloadKinds)
    PrintTo(terminal.out, " {}", layouts::WorkloadName(kind));
  PrintTo(terminal.out, "\n");
}

// The series of --fleet or --from; null for the workloads.
absl::StatusOr<std::shared_ptr<const layouts::GivenFleet>> GivenSeries(const BenchOptions& options,
                                                                       Clock* clock) {
  if (options.fleet.empty() && options.from.empty()) return nullptr;
  const bool is_url = options.from.starts_with("http://") || options.from.starts_with("https://");
  absl::StatusOr<layouts::GivenFleet> fleet =
      !options.fleet.empty() ? SeriesOfFleet(options.fleet, options.seed)
      : is_url ? SeriesOfServer({.url = options.from, .trust = options.trust}, clock->NowMs())
               : SeriesOfFile(options.from);
  if (!fleet.ok()) return fleet.status();
  return std::make_shared<const layouts::GivenFleet>(*std::move(fleet));
}

layouts::MatrixOptions MatrixOf(const BenchOptions& options) {
  return {.size = options.is_short      ? layouts::MatrixSize::kShort
                  : options.is_thorough ? layouts::MatrixSize::kThorough
                  : options.is_full     ? layouts::MatrixSize::kFull
                                        : layouts::MatrixSize::kUsual,
          .layouts = options.layouts,
          .cells = options.cells,
          .rules = options.rules,
          .workloads = options.workloads,
          .points = options.points,
          .seed = options.seed,
          .rounds = options.rounds == 0 ? uint64_t{layouts::kRoundsForTimes} : options.rounds};
}

// Figures of two builds do not compare.
std::string ProgramText() {
  const BuildInfo& build = ThisBuild();
  return fmt::format("{} {}", build.commit, build.build_type);
}

// The directory for stores; empty = $TMPDIR. Without that, memory: the decisive figures are the
// same on every disk, and a run is ten times as fast.
std::string ScratchOf(const BenchOptions& options) {
  if (!options.scratch.empty() || std::getenv("TMPDIR") != nullptr) return options.scratch;
  return ::access(kMemoryDirectory, W_OK) == 0 ? kMemoryDirectory : "";
}

// Shows the case that begins.
void ShowCase(const std::string& line, Terminal& terminal) {
  if (terminal.is_tty) PrintTo(terminal.err, "\r\x1b[K");
  PrintTo(terminal.err, "{}{}", line, terminal.is_tty ? "" : "\n");
  std::fflush(terminal.err);
}

// One `hourcell bench layouts`.
class BenchRun {
 public:
  BenchRun(const BenchOptions& options,
           layouts::MatrixOptions matrix,
           layouts::RunPlan plan,
           Terminal& terminal)
      : options_(options),
        matrix_(std::move(matrix)),
        plan_(std::move(plan)),
        terminal_(terminal) {}

  // kCancelled: a signal came; the finished cases can be reported.
  absl::Status RunCases() {
    HOURCELL_RETURN_IF_ERROR(OpenState());
    const auto before = [this](size_t index, const layouts::CaseSpec& spec) {
      return Begin(index, spec);
    };
    const auto after = [this](const layouts::CaseResult& result) {
      return state_.has_value() ? state_->Add(result) : absl::OkStatus();
    };
    const absl::Status run = layouts::RunMatrix(
        plan_.runs, ScratchOf(options_),
        {.before = before, .after = after, .cancelled = LongWork::cancelled()}, &results_);
    if (terminal_.is_tty) PrintTo(terminal_.err, "\n");
    return absl::IsCancelled(run) && is_time_over_ ? absl::OkStatus() : run;
  }

  // Reports the finished cases.
  absl::Status Report() const {
    if (results_.empty()) return absl::OkStatus();
    const std::vector<layouts::CaseSummary> cases = layouts::Summarize(results_);
    const layouts::RunAbout about = About();
    PrintTo(terminal_.out, "{}", layouts::TextReport(cases, about));
    if (!options_.html.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(const std::string page, BenchHtml(cases, about));
      HOURCELL_RETURN_IF_ERROR(WriteHtml(page, options_.html));
    }
    if (options_.out.empty()) return absl::OkStatus();
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                              layouts::WriteReport(cases, about, options_.out));
    PrintTo(terminal_.err, "wrote {} files to {}\n", files.size(), options_.out);
    return absl::OkStatus();
  }

  // The state after an interrupt.
  std::string LeftText() const {
    std::string text =
        fmt::format("ended after {} of {} measurements", results_.size(), plan_.runs.size());
    if (!options_.out.empty())
      text += fmt::format("; continue with --out {} --resume", options_.out);
    return text;
  }

 private:
  // Shows the run that begins. False: a signal came, or the time is over.
  bool Begin(size_t index, const layouts::CaseSpec& spec) {
    const int64_t elapsed_ms = terminal_.clock->MonotonicMs() - begin_ms_;
    if (LongWork::cancelled()->load()) return false;
    const bool begins_round = index > 0 && plan_.runs[index - 1].round != spec.round;
    if (begins_round && !HasTimeForRound(spec, elapsed_ms)) return false;
    if (index == plan_.first_answer) PrintFirstAnswer();
    const std::string round = spec.round == 0 ? "sample" : fmt::format("round {}", spec.round);
    ShowCase(fmt::format("{}/{} {} ({}, {} s)", index + 1, plan_.runs.size(),
                         layouts::CaseName(spec), round, elapsed_ms / 1'000),
             terminal_);
    return true;
  }

  // A run of the default options takes a minute at most: a round is left out if the last one shows
  // that it would take longer.
  bool HasTimeForRound(const layouts::CaseSpec& spec, int64_t elapsed_ms) {
    const int64_t last_ms = elapsed_ms - std::exchange(round_begin_ms_, elapsed_ms);
    const bool is_limited = !options_.is_short && !options_.is_thorough && !options_.is_full &&
                            options_.points == 0 && options_.rounds == 0;
    is_time_over_ = is_limited && spec.round > 1 && elapsed_ms + last_ms > kUsualTimeMs;
    return !is_time_over_;
  }

  void PrintFirstAnswer() const {
    const layouts::RunAbout about{.measured = results_.size(), .planned = results_.size()};
    if (terminal_.is_tty) PrintTo(terminal_.err, "\r\x1b[K");
    PrintTo(terminal_.out, "First answer, of {} points a case\n\n{}\n", plan_.runs.front().points,
            layouts::TextReport(layouts::Summarize(results_), about));
    std::fflush(terminal_.out);
  }

  layouts::RunAbout About() const {
    const BuildInfo& build = ThisBuild();
    const std::string stores = ScratchOf(options_);
    return {.measured = results_.size(),
            .planned = is_time_over_ ? results_.size() : plan_.runs.size(),
            .program = fmt::format("hourcell {}, {}", kHourcellVersion, build.build_type),
            .is_release = build.build_type == "Release",
            .stores = stores.empty() ? "$TMPDIR" : stores};
  }

  absl::Status OpenState() {
    if (options_.out.empty()) return absl::OkStatus();
    const std::string path = fmt::format("{}/{}", options_.out, kStateName);
    layouts::CaseState::Options decisive = layouts::OptionsOf(matrix_);
    decisive.emplace_back("program", ProgramText());
    HOURCELL_ASSIGN_OR_RETURN(
        state_, options_.resumes ? layouts::CaseState::Resume(path, decisive, plan_.runs, &results_)
                                 : layouts::CaseState::Begin(path, decisive));
    if (options_.resumes) {
      PrintTo(terminal_.err, "resuming after {} of {} measurements\n", results_.size(),
              plan_.runs.size());
    }
    return absl::OkStatus();
  }

  const BenchOptions& options_;
  const layouts::MatrixOptions matrix_;
  const layouts::RunPlan plan_;
  Terminal& terminal_;
  const int64_t begin_ms_ = terminal_.clock->MonotonicMs();
  std::optional<layouts::CaseState> state_;  // none without a directory for the report
  std::vector<layouts::CaseResult> results_;
  int64_t round_begin_ms_ = 0;
  bool is_time_over_ = false;
};

}  // namespace

int RunBench(const BenchOptions& options, Terminal& terminal) {
  if (options.words != std::vector<std::string>{"layouts"}) {
    return FailWords(terminal, kBenchCommand, options.words, "layouts");
  }
  if (int{options.is_short} + int{options.is_thorough} + int{options.is_full} > 1) {
    return FailUsage(terminal, kBenchCommand,
                     "expected one of --short, --thorough and --full, got several");
  }
  if (options.rounds > kBenchRoundsMax) {
    return FailUsage(
        terminal, kBenchCommand,
        fmt::format("--rounds: expected 1 to {}, got {}", kBenchRoundsMax, options.rounds));
  }
  if (options.resumes && options.out.empty()) {
    return FailUsage(terminal, kBenchCommand, "--resume: expected --out DIR as well");
  }
  if (options.lists_names) {
    PrintNames(terminal);
    return kExitOk;
  }
  if (int{!options.from.empty()} + int{!options.fleet.empty()} + int{!options.workloads.empty()} >
      1) {
    return FailUsage(terminal, kBenchCommand,
                     "expected one of --from, --fleet and --workloads, got several");
  }
  absl::StatusOr<std::shared_ptr<const layouts::GivenFleet>> given =
      GivenSeries(options, terminal.clock);
  if (!given.ok()) return Fail(terminal, kBenchCommand, given.status());
  layouts::MatrixOptions matrix = MatrixOf(options);
  matrix.given = *std::move(given);
  const absl::StatusOr<layouts::RunPlan> plan = layouts::MakePlan(matrix);
  if (!plan.ok()) return FailUsage(terminal, kBenchCommand, StatusText(plan.status()));
  LongWork work(terminal, kBenchCommand);
  BenchRun bench(options, std::move(matrix), *plan, terminal);
  const absl::Status run = bench.RunCases();
  if (!run.ok() && !absl::IsCancelled(run)) return Fail(terminal, kBenchCommand, run);
  if (const absl::Status reported = bench.Report(); !reported.ok()) {
    return Fail(terminal, kBenchCommand, reported);
  }
  return run.ok() ? kExitOk : work.FailInterrupted(bench.LeftText());
}

int BenchMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("bench", "Measures row-key layouts and cell forms on the real engine.");
  BenchOptions options;
  line.AddWords("WHAT", &options.words, "what to measure: layouts");
  line.AddFlag("--short", &options.is_short,
               "measure few cases, with 60,000 points each; takes a quarter of a minute");
  line.AddFlag("--thorough", &options.is_thorough,
               "measure all workloads, with a million points each; takes a quarter of an hour");
  line.AddFlag("--full", &options.is_full,
               "measure every combination, with 200,000 points each; takes hours");
  line.AddFlag("--list", &options.lists_names, "list layouts, cells, split rules and workloads");
  line.AddOption("--out", &options.out, "DIR",
                 "directory for the report: text, CSV, JSON, SVG, PNG");
  line.AddFlag("--resume", &options.resumes,
               "finish the interrupted run in --out; needs the same options");
  line.AddOption("--html", &options.html, "FILE",
                 "write tables and figures to one self-contained HTML file");
  line.AddList("--layouts", &options.layouts, "measure only these layouts");
  line.AddList("--cells", &options.cells, "measure only these cell forms");
  line.AddList("--rules", &options.rules, "measure only these split rules");
  line.AddList("--workloads", &options.workloads, "measure only these workloads");
  line.AddRepeated("--layout", &options.layouts, "TEMPLATE",
                   "key template to measure; may be repeated");
  line.AddOption("--fleet", &options.fleet, "SPEC",
                 "series of a described fleet, as in 'hourcell simulate'");
  line.AddOption("--from", &options.from, "SOURCE",
                 "series of an import file, or of a server: http[s]://HOST:PORT");
  line.AddOption("--ca-file", &options.trust.ca_file, "FILE",
                 "certificates that --from trusts for https");
  line.AddFlag("--insecure", &options.trust.insecure, "do not verify the server's certificate");
  line.AddOption("--points", &options.points, "N", "points of a case (default: 60,000)");
  line.AddOption("--rounds", &options.rounds, "N",
                 "how often each case is measured (default: 3, within a minute)");
  line.AddOption("--seed", &options.seed, "N", "random seed of the data (default: 1)");
  line.AddOption(
      "--dir", &options.scratch, "DIR",
      "directory for temporary stores, which are removed (default: $TMPDIR, else /dev/shm)");
  line.set_footer(
      "Each case writes a workload in one layout to its own store, splits regions on the way,\n"
      "reads, and compares every answer with the written points. Exit 1 if an answer is wrong.\n"
      "A first answer of 20,000 points a case comes within seconds; then each case is measured in\n"
      "rounds that take turns. Counts are the same in each round; times, and instructions where\n"
      "the kernel counts them, are medians of rounds.\n"
      "SIGINT and SIGTERM end the run with a report of the finished cases; exit 130 or 143.\n"
      "A key template is a list of fields, optionally after a distributor:\n"
      "  [salt:N+ | xxh3:N+ | md5-4hex+ | round-robin:N+ | ...]metric,time,tags\n"
      "  fields: metric or reversed-metric; time, reversed-time, day or hour-or-day:N; tags\n"
      "Hours of fewer than N points (default: 250, as in a store) share the row of their day.\n"
      "\nExamples:\n"
      "  hourcell bench layouts --short\n"
      "  hourcell bench layouts --out report --resume\n"
      "  hourcell bench layouts --from points.gz\n"
      "  hourcell bench layouts --fleet metrics=50,tags=host:200,interval=60s\n"
      "  hourcell bench layouts --out report --layouts opentsdb,salt-16 --workloads fleet,hot\n"
      "  hourcell bench layouts --layout xxh3:8+metric,tags,time --cells packed\n"
      "  hourcell bench layouts --layout metric,hour-or-day:400,tags --workloads sparse\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunBench(options, terminal);
}

}  // namespace hourcell
