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

template <double Result::* kField>
double Of(const Result& result) {
  return result.*kField;
}
template <uint64_t Result::* kField>
double Count(const Result& result) {
  return static_cast<double>(result.*kField);
}
template <double Result::* kField>
double Percent(const Result& result) {
  return 100 * result.*kField;
}

constexpr std::array kWriteFields = {
    ResultField{"points", "", 0, &Count<&Result::points>},
    ResultField{"series", "", 0, &Count<&Result::series>},
    ResultField{"writes", "", 0, &Count<&Result::writes>},
    ResultField{"write_points_per_s", "points/s", 0, &Of<&Result::write_points_per_s>},
    ResultField{"apply_p50_ms", "", 3, &Of<&Result::apply_p50_ms>},
    ResultField{"apply_p99_ms", "p99 ms", 2, &Of<&Result::apply_p99_ms>},
    ResultField{"apply_max_ms", "", 2, &Of<&Result::apply_max_ms>},
    ResultField{"stored_bytes_per_point", "stored B/pt", 2, &Of<&Result::stored_bytes_per_point>},
    ResultField{"file_bytes_per_point", "file B/pt", 2, &Of<&Result::file_bytes_per_point>},
    ResultField{"regions", "regions", 0, &Count<&Result::regions>},
    ResultField{"splits", "splits", 0, &Count<&Result::splits>},
    ResultField{"split_refusals", "", 0, &Count<&Result::split_refusals>},
    ResultField{"split_p50_ms", "split ms", 1, &Of<&Result::split_p50_ms>},
    ResultField{"pause_p50_ms", "pause ms", 1, &Of<&Result::pause_p50_ms>},
    ResultField{"pause_max_ms", "worst", 1, &Of<&Result::pause_max_ms>},
    ResultField{"hot_share_percent", "hot %", 1, &Percent<&Result::hot_share>},
    ResultField{"hot_share_late_percent", "late %", 1, &Percent<&Result::hot_share_late>},
    ResultField{"hot_share_max_percent", "", 1, &Percent<&Result::hot_share_max>},
    ResultField{"gini", "Gini", 2, &Of<&Result::gini>},
    ResultField{"bucket_share_percent", "bucket %", 1, &Percent<&Result::bucket_share>},
};

constexpr std::array kReadFields = {
    ResultField{"point_p50_us", "point us", 0, &Read<ReadKind::kPoint, &ReadFigures::p50_us>},
    ResultField{"point_p99_us", "p99", 0, &Read<ReadKind::kPoint, &ReadFigures::p99_us>},
    ResultField{"point_accesses", "asks", 0, &Read<ReadKind::kPoint, &ReadFigures::accesses>},
    ResultField{"point_bytes_per_point", "B/pt", 0,
                &Read<ReadKind::kPoint, &ReadFigures::bytes_per_point>},
    ResultField{"series_p50_us", "series us", 0, &Read<ReadKind::kSeries, &ReadFigures::p50_us>},
    ResultField{"series_p99_us", "p99", 0, &Read<ReadKind::kSeries, &ReadFigures::p99_us>},
    ResultField{"series_accesses", "asks", 0, &Read<ReadKind::kSeries, &ReadFigures::accesses>},
    ResultField{"series_rows_per_point", "rows/pt", 3,
                &Read<ReadKind::kSeries, &ReadFigures::rows_per_point>},
    ResultField{"series_bytes_per_point", "B/pt", 1,
                &Read<ReadKind::kSeries, &ReadFigures::bytes_per_point>},
    ResultField{"metric_p50_us", "metric us", 0, &Read<ReadKind::kMetric, &ReadFigures::p50_us>},
    ResultField{"metric_p99_us", "p99", 0, &Read<ReadKind::kMetric, &ReadFigures::p99_us>},
    ResultField{"metric_accesses", "asks", 0, &Read<ReadKind::kMetric, &ReadFigures::accesses>},
    ResultField{"metric_rows_per_point", "rows/pt", 3,
                &Read<ReadKind::kMetric, &ReadFigures::rows_per_point>},
    ResultField{"metric_bytes_per_point", "B/pt", 1,
                &Read<ReadKind::kMetric, &ReadFigures::bytes_per_point>},
};

}  // namespace

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
