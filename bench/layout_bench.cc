// Row-key layouts, cell forms, split rules and workloads on the real engine: the same runs as
// `hourcell bench layouts`, without the rest of the program.
//
//   layout_bench --out=report
//
// Prints the tables; with --out also CSV, JSON and figures. docs/layouts.md explains them.

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/lab/layouts/cases/case_matrix.h"
#include "bench/lab/layouts/cases/case_report.h"

namespace hourcell::layouts {
namespace {

constexpr std::string_view kUsage = R"(usage: layout_bench [option...]
  --short, --full      fewer cases, or all there are
  --layouts=A,B        names, or --layout=TEMPLATE for one with commas in it
  --cells=A,B --rules=A,B --workloads=A,B
  --points=N           of a case
  --seed=N
  --out=DIR            the report
  --dir=DIR            where stores are made and removed; default: for temporary files
)";

struct Settings {
  MatrixOptions matrix = {};
  std::string out = {};
  std::string dir = {};  // empty: for temporary files
};

std::vector<std::string> Words(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    words.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

bool ReadNumber(std::string_view text, uint64_t* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// False if the option is unknown.
bool ReadOption(std::string_view argument, Settings* settings) {
  MatrixOptions& matrix = settings->matrix;
  const size_t equals = std::min(argument.find('='), argument.size());
  const std::string_view name = argument.substr(0, equals);
  const std::string_view value = argument.substr(std::min(equals + 1, argument.size()));
  if (argument == "--short") {
    matrix.size = MatrixSize::kShort;
  } else if (argument == "--full") {
    matrix.size = MatrixSize::kFull;
  } else if (name == "--layouts") {
    matrix.layouts = Words(value);
  } else if (name == "--layout") {
    matrix.layouts.emplace_back(value);
  } else if (name == "--cells") {
    matrix.cells = Words(value);
  } else if (name == "--rules") {
    matrix.rules = Words(value);
  } else if (name == "--workloads") {
    matrix.workloads = Words(value);
  } else if (name == "--points") {
    return ReadNumber(value, &matrix.points);
  } else if (name == "--seed") {
    return ReadNumber(value, &matrix.seed);
  } else if (name == "--out") {
    settings->out = value;
  } else if (name == "--dir") {
    settings->dir = value;
  } else {
    return false;
  }
  return true;
}

// Set by SIGINT and SIGTERM: the run ends, and removes its store.
std::atomic<bool> is_interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void NoteInterrupt(int /*signal*/) {
  is_interrupted.store(true);
}

absl::Status Run(const Settings& settings) {
  const auto specs = MakeMatrix(settings.matrix);
  if (!specs.ok()) return specs.status();
  const auto tell = [&](size_t index, const CaseSpec& spec) {
    fmt::print(stderr, "{}/{} {}\n", index + 1, specs->size(), CaseName(spec));
    return !is_interrupted.load();
  };
  const auto results = RunMatrix(*specs, settings.dir, tell, &is_interrupted);
  if (!results.ok()) return results.status();
  fmt::print("{}", TextReport(*results));
  return settings.out.empty() ? absl::OkStatus() : WriteReport(*results, settings.out).status();
}

int Main(const std::vector<std::string_view>& arguments) {
  Settings settings;
  for (const std::string_view argument : arguments) {
    if (ReadOption(argument, &settings)) continue;
    fmt::print(stderr, "layout_bench: {}\n{}", argument, kUsage);
    return 2;
  }
  std::signal(SIGINT, &NoteInterrupt);
  std::signal(SIGTERM, &NoteInterrupt);
  const absl::Status run = Run(settings);
  if (run.ok()) return 0;
  fmt::print(stderr, "layout_bench: {}\n", std::string(run.message()));
  return 1;
}

}  // namespace
}  // namespace hourcell::layouts

int main(int argc, char** argv) {
  return hourcell::layouts::Main({argv + 1, argv + argc});
}
