#include "engine/deletion/point_deleter.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "engine/query/query_plan.h"

namespace hourcell {
namespace {

// Rows that one query finds before they are rewritten; rows of the first rewrite; bytes of cells of
// a later rewrite.
constexpr size_t kDeletedRowsAtOnce = 1024;
constexpr size_t kRewrittenRowsAtFirst = 16;
constexpr size_t kRewrittenBytes = size_t{1} << 20;
// Memory of a decoded point: in the columns of its row, and in the columns of the remaining points.
constexpr size_t kDecodedPointBytes = 2 * (sizeof(uint64_t) + sizeof(uint32_t) + 2);

// Rows of a round. During a round nothing is sealed, so that memory and journal fill; the sealer
// runs between two rounds.
constexpr uint64_t kRowsPerRound = 65'536;
// The time range of the first round, and of the longest one, which is above any range.
constexpr int64_t kHoursAtFirst = 24;
constexpr int64_t kHoursMax = int64_t{1} << 22;

// The same selection, without grouping and with all points as they are.
QuerySpec OfSeriesAlone(const QuerySpec& spec) {
  QuerySpec alone = spec;
  alone.keep_scanned = false;
  alone.may_use_rollups = false;
  alone.annotations = false;
  alone.global_annotations = false;
  for (SubQuery& query : alone.queries) {
    query.aggregator = Aggregator::kNone;
    query.downsample.reset();
    query.rate.reset();
    query.percentiles.clear();
    query.show_histogram_buckets = false;
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
  if (HasFunctions(spec)) {
    return absl::InvalidArgumentError("functions: not allowed in a deletion");
  }
  MemoryLease lease(parts_.memory, control);
  MemoryHold hold(&lease);
  hold_ = &hold;
  deleted_ = {};
  rows_at_once_ = kRewrittenRowsAtFirst;
  int64_t hours = kHoursAtFirst;
  int64_t begin_ms = spec.start_ms;
  bool is_first = true;
  // A range may end after the last time that a row can have.
  while (is_first || begin_ms <= std::min(spec.end_ms, kTimestampMsMax)) {
    is_first = false;
    // Ends with an hour, so that each row is in one round.
    const int64_t last_hour_s = kDataRowSpan.BaseS(std::min(begin_ms, kTimestampMsMax)) +
                                (hours - 1) * int64_t{kDataRowSpan.seconds};
    const int64_t round_end_ms = (last_hour_s + kDataRowSpan.seconds) * 1000 - 1;
    const int64_t end_ms = std::min(spec.end_ms, std::max(begin_ms, round_end_ms));
    QuerySpec round = OfSeriesAlone(spec);
    round.start_ms = begin_ms;
    round.end_ms = end_ms;
    const uint64_t before = deleted_.rows;
    HOURCELL_ASSIGN_OR_RETURN(const bool is_done, DeleteRound(round, control));
    HOURCELL_RETURN_IF_ERROR(TellEmptied());
    const uint64_t rows = deleted_.rows - before;
    if (is_done) begin_ms = end_ms + 1;
    // The round had many rows: the next one covers less time, because it reads these rows again.
    if (!is_done) {
      hours = std::max<int64_t>(1, hours / 2);
    } else if (rows < kRowsPerRound / 2) {
      hours = std::min(2 * hours, kHoursMax);
    }
  }
  return deleted_;
}

// True: all points of the selection are gone; false: some may remain.
absl::StatusOr<bool> PointDeleter::DeleteRound(const QuerySpec& spec, QueryControl* control) {
  start_ms_ = spec.start_ms;
  end_ms_ = spec.end_ms;
  rows_left_ = kRowsPerRound;
  bool is_done = true;
  const auto change = [&]() -> absl::Status {
    rows_.clear();
    Collector collector(this);
    const absl::Status run = parts_.executor->Run(spec, parts_.open_hours, &collector, control);
    is_done = rows_left_ > 0;
    if (is_done) HOURCELL_RETURN_IF_ERROR(run);
    HOURCELL_RETURN_IF_ERROR(RewriteRows());
    return parts_.commit->CommitAll(/*sync=*/false);
  };
  HOURCELL_RETURN_IF_ERROR(parts_.sealer->WithSealed(change));
  return is_done;
}

// The checkpoint of the round is made: the deleted rows do not come back in a crash.
absl::Status PointDeleter::TellEmptied() {
  std::vector<SeriesDay> emptied = std::exchange(emptied_, {});
  if (emptied.empty()) return absl::OkStatus();
  std::ranges::sort(emptied);
  emptied.erase(std::unique(emptied.begin(), emptied.end()), emptied.end());
  HOURCELL_RETURN_IF_ERROR(
      parts_.sealer->WithSealingPaused([&] { return parts_.active->RemoveEmptied(emptied); }));
  const size_t metric_width = row_keys_.layout().metric_width;
  for (const SeriesDay& one : emptied)
    parts_.dropper->Add(LoadBigEndian(one.tsuid.data(), metric_width));
  return absl::OkStatus();
}

// Collects the rows of a series with points in the range.
absl::Status PointDeleter::AddSeries(const SeriesView& series) {
  for (const std::string_view tsuid : series.tsuids) {
    const Uid metric = LoadBigEndian(tsuid.data(), row_keys_.layout().metric_width);
    const int64_t expires_before_ms =
        parts_.expiry == nullptr ? 0 : parts_.expiry->ExpiresBeforeMs(metric);
    std::optional<uint32_t> noted;
    for (const int64_t ms : series.points.t) {
      const uint32_t base_time_s = kDataRowSpan.BaseS(ms);
      if (noted == base_time_s) continue;
      noted = base_time_s;
      Row& row = rows_.emplace_back();
      row.base_time_s = base_time_s;
      row.expires_before_ms = expires_before_ms;
      row_keys_.Append(tsuid, base_time_s, &row.key);
      if (rows_.size() == kDeletedRowsAtOnce) HOURCELL_RETURN_IF_ERROR(RewriteRows());
      if (rows_left_ > 0) --rows_left_;
      if (rows_left_ == 0) return absl::AbortedError("the round has its rows");
    }
  }
  return absl::OkStatus();
}

// Rewrites the rows collected so far.
absl::Status PointDeleter::RewriteRows() {
  // In key order, and rows that two sub queries select only once.
  std::ranges::sort(rows_, {}, &Row::key);
  const auto repeats = std::ranges::unique(rows_, {}, &Row::key);
  rows_.erase(repeats.begin(), repeats.end());
  for (std::span<const Row> left = rows_; !left.empty();) {
    const auto some = left.first(std::min(left.size(), rows_at_once_));
    HOURCELL_RETURN_IF_ERROR(RewriteTogether(some));
    left = left.subspan(some.size());
  }
  rows_.clear();
  return absl::OkStatus();
}

absl::Status PointDeleter::RewriteTogether(std::span<const Row> rows) {
  std::vector<std::string> keys;
  for (const Row& row : rows)
    keys.push_back(row.key);
  std::vector<std::optional<std::string>> cells;
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Snapshot()->GetMany(TableId::kData, keys, &cells));
  size_t bytes = 0;
  for (const std::optional<std::string>& cell : cells)
    bytes += cell.has_value() ? cell->capacity() : 0;
  // The old cells and the new ones.
  HOURCELL_RETURN_IF_ERROR(hold_->Set(2 * bytes));
  rows_at_once_ =
      std::clamp<size_t>(kRewrittenBytes / (bytes / rows.size() + 1), 1, kDeletedRowsAtOnce);
  std::vector<Mutation> group;
  for (size_t i = 0; i < cells.size(); ++i) {
    // A row without a cell has only points that came while everything was sealed.
    if (cells[i].has_value()) HOURCELL_RETURN_IF_ERROR(Rewrite(rows[i], *cells[i], &group));
  }
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
  MemoryHold of_columns(hold_->account());
  HOURCELL_RETURN_IF_ERROR(of_columns.Take(columns.size() * kDecodedPointBytes));
  const int64_t base_ms = int64_t{row.base_time_s} * 1000;
  CellColumns left;
  for (size_t i = 0; i < columns.size(); ++i) {
    const int64_t ms = base_ms + columns.offset_ms[i];
    if (ms < start_ms_ || ms > end_ms_) {
      left.push_back(columns.qualifier(i), columns.value(i));
    } else if (ms >= row.expires_before_ms) {
      // Expired points are deleted too, but not counted: queries did not return them.
      ++deleted_.points;
    }
  }
  if (left.size() == columns.size()) return absl::OkStatus();
  Mutation& mutation = group->emplace_back();
  mutation.key = row.key;
  mutation.kind = left.size() == 0 ? Mutation::Kind::kDelete : Mutation::Kind::kSet;
  if (left.size() > 0) {
    IsPacked(cell) ? AppendPackedCell(left, &mutation.value) : AppendCell(left, &mutation.value);
  }
  ++deleted_.rows;
  if (left.size() > 0 || parts_.dropper == nullptr || !parts_.active->is_whole()) {
    return absl::OkStatus();
  }
  HOURCELL_ASSIGN_OR_RETURN(const RowKeyView parsed, row_keys_.Parse(row.key));
  SeriesDay& emptied = emptied_.emplace_back();
  emptied.tsuid = std::string(parsed.metric) + std::string(parsed.tags);
  emptied.day = DayOf(row.base_time_s);
  return absl::OkStatus();
}

}  // namespace hourcell
