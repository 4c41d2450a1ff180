#include "engine/deletion/series_unlister.h"

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <absl/status/statusor.h>

#include "codec/base/status_macros.h"
#include "engine/deletion/hidden_finder.h"
#include "engine/hidden/unlisted_series.h"
#include "engine/hours/read_pins.h"
#include "engine/rows/deletion_row.h"
#include "engine/series/series_reads.h"

// Why the series are not stored: a put would have to delete them. They are computed from the
// records of deletes when the store is opened.

namespace hourcell {
namespace {

std::vector<SeriesNumber> AllNumbers(const SeriesUnlister::Series& series) {
  std::vector<SeriesNumber> all;
  for (const auto& [metric, numbers] : series)
    all.insert(all.end(), numbers.begin(), numbers.end());
  return all;
}

// The records that hide points in the view, by metric.
absl::StatusOr<std::map<Uid, std::vector<DeletionRow>>> HidingRecords(const Layout& layout,
                                                                      TableView* view) {
  HOURCELL_ASSIGN_OR_RETURN(std::vector<DeletionRow> rows, ReadDeletionRows(layout, view));
  std::map<Uid, std::vector<DeletionRow>> records;
  for (DeletionRow& row : rows)
    if (row.hides()) records[row.metric].push_back(std::move(row));
  return records;
}

}  // namespace

absl::Status SeriesUnlister::Unlist(Series series) {
  if (!parts_.has_active_sets || series.empty()) return absl::OkStatus();
  MutexLock lock(&mutex_);
  // Hours that were opened before the delete do not take series off the announced ones.
  if (parts_.active != nullptr) HOURCELL_RETURN_IF_ERROR(parts_.active->TakeOpened());
  UnlistedSeries& unlisted = *parts_.series->unlisted();
  unlisted.Announce(AllNumbers(series));
  absl::Status left = LeaveAnnounced(std::move(series));
  unlisted.Announce({});
  return left;
}

// Hours first: the rows of one that is sealed by then are in the view.
absl::Status SeriesUnlister::LeaveAnnounced(Series series) {
  RemoveOpen(&series);
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  HOURCELL_ASSIGN_OR_RETURN(const auto records,
                            HidingRecords(parts_.row_keys->layout(), view.get()));
  std::vector<Uid> metrics;
  std::vector<SeriesNumber> all_hidden;
  for (const auto& [metric, numbers] : series) {
    const auto of_metric = records.find(metric);
    if (of_metric == records.end()) continue;
    HiddenFinder finder({.row_keys = parts_.row_keys, .series = parts_.series, .view = view.get()},
                        metric, of_metric->second);
    const absl::StatusOr<std::vector<SeriesNumber>> hidden = finder.Find(numbers);
    // fsck reports damage.
    if (absl::IsDataLoss(hidden.status())) continue;
    HOURCELL_RETURN_IF_ERROR(hidden.status());
    if (!hidden->empty()) metrics.push_back(metric);
    all_hidden.insert(all_hidden.end(), hidden->begin(), hidden->end());
  }
  parts_.series->unlisted()->Leave(metrics, all_hidden);
  return absl::OkStatus();
}

void SeriesUnlister::RemoveOpen(Series* series) const {
  const ReadPins::Pin pin = parts_.open_hours->pins().Acquire();
  const auto is_open = [&](SeriesNumber number) {
    return parts_.open_hours->Read(number, 0, UINT64_MAX, pin.time(),
                                   [](uint32_t, const CellColumns&) {});
  };
  for (auto& [metric, numbers] : *series)
    std::erase_if(numbers, is_open);
}

absl::Status SeriesUnlister::UnlistAll() {
  if (!parts_.has_active_sets) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const auto records, HidingRecords(parts_.row_keys->layout(),
                                                              parts_.tables->Snapshot().get()));
  Series series;
  for (const auto& [metric, rows] : records) {
    std::vector<SeriesNumber>& numbers = series[metric];
    for (const DeletionRow& row : rows)
      numbers.insert(numbers.end(), row.series.begin(), row.series.end());
    SortIfNeeded(&numbers);
  }
  return Unlist(std::move(series));
}

absl::Status SeriesUnlister::ListAgain(const Series& series) {
  parts_.series->unlisted()->Show(AllNumbers(series));
  return Unlist(series);
}

}  // namespace hourcell
