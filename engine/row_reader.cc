#include "engine/row_reader.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"

namespace hourcell {
namespace {

constexpr size_t kRowsPerBatch = 1024;

}  // namespace

absl::Status RowReader::Read(const SubQueryPlan& plan, std::vector<Span>* spans) {
  spans->assign(plan.series.size(), Span());
  if (plan.series.empty() || plan.present.begin_s >= plan.present.end_s) return absl::OkStatus();
  return plan.method == ReadMethod::kPointReads ? ReadPoints(plan, spans) : ReadRange(plan, spans);
}

absl::Status RowReader::ReadPoints(const SubQueryPlan& plan, std::vector<Span>* spans) {
  std::vector<std::string> keys;
  std::vector<std::pair<size_t, uint32_t>> rows;  // series index and base time of each key
  std::vector<std::optional<std::string>> cells;
  const auto read_batch = [&]() -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(view_.GetMany(TableId::kData, keys, &cells));
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].has_value()) continue;
      HOURCELL_RETURN_IF_ERROR(
          AddRow(keys[i], *cells[i], rows[i].second, &(*spans)[rows[i].first]));
    }
    keys.clear();
    rows.clear();
    return CheckBudget();
  };
  for (uint64_t base = plan.present.begin_s; base < plan.present.end_s; base += kRowSpanS) {
    for (size_t i = 0; i < plan.series.size(); ++i) {
      const auto base_time_s = static_cast<uint32_t>(base);
      row_keys_.Append(plan.series[i].tsuid, base_time_s, &keys.emplace_back());
      rows.emplace_back(i, base_time_s);
      if (keys.size() == kRowsPerBatch) HOURCELL_RETURN_IF_ERROR(read_batch());
    }
  }
  return read_batch();
}

absl::Status RowReader::ReadRange(const SubQueryPlan& plan, std::vector<Span>* spans) {
  StringMap<size_t> index_by_tsuid;
  for (size_t i = 0; i < plan.series.size(); ++i)
    index_by_tsuid.emplace(plan.series[i].tsuid, i);
  absl::Status failed;
  std::string tsuid;
  size_t visited = 0;
  const auto visit = [&](std::string_view key, std::string_view cell) {
    if (++visited % kRowsPerBatch == 0) failed = CheckBudget();
    if (!failed.ok()) return false;
    const absl::StatusOr<RowKeyView> row = row_keys_.Parse(key);
    if (!row.ok()) {
      failed = row.status();
      return false;
    }
    tsuid.clear();
    RowKeyCodec::AppendTsuid(*row, &tsuid);
    const auto found = index_by_tsuid.find(tsuid);
    if (found != index_by_tsuid.end()) {
      failed = AddRow(key, cell, row->base_time_s, &(*spans)[found->second]);
    }
    return failed.ok();
  };
  for (const KeyRange& range :
       row_keys_.Ranges(plan.metric, plan.present.begin_s, plan.present.end_s)) {
    HOURCELL_RETURN_IF_ERROR(
        view_.Scan(TableId::kData, {range.begin, range.end}, plan.row_filter, visit));
    HOURCELL_RETURN_IF_ERROR(failed);
  }
  return CheckBudget();
}

absl::Status RowReader::AddRow(std::string_view key,
                               std::string_view cell,
                               uint32_t base_time_s,
                               Span* span) {
  columns_.clear();
  if (const absl::Status decoded = DecodeCell(cell, &columns_); !decoded.ok()) {
    return absl::DataLossError(fmt::format("row {}: {}", ToHex(key), decoded.ToString()));
  }
  const int64_t base_ms = int64_t{base_time_s} * 1000;
  for (const uint32_t offset : columns_.offset_ms)
    span->t.push_back(base_ms + offset);
  span->v.insert(span->v.end(), columns_.bits.begin(), columns_.bits.end());
  for (const uint8_t flags : columns_.flags) {
    span->is_float.push_back((flags & kFloatFlag) != 0 ? 1 : 0);
  }
  ++rows_read_;
  points_read_ += columns_.size();
  return absl::OkStatus();
}

absl::Status RowReader::CheckBudget() const {
  if (budget_.points_max != 0 && points_read_ > budget_.points_max) {
    return absl::ResourceExhaustedError(fmt::format(
        "Sorry, you have attempted to fetch more than our limit of {} data points. Please try "
        "filtering using more tags or decrease your time range.",
        budget_.points_max));
  }
  if (budget_.deadline_ms != 0 && budget_.clock->NowMs() > budget_.deadline_ms) {
    return absl::DeadlineExceededError(
        "Sorry, your query timed out. Please try filtering using more tags or decrease your time "
        "range.");
  }
  return absl::OkStatus();
}

}  // namespace hourcell
