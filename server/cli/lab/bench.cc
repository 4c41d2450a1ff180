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
#include "bench/lab/layouts/cell_form.h"
#include "bench/lab/layouts/layout_list.h"
#include "bench/lab/layouts/split_rule.h"
#include "bench/lab/layouts/workload.h"
#include "codec/base/status_macros.h"
#include "server/cli/command_line.h"
#include "server/cli/lab/bench_html.h"
#include "server/cli/lab/html_report.h"
#include "server/cli/long_work.h"

namespace hourcell {
namespace {

constexpr std::string_view kBenchCommand = "bench";

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

// Runs the cases and prints the results.
absl::Status RunCases(const std::vector<layouts::CaseSpec>& specs,
                      const BenchOptions& options,
                      Terminal& terminal) {
  const auto tell = [&](size_t index, const layouts::CaseSpec& spec) {
    if (terminal.is_tty) PrintTo(terminal.err, "\r\x1b[K");
    PrintTo(terminal.err, "{}/{} {}{}", index + 1, specs.size(), layouts::CaseName(spec),
            terminal.is_tty ? "" : "\n");
    std::fflush(terminal.err);
    return !LongWork::cancelled()->load();
  };
  const absl::StatusOr<std::vector<layouts::CaseResult>> results =
      layouts::RunMatrix(specs, options.scratch, tell, LongWork::cancelled());
  if (terminal.is_tty) PrintTo(terminal.err, "\n");
  if (!results.ok()) return results.status();
  PrintTo(terminal.out, "{}", layouts::TextReport(*results));
  if (!options.html.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string page, BenchHtml(*results));
    HOURCELL_RETURN_IF_ERROR(WriteHtml(page, options.html));
  }
  if (options.out.empty()) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                            layouts::WriteReport(*results, options.out));
  PrintTo(terminal.err, "wrote {} files to {}\n", files.size(), options.out);
  return absl::OkStatus();
}

}  // namespace

int RunBench(const BenchOptions& options, Terminal& terminal) {
  if (options.words != std::vector<std::string>{"layouts"}) {
    return FailWords(terminal, kBenchCommand, options.words, "layouts");
  }
  if (options.is_short && options.is_full) {
    return FailUsage(terminal, kBenchCommand, "expected --short or --full, got both");
  }
  if (options.lists_names) {
    PrintNames(terminal);
    return kExitOk;
  }
  const absl::StatusOr<std::vector<layouts::CaseSpec>> specs =
      layouts::MakeMatrix(MatrixOf(options));
  if (!specs.ok()) return FailUsage(terminal, kBenchCommand, StatusText(specs.status()));
  LongWork work(terminal, kBenchCommand);
  const absl::Status run = RunCases(*specs, options, terminal);
  if (absl::IsCancelled(run)) {
    return work.FailInterrupted("no report was written, and the temporary store was removed");
  }
  return run.ok() ? kExitOk : Fail(terminal, kBenchCommand, run);
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
      "A key template is a list of fields, optionally after a distributor:\n"
      "  [salt:N+ | xxh3:N+ | md5-4hex+ | round-robin:N+ | ...]metric,time,tags\n"
      "  fields: metric or reversed-metric, time or reversed-time, tags\n"
      "\nExamples:\n"
      "  hourcell bench layouts --short\n"
      "  hourcell bench layouts --out report --layouts opentsdb,salt-16 --workloads fleet,hot\n"
      "  hourcell bench layouts --layout xxh3:8+metric,tags,time --cells packed\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunBench(options, terminal);
}

}  // namespace hourcell
