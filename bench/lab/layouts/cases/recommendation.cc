#include "bench/lab/layouts/cases/recommendation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

// Why no score that weighs gains and costs: the weights would decide, and a reader could not see
// how. A limit for the evenness and then the cheapest reads can be checked in the tables.

namespace hourcell::layouts {
namespace {

constexpr double kEvenRatio = 1.25;
constexpr double kEvenDifference = 0.05;
// A read of an hour of a metric gets the whole rows of days, so a few percent do not decide.
constexpr double kSmallerRatio = 0.9;

using Candidates = std::vector<const CaseSummary*>;

bool IsPackedCase(const CaseSpec& spec) {
  return spec.cell == CellForm{CellKind::kPacked, false};
}

// The fields of a store's keys with such rows.
std::string OrderOf(const RowKeys& keys) {
  switch (keys.hours()) {
    case RowHours::kOne:
      return "metric,time,tags";
    case RowHours::kDay:
      return "metric,day,tags";
    case RowHours::kByDensity:
      break;
  }
  return keys.day_row_points() == kUsualDayRowPoints
             ? "metric,hour-or-day,tags"
             : fmt::format("metric,hour-or-day:{},tags", keys.day_row_points());
}

// The number of buckets of a layout that a store can have, 1 without salt; 0 for other layouts.
uint64_t StoreBuckets(const CaseSpec& spec) {
  const std::string& keys = spec.layout.keys.text();
  const std::string order = OrderOf(spec.layout.keys);
  if (keys == order) return 1;
  const bool is_salted = keys.starts_with("salt:") && keys.ends_with("+" + order);
  return is_salted ? spec.layout.keys.distributor().buckets() : 0;
}

double Accesses(const CaseSummary& summary) {
  return summary.result.read(ReadKind::kMetric).accesses +
         summary.result.read(ReadKind::kSeries).accesses;
}

double HotShare(const CaseSummary& summary) {
  return summary.result.hot_share_late;
}

// The cases of a workload that compete, by the number of buckets.
Candidates CandidatesOf(std::span<const CaseSummary> cases, WorkloadKind workload) {
  Candidates found;
  for (const CaseSummary& summary : cases) {
    const CaseSpec& spec = summary.result.spec;
    if (spec.workload != workload || !IsPackedCase(spec) || StoreBuckets(spec) == 0) continue;
    if (spec.layout.keys.hours() != RowHours::kOne || spec.rule == SplitRule::kNone) continue;
    if (!found.empty() && spec.rule != found.front()->result.spec.rule) continue;
    found.push_back(&summary);
  }
  std::ranges::sort(found, {},
                    [](const CaseSummary* summary) { return StoreBuckets(summary->result.spec); });
  return found;
}

const CaseSummary& Choose(const Candidates& candidates) {
  const double best = HotShare(**std::ranges::min_element(
      candidates, {}, [](const CaseSummary* summary) { return HotShare(*summary); }));
  const double limit = std::max(kEvenRatio * best, best + kEvenDifference);
  const CaseSummary* chosen = nullptr;
  for (const CaseSummary* summary : candidates) {
    if (HotShare(*summary) > limit) continue;
    if (chosen == nullptr || Accesses(*summary) < Accesses(*chosen)) chosen = summary;
  }
  return *chosen;
}

std::string LayoutText(const CaseSummary& summary) {
  const uint64_t buckets = StoreBuckets(summary.result.spec);
  if (buckets == 1) return "keys without salt";
  return fmt::format("keys with a salt of {} buckets", buckets);
}

std::string ShareText(const CaseSummary& summary) {
  return fmt::format("{:.0f} %", 100 * HotShare(summary));
}

// "7.1 us (6.9-7.3)", or nothing if too few rounds were measured.
std::string CpuText(const CaseSummary& summary, std::string_view field) {
  if (summary.rounds < kRoundsForTimes) return "";
  const Spread& spread = summary.measured.at(field);
  return fmt::format(", {:.1f} us of processor time ({:.1f}-{:.1f})", spread.median, spread.low,
                     spread.high);
}

std::string AccessText(const ReadFigures& read) {
  const std::string count = fmt::format("{:.0f}", read.accesses);
  return count + (count == "1" ? " access" : " accesses");
}

std::string ReadText(const CaseSummary& summary, ReadKind kind, std::string_view cpu_field) {
  const ReadFigures& read = summary.result.read(kind);
  const std::string instructions =
      read.instructions > 0 ? fmt::format(", {:.0f} instructions", read.instructions) : "";
  return fmt::format("{}, {:.1f} blocks{}{}", AccessText(read), read.blocks, instructions,
                     CpuText(summary, cpu_field));
}

// The share of the hottest region, compared with the fewest buckets.
std::string EvennessReason(const CaseSummary& chosen, const CaseSummary& plain) {
  if (&chosen == &plain) {
    return fmt::format(
        "The hottest region gets {} of the points. A region holds up to a twelfth of the data, so "
        "an even share is 8 %.",
        ShareText(chosen));
  }
  return fmt::format("Gain: the hottest region gets {} of the points; with {} {}.",
                     ShareText(chosen), plain.result.spec.layout.name, ShareText(plain));
}

std::string OtherReason(const CaseSummary& other) {
  return fmt::format("{}: the hottest region gets {}; a read of one metric takes {}.",
                     other.result.spec.layout.name, ShareText(other),
                     AccessText(other.result.read(ReadKind::kMetric)));
}

std::string CostReason(const CaseSummary& chosen, const CaseSummary& plain, ReadKind kind) {
  const std::string_view field = kind == ReadKind::kMetric ? "metric_cpu_us" : "series_cpu_us";
  const std::string cost = ReadText(chosen, kind, field);
  if (&chosen == &plain) return fmt::format("A read of {}: {}.", ReadKindName(kind), cost);
  return fmt::format("Cost: a read of {}: {}; with {} {}.", ReadKindName(kind), cost,
                     plain.result.spec.layout.name, ReadText(plain, kind, field));
}

std::string RowsName(const CaseSummary& summary) {
  const RowKeys& keys = summary.result.spec.layout.keys;
  switch (keys.hours()) {
    case RowHours::kOne:
      return "rows of hours";
    case RowHours::kDay:
      return "rows of days";
    case RowHours::kByDensity:
      break;
  }
  return keys.day_row_points() == kUsualDayRowPoints
             ? "rows by density"
             : fmt::format("rows by density, of {} points", keys.day_row_points());
}

bool HasUsualRows(const CaseSummary& summary) {
  return summary.result.spec.layout.keys.day_row_points() == kUsualDayRowPoints;
}

// The cases of a workload, of one region and of a number of buckets that differ in their rows:
// first the rows of a store's default, then those of hours, then the others. Each file of a region
// has some two thousand bytes more than its rows; with more regions these would decide in a small
// run.
Candidates WithOtherRows(std::span<const CaseSummary> cases,
                         WorkloadKind workload,
                         uint64_t buckets) {
  Candidates found;
  for (const CaseSummary& summary : cases) {
    const CaseSpec& spec = summary.result.spec;
    if (spec.workload == workload && spec.rule == SplitRule::kNone && IsPackedCase(spec) &&
        StoreBuckets(spec) == buckets) {
      found.push_back(&summary);
    }
  }
  std::ranges::stable_sort(found, {}, [](const CaseSummary* summary) {
    const bool has_hours = summary->result.spec.layout.keys.hours() == RowHours::kOne;
    return HasUsualRows(*summary) ? 0 : has_hours ? 1 : 2;
  });
  return found;
}

// The rows to compare for the recommended keys: those with the same salt if they were measured,
// else those without; of given series for a whole day.
Candidates RowsToCompare(std::span<const CaseSummary> cases, const CaseSpec& keys) {
  const WorkloadKind workload = keys.given != nullptr ? WorkloadKind::kGivenDay : keys.workload;
  Candidates rows = WithOtherRows(cases, workload, StoreBuckets(keys));
  return rows.size() > 1 ? rows : WithOtherRows(cases, workload, /*buckets=*/1);
}

double FileBytesOf(const CaseSummary* summary) {
  return summary->result.file_bytes_per_point;
}

// The first that is about as small as the smallest; takes it out of the list.
const CaseSummary& TakeSmall(Candidates* rows) {
  const double least = FileBytesOf(*std::ranges::min_element(*rows, {}, FileBytesOf));
  const auto chosen = std::ranges::find_if(*rows, [&](const CaseSummary* summary) {
    return kSmallerRatio * FileBytesOf(summary) < least || FileBytesOf(summary) == least;
  });
  const CaseSummary& taken = **chosen;
  rows->erase(chosen);
  return taken;
}

// RowsName at the start of a sentence.
std::string RowsAtStart(const CaseSummary& summary) {
  return "R" + RowsName(summary).substr(1);
}

std::string SizeReason(const CaseSummary& chosen, const Candidates& others) {
  std::string text = fmt::format("{}: {:.2f} bytes a point in files, for these made-up values",
                                 RowsAtStart(chosen), FileBytesOf(&chosen));
  for (const CaseSummary* other : others)
    text += fmt::format("; {} {:.2f}", RowsName(*other), FileBytesOf(other));
  return text + ".";
}

std::string RowsReadReason(const CaseSummary& chosen, const Candidates& others, ReadKind kind) {
  const ReadFigures& read = chosen.result.read(kind);
  std::string text = fmt::format(
      "{}: a read of {} takes {}, {:.1f} blocks and {:.1f} bytes for a point", RowsAtStart(chosen),
      ReadKindName(kind), AccessText(read), read.blocks, read.bytes_per_point);
  for (const CaseSummary* other : others) {
    const ReadFigures& of = other->result.read(kind);
    text += fmt::format("; with {} {}, {:.1f} and {:.1f}", RowsName(*other), AccessText(of),
                        of.blocks, of.bytes_per_point);
  }
  return text + ".";
}

// Series that are alike in the rows of their hours.
struct SeriesPart {
  uint64_t series = 0;
  uint64_t points_an_hour = 0;
  uint32_t least_s = UINT32_MAX;  // intervals of the points
  uint32_t most_s = 0;

  void Add(const WorkloadSeries& one) {
    ++series;
    points_an_hour += kHourSpan.seconds / one.interval_s;
    least_s = std::min(least_s, one.interval_s);
    most_s = std::max(most_s, one.interval_s);
  }
  std::string IntervalText() const {
    return least_s == most_s ? fmt::format("a point every {} s", least_s)
                             : fmt::format("a point every {} to {} s", least_s, most_s);
  }
};

// Names the series with rows of hours, and those that share rows of days.
std::string DensityReason(const CaseSpec& spec, uint32_t day_row_points) {
  SeriesPart few;
  SeriesPart many;
  const Workload workload = WorkloadOf(spec);
  const std::span<const WorkloadSeries> all =
      spec.given != nullptr ? std::span(spec.given->series) : workload.series();
  for (const WorkloadSeries& series : all)
    (kHourSpan.seconds / series.interval_s < day_row_points ? few : many).Add(series);
  const std::string many_text =
      fmt::format("have {} points an hour or more ({})", day_row_points, many.IntervalText());
  if (few.series == 0)
    return fmt::format("All {} series {}: each hour has a row.", many.series, many_text);
  const uint64_t points = few.points_an_hour + many.points_an_hour;
  const std::string few_text =
      fmt::format("have fewer than {} points an hour ({}; {:.0f} % of the points)", day_row_points,
                  few.IntervalText(),
                  100 * static_cast<double>(few.points_an_hour) / static_cast<double>(points));
  if (many.series == 0)
    return fmt::format("All {} series {}: the hours of a day share a row.", few.series, few_text);
  return fmt::format(
      "{} of {} series {}: the hours of a day share a row. The other {} {}: each hour has a row.",
      few.series, few.series + many.series, few_text, many.series, many_text);
}

// Names the setting that gives a store these rows.
std::string SettingReason(const CaseSummary& chosen) {
  constexpr std::string_view kSetting = "tsd.storage.day_row_points";
  const RowKeys& keys = chosen.result.spec.layout.keys;
  if (HasUsualRows(chosen)) {
    return fmt::format("A store has these rows by default: {} = {}.", kSetting, kUsualDayRowPoints);
  }
  if (keys.hours() == RowHours::kDay) {
    return fmt::format("A store has these rows with {} = {}, more than a point every second.",
                       kSetting, kHourSpan.seconds + 1);
  }
  return fmt::format("A store has these rows with {} = {}.", kSetting, keys.day_row_points());
}

// Compares the rows with which the layout was measured, and returns the words of the title.
std::string AddRows(std::span<const CaseSummary> cases,
                    const CaseSummary& hours,
                    Recommendation* to) {
  Candidates rows = RowsToCompare(cases, hours.result.spec);
  if (rows.size() < 2) return "";
  const CaseSummary& chosen = TakeSmall(&rows);
  const uint32_t points = chosen.result.spec.layout.keys.day_row_points();
  if (points > 0) to->reasons.push_back(DensityReason(chosen.result.spec, points));
  to->reasons.push_back(SizeReason(chosen, rows));
  for (const ReadKind kind : {ReadKind::kSeries, ReadKind::kMetric})
    to->reasons.push_back(RowsReadReason(chosen, rows, kind));
  to->reasons.push_back(SettingReason(chosen));
  if (StoreBuckets(chosen.result.spec) == StoreBuckets(hours.result.spec)) {
    to->layout = chosen.result.spec.layout.name;
  }
  return ", " + RowsName(chosen);
}

// The bytes of cells of another form with the keys of a case; 0 if they were not measured.
double FileBytesWithCells(std::span<const CaseSummary> cases,
                          const CaseSpec& spec,
                          const CellForm& form) {
  for (const CaseSummary& other : cases) {
    const CaseSpec& of = other.result.spec;
    if (of.workload == spec.workload && of.cell == form && of.layout.name == spec.layout.name &&
        of.rule == spec.rule) {
      return FileBytesOf(&other);
    }
  }
  return 0;
}

// Compares packed cells with those of OpenTSDB, if they were measured with the same keys.
void AddCells(std::span<const CaseSummary> cases, WorkloadKind workload, Recommendation* to) {
  constexpr std::pair<CellKind, std::string_view> kOthers[] = {
      {CellKind::kCompacted, "OpenTSDB's compacted cells"},
      {CellKind::kAppend, "appended cells"},
      {CellKind::kPerPoint, "a cell for each point"}};
  for (const CaseSummary& packed : cases) {
    const CaseSpec& spec = packed.result.spec;
    if (spec.workload != workload || !IsPackedCase(spec)) continue;
    std::string others;
    for (const auto& [kind, name] : kOthers) {
      const double seconds = FileBytesWithCells(cases, spec, {kind, /*is_ms=*/false});
      const double ms = FileBytesWithCells(cases, spec, {kind, /*is_ms=*/true});
      if (seconds > 0) others += fmt::format("; {} {:.2f}", name, seconds);
      if (seconds > 0 && ms > 0) others += fmt::format(", in milliseconds {:.2f}", ms);
    }
    if (others.empty()) continue;
    to->reasons.push_back(
        fmt::format("Packed cells: {:.2f} bytes a point in files, for these made-up values{}.",
                    FileBytesOf(&packed), others));
    return;
  }
}

// Compares the rules with which the layout was measured.
void AddRules(std::span<const CaseSummary> cases, const CaseSummary& chosen, Recommendation* to) {
  const CaseSpec& spec = chosen.result.spec;
  const CaseSummary* best = &chosen;
  for (const CaseSummary& other : cases) {
    const CaseSpec& of = other.result.spec;
    if (of.workload == spec.workload && of.layout.name == spec.layout.name &&
        of.cell == spec.cell && other.result.hot_share < best->result.hot_share) {
      best = &other;
    }
  }
  if (best == &chosen) return;
  to->reasons.push_back(
      fmt::format("Split rule {}: the hottest region gets {:.0f} % of the points, from the start; "
                  "with {} {:.0f} "
                  "%.",
                  SplitRuleName(best->result.spec.rule), 100 * best->result.hot_share,
                  SplitRuleName(spec.rule), 100 * chosen.result.hot_share));
}

std::string SeriesText(const CaseResult& result) {
  const GivenFleet* const given = result.spec.given.get();
  const std::string measured =
      fmt::format("measured: {} points of {} series", result.points, result.series);
  if (given != nullptr) return fmt::format("{} ({})", given->text, measured);
  return fmt::format("the workload {} ({})", WorkloadName(result.spec.workload), measured);
}

}  // namespace

std::vector<Recommendation> Recommend(std::span<const CaseSummary> cases) {
  std::vector<Recommendation> recommendations;
  for (size_t i = 0; i <= static_cast<size_t>(WorkloadKind::kGiven); ++i) {
    const auto workload = static_cast<WorkloadKind>(i);
    const Candidates candidates = CandidatesOf(cases, workload);
    if (candidates.size() < 2) continue;
    const CaseSummary& chosen = Choose(candidates);
    const CaseSummary& plain = *candidates.front();
    Recommendation recommendation{.workload = std::string(WorkloadName(workload)),
                                  .layout = chosen.result.spec.layout.name};
    recommendation.reasons.push_back(EvennessReason(chosen, plain));
    for (const ReadKind kind : {ReadKind::kMetric, ReadKind::kSeries})
      recommendation.reasons.push_back(CostReason(chosen, plain, kind));
    for (const CaseSummary* other : candidates) {
      if (other != &chosen && other != &plain)
        recommendation.reasons.push_back(OtherReason(*other));
    }
    const std::string rows = AddRows(cases, chosen, &recommendation);
    recommendation.title =
        fmt::format("For {}: {} ({}){}, packed cells.", SeriesText(chosen.result),
                    LayoutText(chosen), chosen.result.spec.layout.name, rows);
    AddRules(cases, chosen, &recommendation);
    AddCells(cases, workload, &recommendation);
    recommendations.push_back(std::move(recommendation));
  }
  return recommendations;
}

std::string RecommendationText(std::span<const CaseSummary> cases) {
  std::string text;
  for (const Recommendation& recommendation : Recommend(cases)) {
    text += (text.empty() ? "Recommendation\n\n" : "\n") + recommendation.title + "\n";
    for (const std::string& reason : recommendation.reasons)
      text += fmt::format("  - {}\n", reason);
  }
  return text;
}

}  // namespace hourcell::layouts
