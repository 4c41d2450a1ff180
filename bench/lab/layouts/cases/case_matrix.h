// Selects the cases that a run of the layout benchmark has, from layouts x cell forms x split rules
// x workloads.
//
//   short     every layout, and every cell form with one layout; fleets of 60,000 points
//   usual     every layout with every workload; every cell form with OpenTSDB's layout and a salt;
//             every rule with these and time first; a million points
//   full      all combinations; 200,000 points
//
// A given list replaces the full one: with `layouts` = {"salt-4"} only that layout runs.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"
#include "bench/lab/layouts/cases/case_state.h"

namespace hourcell::layouts {

enum class MatrixSize : uint8_t { kShort, kUsual, kFull };
std::string_view MatrixSizeName(MatrixSize size);

struct MatrixOptions {
  MatrixSize size = MatrixSize::kUsual;
  std::vector<std::string> layouts = {};    // names or key templates; empty = all named ones
  std::vector<std::string> cells = {};      // cell_form.h
  std::vector<std::string> rules = {};      // split_rule.h
  std::vector<std::string> workloads = {};  // workload.h
  uint64_t points = 0;                      // of a case; 0 = by the size
  uint64_t seed = 1;
};

// The cases, without duplicates. kInvalidArgument: an unknown name.
absl::StatusOr<std::vector<CaseSpec>> MakeMatrix(const MatrixOptions& options);

// The cases of a run, told to its owner.
struct MatrixSteps {
  // Called before each case; if it returns false, the run ends.
  std::function<bool(size_t index, const CaseSpec& spec)> before = {};
  // Called after each case; may be null. An error ends the run.
  std::function<absl::Status(const CaseResult& result)> after = {};
  // Borrowed. Setting it ends the run in the middle of a case; may be null.
  const std::atomic<bool>* cancelled = nullptr;
};

// Runs the cases in order, each in a new store in `directory`, with RunCase, and appends to
// `*results`. Results that are there already are those of the first cases, which do not run again.
// kCancelled: `before` or `cancelled` ended the run; `*results` then has the finished cases. The
// first error ends the run.
absl::Status RunMatrix(const std::vector<CaseSpec>& specs,
                       const std::string& directory,
                       const MatrixSteps& steps,
                       std::vector<CaseResult>* results);

// The options that decide the results of a run, by their names on the command line.
CaseState::Options OptionsOf(const MatrixOptions& options);

}  // namespace hourcell::layouts
