#include "bench/lab/layouts/cases/case_writer.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "bench/lab/keys/key_sample.h"
#include "bench/lab/layouts/cases/case_run.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "engine/days/few_points.h"
#include "engine/table/table_store.h"

namespace hourcell::layouts {
namespace {

constexpr uint32_t kSampledSeries = 64;

double ToMs(int64_t ns) {
  return static_cast<double>(ns) / 1e6;
}

uint64_t BytesOf(const Mutation& write) {
  return write.key.size() + write.value.size();
}

// A point in a group of rows that fill at the same time.
struct PointRef {
  uint32_t offset_ms = 0;
  uint32_t row = 0;
  uint32_t point = 0;

  friend auto operator<=>(const PointRef&, const PointRef&) = default;
};

std::vector<PointRef> ByTime(const std::vector<CellColumns>& rows) {
  std::vector<PointRef> points;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    for (uint32_t i = 0; i < rows[row].size(); ++i)
      points.push_back({rows[row].offset_ms[i], row, i});
  }
  std::ranges::sort(points);
  return points;
}

// The row that has the points of an hour, at least one.
RowId RowOf(const CaseSpec& spec, RowId hour, const CellColumns& columns) {
  hour.is_shared = AreFewPoints(static_cast<uint32_t>(columns.size()),
                                columns.offset_ms.back() - columns.offset_ms.front(),
                                spec.layout.keys.day_row_points());
  return hour;
}

// The write of a row, or of an hour to the row of its day.
Mutation WriteOf(const CaseSpec& spec,
                 const RowId& id,
                 std::string key,
                 const CellColumns& columns) {
  if (spec.layout.keys.SpanOf(id) == kHourSpan) return RowWrite(spec.cell, std::move(key), columns);
  const uint32_t hour = id.base_time_s % kDaySpan.seconds / kHourSpan.seconds;
  return DayWrite(std::move(key), hour, columns);
}

}  // namespace

RunExtent EstimateExtent(const CaseSpec& spec, const Workload& workload) {
  const uint64_t count = workload.series().size();
  const uint64_t step = std::max<uint64_t>(1, count / kSampledSeries);
  uint64_t points = 0;
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < count; i += step) {
    const RowRef row{.series = static_cast<uint32_t>(i), .hour = 0};
    const CellColumns columns = workload.PointsOf(row, spec.cell.is_ms);
    const RowId id = RowOf(spec, workload.IdOf(row), columns);
    std::string key;
    HOURCELL_CHECK(spec.layout.keys.Encode(id, &key).ok());
    points += columns.size();
    if (!spec.cell.is_by_point()) {
      bytes += BytesOf(WriteOf(spec, id, key, columns));
      continue;
    }
    for (size_t p = 0; p < columns.size(); ++p)
      bytes += BytesOf(PointWrite(spec.cell, key, columns, p));
  }
  const double run_parts = static_cast<double>(workload.points()) / static_cast<double>(points);
  return {.bytes = static_cast<uint64_t>(static_cast<double>(bytes) * run_parts),
          .writes = spec.cell.is_by_point() ? workload.points() : count * workload.hours(),
          .leading_bytes = spec.layout.keys.leading_bytes()};
}

size_t WindowsOf(const Workload& workload) {
  constexpr uint64_t kRowsEnough = 64;
  const uint64_t rows = workload.series().size() * workload.hours();
  const uint64_t windows = rows / std::min(workload.rows_at_once(), kRowsEnough);
  return std::clamp<uint64_t>(windows, 1, kWindowsMax);
}

absl::StatusOr<std::vector<std::string>> PresplitKeys(const CaseSpec& spec,
                                                      const Workload& workload) {
  KeySample sample({.seed = spec.seed});
  const size_t groups = std::max<size_t>(1, workload.groups() / 4);
  std::string key;
  for (size_t group = 0; group < groups; ++group) {
    for (const RowRef& row : workload.Group(group)) {
      const RowId id = RowOf(spec, workload.IdOf(row), workload.PointsOf(row, spec.cell.is_ms));
      HOURCELL_RETURN_IF_ERROR(spec.layout.keys.Encode(id, &key));
      sample.Add(key);
    }
  }
  HOURCELL_ASSIGN_OR_RETURN(SampledSplit split,
                            sample.Split(kPresplitRegions, SmallSample::kAccept));
  return std::move(split.keys);
}

CaseWriter::CaseWriter(const CaseSpec& spec,
                       const Workload& workload,
                       TableStore* store,
                       const std::atomic<bool>* cancelled)
    : spec_(spec),
      workload_(workload),
      store_(*store),
      cancelled_(cancelled),
      ledger_(SettingsOf(spec.rule, EstimateExtent(spec, workload), spec.seed),
              {.points = workload.points(), .windows = WindowsOf(workload), .seed = spec.seed}),
      splitter_(store->regions()) {}

absl::Status CaseWriter::WriteAll(CaseResult* result) {
  if (spec_.rule == SplitRule::kPresplit) HOURCELL_RETURN_IF_ERROR(Presplit());
  for (size_t group = 0; group < workload_.groups(); ++group) {
    if (cancelled_ != nullptr && cancelled_->load()) return absl::CancelledError("cancelled");
    const std::vector<RowRef> rows = workload_.Group(group);
    HOURCELL_RETURN_IF_ERROR(spec_.cell.is_by_point() ? WritePoints(rows) : WriteRows(rows));
  }
  HOURCELL_RETURN_IF_ERROR(ApplyGroup());
  HOURCELL_RETURN_IF_ERROR(splitter_.Finish(ledger_.Starts()));
  const int64_t begin = MonotonicNs();
  HOURCELL_RETURN_IF_ERROR(store_.Flush(TableId::kData));
  SetTimes(MonotonicNs() - begin, result);
  return absl::OkStatus();
}

absl::Status CaseWriter::Presplit() {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> keys, PresplitKeys(spec_, workload_));
  HOURCELL_RETURN_IF_ERROR(splitter_.Presplit(keys));
  ledger_.Presplit(keys);
  return absl::OkStatus();
}

absl::Status CaseWriter::WriteRows(const std::vector<RowRef>& rows) {
  for (const RowRef& row : rows) {
    std::string key;
    const CellColumns columns = workload_.PointsOf(row, spec_.cell.is_ms);
    const RowId id = RowOf(spec_, workload_.IdOf(row), columns);
    HOURCELL_RETURN_IF_ERROR(spec_.layout.keys.Encode(id, &key));
    HOURCELL_RETURN_IF_ERROR(Add(key, columns.size(), WriteOf(spec_, id, key, columns)));
  }
  return absl::OkStatus();
}

absl::Status CaseWriter::WritePoints(const std::vector<RowRef>& rows) {
  std::vector<CellColumns> columns;
  std::vector<RowId> ids;
  std::vector<std::string> keys(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    columns.push_back(workload_.PointsOf(rows[i], spec_.cell.is_ms));
    ids.push_back(workload_.IdOf(rows[i]));
    HOURCELL_RETURN_IF_ERROR(spec_.layout.keys.Encode(ids[i], &keys[i]));
  }
  const bool is_fixed = spec_.layout.keys.distributor().is_deterministic();
  for (const PointRef& point : ByTime(columns)) {
    std::string& key = keys[point.row];
    if (!is_fixed) HOURCELL_RETURN_IF_ERROR(spec_.layout.keys.Encode(ids[point.row], &key));
    HOURCELL_RETURN_IF_ERROR(
        Add(key, 1, PointWrite(spec_.cell, key, columns[point.row], point.point)));
  }
  return absl::OkStatus();
}

absl::Status CaseWriter::Add(std::string_view row, uint64_t points, Mutation write) {
  const uint64_t bytes = BytesOf(write);
  ++writes_;
  bytes_ += bytes;
  std::string cut = ledger_.Record({.row = row, .bytes = bytes, .points = points});
  group_.push_back(std::move(write));
  if (!cut.empty()) splitter_.Split(std::move(cut));
  const size_t enough = spec_.cell.is_by_point() ? kGroupPoints : kGroupRows;
  return group_.size() < enough ? absl::OkStatus() : ApplyGroup();
}

absl::Status CaseWriter::ApplyGroup() {
  const int64_t begin = MonotonicNs();
  const int64_t cpu_begin_ns = ThreadCpuNs();
  const std::optional<uint64_t> instructions_before = counter_.Count();
  HOURCELL_RETURN_IF_ERROR(store_.ApplyUnlogged(group_));
  instructions_ += counter_.Since(instructions_before);
  cpu_ns_ += ThreadCpuNs() - cpu_begin_ns;
  applies_.push_back({.begin = begin, .end = MonotonicNs()});
  group_.clear();
  splitter_.Pace();
  return absl::OkStatus();
}

void CaseWriter::SetTimes(int64_t flush_ns, CaseResult* result) const {
  int64_t total_ns = flush_ns;
  std::vector<double> applies_ms;
  for (const TimeSpanNs& apply : applies_) {
    total_ns += apply.end - apply.begin;
    applies_ms.push_back(ToMs(apply.end - apply.begin));
  }
  std::vector<double> pauses_ms;
  std::vector<double> splits_ms;
  for (const TimeSpanNs& split : splitter_.splits()) {
    splits_ms.push_back(ToMs(split.end - split.begin));
    double longest_ms = 0;
    for (const TimeSpanNs& apply : applies_) {
      if (apply.Overlaps(split)) longest_ms = std::max(longest_ms, ToMs(apply.end - apply.begin));
    }
    pauses_ms.push_back(longest_ms);
  }
  const auto points = static_cast<double>(workload_.points());
  result->writes = writes_;
  result->stored_bytes_per_point = static_cast<double>(bytes_) / points;
  result->write_cpu_us_per_kpoint = static_cast<double>(cpu_ns_) / points;
  result->write_instructions = static_cast<double>(instructions_) / points;
  result->write_points_per_s = points / (static_cast<double>(total_ns) / 1e9);
  result->apply_p50_ms = Quantile(applies_ms, 0.5);
  result->apply_p99_ms = Quantile(applies_ms, 0.99);
  result->apply_max_ms = Quantile(std::move(applies_ms), 1);
  result->split_p50_ms = Quantile(std::move(splits_ms), 0.5);
  result->pause_p50_ms = Quantile(pauses_ms, 0.5);
  result->pause_max_ms = Quantile(std::move(pauses_ms), 1);
}

}  // namespace hourcell::layouts
