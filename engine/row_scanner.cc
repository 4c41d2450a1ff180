#include "engine/row_scanner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/cell.h"
#include "codec/limits.h"

namespace hourcell {

absl::Status RowScanner::Scan(TableView* view,
                              const ScanSpec& spec,
                              const std::function<bool(const ScannedRow&)>& visit) {
  if (!spec.metric.empty()) return ScanMetric(view, spec, visit);
  absl::Status failed;
  const auto show = [&](std::string_view key, std::string_view cell) {
    const absl::StatusOr<RowKeyView> row = row_keys_.Parse(key);
    failed = row.status();
    if (!failed.ok()) return false;
    const int64_t begin_ms = int64_t{row->base_time_s} * 1000;
    if (begin_ms > spec.end_ms || begin_ms + kRowSpanMs <= spec.start_ms) return true;
    bool go_on = true;
    failed = Show(key, cell, visit, &go_on);
    return failed.ok() && go_on;
  };
  const absl::Status scanned = view->Scan(TableId::kData, {}, {}, show);
  return failed.ok() ? scanned : failed;
}

absl::Status RowScanner::ScanMetric(TableView* view,
                                    const ScanSpec& spec,
                                    const std::function<bool(const ScannedRow&)>& visit) {
  SubQuery query;
  query.metric = spec.metric;
  query.filters = spec.filters;
  const int64_t end_ms = std::min(spec.end_ms, kTimestampMsMax);
  HOURCELL_ASSIGN_OR_RETURN(const SubQueryPlan plan,
                            planner_.Plan(view, query, spec.start_ms, end_ms));
  StringSet wanted;
  for (const PlannedSeries& series : plan.series)
    wanted.insert(series.tsuid);
  absl::Status failed;
  bool go_on = true;
  std::string tsuid;
  const auto show = [&](std::string_view key, std::string_view cell) {
    const absl::StatusOr<RowKeyView> row = row_keys_.Parse(key);
    failed = row.status();
    if (!failed.ok()) return false;
    tsuid.clear();
    RowKeyCodec::AppendTsuid(*row, &tsuid);
    if (wanted.contains(tsuid)) failed = Show(key, cell, visit, &go_on);
    return failed.ok() && go_on;
  };
  const uint32_t begin_s = BaseTimeS(std::max<int64_t>(0, spec.start_ms));
  const uint64_t end_s = uint64_t{BaseTimeS(end_ms)} + kRowSpanS;
  for (const KeyRange& range : row_keys_.Ranges(plan.metric, begin_s, end_s)) {
    HOURCELL_RETURN_IF_ERROR(
        view->Scan(TableId::kData, {range.begin, range.end}, plan.row_filter, show));
    HOURCELL_RETURN_IF_ERROR(failed);
    if (!go_on) break;
  }
  return absl::OkStatus();
}

absl::Status RowScanner::Show(std::string_view key,
                              std::string_view cell,
                              const std::function<bool(const ScannedRow&)>& visit,
                              bool* go_on) {
  HOURCELL_ASSIGN_OR_RETURN(const RowKeyView row, row_keys_.Parse(key));
  CellColumns columns;
  absl::StatusOr<OpenTsdbCell> bytes = ToOpenTsdb(cell);
  const absl::Status decoded = bytes.ok() ? DecodeCell(cell, &columns) : bytes.status();
  if (!decoded.ok()) {
    return absl::DataLossError(fmt::format("row {}: {}", ToHex(key), decoded.ToString()));
  }
  const Layout& layout = row_keys_.layout();
  names_.clear();
  names_.reserve(1 + 2 * kTagsMax);
  std::vector<TagView> tags;
  const std::string_view metric = NameOrHex(UidKind::kMetric, row.metric);
  for (std::string_view rest = row.tags; !rest.empty(); rest.remove_prefix(layout.pair_width())) {
    const std::string_view tagk = NameOrHex(UidKind::kTagk, rest.substr(0, layout.tagk_width));
    const std::string_view tagv =
        NameOrHex(UidKind::kTagv, rest.substr(layout.tagk_width, layout.tagv_width));
    tags.push_back({.key = tagk, .value = tagv});
  }
  std::vector<Timestamp> times;
  std::vector<Value> values;
  for (size_t i = 0; i < columns.size(); ++i) {
    times.push_back({.ms = int64_t{row.base_time_s} * 1000 + columns.offset_ms[i],
                     .is_ms = columns.qualifier(i).is_ms});
    values.push_back(columns.value(i));
  }
  *go_on = visit({.key = key,
                  .qualifiers = bytes->qualifiers,
                  .values = bytes->values,
                  .base_time_s = row.base_time_s,
                  .metric = metric,
                  .tags = tags,
                  .times = times,
                  .point_values = values});
  return absl::OkStatus();
}

std::string_view RowScanner::NameOrHex(UidKind kind, std::string_view uid_bytes) {
  absl::StatusOr<std::string> name =
      uids_.NameOf(kind, LoadBigEndian(uid_bytes.data(), uid_bytes.size()));
  return names_.emplace_back(name.ok() ? *std::move(name) : ToUpperHex(uid_bytes));
}

}  // namespace hourcell
