#include "engine/scan/row_scanner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/cells/cell.h"
#include "codec/limits.h"
#include "engine/table/retention.h"

namespace hourcell {

absl::Status RowScanner::Scan(const ScanSpec& spec,
                              const std::function<bool(const ScannedRow&)>& visit,
                              const std::function<bool()>& should_stop) {
  HOURCELL_ASSIGN_OR_RETURN(const Selection selection, Select(spec));
  const auto show = [&](std::string_view key, std::string_view cell) {
    return Show(key, cell, /*with_bytes=*/true, visit);
  };
  for (const KeyRange& range : selection.ranges) {
    HOURCELL_ASSIGN_OR_RETURN(const bool go_on,
                              VisitRange(selection, {range.begin, range.end}, show, should_stop));
    if (!go_on) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<RowScanner::Selection> RowScanner::Select(const ScanSpec& spec) const {
  Selection selection;
  selection.begin_s = kDataRowSpan.BaseS(std::max<int64_t>(0, spec.start_ms));
  selection.end_s = kDataRowSpan.EndS(kDataRowSpan.BaseS(std::min(spec.end_ms, kTimestampMsMax)));
  if (!spec.metric.empty()) {
    HOURCELL_RETURN_IF_ERROR(SelectMetric(spec, &selection));
    return selection;
  }
  selection.ranges.emplace_back();
  HOURCELL_ASSIGN_OR_RETURN(selection.open, OpenRowsOfAll(selection.begin_s, selection.end_s));
  return selection;
}

absl::Status RowScanner::SelectMetric(const ScanSpec& spec, Selection* selection) const {
  SubQuery query;
  query.metric = spec.metric;
  query.filters = spec.filters;
  const int64_t end_ms = std::min(spec.end_ms, kTimestampMsMax);
  HOURCELL_ASSIGN_OR_RETURN(QueryPlanner::ResolvedQuery resolved, parts_.planner->Resolve(query));
  HOURCELL_ASSIGN_OR_RETURN(
      const SubQueryPlan plan,
      parts_.planner->Plan(query, std::move(resolved), spec.start_ms, end_ms, {}));
  selection->tsuids.emplace();
  for (const uint32_t series : plan.selected)
    selection->tsuids->emplace(plan.list->tsuid(series));
  selection->ranges = row_keys_.Ranges(plan.metric, selection->begin_s, selection->end_s);
  selection->open = OpenRowsOf(plan, selection->begin_s, selection->end_s);
  return absl::OkStatus();
}

absl::StatusOr<bool> RowScanner::VisitRange(const Selection& selection,
                                            const ScanRange& range,
                                            const Visit& visit,
                                            const std::function<bool()>& should_stop) const {
  std::string tsuid;
  const auto visit_selected = [&](std::string_view key,
                                  std::string_view cell) -> absl::StatusOr<bool> {
    if (should_stop && should_stop()) return false;
    HOURCELL_ASSIGN_OR_RETURN(const RowKeyView row, row_keys_.Parse(key));
    if (row.base_time_s < selection.begin_s || row.base_time_s >= selection.end_s) return true;
    tsuid.clear();
    RowKeyCodec::AppendTsuid(row, &tsuid);
    if (selection.tsuids.has_value() && !selection.tsuids->contains(tsuid)) return true;
    return visit(key, cell);
  };
  const auto first = std::ranges::lower_bound(selection.open, range.begin, {}, &OpenRow::key);
  const auto last = range.end.empty()
                        ? selection.open.end()
                        : std::ranges::lower_bound(selection.open, range.end, {}, &OpenRow::key);
  return VisitRows(range, std::span(first, last), visit_selected);
}

absl::StatusOr<std::vector<RowScanner::OpenRow>> RowScanner::OpenRowsOfAll(uint64_t begin_s,
                                                                           uint64_t end_s) const {
  std::vector<OpenRow> rows;
  std::vector<SeriesNumber> numbers;
  for (Lane& lane : parts_.open_hours->lanes()) {
    lane.VisitHours(begin_s, end_s, parts_.pinned_at,
                    [&](SeriesNumber series, uint32_t base_time_s) {
                      rows.push_back({.key = {}, .series = series, .base_time_s = base_time_s});
                      numbers.push_back(series);
                    });
  }
  std::vector<std::string> tsuids;
  // Uses the present series, not the view's: a series may be newer than the view.
  HOURCELL_RETURN_IF_ERROR(parts_.series->TsuidsOf(numbers, &tsuids));
  HOURCELL_DCHECK(tsuids.size() == rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    if (!tsuids[i].empty()) row_keys_.Append(tsuids[i], rows[i].base_time_s, &rows[i].key);
  // Rows without a key: all points of the series have expired, and it was dropped meanwhile.
  std::erase_if(rows, [](const OpenRow& row) { return row.key.empty(); });
  std::ranges::sort(rows, {}, &OpenRow::key);
  // An hour that is being sealed and its newly opened successor are one row.
  const auto repeated = std::ranges::unique(rows, {}, &OpenRow::key);
  rows.erase(repeated.begin(), repeated.end());
  return rows;
}

std::vector<RowScanner::OpenRow> RowScanner::OpenRowsOf(const SubQueryPlan& plan,
                                                        uint64_t begin_s,
                                                        uint64_t end_s) const {
  std::vector<OpenRow> rows;
  for (const uint32_t series : plan.selected) {
    const SeriesNumber number = plan.list->number(series);
    const auto add = [&](uint32_t base_time_s, const CellColumns&) {
      OpenRow& row = rows.emplace_back();
      row_keys_.Append(plan.list->tsuid(series), base_time_s, &row.key);
      row.series = number;
      row.base_time_s = base_time_s;
    };
    parts_.open_hours->Read(number, begin_s, end_s, parts_.pinned_at, add);
  }
  std::ranges::sort(rows, {}, &OpenRow::key);
  return rows;
}

// Visits the rows of the table and the open ones, merged in key order. False if `visit` ended it.
absl::StatusOr<bool> RowScanner::VisitRows(const ScanRange& range,
                                           std::span<const OpenRow> open,
                                           const Visit& visit) const {
  absl::StatusOr<bool> go_on = true;
  const auto visit_open_before = [&](std::string_view key, bool is_end) {
    while (go_on.ok() && *go_on && !open.empty() && (is_end || open.front().key < key)) {
      go_on = visit(open.front().key, WithOpenHour({}, open.front()));
      open = open.subspan(1);
    }
  };
  const absl::Status scanned =
      parts_.view->Scan(TableId::kData, range, [&](std::string_view key, std::string_view cell) {
        visit_open_before(key, /*is_end=*/false);
        if (!go_on.ok() || !*go_on) return false;
        if (!open.empty() && open.front().key == key) {
          go_on = visit(key, WithOpenHour(cell, open.front()));
          open = open.subspan(1);
        } else {
          go_on = visit(key, cell);
        }
        return go_on.ok() && *go_on;
      });
  HOURCELL_RETURN_IF_ERROR(scanned);
  visit_open_before({}, /*is_end=*/true);
  return go_on;
}

std::string RowScanner::WithOpenHour(std::string_view cell, const OpenRow& open) const {
  std::string later;
  parts_.open_hours->Read(
      open.series, open.base_time_s, kDataRowSpan.EndS(open.base_time_s), parts_.pinned_at,
      [&later](uint32_t, const CellColumns& columns) { AppendCell(columns, &later); });
  std::string merged;
  const std::string_view operands[] = {later};
  MergeCells(cell, std::span(operands).first(later.empty() ? 0 : 1), &merged);
  return merged;
}

absl::StatusOr<std::string> RowScanner::VisibleOf(std::string_view cell,
                                                  uint32_t base_time_s,
                                                  int64_t visible_from_ms) {
  CellColumns columns;
  HOURCELL_RETURN_IF_ERROR(DecodeCell(cell, &columns));
  const int64_t base_ms = int64_t{base_time_s} * 1000;
  CellColumns visible;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (base_ms + columns.offset_ms[i] < visible_from_ms) continue;
    visible.push_back(columns.qualifier(i), columns.value(i));
  }
  std::string left;
  if (visible.size() > 0) AppendCell(visible, &left);
  return left;
}

absl::StatusOr<bool> RowScanner::Show(std::string_view key,
                                      std::string_view cell,
                                      bool with_bytes,
                                      const std::function<bool(const ScannedRow&)>& visit) {
  HOURCELL_ASSIGN_OR_RETURN(const RowKeyView row, row_keys_.Parse(key));
  const int64_t visible_from_ms =
      parts_.planner->VisibleFromMs(LoadBigEndian(row.metric.data(), row.metric.size()));
  if (RowIsBefore(kDataRowSpan, row.base_time_s, visible_from_ms)) return true;
  std::string visible;
  if (int64_t{row.base_time_s} * 1000 < visible_from_ms) {
    const absl::StatusOr<std::string> left = VisibleOf(cell, row.base_time_s, visible_from_ms);
    if (left.ok() && left->empty()) return true;
    if (left.ok()) cell = visible = *left;  // else DecodeCell below returns the fault
  }
  CellColumns columns;
  absl::StatusOr<OpenTsdbCell> bytes = with_bytes ? ToOpenTsdb(cell) : OpenTsdbCell();
  const absl::Status decoded = bytes.ok() ? DecodeCell(cell, &columns) : bytes.status();
  if (!decoded.ok()) {
    return absl::DataLossError(fmt::format("row {}: {}", ToHex(key), decoded.ToString()));
  }
  const Layout& layout = row_keys_.layout();
  names_.ForgetMany();
  std::vector<TagView> tags;
  const std::string_view metric = NameOf(UidKind::kMetric, row.metric);
  for (std::string_view rest = row.tags; !rest.empty(); rest.remove_prefix(layout.pair_width())) {
    const std::string_view tagk = NameOf(UidKind::kTagk, rest.substr(0, layout.tagk_width));
    const std::string_view tagv =
        NameOf(UidKind::kTagv, rest.substr(layout.tagk_width, layout.tagv_width));
    tags.push_back({.key = tagk, .value = tagv});
  }
  HOURCELL_RETURN_IF_ERROR(names_.status());
  std::vector<Timestamp> times;
  std::vector<Value> values;
  for (size_t i = 0; i < columns.size(); ++i) {
    times.push_back({.ms = int64_t{row.base_time_s} * 1000 + columns.offset_ms[i],
                     .is_ms = columns.qualifier(i).is_ms});
    values.push_back(columns.value(i));
  }
  return visit({.key = key,
                .qualifiers = bytes->qualifiers,
                .values = bytes->values,
                .base_time_s = row.base_time_s,
                .metric = metric,
                .tags = tags,
                .times = times,
                .point_values = values,
                .cell_bytes = cell.size()});
}

std::string_view RowScanner::NameOf(UidKind kind, std::string_view uid_bytes) {
  return names_.NameOf(kind, LoadBigEndian(uid_bytes.data(), uid_bytes.size()));
}

}  // namespace hourcell
