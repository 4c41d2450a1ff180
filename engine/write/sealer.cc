#include "engine/write/sealer.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "codec/cells/cell.h"
#include "codec/limits.h"
#include "engine/rows/system_table.h"
#include "engine/write/sealed_cells.h"

// Why hours that hold up the journal are sealed early: an hour that ends, full memory and a full
// journal then need one mechanism, with the same tests and kill points. A cell is smaller than a
// copy of the points and frees their memory (docs/decisions/0005). Points of a region that takes
// no rows cannot be sealed; the sealer appends these to the journal's end again as ordinary
// points. Rejected for them: a side table, since reads would have one more place to look in;
// waiting, since all other regions stop when the journal is full (docs/decisions/0014).

namespace hourcell {
namespace {

// Hours that are frozen, encoded and written together; they take their memory twice meanwhile.
constexpr size_t kHoursAtOnce = 1024;

// Limits of unflushed cells, in bytes and age. A flush lets the journal be deleted.
constexpr size_t kUnflushedBytesMax = 64 << 20;
constexpr int64_t kUnflushedAgeMaxS = 300;

constexpr int64_t kMilestoneEveryS = 60;

// How often a tick looks for hours that are due, and how many it seals at most.
constexpr int64_t kLookEveryS = 10;
constexpr size_t kHoursPerTick = 8192;

// How long a series with an hour in a lagging region is put off.
constexpr int64_t kPutOffMs = 1000;

// A round ends after this number of consecutive pieces that fail because the storage is
// unavailable. A single failure may be caused by its rows.
constexpr int kPiecesAwayMax = 2;

// A checkpoint that was to free some of the journal and did not is not repeated for this time.
constexpr int64_t kNoReliefMs = 1000;

// Hours of about this size are copied to the journal's end as one block, or two.
constexpr size_t kCopyBytesAtOnce = 8 << 20;

// Early sealing under memory pressure first takes the hours that free most for one more cell in a
// row.
bool FreesMore(const OpenHourInfo& a, const OpenHourInfo& b) {
  // By powers of two, so that of about equal ones the hour that ends first goes first.
  const auto size_class = [](uint32_t bytes) { return bytes == 0 ? 0 : 32 - __builtin_clz(bytes); };
  if (size_class(a.bytes) != size_class(b.bytes)) return a.bytes > b.bytes;
  return a.base_time_s < b.base_time_s;
}

// Puts the hours that free most to the front; returns the number of hours that free `bytes`. A
// back-fill has millions of hours, and sorting them all would take longer.
size_t PutFirstWhatFrees(int64_t bytes, std::vector<OpenHourInfo>* hours) {
  const auto at = [hours](size_t i) { return hours->begin() + static_cast<ptrdiff_t>(i); };
  size_t begin = 0;  // those before free too little
  size_t end = hours->size();
  while (begin < end && bytes > 0) {
    const size_t middle = begin + (end - begin) / 2;
    std::nth_element(at(begin), at(middle), at(end), FreesMore);
    int64_t freed = 0;
    for (size_t i = begin; i < middle; ++i)
      freed += (*hours)[i].bytes;
    if (freed >= bytes) {
      end = middle;
    } else {
      bytes -= freed + (*hours)[middle].bytes;
      begin = middle + 1;
    }
  }
  return begin;
}

// The tsuid of each hour. `found` has one for hours of one series side by side (FindTsuids).
std::vector<std::string_view> TsuidOfEach(std::span<const FrozenHour> hours,
                                          std::span<const std::string> found) {
  std::vector<std::string_view> tsuids;
  tsuids.reserve(hours.size());
  size_t at = 0;
  for (size_t i = 0; i < hours.size(); ++i) {
    if (i > 0 && hours[i].info.series != hours[i - 1].info.series) ++at;
    tsuids.push_back(found[at]);
  }
  return tsuids;
}

}  // namespace

Sealer::Sealer(const Options& options, const RowKeyCodec& row_keys, const Parts& parts)
    : grace_s_(options.seal_grace_s),
      journal_age_s_(options.journal_age_s),
      encoding_(options.cell_encoding),
      day_points_max_(options.day_row_points),
      observers_(options.observers),
      row_keys_(row_keys),
      parts_(parts),
      hours_sealed_(parts.stats->counter("seal.hours", {{"type", "all"}})),
      hours_sealed_early_(parts.stats->counter("seal.hours", {{"type", "early"}})),
      points_sealed_(parts.stats->counter("seal.points")),
      points_expired_(parts.stats->counter("seal.expired")),
      hours_set_aside_(parts.stats->counter("seal.set_aside", {{"type", "hours"}})),
      points_set_aside_(parts.stats->counter("seal.set_aside", {{"type", "points"}})),
      hours_put_off_(parts.stats->counter("seal.put_off")),
      errors_(parts.stats->counter("seal.errors")),
      checkpoints_(parts.stats->counter("journal.checkpoints")),
      hours_copied_(parts.stats->counter("journal.copied_hours")) {}

std::vector<OpenHourInfo> Sealer::OpenNow() const {
  std::vector<OpenHourInfo> hours;
  // A vector of millions that grows would take half as much again.
  size_t count = 0;
  for (const Lane& lane : parts_.open_hours->lanes())
    count += lane.open_hours();
  hours.reserve(count);
  for (Lane& lane : parts_.open_hours->lanes())
    lane.VisitOpen([&hours](const OpenHourInfo& hour) { hours.push_back(hour); });
  return hours;
}

std::vector<OpenHourInfo> Sealer::DueNow() const {
  const int64_t wall_s = parts_.clock->NowMs() / 1000;
  const int64_t now_s = NowS();
  std::vector<OpenHourInfo> due;
  const auto visit = [&](const OpenHourInfo& hour) {
    const int64_t over_s = wall_s - int64_t{hour.base_time_s} - kDataRowSpan.seconds;
    const int64_t idle_s = now_s - int64_t{hour.touched_s};
    // A point from the future, or from before the clock was set back, does not wait for its hour's
    // end.
    const bool is_future = over_s < -2 * int64_t{kDataRowSpan.seconds};
    const bool is_over = over_s >= grace_s_ && idle_s >= grace_s_;
    if (is_over || (is_future && idle_s >= kDataRowSpan.seconds)) due.push_back(hour);
  };
  for (Lane& lane : parts_.open_hours->lanes())
    lane.VisitOpen(visit);
  return due;
}

absl::Status Sealer::SealDue() {
  MutexLock round(&round_);
  due_.clear();
  std::vector<OpenHourInfo> due = DueNow();
  DropPutOff(&due);
  absl::Status done = Seal(std::move(due), Lagging::kPutOff);
  done.Update(KeepUp());
  return done;
}

absl::Status Sealer::Tick() {
  MutexLock round(&round_);
  const int64_t now_s = NowS();
  if (now_s != indexed_s_) {
    IndexSeries();
    WriteSets();
    indexed_s_ = now_s;
  }
  if (due_.empty() && now_s >= next_look_s_) {
    due_ = DueNow();
    DropPutOff(&due_);
    next_look_s_ = now_s + kLookEveryS;
  }
  const size_t kept = due_.size() - std::min(due_.size(), kHoursPerTick);
  std::vector<OpenHourInfo> hours(due_.begin() + static_cast<ptrdiff_t>(kept), due_.end());
  due_.resize(kept);
  absl::Status done = Seal(std::move(hours), Lagging::kPutOff);
  done.Update(KeepUp());
  return done;
}

// Keeps memory and journal below their limits.
absl::Status Sealer::KeepUp() {
  parts_.open_hours->Reap();
  HOURCELL_RETURN_IF_ERROR(MakeRoomLocked());
  if (const uint64_t oldest_allowed = OldestBlockByAge(); oldest_allowed > 0) {
    HOURCELL_RETURN_IF_ERROR(SealWhatNeeds(oldest_allowed, Lagging::kPutOff));
  }
  if (parts_.admission->JournalPressed()) HOURCELL_RETURN_IF_ERROR(RelieveJournal());
  return CheckpointIsDue() ? CheckpointLocked() : absl::OkStatus();
}

// Makes the older half of the journal's segments unneeded. In whole segments, so that only hours
// that free one are sealed early; and nothing while no segment can be freed.
absl::Status Sealer::RelieveJournal() {
  const uint64_t oldest = parts_.journal->oldest_sequence();
  const uint64_t next = parts_.journal->next_sequence();
  HOURCELL_DCHECK(oldest <= next);
  const uint64_t end_block = parts_.journal->LowMarkThatDeletes(oldest + (next - oldest) / 2);
  if (end_block == 0) return absl::OkStatus();
  HOURCELL_RETURN_IF_ERROR(SealWhatNeeds(end_block, Lagging::kPutOff));
  return CopyWhatNeeds(end_block);
}

std::vector<OpenHourInfo> Sealer::OpenBefore(uint64_t end_block) const {
  std::vector<OpenHourInfo> hours;
  for (Lane& lane : parts_.open_hours->lanes()) {
    lane.VisitOpen([&](const OpenHourInfo& hour) {
      if (hour.first_block < end_block) hours.push_back(hour);
    });
  }
  return hours;
}

// Seals early the hours that need journal blocks before `end_block`.
absl::Status Sealer::SealWhatNeeds(uint64_t end_block, Lagging lagging) {
  std::vector<OpenHourInfo> hours = OpenBefore(end_block);
  if (lagging == Lagging::kPutOff) DropPutOff(&hours);
  hours_sealed_early_->Add(hours.size());
  return Seal(std::move(hours), lagging);
}

// Copies the points of open hours that need blocks before `end_block` to the journal's end, so that
// they do not need those blocks any more. If that would take more than a quarter of the journal,
// copies only for the oldest segment, or nothing if that is still too much.
absl::Status Sealer::CopyWhatNeeds(uint64_t end_block) {
  const auto bytes_of = [](std::span<const OpenHourInfo> hours) {
    uint64_t bytes = 0;
    for (const OpenHourInfo& hour : hours)
      bytes += hour.bytes;
    return bytes;
  };
  const uint64_t bytes_max = parts_.journal->bytes() / 4;
  std::vector<OpenHourInfo> hours = OpenBefore(end_block);
  if (bytes_of(hours) > bytes_max) {
    const uint64_t first_end = parts_.journal->LowMarkThatDeletes(0);
    std::erase_if(hours, [&](const OpenHourInfo& hour) { return hour.first_block >= first_end; });
  }
  if (hours.empty() || bytes_of(hours) > bytes_max) return absl::OkStatus();
  // A journal that cannot be written gets no copies.
  HOURCELL_RETURN_IF_ERROR(parts_.commit->CommitAll(/*sync=*/false));
  size_t begin = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < hours.size(); ++i) {
    bytes += hours[i].bytes;
    if (bytes < kCopyBytesAtOnce && i + 1 < hours.size()) continue;
    HOURCELL_RETURN_IF_ERROR(Copy(std::span(hours).subspan(begin, i + 1 - begin)));
    begin = i + 1;
    bytes = 0;
  }
  HOURCELL_DCHECK(begin == hours.size());
  return absl::OkStatus();
}

absl::Status Sealer::Copy(std::span<const OpenHourInfo> hours) {
  const std::span<Lane> lanes = parts_.open_hours->lanes();
  std::vector<std::vector<OpenHourInfo>> by_lane(lanes.size());
  for (const OpenHourInfo& hour : hours)
    by_lane[parts_.open_hours->LaneIndexOf(hour.series)].push_back(hour);
  std::vector<std::vector<CopiedHour>> copied(lanes.size());
  uint64_t block = 0;
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (by_lane[i].empty()) continue;
    parts_.commit->AddPending(lanes[i].CopyToLog(by_lane[i], &copied[i]));
    for (const CopiedHour& copy : copied[i])
      block = std::max(block, copy.block);
    hours_copied_->Add(copied[i].size());
  }
  if (block == 0) return absl::OkStatus();
  HOURCELL_KILL_POINT("copy:in_memory");
  // Synced in any mode, like the low mark that passes the first copies.
  const absl::Status written = parts_.commit->CommitThrough(block, /*sync=*/true);
  if (!written.ok()) {
    errors_->Add(1);
    return written;
  }
  HOURCELL_KILL_POINT("copy:synced");
  for (size_t i = 0; i < lanes.size(); ++i)
    lanes[i].CopiesAreSynced(copied[i]);
  return absl::OkStatus();
}

absl::Status Sealer::WithSealed(const std::function<absl::Status()>& change) {
  MutexLock round(&round_);
  IndexSeries();
  HOURCELL_RETURN_IF_ERROR(Seal(OpenNow(), Lagging::kWaitFor));
  HOURCELL_KILL_POINT("change:sealed");
  HOURCELL_RETURN_IF_ERROR(change());
  HOURCELL_KILL_POINT("change:done");
  // A block may have points of sealed hours and of hours opened after them.
  HOURCELL_RETURN_IF_ERROR(SealWhatNeeds(parts_.journal->next_sequence(), Lagging::kWaitFor));
  HOURCELL_KILL_POINT("change:sealed_again");
  return CheckpointLocked();
}

absl::Status Sealer::WithCheckpoint(const std::function<absl::Status()>& change) {
  MutexLock round(&round_);
  IndexSeries();
  HOURCELL_RETURN_IF_ERROR(Seal(OpenNow(), Lagging::kWaitFor));
  HOURCELL_RETURN_IF_ERROR(CheckpointAfterSeal());
  HOURCELL_KILL_POINT("change:checkpoint");
  HOURCELL_RETURN_IF_ERROR(change());
  // Points that were put meanwhile may be in cells, hidden, and in blocks after the checkpoint.
  return CheckpointAfterSeal();
}

// Seals the hours that need the blocks written so far, and makes a checkpoint after them.
absl::Status Sealer::CheckpointAfterSeal() {
  HOURCELL_RETURN_IF_ERROR(parts_.commit->CommitAll(/*sync=*/false));
  HOURCELL_RETURN_IF_ERROR(SealWhatNeeds(parts_.journal->next_sequence(), Lagging::kWaitFor));
  return CheckpointLocked();
}

absl::Status Sealer::WithSealingPaused(const std::function<absl::Status()>& work) {
  MutexLock round(&round_);
  return work();
}

absl::Status Sealer::MakeRoom() {
  MutexLock round(&round_);
  return MakeRoomLocked();
}

absl::Status Sealer::MakeRoomLocked() {
  if (!parts_.admission->OpenHoursPressed()) return absl::OkStatus();
  std::vector<OpenHourInfo> hours = OpenNow();
  DropPutOff(&hours);
  const size_t count =
      PutFirstWhatFrees(parts_.open_hours->bytes() - parts_.admission->OpenHoursTarget(), &hours);
  hours.resize(count);
  hours_sealed_early_->Add(count);
  return Seal(std::move(hours), Lagging::kPutOff);
}

// Failures are retried, and do not prevent sealing.
void Sealer::IndexSeries() {
  if (!parts_.series->WriteIndex().ok()) errors_->Add(1);
}

// Failures are retried; no cell is written before its series is in its set.
void Sealer::WriteSets() {
  if (!parts_.active->Write().ok()) errors_->Add(1);
}

void Sealer::EndWithin(int64_t limit_ms) {
  end_ms_.store(parts_.clock->MonotonicMs() + limit_ms, std::memory_order_relaxed);
}

absl::Status Sealer::SealAll(const SealControl& control) {
  MutexLock round(&round_);
  IndexSeries();
  return Seal(OpenNow(), Lagging::kWaitFor, control);
}

// `control` ends sealing only between two pieces: a frozen piece is written or thawed.
absl::Status Sealer::CheckGoOn(size_t left, const SealControl& control) const {
  if (control.cancelled != nullptr && control.cancelled->load(std::memory_order_relaxed)) {
    return absl::CancelledError(fmt::format(
        "sealing was ended; {} hours are still open, and their points stay in the journal", left));
  }
  const int64_t end_ms = end_ms_.load(std::memory_order_relaxed);
  if (end_ms == 0 || parts_.clock->MonotonicMs() < end_ms) return absl::OkStatus();
  return absl::DeadlineExceededError(fmt::format(
      "sealing: {} open hours are left as the store closes; their points stay in the journal",
      left));
}

absl::Status Sealer::Seal(std::vector<OpenHourInfo> hours,
                          Lagging lagging,
                          const SealControl& control) {
  // Of one day side by side: neighbours in the table. The hours of a series in a day may share a
  // cell.
  std::ranges::sort(hours, {}, [](const OpenHourInfo& hour) {
    return std::tuple(kDaySpan.FloorS(hour.base_time_s), hour.series, hour.base_time_s);
  });
  absl::Status first_failure;
  int away = 0;
  for (size_t begin = 0; begin < hours.size(); begin += kHoursAtOnce) {
    if (control.progress) control.progress(begin, hours.size());
    HOURCELL_RETURN_IF_ERROR(CheckGoOn(hours.size() - begin, control));
    const size_t count = std::min(kHoursAtOnce, hours.size() - begin);
    const absl::Status sealed = SealSome(std::span(hours).subspan(begin, count), lagging);
    if (!sealed.ok()) {
      errors_->Add(1);
      first_failure.Update(sealed);
      away = absl::IsUnavailable(sealed) ? away + 1 : 0;
      if (absl::IsFailedPrecondition(sealed) || away == kPiecesAwayMax) break;
      continue;
    }
    away = 0;
    parts_.admission->RoomChanged();
  }
  if (control.progress && first_failure.ok()) control.progress(hours.size(), hours.size());
  return first_failure;
}

absl::Status Sealer::SealSome(std::span<const OpenHourInfo> hours, Lagging lagging) {
  // By lane, for one lock of each.
  const std::span<Lane> lanes = parts_.open_hours->lanes();
  std::vector<std::vector<OpenHourInfo>> by_lane(lanes.size());
  for (const OpenHourInfo& hour : hours)
    by_lane[parts_.open_hours->LaneIndexOf(hour.series)].push_back(hour);
  std::vector<FrozenHour> frozen;
  for (size_t i = 0; i < lanes.size(); ++i)
    lanes[i].Freeze(by_lane[i], &frozen);
  HOURCELL_KILL_POINT("seal:frozen");
  std::vector<bool> is_put_off(frozen.size());
  const absl::Status written = WriteCells(frozen, lagging, &is_put_off);
  if (!written.ok()) is_put_off.assign(frozen.size(), true);
  if (written.ok()) {
    HOURCELL_KILL_POINT("seal:cells_written");
  }
  const uint64_t time = parts_.open_hours->pins().Tick();
  const uint64_t oldest_read = parts_.open_hours->pins().Oldest();
  std::vector<std::vector<FrozenHour>> sealed(lanes.size());
  std::vector<std::vector<FrozenHour>> open(lanes.size());
  for (size_t i = 0; i < frozen.size(); ++i) {
    const size_t lane = parts_.open_hours->LaneIndexOf(frozen[i].info.series);
    (is_put_off[i] ? open : sealed)[lane].push_back(frozen[i]);
  }
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (!open[i].empty()) lanes[i].Thaw(open[i]);
    if (sealed[i].empty()) continue;
    parts_.open_hours->AddBytes(-lanes[i].Sealed(sealed[i], time, oldest_read));
    hours_sealed_->Add(sealed[i].size());
  }
  return written;
}

// True if the hour's cell must not be written to the row now. If an hour was put off, all hours of
// its series are put off for a while: cells of one row must be written in the order of opening.
bool Sealer::IsPutOff(const FrozenHour& hour, std::string_view row) {
  if (!put_off_.contains(hour.info.series)) {
    if (!parts_.tables->IsLagging(TableId::kData, row)) return false;
    if (put_off_.empty()) put_off_until_ms_ = parts_.clock->MonotonicMs() + kPutOffMs;
    put_off_.insert(hour.info.series);
  }
  hours_put_off_->Add(1);
  return true;
}

// Removes hours that are too early to try again.
void Sealer::DropPutOff(std::vector<OpenHourInfo>* hours) {
  if (parts_.clock->MonotonicMs() >= put_off_until_ms_) put_off_.clear();
  if (put_off_.empty()) return;
  size_t kept = 0;
  for (const OpenHourInfo& hour : *hours)
    if (!put_off_.contains(hour.series)) (*hours)[kept++] = hour;
  hours->resize(kept);
}

// Sets `is_put_off` for hours that are put off.
absl::Status Sealer::WriteCells(std::span<const FrozenHour> hours,
                                Lagging lagging,
                                std::vector<bool>* is_put_off) {
  HOURCELL_DCHECK(is_put_off->size() == hours.size());
  std::vector<std::string> found;
  HOURCELL_RETURN_IF_ERROR(FindTsuids(hours, &found));
  const std::vector<std::string_view> tsuids = TsuidOfEach(hours, found);

  std::optional<RowExpiry::Pass> expiry;
  if (parts_.expiry != nullptr) expiry.emplace(*parts_.expiry);
  std::vector<FrozenHour> without_series;
  SealedCells cells({.encoding = encoding_,
                     .day_points_max = day_points_max_,
                     .base_time_at = row_keys_.base_time_offset(),
                     .keeps_hour_cells = !observers_.empty()});
  std::string key;
  for (size_t i = 0; i < hours.size(); ++i) {
    if (tsuids[i].empty()) {
      without_series.push_back(hours[i]);
      continue;
    }
    key.clear();
    row_keys_.Append(tsuids[i], hours[i].info.base_time_s, &key);
    if (expiry.has_value() && expiry->IsExpired(key)) {
      points_expired_->Add(hours[i].points->points());
      continue;
    }
    if (lagging == Lagging::kPutOff && IsPutOff(hours[i], key)) {
      (*is_put_off)[i] = true;
      continue;
    }
    cells.Add(i, hours[i], key);
  }
  cells.Finish();
  std::vector<FrozenHour> refused;
  if (!cells.merges().empty()) {
    HOURCELL_RETURN_IF_ERROR(WriteMerges(cells, hours, &refused));
    HOURCELL_RETURN_IF_ERROR(TellObservers(cells.hour_cells(), hours, tsuids, refused));
  }
  // Last: if this fails, the hours are sealed again, and merging a cell twice changes nothing.
  HOURCELL_RETURN_IF_ERROR(SetAside(without_series, "is not in the tables, which is damage"));
  return SetAside(refused, "has a row that the storage refuses for good");
}

absl::Status Sealer::WriteMerges(const SealedCells& cells,
                                 std::span<const FrozenHour> hours,
                                 std::vector<FrozenHour>* refused) {
  const std::span<const Mutation> merges = cells.merges();
  // The logs that have the sets are synced before a file with these cells is: a row that outlives
  // a power failure is found by its set, and a level that lacks its points by its mark.
  HOURCELL_RETURN_IF_ERROR(parts_.active->Write());
  if (parts_.rollups != nullptr) HOURCELL_RETURN_IF_ERROR(parts_.rollups->Write());
  std::vector<size_t> refused_merges;
  HOURCELL_RETURN_IF_ERROR(Merge(merges, 0, &refused_merges));
  if (unflushed_bytes_ == 0) unflushed_since_s_ = NowS();
  for (size_t i = 0; i < merges.size(); ++i) {
    unflushed_bytes_ += merges[i].key.size() + merges[i].value.size();
    for (const size_t place : cells.PlacesOf(i))
      points_sealed_->Add(hours[place].points->points());
  }
  for (const size_t i : refused_merges) {
    for (const size_t place : cells.PlacesOf(i))
      refused->push_back(hours[place]);
  }
  return absl::OkStatus();
}

// Writes merges; the first one is the `first`-th of all. If the storage refuses them
// permanently, halving finds those that it refuses.
absl::Status Sealer::Merge(std::span<const Mutation> merges,
                           size_t first,
                           std::vector<size_t>* refused) {
  HOURCELL_DCHECK(!merges.empty());
  const absl::Status merged = parts_.tables->ApplyUnlogged(merges);
  if (!absl::IsInvalidArgument(merged)) return merged;
  if (merges.size() == 1) {
    if (parts_.warn) parts_.warn(fmt::format("sealing: {}", std::string(merged.message())));
    refused->push_back(first);
    return absl::OkStatus();
  }
  const size_t half = merges.size() / 2;
  HOURCELL_RETURN_IF_ERROR(Merge(merges.first(half), first, refused));
  return Merge(merges.subspan(half), first + half, refused);
}

absl::Status Sealer::TellObservers(std::span<const SealedCells::HourCell> cells,
                                   std::span<const FrozenHour> hours,
                                   std::span<const std::string_view> tsuids,
                                   std::span<const FrozenHour> refused) {
  std::vector<Timestamp> times;
  std::vector<Value> values;
  for (const SealedCells::HourCell& cell : cells) {
    const OpenHourInfo& hour = hours[cell.place].info;
    const bool is_refused = std::ranges::any_of(refused, [&hour](const FrozenHour& each) {
      return each.info.series == hour.series && each.info.base_time_s == hour.base_time_s;
    });
    if (is_refused) continue;
    columns_.clear();
    HOURCELL_RETURN_IF_ERROR(DecodeCell(cell.cell, &columns_));
    times.clear();
    values.clear();
    for (size_t i = 0; i < columns_.size(); ++i) {
      times.push_back({.ms = int64_t{hour.base_time_s} * 1000 + columns_.offset_ms[i],
                       .is_ms = columns_.qualifier(i).is_ms});
      values.push_back(columns_.value(i));
    }
    for (StoreObserver* const observer : observers_) {
      observer->AfterSeal({.series = hour.series,
                           .tsuid = tsuids[cell.place],
                           .base_time_s = hour.base_time_s,
                           .times = times,
                           .values = values,
                           .cell = cell.cell});
    }
  }
  return absl::OkStatus();
}

// The tsuids of the hours' series, one for hours of one series side by side; empty if the tables
// lack one or it is damaged.
absl::Status Sealer::FindTsuids(std::span<const FrozenHour> hours,
                                std::vector<std::string>* tsuids) const {
  std::vector<SeriesNumber> numbers;
  for (const FrozenHour& hour : hours)
    if (numbers.empty() || numbers.back() != hour.info.series) numbers.push_back(hour.info.series);
  const absl::Status found = parts_.series->TsuidsFound(numbers, tsuids);
  if (!absl::IsDataLoss(found)) return found;
  // Some rows are damaged: reads the series one by one to find them.
  tsuids->assign(numbers.size(), {});
  std::vector<std::string> one;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const absl::Status looked = parts_.series->TsuidsFound(std::span(&numbers[i], 1), &one);
    if (looked.ok()) {
      (*tsuids)[i] = std::move(one.front());
    } else if (!absl::IsDataLoss(looked)) {
      return looked;
    }
  }
  return absl::OkStatus();
}

absl::Status Sealer::SetAside(std::span<const FrozenHour> hours, std::string_view why) {
  if (hours.empty()) return absl::OkStatus();
  std::vector<Mutation> rows;
  uint64_t points = 0;
  for (const FrozenHour& hour : hours) {
    Mutation row{.table = TableId::kSystem, .kind = Mutation::Kind::kSet, .key = {}, .value = {}};
    row.key = fmt::format("aside/{}/{}/{}", hour.info.series, hour.info.base_time_s,
                          hour.info.first_block);
    AppendHourPoints(*hour.points, encoding_, &columns_, &row.value);
    points += hour.points->points();
    rows.push_back(std::move(row));
  }
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(rows, /*sync=*/false));
  hours_set_aside_->Add(hours.size());
  points_set_aside_->Add(points);
  if (!parts_.warn) return absl::OkStatus();
  for (size_t i = 0; i < hours.size(); ++i) {
    parts_.warn(fmt::format(
        "sealing: series {} {}; its {} points of the hour from {} are set aside as {} in meta",
        hours[i].info.series, why, hours[i].points->points(), hours[i].info.base_time_s,
        rows[i].key));
  }
  return absl::OkStatus();
}

// The oldest block that an open hour may need by its age; 0 if it has not changed.
uint64_t Sealer::OldestBlockByAge() {
  const int64_t now_s = NowS();
  const uint64_t next = parts_.journal->next_sequence();
  HOURCELL_DCHECK(milestones_.empty() || milestones_.back().block <= next);
  HOURCELL_DCHECK(milestones_.empty() || milestones_.back().time_s <= now_s);
  if (milestones_.empty() || now_s >= milestones_.back().time_s + kMilestoneEveryS) {
    milestones_.push_back({.time_s = now_s, .block = next});
  }
  uint64_t allowed = 0;
  while (!milestones_.empty() && milestones_.front().time_s + journal_age_s_ <= now_s) {
    allowed = milestones_.front().block;
    milestones_.pop_front();
  }
  return allowed;
}

bool Sealer::CheckpointIsDue() const {
  if (parts_.admission->JournalPressed() && parts_.clock->MonotonicMs() >= no_relief_until_ms_) {
    // Only if that frees a segment.
    const uint64_t first_end = parts_.journal->LowMarkThatDeletes(0);
    const uint64_t next = parts_.journal->next_sequence();
    if (first_end != 0 && parts_.open_hours->LowMark(next) >= first_end) return true;
  }
  if (unflushed_bytes_ == 0) return false;
  return unflushed_bytes_ >= kUnflushedBytesMax || NowS() >= unflushed_since_s_ + kUnflushedAgeMaxS;
}

absl::Status Sealer::Checkpoint() {
  MutexLock round(&round_);
  return CheckpointLocked();
}

absl::Status Sealer::CheckpointLocked() {
  // First the mark, then the flush: hours sealed before the mark are then in files.
  const uint64_t low_mark = parts_.open_hours->LowMark(parts_.journal->next_sequence());
  const uint64_t oldest = parts_.journal->oldest_sequence();
  const auto attempt = [&]() -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(parts_.maintenance->Flush(TableId::kData));
    HOURCELL_KILL_POINT("checkpoint:flushed");
    const KeptOfHours kept{.active_sets = parts_.active->is_whole(),
                           .rollup_marks = parts_.rollups != nullptr};
    HOURCELL_RETURN_IF_ERROR(WriteLowMark(low_mark, kept, parts_.tables));
    HOURCELL_KILL_POINT("checkpoint:low_mark");
    HOURCELL_RETURN_IF_ERROR(parts_.journal->DeleteBelow(low_mark));
    HOURCELL_KILL_POINT("checkpoint:deleted");
    return absl::OkStatus();
  };
  const absl::Status done = attempt();
  HOURCELL_DCHECK(parts_.journal->oldest_sequence() >= oldest);
  if (parts_.journal->oldest_sequence() == oldest && parts_.admission->JournalPressed()) {
    no_relief_until_ms_ = parts_.clock->MonotonicMs() + kNoReliefMs;
  }
  if (!done.ok()) {
    errors_->Add(1);
    return done;
  }
  unflushed_bytes_ = 0;
  checkpoints_->Add(1);
  parts_.admission->RoomChanged();
  return absl::OkStatus();
}

}  // namespace hourcell
