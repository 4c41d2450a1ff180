#include "engine/point_deleter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/packed_cell.h"

namespace hourcell {
namespace {

// Rows that are read and written together: so many cells are in memory.
constexpr size_t kRowsAtOnce = 1024;

// The same selection, each series by itself and its points as they are.
QuerySpec OfSeriesAlone(const QuerySpec& spec) {
  QuerySpec alone = spec;
  alone.keep_scanned = false;
  alone.annotations = false;
  alone.global_annotations = false;
  for (SubQuery& query : alone.queries) {
    query.aggregator = Aggregator::kNone;
    query.downsample.reset();
    query.rate.reset();
  }
  return alone;
}

}  // namespace

class PointDeleter::Collector : public QuerySink {
 public:
  explicit Collector(PointDeleter* deleter) : deleter_(*deleter) {}
  absl::Status OnSeries(const SeriesView& series) override { return deleter_.AddSeries(series); }

 private:
  PointDeleter& deleter_;
};

absl::StatusOr<DeletedPoints> PointDeleter::Delete(const QuerySpec& spec, QueryControl* control) {
  start_ms_ = spec.start_ms;
  end_ms_ = spec.end_ms;
  deleted_ = {};
  const auto change = [&]() -> absl::Status {
    rows_.clear();
    Collector collector(this);
    HOURCELL_RETURN_IF_ERROR(parts_.executor->Run(OfSeriesAlone(spec), &collector, control));
    HOURCELL_RETURN_IF_ERROR(RewriteRows());
    return parts_.commit->CommitAll(/*sync=*/false);
  };
  HOURCELL_RETURN_IF_ERROR(parts_.sealer->WithSealed(change));
  return deleted_;
}

// Notes the rows of a series that have points in the range.
absl::Status PointDeleter::AddSeries(const SeriesView& series) {
  for (const std::string_view tsuid : series.tsuids) {
    const Uid metric = LoadBigEndian(tsuid.data(), row_keys_.layout().metric_width);
    const int64_t expires_before_ms =
        parts_.expiry == nullptr ? 0 : parts_.expiry->ExpiresBeforeMs(metric);
    std::optional<uint32_t> noted;
    for (const int64_t ms : series.points.t) {
      const uint32_t base_time_s = BaseTimeS(ms);
      if (noted == base_time_s) continue;
      noted = base_time_s;
      Row& row = rows_.emplace_back();
      row.base_time_s = base_time_s;
      row.expires_before_ms = expires_before_ms;
      row_keys_.Append(tsuid, base_time_s, &row.key);
      if (rows_.size() == kRowsAtOnce) HOURCELL_RETURN_IF_ERROR(RewriteRows());
    }
  }
  return absl::OkStatus();
}

// Rewrites the rows noted so far.
absl::Status PointDeleter::RewriteRows() {
  // In key order, and those that two sub queries select once.
  std::ranges::sort(rows_, {}, &Row::key);
  const auto repeats = std::ranges::unique(rows_, {}, &Row::key);
  rows_.erase(repeats.begin(), repeats.end());
  std::vector<std::string> keys;
  for (const Row& row : rows_)
    keys.push_back(row.key);
  std::vector<std::optional<std::string>> cells;
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Snapshot()->GetMany(TableId::kData, keys, &cells));
  std::vector<Mutation> group;
  for (size_t i = 0; i < cells.size(); ++i) {
    // One without a cell is that of points which came while everything was sealed.
    if (cells[i].has_value()) HOURCELL_RETURN_IF_ERROR(Rewrite(rows_[i], *cells[i], &group));
  }
  rows_.clear();
  if (group.empty()) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(parts_.tables->ApplyUnlogged(group));
  HOURCELL_KILL_POINT("delete:rows_written");
  return absl::OkStatus();
}

// Appends the mutation that leaves a row without its points in the range, if it has some.
absl::Status PointDeleter::Rewrite(const Row& row,
                                   std::string_view cell,
                                   std::vector<Mutation>* group) {
  CellColumns columns;
  if (const absl::Status decoded = DecodeCell(cell, &columns); !decoded.ok()) {
    return absl::DataLossError(fmt::format("row {}: {}", ToHex(row.key), decoded.ToString()));
  }
  const int64_t base_ms = int64_t{row.base_time_s} * 1000;
  CellColumns left;
  for (size_t i = 0; i < columns.size(); ++i) {
    const int64_t ms = base_ms + columns.offset_ms[i];
    if (ms < start_ms_ || ms > end_ms_) {
      left.push_back(columns.qualifier(i), columns.value(i));
    } else if (ms >= row.expires_before_ms) {
      // What has expired goes, too, but was not there for whoever asked.
      ++deleted_.points;
    }
  }
  if (left.size() == columns.size()) return absl::OkStatus();
  Mutation& mutation = group->emplace_back();
  mutation.key = row.key;
  mutation.kind = left.size() == 0 ? Mutation::Kind::kDelete : Mutation::Kind::kSet;
  if (left.size() > 0) {
    const bool is_packed = static_cast<CellFormat>(cell.front()) == CellFormat::kPacked;
    is_packed ? AppendPackedCell(left, &mutation.value) : AppendCell(left, &mutation.value);
  }
  ++deleted_.rows;
  return absl::OkStatus();
}

}  // namespace hourcell
