#include "engine/row_reader.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "engine/retention.h"

namespace hourcell {
namespace {

constexpr size_t kRowsPerBatch = 1024;

void AppendPoint(const Span& from, size_t i, Span* to) {
  to->t.push_back(from.t[i]);
  to->v.push_back(from.v[i]);
  to->is_float.push_back(from.is_float[i]);
}

// Adds points that were written later; of two of one instant the later stays.
void MergeLater(const Span& later, Span* span) {
  const Span earlier = std::move(*span);
  *span = {};
  const size_t size = earlier.size() + later.size();
  span->t.reserve(size);
  span->v.reserve(size);
  span->is_float.reserve(size);
  for (size_t i = 0, j = 0; i < earlier.size() || j < later.size();) {
    if (j == later.size() || (i < earlier.size() && earlier.t[i] < later.t[j])) {
      AppendPoint(earlier, i++, span);
    } else {
      if (i < earlier.size() && earlier.t[i] == later.t[j]) ++i;
      AppendPoint(later, j++, span);
    }
  }
}

}  // namespace

absl::Status RowReader::Read(const SubQueryPlan& plan, std::vector<Span>* spans) {
  spans->assign(plan.series.size(), Span());
  visible_from_ms_ = plan.visible_from_ms;
  if (plan.series.empty()) return absl::OkStatus();
  if (plan.present.begin_s < plan.present.end_s) {
    HOURCELL_RETURN_IF_ERROR(plan.method == ReadMethod::kPointReads ? ReadPoints(plan, spans)
                                                                    : ReadRange(plan, spans));
  }
  return ReadOpenHours(plan, spans);
}

absl::Status RowReader::ReadOpenHours(const SubQueryPlan& plan, std::vector<Span>* spans) {
  const uint32_t begin_s = std::max(plan.bounds.begin_s, FirstRowFromS(visible_from_ms_));
  Span open;
  for (size_t i = 0; i < plan.series.size(); ++i) {
    Span& span = (*spans)[i];
    // Usually what is open comes after all that is stored, and is only appended.
    const int64_t stored_until_ms = span.empty() ? -1 : span.t.back();
    open = {};
    open_hours_.Read(plan.series[i].number, begin_s, plan.bounds.end_s,
                     [&](uint32_t base_time_s, const CellColumns& columns) {
                       const int64_t base_ms = int64_t{base_time_s} * 1000;
                       const bool is_behind = open.empty() && base_ms > stored_until_ms;
                       AddColumns(columns, base_time_s, is_behind ? &span : &open);
                     });
    if (!open.empty()) MergeLater(open, &span);
    if (i % kRowsPerBatch == 0) HOURCELL_RETURN_IF_ERROR(CheckBudget());
  }
  return CheckBudget();
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
  AddColumns(columns_, base_time_s, span);
  return absl::OkStatus();
}

void RowReader::AddColumns(const CellColumns& columns, uint32_t base_time_s, Span* span) {
  const int64_t base_ms = int64_t{base_time_s} * 1000;
  ptrdiff_t first = 0;  // that is not expired
  if (base_ms < visible_from_ms_) {
    first = std::ranges::lower_bound(columns.offset_ms, visible_from_ms_ - base_ms) -
            columns.offset_ms.begin();
  }
  for (const uint32_t offset : std::span(columns.offset_ms).subspan(static_cast<size_t>(first)))
    span->t.push_back(base_ms + offset);
  span->v.insert(span->v.end(), columns.bits.begin() + first, columns.bits.end());
  for (const uint8_t flags : std::span(columns.flags).subspan(static_cast<size_t>(first))) {
    span->is_float.push_back((flags & kFloatFlag) != 0 ? 1 : 0);
  }
  ++rows_read_;
  points_read_ += columns.size() - static_cast<size_t>(first);
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
