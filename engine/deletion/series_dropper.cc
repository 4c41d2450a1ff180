#include "engine/deletion/series_dropper.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "codec/base/bytes.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/histograms/annotated_series.h"
#include "engine/rows/deletion_row.h"
#include "engine/rows/key_range.h"
#include "engine/rows/series_key.h"
#include "engine/rows/system_table.h"
#include "engine/series/series_drop.h"
#include "engine/series/series_rows.h"

// Why rounds and not single series: each step walks the cache and waits for the puts under way. Why
// a list and not a lock that puts hold: a put may wait for seconds until it may create a series,
// and a thread that waits for all puts would block the later ones.

namespace hourcell {
namespace {

constexpr size_t kSeriesPerRound = 65'536;

// Metrics that a step checks until it finds one with empty series.
constexpr size_t kMetricsPerStep = 256;

// Dropped at once, while series creation is blocked: some milliseconds, and a sync.
constexpr size_t kSeriesDroppedAtOnce = 1024;

}  // namespace

SeriesDropper::SeriesDropper(const Parts& parts)
    : parts_(parts),
      dropped_(parts.stats->counter("series.dropped")),
      next_metric_(std::string()) {}

void SeriesDropper::Add(Uid metric) {
  MutexLock lock(&metrics_mutex_);
  // The first metric may be partly checked: then it is checked again.
  const auto waiting = metrics_.begin() + (metrics_.empty() ? 0 : 1);
  if (std::find(waiting, metrics_.end(), metric) == metrics_.end()) metrics_.push_back(metric);
}

absl::Status SeriesDropper::Step() {
  MutexLock step(&step_);
  // Where sets are incomplete, a series outside all sets may have points.
  if (is_stopped_.load() || !parts_.active->is_whole()) return absl::OkStatus();
  if (!round_.has_value()) HOURCELL_RETURN_IF_ERROR(Begin());
  if (!round_.has_value()) return absl::OkStatus();
  if (!round_->is_checked) {
    if (parts_.puts->Oldest() <= round_->announced_at) return absl::OkStatus();
    HOURCELL_RETURN_IF_ERROR(Check());
  }
  if (!round_->numbers.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_past, JournalIsPast(round_->block));
    if (!is_past) return absl::OkStatus();
  }
  std::span<const SeriesNumber> left = round_->numbers;
  while (!left.empty() && !is_stopped_.load()) {
    const size_t count = std::min(left.size(), kSeriesDroppedAtOnce);
    HOURCELL_RETURN_IF_ERROR(Drop(left.first(count)));
    left = left.subspan(count);
  }
  End();
  return absl::OkStatus();
}

// Announces the empty series of the next metric that has some.
absl::Status SeriesDropper::Begin() {
  for (size_t looked = 0; looked < kMetricsPerStep && !is_stopped_.load(); ++looked) {
    HOURCELL_RETURN_IF_ERROR(FindMetric());
    Uid metric = kNoUid;
    {
      MutexLock lock(&metrics_mutex_);
      if (metrics_.empty()) return absl::OkStatus();
      metric = metrics_.front();
    }
    absl::StatusOr<Numbers> numbers = FindEmpty(metric);
    // Skips a metric with damaged sets; fsck reports them.
    if (!numbers.ok() && !absl::IsDataLoss(numbers.status())) return numbers.status();
    if (!numbers.ok() || numbers->empty()) {
      above_ = 0;
      MutexLock lock(&metrics_mutex_);
      metrics_.pop_front();
      continue;
    }
    parts_.series->dropping()->Announce(*numbers);
    const absl::flat_hash_set<SeriesNumber> announced(numbers->begin(), numbers->end());
    parts_.cache->Forget([&](SeriesNumber number) { return announced.contains(number); });
    const SeriesNumber last = numbers->back();
    round_ = Round{.metric = metric,
                   .numbers = *std::move(numbers),
                   .last_looked_at = last,
                   .announced_at = parts_.puts->Tick()};
    HOURCELL_KILL_POINT("drop:announced");
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

// If the queue is empty, adds the next metric of the first pass. Before the store was opened, a
// delete may have emptied series, or sets may have been dropped: under a TTL that was removed
// since, or by a program that dropped no series.
absl::Status SeriesDropper::FindMetric() {
  {
    MutexLock lock(&metrics_mutex_);
    if (!metrics_.empty()) return absl::OkStatus();
  }
  const Layout& layout = parts_.row_keys->layout();
  const std::string all = MetricPostingPrefix(layout, 0).substr(0, 1);
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kSeries, PrefixRange(all));
  while (next_metric_.has_value()) {
    row->Seek(*next_metric_);
    HOURCELL_RETURN_IF_ERROR(row->status());
    if (!row->valid()) {
      next_metric_.reset();
      break;
    }
    if (row->key().size() < 1 + layout.metric_width) {
      next_metric_ = std::string(row->key()) + '\0';
      continue;
    }
    const Uid metric = LoadBigEndian(row->key().data() + 1, layout.metric_width);
    next_metric_ = PrefixRange(MetricPostingPrefix(layout, metric)).end;
    Add(metric);
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::StatusOr<SeriesDropper::Numbers> SeriesDropper::FindEmpty(Uid metric) {
  HOURCELL_ASSIGN_OR_RETURN(Numbers numbers, parts_.series->OfMetric(metric));
  numbers.erase(numbers.begin(), std::ranges::upper_bound(numbers, above_));
  HOURCELL_RETURN_IF_ERROR(parts_.active->RemoveActive(metric, &numbers));
  HOURCELL_RETURN_IF_ERROR(RemoveHidden(metric, &numbers));
  HOURCELL_RETURN_IF_ERROR(KeepThoseInFiles(&numbers));
  if (numbers.size() > kSeriesPerRound) numbers.resize(kSeriesPerRound);
  return numbers;
}

// An undo of a delete brings points of its series back.
absl::Status SeriesDropper::RemoveHidden(Uid metric, Numbers* numbers) const {
  return RemoveSeriesWithHiddenPoints(parts_.row_keys->layout(), metric,
                                      parts_.tables->Snapshot().get(), numbers);
}

// Keeps only series with index rows in files. A crash may lose other index rows, and then they are
// made again from log rows.
absl::Status SeriesDropper::KeepThoseInFiles(Numbers* numbers) {
  if (numbers->empty()) return absl::OkStatus();
  if (numbers->back() > in_files_) {
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> row,
                              parts_.tables->Snapshot()->Get(TableId::kSeries, IndexedKey()));
    SeriesNumber indexed = 0;
    if (row.has_value()) {
      HOURCELL_ASSIGN_OR_RETURN(indexed, DecodeU64(*row));
    }
    if (indexed > in_files_ && numbers->front() <= indexed) {
      HOURCELL_RETURN_IF_ERROR(parts_.tables->Flush(TableId::kSeries));
      in_files_ = indexed;
    }
  }
  numbers->erase(std::ranges::upper_bound(*numbers, in_files_), numbers->end());
  return absl::OkStatus();
}

// From now on a put uses their numbers only after taking them off the list.
absl::Status SeriesDropper::Check() {
  Numbers& numbers = round_->numbers;
  // Hours first: the set of an hour that is gone by now is in the table, and the journal gets no
  // more copies of it.
  std::erase_if(numbers, [this](SeriesNumber number) {
    return !parts_.open_hours->LaneOf(number).Detach(number);
  });
  // Deletions that are only in memory are lost in a crash.
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Flush(TableId::kData));
  HOURCELL_RETURN_IF_ERROR(parts_.active->RemoveActive(round_->metric, &numbers));
  HOURCELL_RETURN_IF_ERROR(RemoveHidden(round_->metric, &numbers));
  HOURCELL_RETURN_IF_ERROR(RemoveAnnotated(*parts_.row_keys, *parts_.series, round_->metric,
                                           parts_.tables->Snapshot().get(), &numbers));
  HOURCELL_RETURN_IF_ERROR(parts_.commit->CommitAll(/*sync=*/false));
  round_->block = parts_.journal->next_sequence();
  round_->is_checked = true;
  return absl::OkStatus();
}

// Whether a replay would begin at the block, or after it.
absl::StatusOr<bool> SeriesDropper::JournalIsPast(uint64_t block) const {
  HOURCELL_ASSIGN_OR_RETURN(uint64_t low_mark, ReadLowMark(parts_.tables));
  if (low_mark >= block) return true;
  // An idle store makes no checkpoints.
  if (parts_.open_hours->LowMark(parts_.journal->next_sequence()) < block) return false;
  HOURCELL_RETURN_IF_ERROR(parts_.sealer->Checkpoint());
  HOURCELL_ASSIGN_OR_RETURN(low_mark, ReadLowMark(parts_.tables));
  return low_mark >= block;
}

absl::Status SeriesDropper::Drop(std::span<const SeriesNumber> numbers) {
  DroppingSeries* const dropping = parts_.series->dropping();
  return parts_.series->WhileAtRest([&, metric = round_->metric]() -> absl::Status {
    const Numbers taken = dropping->Take(numbers);
    std::vector<std::string> tsuids;
    absl::Status done = parts_.series->TsuidsFound(taken, &tsuids);
    std::vector<std::pair<SeriesNumber, std::string>> series;
    for (size_t i = 0; done.ok() && i < taken.size(); ++i)
      if (!tsuids[i].empty()) series.emplace_back(taken[i], std::move(tsuids[i]));
    // Synced: after a power failure the journal may be ahead of the tables, and define one of these
    // series anew, under another number.
    if (done.ok()) done = DropSeries(parts_.row_keys->layout(), series, parts_.tables);
    if (!done.ok()) {
      dropping->Undo(taken);
      return done;
    }
    dropping->Finish(metric);
    parts_.series->unlisted()->Show(taken);  // they are gone
    dropped_->Add(series.size());
    return absl::OkStatus();
  });
}

void SeriesDropper::End() {
  above_ = round_->last_looked_at;
  parts_.series->dropping()->Cancel();
  round_.reset();
}

}  // namespace hourcell
