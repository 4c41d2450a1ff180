#include "bench/lab/layouts/cases/recommendation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

// Why no score that weighs gains and costs: the weights would decide, and a reader could not see
// how. A limit for the evenness and then the cheapest reads can be checked in the tables.

namespace hourcell::layouts {
namespace {

constexpr double kEvenRatio = 1.25;
constexpr double kEvenDifference = 0.05;
constexpr double kSmallerRatio = 0.95;

using Candidates = std::vector<const CaseSummary*>;

bool IsPackedCase(const CaseSpec& spec) {
  return spec.cell == CellForm{CellKind::kPacked, false};
}

// The number of buckets of a layout that a store can have, 1 without salt; 0 for other layouts.
uint64_t StoreBuckets(const CaseSpec& spec) {
  const std::string& keys = spec.layout.keys.text();
  const std::string_view order =
      spec.layout.keys.span() == kHourSpan ? "metric,time,tags" : "metric,day,tags";
  if (keys == order) return 1;
  const bool is_salted = keys.starts_with("salt:") && keys.ends_with(fmt::format("+{}", order));
  return is_salted ? spec.layout.keys.distributor().buckets() : 0;
}

bool HasDayRows(const CaseSpec& spec) {
  return spec.layout.keys.span() == kDaySpan;
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
    if (HasDayRows(spec)) continue;
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

// The case that differs from one with rows of hours only in its rows of days; null if it was not
// measured.
const CaseSummary* WithDayRows(std::span<const CaseSummary> cases, const CaseSummary& hours) {
  const CaseSpec& spec = hours.result.spec;
  for (const CaseSummary& other : cases) {
    const CaseSpec& of = other.result.spec;
    if (HasDayRows(of) && StoreBuckets(of) == StoreBuckets(spec) && of.workload == spec.workload &&
        of.cell == spec.cell && of.rule == spec.rule) {
      return &other;
    }
  }
  return nullptr;
}

bool AreDaysSmaller(const CaseSummary& days, const CaseSummary& hours) {
  return days.result.file_bytes_per_point <= kSmallerRatio * hours.result.file_bytes_per_point;
}

// "Rows of days" and "rows of hours", or the other way round.
struct RowSpans {
  const CaseSummary& chosen;
  const CaseSummary& other;
  std::string_view chosen_name;
  std::string_view other_name;
};

std::string SizeReason(const RowSpans& spans) {
  return fmt::format("{}: {:.2f} bytes a point in files, for these made-up values; {} {:.2f}.",
                     spans.chosen_name, spans.chosen.result.file_bytes_per_point, spans.other_name,
                     spans.other.result.file_bytes_per_point);
}

std::string SpanReadReason(const RowSpans& spans, ReadKind kind) {
  const ReadFigures& chosen = spans.chosen.result.read(kind);
  const ReadFigures& other = spans.other.result.read(kind);
  return fmt::format(
      "{}: a read of {} takes {}, {:.1f} blocks and {:.1f} bytes for a point; with {} {}, {:.1f} "
      "and {:.1f}.",
      spans.chosen_name, ReadKindName(kind), AccessText(chosen), chosen.blocks,
      chosen.bytes_per_point, spans.other_name, AccessText(other), other.blocks,
      other.bytes_per_point);
}

// Compares rows of days with those of hours, and returns the words of the title.
std::string AddSpans(std::span<const CaseSummary> cases,
                     const CaseSummary& hours,
                     Recommendation* to) {
  const CaseSummary* const days = WithDayRows(cases, hours);
  if (days == nullptr) return "";
  const bool is_day = AreDaysSmaller(*days, hours);
  const RowSpans spans = is_day ? RowSpans{*days, hours, "Rows of days", "rows of hours"}
                                : RowSpans{hours, *days, "Rows of hours", "rows of days"};
  to->reasons.push_back(SizeReason(spans));
  for (const ReadKind kind : {ReadKind::kSeries, ReadKind::kMetric})
    to->reasons.push_back(SpanReadReason(spans, kind));
  to->reasons.emplace_back(
      "A store chooses the rows for each hour: tsd.storage.day_row_points is the number of points "
      "from which an hour has its own row.");
  if (is_day) to->layout = days->result.spec.layout.name;
  return is_day ? ", rows of days" : ", rows of hours";
}

// Compares packed cells with those of OpenTSDB, if they were measured with the same keys.
void AddCells(std::span<const CaseSummary> cases, WorkloadKind workload, Recommendation* to) {
  for (const CaseSummary& packed : cases) {
    const CaseSpec& spec = packed.result.spec;
    if (spec.workload != workload || !IsPackedCase(spec)) continue;
    for (const CaseSummary& other : cases) {
      const CaseSpec& of = other.result.spec;
      if (of.workload != workload || of.cell != CellForm{CellKind::kCompacted, false} ||
          of.layout.name != spec.layout.name || of.rule != spec.rule) {
        continue;
      }
      to->reasons.push_back(fmt::format(
          "Packed cells: {:.2f} bytes a point in files, for these made-up values; OpenTSDB's "
          "compacted cells {:.2f}.",
          packed.result.file_bytes_per_point, other.result.file_bytes_per_point));
      return;
    }
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
    const std::string span = AddSpans(cases, chosen, &recommendation);
    recommendation.title =
        fmt::format("For {}: {} ({}){}, packed cells.", SeriesText(chosen.result),
                    LayoutText(chosen), chosen.result.spec.layout.name, span);
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
