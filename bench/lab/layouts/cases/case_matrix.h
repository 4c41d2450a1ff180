// Selects the cases that a run of the layout benchmark has, from layouts x cell forms x split rules
// x workloads.
//
//   short     every layout, and every cell form with OpenTSDB's; a fleet of 60,000 points
//   usual     every layout with a fleet and with hot series; every cell form with OpenTSDB's
//             layout; every rule with it and a salt; rows of hours, of days and by density with a
//             sparse fleet and hot series; 60,000 points
//   thorough  every layout with every workload; every cell form with OpenTSDB's layout and a salt;
//             every rule with these and time first; a million points
//   full      all combinations; 200,000 points
//
// MakePlan lists the measurements in their order. First the cases of `short` with 20,000 points
// each, which give a first answer within seconds; then all cases in rounds that take turns, so that
// a change of the machine's load meets all cases alike. The plan of `short`, and of cases that are
// small themselves, has only the rounds.
//
// Given series are the only workload; in each size but `full` they also have the cases that
// compare rows, for a whole day. These cases have one region: in small runs the files of more
// regions would decide the sizes.
//
// A given list replaces the full one: with `layouts` = {"salt-4"} only that layout runs. All given
// workloads run, in each size.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "bench/lab/layouts/cases/case_result.h"
#include "bench/lab/layouts/cases/case_state.h"
#include "bench/lab/layouts/cases/case_summary.h"

namespace hourcell::layouts {

enum class MatrixSize : uint8_t { kShort, kUsual, kThorough, kFull };
inline constexpr MatrixSize kMatrixSizes[] = {MatrixSize::kShort, MatrixSize::kUsual,
                                              MatrixSize::kThorough, MatrixSize::kFull};
std::string_view MatrixSizeName(MatrixSize size);

struct MatrixOptions {
  MatrixSize size = MatrixSize::kUsual;
  std::vector<std::string> layouts = {};    // names or key templates; empty = all named ones
  std::vector<std::string> cells = {};      // cell_form.h
  std::vector<std::string> rules = {};      // split_rule.h
  std::vector<std::string> workloads = {};  // workload.h
  std::shared_ptr<const GivenFleet> given = nullptr;  // the only workload, unless null
  uint64_t points = 0;                                // of a case; 0 = by the size
  uint64_t seed = 1;
  uint64_t rounds = kRoundsForTimes;  // how often each case is measured, at least 1
};

// The cases, without duplicates. kInvalidArgument: an unknown name.
absl::StatusOr<std::vector<CaseSpec>> MakeMatrix(const MatrixOptions& options);

struct RunPlan {
  std::vector<CaseSpec> runs = {};
  size_t first_answer = 0;  // runs up to the first answer
};
// Errors of MakeMatrix.
absl::StatusOr<RunPlan> MakePlan(const MatrixOptions& options);

// Functions that a run calls.
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
