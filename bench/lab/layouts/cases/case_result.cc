#include "bench/lab/layouts/cases/case_result.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "codec/base/check.h"

namespace hourcell::layouts {
namespace {

using Result = CaseResult;

template <ReadKind kKind, double ReadFigures::* kField>
double Read(const Result& result) {
  return result.read(kKind).*kField;
}
template <ReadKind kKind, double ReadFigures::* kField>
double* MeasuredRead(Result* result) {
  return &(result->reads[static_cast<size_t>(kKind)].*kField);
}

template <double Result::* kField>
double Of(const Result& result) {
  return result.*kField;
}
template <double Result::* kField>
double* Measured(Result* result) {
  return &(result->*kField);
}
template <uint64_t Result::* kField>
double Count(const Result& result) {
  return static_cast<double>(result.*kField);
}
template <double Result::* kField>
double Percent(const Result& result) {
  return 100 * result.*kField;
}

template <double Result::* kField>
constexpr ResultField TimeField(std::string_view name, std::string_view head, int decimals) {
  return {name, head, decimals, &Of<kField>, FieldKind::kTime, &Measured<kField>};
}
template <ReadKind kKind, double ReadFigures::* kField>
constexpr ResultField ReadTimeField(std::string_view name, std::string_view head) {
  return {name, head, 1, &Read<kKind, kField>, FieldKind::kTime, &MeasuredRead<kKind, kField>};
}
template <ReadKind kKind>
constexpr ResultField InstructionField(std::string_view name) {
  constexpr double ReadFigures::* kField = &ReadFigures::instructions;
  return {name,
          "instr",
          0,
          &Read<kKind, kField>,
          FieldKind::kInstructions,
          &MeasuredRead<kKind, kField>};
}

constexpr std::array kWriteFields = {
    ResultField{"points", "", 0, &Count<&Result::points>},
    ResultField{"series", "", 0, &Count<&Result::series>},
    ResultField{"writes", "", 0, &Count<&Result::writes>},
    ResultField{"stored_bytes_per_point", "stored B/pt", 2, &Of<&Result::stored_bytes_per_point>},
    ResultField{"file_bytes_per_point", "file B/pt", 2, &Of<&Result::file_bytes_per_point>},
    ResultField{"regions", "regions", 0, &Count<&Result::regions>},
    ResultField{"splits", "splits", 0, &Count<&Result::splits>},
    ResultField{"split_refusals", "", 0, &Count<&Result::split_refusals>},
    ResultField{"hot_share_percent", "hot %", 1, &Percent<&Result::hot_share>},
    ResultField{"hot_share_late_percent", "late %", 1, &Percent<&Result::hot_share_late>},
    ResultField{"hot_share_max_percent", "", 1, &Percent<&Result::hot_share_max>},
    ResultField{"gini", "Gini", 2, &Of<&Result::gini>},
    ResultField{"bucket_share_percent", "bucket %", 1, &Percent<&Result::bucket_share>},
    ResultField{"write_instructions_per_point", "instr/pt", 0, &Of<&Result::write_instructions>,
                FieldKind::kInstructions, &Measured<&Result::write_instructions>},
    TimeField<&Result::write_cpu_us_per_kpoint>("write_cpu_us_per_kpoint", "cpu us/kpt", 0),
    TimeField<&Result::write_points_per_s>("write_points_per_s", "", 0),
    TimeField<&Result::apply_p50_ms>("apply_p50_ms", "", 3),
    TimeField<&Result::apply_p99_ms>("apply_p99_ms", "", 2),
    TimeField<&Result::apply_max_ms>("apply_max_ms", "", 2),
    TimeField<&Result::split_p50_ms>("split_p50_ms", "", 1),
    TimeField<&Result::pause_p50_ms>("pause_p50_ms", "", 1),
    TimeField<&Result::pause_max_ms>("pause_max_ms", "", 1),
};

constexpr ReadKind kOnePoint = ReadKind::kPoint;
constexpr ReadKind kOneSeries = ReadKind::kSeries;
constexpr ReadKind kOneMetric = ReadKind::kMetric;
using Figures = ReadFigures;

constexpr std::array kReadFields = {
    ResultField{"point_accesses", "point: asks", 0, &Read<kOnePoint, &Figures::accesses>},
    ResultField{"point_blocks", "blocks", 1, &Read<kOnePoint, &Figures::blocks>},
    ResultField{"point_bytes_per_point", "B/pt", 0, &Read<kOnePoint, &Figures::bytes_per_point>},
    InstructionField<kOnePoint>("point_instructions"),
    ReadTimeField<kOnePoint, &Figures::cpu_us>("point_cpu_us", "cpu us"),
    ReadTimeField<kOnePoint, &Figures::p50_us>("point_p50_us", ""),
    ReadTimeField<kOnePoint, &Figures::p99_us>("point_p99_us", ""),
    ResultField{"series_accesses", "series: asks", 0, &Read<kOneSeries, &Figures::accesses>},
    ResultField{"series_blocks", "blocks", 1, &Read<kOneSeries, &Figures::blocks>},
    ResultField{"series_rows_per_point", "rows/pt", 3, &Read<kOneSeries, &Figures::rows_per_point>},
    ResultField{"series_bytes_per_point", "B/pt", 1, &Read<kOneSeries, &Figures::bytes_per_point>},
    InstructionField<kOneSeries>("series_instructions"),
    ReadTimeField<kOneSeries, &Figures::cpu_us>("series_cpu_us", "cpu us"),
    ReadTimeField<kOneSeries, &Figures::p50_us>("series_p50_us", ""),
    ReadTimeField<kOneSeries, &Figures::p99_us>("series_p99_us", ""),
    ResultField{"metric_accesses", "metric: asks", 0, &Read<kOneMetric, &Figures::accesses>},
    ResultField{"metric_blocks", "blocks", 1, &Read<kOneMetric, &Figures::blocks>},
    ResultField{"metric_rows_per_point", "rows/pt", 3, &Read<kOneMetric, &Figures::rows_per_point>},
    ResultField{"metric_bytes_per_point", "B/pt", 1, &Read<kOneMetric, &Figures::bytes_per_point>},
    InstructionField<kOneMetric>("metric_instructions"),
    ReadTimeField<kOneMetric, &Figures::cpu_us>("metric_cpu_us", "cpu us"),
    ReadTimeField<kOneMetric, &Figures::p50_us>("metric_p50_us", ""),
    ReadTimeField<kOneMetric, &Figures::p99_us>("metric_p99_us", ""),
};

}  // namespace

bool CanBeRun(const CaseSpec& spec) {
  return spec.layout.keys.hours() == RowHours::kOne || spec.cell.kind == CellKind::kPacked;
}

Workload WorkloadOf(const CaseSpec& spec) {
  return spec.given != nullptr ? Workload(*spec.given, spec.points, spec.seed, spec.workload)
                               : Workload(spec.workload, spec.points, spec.seed);
}

std::string CaseName(const CaseSpec& spec) {
  return fmt::format("{} {} {} {}", WorkloadName(spec.workload), spec.layout.name,
                     CellFormName(spec.cell), SplitRuleName(spec.rule));
}

std::string_view ReadKindName(ReadKind kind) {
  switch (kind) {
    case ReadKind::kPoint:
      return "one point";
    case ReadKind::kSeries:
      return "one series, all hours";
    case ReadKind::kMetric:
      break;
  }
  return "one metric, one hour";
}

double BucketShare(uint64_t series, uint64_t buckets) {
  HOURCELL_CHECK(series > 0 && buckets > 0);
  const auto count = static_cast<double>(series);
  const auto spread = static_cast<double>(buckets);
  const double mean = count / spread;
  const double fullest = std::max(1.0, mean + std::sqrt(2 * mean * std::log(spread)));
  return std::min(1.0, fullest / count);
}

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  const double rank = std::ceil(q * static_cast<double>(values.size()));
  const auto index = static_cast<size_t>(std::max(1.0, rank)) - 1;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(index));
  return values[index];
}

std::span<const ResultField> WriteFields() {
  return kWriteFields;
}

std::span<const ResultField> ReadFields() {
  return kReadFields;
}

}  // namespace hourcell::layouts
