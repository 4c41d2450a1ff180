#include "engine/histograms/histogram_store.h"

#include <memory>
#include <vector>

#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/annotations/annotation_scan.h"
#include "engine/rows/annotation_key.h"
#include "engine/rows/system_table.h"

// Why histograms are logged by the storage: the journal has points of 16 bytes, and a histogram has
// some hundred bytes, which would go to the disk twice (docs/decisions/0037).

namespace hourcell {
namespace {

// Histograms that one write of a deletion removes.
constexpr size_t kHistogramsDeletedAtOnce = 1000;

}  // namespace

absl::Status HistogramStore::Write(std::span<const HistogramRow> rows, bool sync) {
  if (rows.empty()) return absl::OkStatus();
  if (!format_is_raised_.load(std::memory_order_acquire)) {
    HOURCELL_RETURN_IF_ERROR(RaiseFormatForHistograms(&tables_));
    format_is_raised_.store(true, std::memory_order_release);
  }
  return annotations_.WithoutEdits([&]() -> absl::Status {
    std::vector<Mutation> group;
    group.reserve(rows.size());
    for (const HistogramRow& row : rows) {
      Mutation& mutation = group.emplace_back();
      mutation.table = TableId::kAnnotation;
      mutation.kind = Mutation::Kind::kSet;
      AppendHistogramKey(row_keys_, row.tsuid, row.time_ms, &mutation.key);
      mutation.value = row.cell;
    }
    HOURCELL_KILL_POINT("histogram:before_write");
    HOURCELL_RETURN_IF_ERROR(tables_.Apply(group, sync));
    HOURCELL_KILL_POINT("histogram:after_write");
    return absl::OkStatus();
  });
}

absl::StatusOr<uint64_t> HistogramStore::Delete(std::span<const std::string_view> tsuids,
                                                int64_t start_ms,
                                                int64_t end_ms,
                                                bool sync) {
  uint64_t deleted = 0;
  std::vector<Mutation> group;
  const auto apply = [&]() -> absl::Status {
    if (group.empty()) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(tables_.Apply(group, sync));
    HOURCELL_KILL_POINT("histogram:deleted");
    deleted += group.size();
    group.clear();
    return absl::OkStatus();
  };
  const AnnotationVisit visit = [&](const AnnotationRow& row) {
    group.push_back({TableId::kAnnotation, Mutation::Kind::kDelete, std::string(row.key), {}});
    return group.size() < kHistogramsDeletedAtOnce ? absl::OkStatus() : apply();
  };
  const absl::Status done = annotations_.WithoutEdits([&]() -> absl::Status {
    const std::unique_ptr<TableView> view = tables_.Snapshot();
    HOURCELL_RETURN_IF_ERROR(
        ScanSeriesHistograms(row_keys_, view.get(), tsuids, start_ms, end_ms, visit));
    return apply();
  });
  HOURCELL_RETURN_IF_ERROR(done);
  return deleted;
}

}  // namespace hourcell
