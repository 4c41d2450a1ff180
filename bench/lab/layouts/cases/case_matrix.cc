#include "bench/lab/layouts/cases/case_matrix.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "bench/lab/layouts/cases/case_run.h"
#include "codec/base/check.h"
#include "codec/base/crc32c.h"
#include "codec/base/status_macros.h"

namespace hourcell::layouts {
namespace {

constexpr uint64_t kCoarsePoints = 20'000;

// The possible values of each dimension of a case.
struct Axes {
  std::vector<RowLayout> layouts = {};
  std::vector<CellForm> cells = {};
  std::vector<SplitRule> rules = {};
  std::vector<WorkloadKind> workloads = {};
};

// Looks the names up one by one; without names, returns all.
template <typename T, typename Range, typename Find>
absl::StatusOr<std::vector<T>> Choose(const std::vector<std::string>& names,
                                      const Range& all,
                                      const Find& find) {
  std::vector<T> chosen;
  if (names.empty()) chosen.assign(std::begin(all), std::end(all));
  for (const std::string& name : names) {
    HOURCELL_ASSIGN_OR_RETURN(T found, find(name));
    chosen.push_back(std::move(found));
  }
  return chosen;
}

absl::StatusOr<Axes> ReadAxes(const MatrixOptions& options) {
  Axes axes;
  std::vector<std::string> names = options.layouts;
  if (names.empty()) {
    for (const NamedLayout& layout : NamedLayouts())
      names.emplace_back(layout.name);
  }
  HOURCELL_ASSIGN_OR_RETURN(axes.layouts,
                            Choose<RowLayout>(names, std::vector<RowLayout>(), &FindLayout));
  HOURCELL_ASSIGN_OR_RETURN(axes.cells,
                            Choose<CellForm>(options.cells, CellForms(), &FindCellForm));
  HOURCELL_ASSIGN_OR_RETURN(axes.rules,
                            Choose<SplitRule>(options.rules, kSplitRules, &FindSplitRule));
  HOURCELL_ASSIGN_OR_RETURN(axes.workloads,
                            Choose<WorkloadKind>(options.workloads, kWorkloadKinds, &FindWorkload));
  if (options.given != nullptr) axes.workloads = {WorkloadKind::kGiven};
  return axes;
}

// The values of `wanted` that are in the axis; the first of the axis if none are.
template <typename T>
std::vector<T> Prefer(const std::vector<T>& axis, const std::vector<T>& wanted) {
  std::vector<T> chosen;
  for (const T& value : wanted) {
    if (std::ranges::find(axis, value) != axis.end()) chosen.push_back(value);
  }
  if (chosen.empty()) chosen.push_back(axis.front());
  return chosen;
}

std::vector<RowLayout> PreferLayouts(const std::vector<RowLayout>& axis,
                                     const std::set<std::string>& wanted) {
  std::vector<RowLayout> chosen;
  std::ranges::copy_if(axis, std::back_inserter(chosen),
                       [&](const RowLayout& layout) { return wanted.contains(layout.name); });
  if (chosen.empty()) chosen.push_back(axis.front());
  return chosen;
}

// Adds the cases that compare rows of hours, of days and by density.
void AddRowSlices(const Axes& all, const MatrixOptions& options, std::vector<Axes>* slices) {
  const bool is_given = options.given != nullptr;
  if (options.size == MatrixSize::kShort && !is_given) return;
  const auto rows =
      PreferLayouts(all.layouts, {"opentsdb", "salt-16", "opentsdb-day", "salt-16-day",
                                  "opentsdb-by-density", "salt-16-by-density"});
  if (rows.size() < 2) return;
  const auto packed = Prefer(all.cells, {CellForm{CellKind::kPacked, false}});
  const auto whole = Prefer(all.rules, {SplitRule::kNone});
  const auto sparse = Prefer(all.workloads, {WorkloadKind::kSparse});
  const auto mixed = Prefer(all.workloads, {WorkloadKind::kSparse, WorkloadKind::kHotSeries});
  slices->push_back({rows, packed, whole, is_given ? std::vector{WorkloadKind::kGivenDay} : mixed});
  if (is_given) return;
  slices->push_back({PreferLayouts(all.layouts, {"opentsdb", "salt-16"}), packed,
                     Prefer(all.rules, {SplitRule::kIncreasing}), sparse});
}

// The parts of the matrix, each a whole product.
std::vector<Axes> Slices(const Axes& all, const MatrixOptions& options) {
  if (options.size == MatrixSize::kFull) return {all};
  const bool is_short = options.size == MatrixSize::kShort;
  const bool is_thorough = options.size == MatrixSize::kThorough;
  const auto packed = Prefer(all.cells, {CellForm{CellKind::kPacked, false}});
  const auto increasing = Prefer(all.rules, {SplitRule::kIncreasing});
  const auto fleet = Prefer(all.workloads, {WorkloadKind::kFleet});
  const auto both = Prefer(all.workloads, {WorkloadKind::kFleet, WorkloadKind::kHotSeries});
  const bool has_all = is_thorough || !options.workloads.empty();
  const auto usual = has_all ? all.workloads : is_short ? fleet : both;
  std::vector<Axes> slices = {
      {all.layouts, packed, increasing, usual},
      {PreferLayouts(all.layouts, {"opentsdb", is_thorough ? "salt-16" : ""}), all.cells,
       increasing, fleet}};
  AddRowSlices(all, options, &slices);
  if (!is_short) {
    slices.push_back(
        {PreferLayouts(all.layouts, {"opentsdb", "salt-16", is_thorough ? "time-first" : ""}),
         packed, all.rules, is_thorough ? both : fleet});
  }
  return slices;
}

// Names the series of a run, so that another fleet has another text.
std::string GivenText(const GivenFleet& fleet) {
  uint32_t crc = 0;
  for (const WorkloadSeries& series : fleet.series) {
    crc = ExtendCrc32c(crc, series.metric + series.tags);
    crc = ExtendCrc32c(crc, fmt::format("{}{}", series.interval_s, series.is_gauge));
  }
  return fmt::format("{}, {:08x}", fleet.text, crc);
}

uint64_t PointsOf(const MatrixOptions& options) {
  if (options.points != 0) return options.points;
  switch (options.size) {
    case MatrixSize::kShort:
    case MatrixSize::kUsual:
      return 60'000;
    case MatrixSize::kThorough:
      return 1'000'000;
    case MatrixSize::kFull:
      break;
  }
  return 200'000;
}

// The product of all axes, without cells that do not fit the keys.
std::vector<CaseSpec> CasesOf(const Axes& axes) {
  std::vector<CaseSpec> specs;
  for (const WorkloadKind workload : axes.workloads) {
    for (const RowLayout& layout : axes.layouts) {
      for (const CellForm& cell : axes.cells) {
        for (const SplitRule rule : axes.rules) {
          CaseSpec spec{.layout = layout, .cell = cell, .rule = rule, .workload = workload};
          if (CanBeRun(spec)) specs.push_back(std::move(spec));
        }
      }
    }
  }
  return specs;
}

}  // namespace

std::string_view MatrixSizeName(MatrixSize size) {
  switch (size) {
    case MatrixSize::kShort:
      return "short";
    case MatrixSize::kUsual:
      return "usual";
    case MatrixSize::kThorough:
      return "thorough";
    case MatrixSize::kFull:
      break;
  }
  return "full";
}

absl::StatusOr<std::vector<CaseSpec>> MakeMatrix(const MatrixOptions& options) {
  HOURCELL_ASSIGN_OR_RETURN(const Axes all, ReadAxes(options));
  std::vector<CaseSpec> specs;
  std::set<std::string> names;
  for (const Axes& slice : Slices(all, options)) {
    for (CaseSpec& spec : CasesOf(slice)) {
      spec.points = PointsOf(options);
      spec.seed = options.seed;
      spec.given = options.given;
      if (names.insert(CaseName(spec)).second) specs.push_back(std::move(spec));
    }
  }
  if (specs.empty()) {
    return absl::InvalidArgumentError(
        "--cells: expected packed cells for rows of days or by density");
  }
  return specs;
}

absl::StatusOr<RunPlan> MakePlan(const MatrixOptions& options) {
  HOURCELL_CHECK(options.rounds > 0);
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<CaseSpec> cases, MakeMatrix(options));
  RunPlan plan;
  if (options.size != MatrixSize::kShort && PointsOf(options) > 2 * kCoarsePoints) {
    MatrixOptions coarse = options;
    coarse.size = MatrixSize::kShort;
    coarse.points = kCoarsePoints;
    HOURCELL_ASSIGN_OR_RETURN(plan.runs, MakeMatrix(coarse));
  }
  plan.first_answer = plan.runs.empty() ? cases.size() : plan.runs.size();
  for (uint64_t round = 1; round <= options.rounds; ++round) {
    for (CaseSpec spec : cases) {
      spec.round = static_cast<uint32_t>(round);
      plan.runs.push_back(std::move(spec));
    }
  }
  return plan;
}

absl::Status RunMatrix(const std::vector<CaseSpec>& specs,
                       const std::string& directory,
                       const MatrixSteps& steps,
                       std::vector<CaseResult>* results) {
  for (size_t i = results->size(); i < specs.size(); ++i) {
    if (!steps.before(i, specs[i])) return absl::CancelledError("cancelled");
    HOURCELL_ASSIGN_OR_RETURN(CaseResult result, RunCase(specs[i], directory, steps.cancelled));
    results->push_back(std::move(result));
    if (steps.after != nullptr) HOURCELL_RETURN_IF_ERROR(steps.after(results->back()));
  }
  return absl::OkStatus();
}

CaseState::Options OptionsOf(const MatrixOptions& options) {
  const auto list = [](const std::vector<std::string>& names) {
    return names.empty() ? "all" : fmt::format("{}", fmt::join(names, " "));
  };
  return {{"size", std::string(MatrixSizeName(options.size))},
          {"--layouts", list(options.layouts)},
          {"--cells", list(options.cells)},
          {"--rules", list(options.rules)},
          {"--workloads", list(options.workloads)},
          {"series", options.given == nullptr ? "all" : GivenText(*options.given)},
          {"--points", fmt::format("{}", PointsOf(options))},
          {"--seed", fmt::format("{}", options.seed)},
          {"--rounds", fmt::format("{}", options.rounds)}};
}

}  // namespace hourcell::layouts
