#include "server/cli/lab/bench.h"

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
#include "bench/lab/layouts/cell_form.h"
#include "bench/lab/layouts/layout_list.h"
#include "bench/lab/layouts/split_rule.h"
#include "bench/lab/layouts/workload.h"
#include "codec/base/status_macros.h"
#include "server/cli/command_line.h"
#include "server/cli/lab/bench_html.h"
#include "server/cli/lab/html_report.h"
#include "server/cli/long_work.h"
#include "server/config/build_info.h"

namespace hourcell {
namespace {

constexpr std::string_view kBenchCommand = "bench";
constexpr std::string_view kStateName = "cases.state";

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

layouts::MatrixOptions MatrixOf(const BenchOptions& options) {
  return {.size = options.is_short  ? layouts::MatrixSize::kShort
                  : options.is_full ? layouts::MatrixSize::kFull
                                    : layouts::MatrixSize::kUsual,
          .layouts = options.layouts,
          .cells = options.cells,
          .rules = options.rules,
          .workloads = options.workloads,
          .points = options.points,
          .seed = options.seed};
}

// Figures of two builds do not compare.
std::string ProgramText() {
  const BuildInfo& build = ThisBuild();
  return fmt::format("{} {}", build.commit, build.build_type);
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
  BenchRun(const BenchOptions& options, std::vector<layouts::CaseSpec> specs, Terminal& terminal)
      : options_(options), specs_(std::move(specs)), terminal_(terminal) {}

  // kCancelled: a signal came; `results` has the finished cases.
  absl::Status RunCases() {
    HOURCELL_RETURN_IF_ERROR(OpenState());
    const auto before = [this](size_t index, const layouts::CaseSpec& spec) {
      const int64_t elapsed_s = (terminal_.clock->MonotonicMs() - begin_ms_) / 1'000;
      if (LongWork::cancelled()->load()) return false;
      ShowCase(fmt::format("{}/{} {} ({} s)", index + 1, specs_.size(), layouts::CaseName(spec),
                           elapsed_s),
               terminal_);
      return true;
    };
    const auto after = [this](const layouts::CaseResult& result) {
      return state_.has_value() ? state_->Add(result) : absl::OkStatus();
    };
    absl::Status run = layouts::RunMatrix(
        specs_, options_.scratch,
        {.before = before, .after = after, .cancelled = LongWork::cancelled()}, &results_);
    if (terminal_.is_tty) PrintTo(terminal_.err, "\n");
    return run;
  }

  // Reports the finished cases.
  absl::Status Report() const {
    if (results_.empty()) return absl::OkStatus();
    const layouts::RunAbout about{.cases = specs_.size()};
    PrintTo(terminal_.out, "{}", layouts::TextReport(results_, about));
    if (!options_.html.empty()) {
      HOURCELL_ASSIGN_OR_RETURN(const std::string page, BenchHtml(results_, about));
      HOURCELL_RETURN_IF_ERROR(WriteHtml(page, options_.html));
    }
    if (options_.out.empty()) return absl::OkStatus();
    HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                              layouts::WriteReport(results_, about, options_.out));
    PrintTo(terminal_.err, "wrote {} files to {}\n", files.size(), options_.out);
    return absl::OkStatus();
  }

  // Says what an interrupt left.
  std::string LeftText() const {
    std::string text = fmt::format("ended after {} of {} cases", results_.size(), specs_.size());
    if (!options_.out.empty())
      text += fmt::format("; continue with --out {} --resume", options_.out);
    return text;
  }

 private:
  absl::Status OpenState() {
    if (options_.out.empty()) return absl::OkStatus();
    const std::string path = fmt::format("{}/{}", options_.out, kStateName);
    layouts::CaseState::Options decisive = layouts::OptionsOf(MatrixOf(options_));
    decisive.emplace_back("program", ProgramText());
    HOURCELL_ASSIGN_OR_RETURN(
        state_, options_.resumes ? layouts::CaseState::Resume(path, decisive, specs_, &results_)
                                 : layouts::CaseState::Begin(path, decisive));
    if (options_.resumes) {
      PrintTo(terminal_.err, "resuming after {} of {} cases\n", results_.size(), specs_.size());
    }
    return absl::OkStatus();
  }

  const BenchOptions& options_;
  const std::vector<layouts::CaseSpec> specs_;
  Terminal& terminal_;
  const int64_t begin_ms_ = terminal_.clock->MonotonicMs();
  std::optional<layouts::CaseState> state_;  // none without a directory for the report
  std::vector<layouts::CaseResult> results_;
};

}  // namespace

int RunBench(const BenchOptions& options, Terminal& terminal) {
  if (options.words != std::vector<std::string>{"layouts"}) {
    return FailWords(terminal, kBenchCommand, options.words, "layouts");
  }
  if (options.is_short && options.is_full) {
    return FailUsage(terminal, kBenchCommand, "expected --short or --full, got both");
  }
  if (options.resumes && options.out.empty()) {
    return FailUsage(terminal, kBenchCommand, "--resume: expected --out DIR as well");
  }
  if (options.lists_names) {
    PrintNames(terminal);
    return kExitOk;
  }
  const absl::StatusOr<std::vector<layouts::CaseSpec>> specs =
      layouts::MakeMatrix(MatrixOf(options));
  if (!specs.ok()) return FailUsage(terminal, kBenchCommand, StatusText(specs.status()));
  LongWork work(terminal, kBenchCommand);
  BenchRun bench(options, *specs, terminal);
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
               "run a few cases with 60,000 points each; takes half a minute");
  line.AddFlag("--full", &options.is_full,
               "run every combination with 200,000 points each; takes hours");
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
  line.AddOption("--points", &options.points, "N", "points of a case (default: 1,000,000)");
  line.AddOption("--seed", &options.seed, "N", "random seed of the data (default: 1)");
  line.AddOption("--dir", &options.scratch, "DIR",
                 "directory for temporary stores, which are removed (default: $TMPDIR)");
  line.set_footer(
      "Each case writes a workload in one layout to its own store, splits regions on the way,\n"
      "reads, and compares every answer with the written points. Exit 1 if an answer is wrong.\n"
      "SIGINT and SIGTERM end the run with a report of the finished cases; exit 130 or 143.\n"
      "A key template is a list of fields, optionally after a distributor:\n"
      "  [salt:N+ | xxh3:N+ | md5-4hex+ | round-robin:N+ | ...]metric,time,tags\n"
      "  fields: metric or reversed-metric, time or reversed-time, tags\n"
      "\nExamples:\n"
      "  hourcell bench layouts --short\n"
      "  hourcell bench layouts --out report --resume\n"
      "  hourcell bench layouts --out report --layouts opentsdb,salt-16 --workloads fleet,hot\n"
      "  hourcell bench layouts --layout xxh3:8+metric,tags,time --cells packed\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunBench(options, terminal);
}

}  // namespace hourcell
