#include "bench/lab/layouts/cases/case_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"

namespace hourcell::layouts {
namespace {

constexpr size_t kLoadRowsMax = 24;
constexpr size_t kLinesMax = 12;

// Values by category and series, each in the order of its first value.
class BarTable {
 public:
  void Add(const std::string& category, const std::string& series, double value) {
    const size_t c = IndexOf(category, &categories_);
    const size_t s = IndexOf(series, &series_);
    values_.push_back({c, s, value});
  }

  // True if at least two categories can be compared.
  bool compares() const { return categories_.size() > 1; }

  plot::Figure ToFigure(plot::Figure figure) const {
    figure.kind = plot::FigureKind::kBars;
    figure.x.categories = categories_;
    for (const std::string& name : series_) {
      figure.series.push_back({.name = name});
      figure.series.back().y.assign(categories_.size(), std::numeric_limits<double>::quiet_NaN());
    }
    for (const Entry& entry : values_)
      figure.series[entry.series].y[entry.category] = entry.value;
    return figure;
  }

 private:
  struct Entry {
    size_t category = 0;
    size_t series = 0;
    double value = 0;
  };

  static size_t IndexOf(const std::string& name, std::vector<std::string>* names) {
    const auto found = std::ranges::find(*names, name);
    if (found != names->end()) return static_cast<size_t>(found - names->begin());
    names->push_back(name);
    return names->size() - 1;
  }

  std::vector<std::string> categories_;
  std::vector<std::string> series_;
  std::vector<Entry> values_;
};

bool IsPacked(const CaseResult& result) {
  return result.spec.cell == CellForm{CellKind::kPacked, false};
}
bool IsUsualRule(const CaseResult& result) {
  return result.spec.rule == SplitRule::kIncreasing;
}
bool IsFleet(const CaseResult& result) {
  return result.spec.workload == WorkloadKind::kFleet ||
         result.spec.workload == WorkloadKind::kGiven;
}

std::string NoteOf(const CaseResult& result, std::string_view what) {
  return fmt::format("{}; {} points of {} series, seed {}", what, result.points, result.series,
                     result.spec.seed);
}

class FigureMaker {
 public:
  explicit FigureMaker(std::span<const CaseResult> results) : results_(results) {}

  std::vector<NamedFigure> Make() {
    AddHotShare();
    AddHotShareInTime();
    AddReads("read-time", "Processor time of a read, by layout", "median processor time, µs",
             [](const ReadFigures& read) { return read.cpu_us; });
    MarkBuild("read-time");
    if (AreInstructionsCounted()) {
      AddReads("read-instructions", "Instructions of a read, by layout", "instructions, user mode",
               [](const ReadFigures& read) { return read.instructions; });
      MarkBuild("read-instructions");
    }
    AddReads("read-bytes", "Bytes read for a point returned, by layout",
             "keys and values, bytes/point",
             [](const ReadFigures& read) { return read.bytes_per_point; });
    AddWriteTime();
    MarkBuild("write-time");
    AddBytes();
    AddRules("rules-hot-share", "Hottest region by split rule", "share of the points, %",
             [](const CaseResult& result) { return 100 * result.hot_share_late; });
    AddRules("rules-pause", "Worst pause of a writer during a split", "pause, ms",
             [](const CaseResult& result) { return result.pause_max_ms; });
    MarkBuild("rules-pause");
    AddLoads();
    return std::move(figures_);
  }

 private:
  using Filter = std::function<bool(const CaseResult&)>;

  std::vector<const CaseResult*> Where(const Filter& filter) const {
    std::vector<const CaseResult*> found;
    for (const CaseResult& result : results_) {
      if (filter(result)) found.push_back(&result);
    }
    return found;
  }

  void AddBars(const std::string& name, const BarTable& table, plot::Figure figure) {
    if (table.compares()) figures_.push_back({name, table.ToFigure(std::move(figure))});
  }

  void MarkBuild(const std::string& name) {
    if (!figures_.empty() && figures_.back().name == name) figures_.back().depends_on_build = true;
  }

  bool AreInstructionsCounted() const {
    return std::ranges::all_of(results_, [](const CaseResult& result) {
      return std::ranges::all_of(result.reads,
                                 [](const ReadFigures& read) { return read.instructions > 0; });
    });
  }

  void AddHotShare() {
    const auto cases = Where([](const CaseResult& r) { return IsPacked(r) && IsUsualRule(r); });
    BarTable table;
    for (const CaseResult* result : cases) {
      table.Add(result->spec.layout.name, std::string(WorkloadName(result->spec.workload)),
                100 * result->hot_share_late);
    }
    if (cases.empty()) return;
    AddBars("hot-share", table,
            {.title = "Share of the hottest region, second half of the run",
             .note = fmt::format("packed cells, IncreasingToUpperBound; about {} points a case",
                                 cases[0]->spec.points),
             .x = {.title = "row-key layout"},
             .y = {.title = "share of the points, %", .max = 100}});
  }

  void AddHotShareInTime() {
    const auto cases =
        Where([](const CaseResult& r) { return IsPacked(r) && IsUsualRule(r) && IsFleet(r); });
    if (cases.size() < 2) return;
    plot::Figure figure{.kind = plot::FigureKind::kLines,
                        .title = "Share of the hottest region along the run",
                        .note = NoteOf(*cases[0], "fleet, packed cells, IncreasingToUpperBound"),
                        .x = {.title = "points written, %", .max = 100},
                        .y = {.title = "share of the points, %", .max = 100}};
    for (const CaseResult* result : cases) {
      if (figure.series.size() == kLinesMax) break;
      plot::Series series{.name = result->spec.layout.name};
      const auto count = static_cast<double>(result->windows.size());
      for (size_t i = 0; i < result->windows.size(); ++i) {
        series.x.push_back(100 * (static_cast<double>(i) + 0.5) / count);
        series.y.push_back(100 * result->windows[i].hottest_share);
      }
      figure.series.push_back(std::move(series));
    }
    figures_.push_back({"hot-share-in-time", std::move(figure)});
  }

  void AddReads(const std::string& name,
                const std::string& title,
                const std::string& y_title,
                double (*value)(const ReadFigures&)) {
    const auto cases =
        Where([](const CaseResult& r) { return IsPacked(r) && IsUsualRule(r) && IsFleet(r); });
    BarTable table;
    for (const CaseResult* result : cases) {
      for (const ReadKind kind : kReadKinds) {
        table.Add(result->spec.layout.name, std::string(ReadKindName(kind)),
                  value(result->read(kind)));
      }
    }
    if (cases.empty()) return;
    AddBars(name, table,
            {.title = title,
             .note = NoteOf(*cases[0], "fleet, packed cells"),
             .x = {.title = "row-key layout"},
             .y = {.title = y_title, .is_log = true}});
  }

  void AddWriteTime() {
    const auto cases = Where([](const CaseResult& r) { return IsUsualRule(r) && IsFleet(r); });
    BarTable table;
    for (const CaseResult* result : cases) {
      if (!HasCellForms(*result)) continue;
      table.Add(CellFormName(result->spec.cell), result->spec.layout.name,
                result->write_cpu_us_per_kpoint);
    }
    if (cases.empty()) return;
    AddBars("write-time", table,
            {.title = "Processor time of writes, by cell form",
             .note = NoteOf(*cases[0], "fleet, one writer, store's calls"),
             .x = {.title = "cells"},
             .y = {.title = "median processor time, µs/1,000 points", .is_log = true}});
  }

  // True for layouts that were run with more than one form.
  bool HasCellForms(const CaseResult& of) const {
    return Where([&](const CaseResult& r) {
             return IsUsualRule(r) && IsFleet(r) && r.spec.layout.name == of.spec.layout.name;
           }).size() > 1;
  }

  void AddBytes() {
    const auto cases = Where([](const CaseResult& r) { return IsUsualRule(r) && IsFleet(r); });
    const CaseResult* first = nullptr;
    BarTable table;
    for (const CaseResult* result : cases) {
      if (!HasCellForms(*result)) continue;
      if (first == nullptr) first = result;
      if (result->spec.layout.name != first->spec.layout.name) continue;
      const std::string form = CellFormName(result->spec.cell);
      table.Add(form, "keys and values as handed over", result->stored_bytes_per_point);
      table.Add(form, "files at rest", result->file_bytes_per_point);
    }
    if (first == nullptr) return;
    AddBars(
        "bytes", table,
        {.title = fmt::format("Bytes per point by cell form, layout {}", first->spec.layout.name),
         .note = NoteOf(*first, "fleet; files after LSM compaction"),
         .x = {.title = "cells"},
         .y = {.title = "size, bytes/point", .is_log = true}});
  }

  void AddRules(const std::string& name,
                const std::string& title,
                const std::string& y_title,
                double (*value)(const CaseResult&)) {
    const auto cases = Where([&](const CaseResult& r) {
      return IsPacked(r) && IsFleet(r) && HasRules(r.spec.layout.name);
    });
    BarTable table;
    for (const CaseResult* result : cases) {
      table.Add(std::string(SplitRuleName(result->spec.rule)), result->spec.layout.name,
                value(*result));
    }
    if (cases.empty()) return;
    AddBars(name, table,
            {.title = title,
             .note = NoteOf(*cases[0], "fleet, packed cells"),
             .x = {.title = "split rule"},
             .y = {.title = y_title}});
  }

  bool HasRules(const std::string& layout) const {
    return Where([&](const CaseResult& r) {
             return IsPacked(r) && IsFleet(r) && r.spec.layout.name == layout;
           }).size() > 1;
  }

  void AddLoads() {
    for (const std::string_view layout : {"opentsdb", "salt-16", "time-first"}) {
      const auto cases = Where([&](const CaseResult& r) {
        return IsPacked(r) && IsUsualRule(r) && IsFleet(r) && r.spec.layout.name == layout;
      });
      if (cases.empty()) continue;
      figures_.push_back({fmt::format("load-{}", layout), LoadFigure(*cases[0], kLoadRowsMax)});
    }
  }

  const std::span<const CaseResult> results_;
  std::vector<NamedFigure> figures_;
};

}  // namespace

plot::Figure LoadFigure(const CaseResult& result, size_t rows_max) {
  constexpr size_t kLabelBytes = 6;
  plot::Figure figure{
      .kind = plot::FigureKind::kHeatMap,
      .title = fmt::format("Points by key range along the run, layout {}", result.spec.layout.name),
      .note = NoteOf(result, CaseName(result.spec)),
      .x = {.title = "points written, %"},
      .y = {.title = "start of the region, hex"},
      .color = {.title = "share of the window's points, %", .min = 0, .max = 100}};
  const size_t regions = result.load.rows.size();
  const size_t windows = regions == 0 ? 0 : result.load.rows[0].size();
  const double window_points =
      static_cast<double>(result.points) / static_cast<double>(std::max<size_t>(1, windows));
  for (size_t w = 0; w < windows; ++w)
    figure.x.categories.push_back(fmt::format("{}", 100 * w / windows));
  const size_t step = (regions + rows_max - 1) / rows_max;
  for (size_t r = 0; r < regions; r += step) {
    const std::string start = result.load.starts[r].substr(0, kLabelBytes);
    figure.y.categories.push_back(start.empty() ? "first" : ToHex(start));
    for (size_t w = 0; w < windows; ++w) {
      uint64_t points = 0;
      for (size_t i = r; i < std::min(r + step, regions); ++i)
        points += result.load.rows[i][w];
      figure.cells.push_back(points == 0 ? std::numeric_limits<double>::quiet_NaN()
                                         : 100 * static_cast<double>(points) / window_points);
    }
  }
  return figure;
}

std::vector<NamedFigure> CaseFigures(std::span<const CaseResult> results) {
  return FigureMaker(results).Make();
}

}  // namespace hourcell::layouts
