#include "engine/hours/lane.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <utility>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "codec/rows/row_key.h"

// Why the open hour and the journal's section change under one lock: the journal then has the
// points of a series in the order in which memory got them, and a replay in that order gives the
// same hours, with the last write winning. A sealed hour stays until no read that pinned before it
// needs it; before that was so, a slow query could keep all sealed hours in memory, and puts were
// refused. A pointer from the series cache into the lane was rejected: it would tie the life of
// open hours to the cache's, so the cache has a slot, which is a hint that is compared
// (docs/decisions/0007).

namespace hourcell {

Lane::Series* Lane::FindLocked(SeriesNumber number) {
  const auto found = slot_of_.find(number);
  return found == slot_of_.end() ? nullptr : &slots_[found->second];
}

uint32_t Lane::AttachLocked(SeriesNumber number) {
  const auto [place, is_new] = slot_of_.try_emplace(number, 0);
  if (!is_new) return place->second;
  ++series_count_;
  if (first_number_ == 0) first_number_ = number;
  HOURCELL_DCHECK(number != 0);
  const SeriesNumber distance = std::max(number, first_number_) - std::min(number, first_number_);
  // Nearly always the stride divides it already, and a remainder costs a tenth of a gcd.
  if (stride_ == 0 || distance % stride_ != 0) stride_ = std::gcd(stride_, distance);
  if (free_slots_.empty()) {
    free_slots_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  place->second = free_slots_.back();
  free_slots_.pop_back();
  slots_[place->second].number = number;
  return place->second;
}

uint32_t Lane::Attach(SeriesNumber series, const SeriesDefinition* definition) {
  MutexLock lock(&mutex_);
  const size_t before = slot_of_.size();
  const uint32_t slot = AttachLocked(series);
  const bool is_new = slot_of_.size() != before;
  if (is_new && definition != nullptr) log_.Define(*definition);
  return slot;
}

bool Lane::Detach(SeriesNumber series) {
  MutexLock lock(&mutex_);
  const auto found = slot_of_.find(series);
  if (found == slot_of_.end()) return true;
  const uint32_t slot = found->second;
  if (!slots_[slot].hours.empty()) return false;
  ForgetLocked(slot);
  return true;
}

void Lane::ForgetLocked(uint32_t slot) {
  HOURCELL_DCHECK(slots_[slot].hours.empty() && slots_[slot].number != 0);
  HOURCELL_DCHECK(series_count_ > 0);
  slot_of_.erase(slots_[slot].number);
  --series_count_;
  slots_[slot].number = 0;
  free_slots_.push_back(slot);
}

uint64_t Lane::Append(std::span<PlacedPoint> points, uint32_t now_s, int64_t* bytes) {
  MutexLock lock(&mutex_);
  for (const PlacedPoint& point : points)
    log_.Add(point.series, point.time, point.value);
  AppendLocked(points, {.first = next_block_, .last = next_block_}, now_s, bytes);
  return next_block_;
}

void Lane::Replay(std::span<PlacedPoint> points,
                  uint64_t first_block,
                  uint64_t last_block,
                  uint32_t now_s,
                  int64_t* bytes) {
  MutexLock lock(&mutex_);
  AppendLocked(points, {.first = first_block, .last = last_block}, now_s, bytes);
}

void Lane::AppendLocked(std::span<PlacedPoint> points,
                        Blocks blocks,
                        uint32_t now_s,
                        int64_t* bytes) {
  // Prefetched early enough that the memory is there when needed.
  constexpr size_t kSlotsAhead = 12;
  constexpr size_t kHoursAhead = 8;
  constexpr size_t kStreamsAhead = 4;
  const auto current_at = [&](size_t i) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) -> Hour* {
    return i < points.size() && points[i].slot < slots_.size() ? slots_[points[i].slot].current
                                                               : nullptr;
  };
  for (size_t i = 0; i < points.size(); ++i) {
    if (i + kSlotsAhead < points.size()) {
      __builtin_prefetch(slots_.data() + points[i + kSlotsAhead].slot);
    }
    if (const Hour* const ahead = current_at(i + kHoursAhead); ahead != nullptr) {
      __builtin_prefetch(ahead, 1);
      __builtin_prefetch(&ahead->points, 1);
    }
    if (const Hour* const ahead = current_at(i + kStreamsAhead); ahead != nullptr) {
      __builtin_prefetch(ahead->points.end(), 1);
    }
    PlacedPoint& point = points[i];
    if (point.slot >= slots_.size() || slots_[point.slot].number != point.series) {
      point.slot = AttachLocked(point.series);
    }
    Series& series = slots_[point.slot];
    Hour* hour = series.current;
    if (hour == nullptr || hour->state != State::kOpen ||
        hour->OffsetMs(point.time.ms) >= kQualifierSpanMs) {
      hour = OpenHourLocked(&series, kHourSpan.BaseS(point.time.ms), blocks.first, bytes);
    }
    const auto before = static_cast<int64_t>(hour->points.allocated_bytes());
    hour->points.Append(static_cast<uint32_t>(hour->OffsetMs(point.time.ms)), point.time.is_ms,
                        point.value);
    hour->touched_s = now_s;
    hour->last_block = blocks.last;
    *bytes += static_cast<int64_t>(hour->points.allocated_bytes()) - before;
  }
}

// The open hour of that base time, opened if needed.
Lane::Hour* Lane::OpenHourLocked(Series* series,
                                 uint32_t base_time_s,
                                 uint64_t block,
                                 int64_t* bytes) {
  // Nearly always it is the last one, or after it.
  auto after = series->hours.end();
  if (!series->hours.empty() && (*series->hours.rbegin())->base_time_s > base_time_s) {
    after = series->hours.lower_bound(Hour::KeyOf(uint64_t{base_time_s} + 1, 0));
  }
  uint32_t turn = 0;
  if (after != series->hours.begin()) {
    Hour* const last = std::prev(after)->get();
    if (last->base_time_s == base_time_s) {
      if (last->state == State::kOpen) {
        series->current = last;
        return last;
      }
      turn = last->turn + 1;
    }
  }
  auto hour = std::make_unique<Hour>();
  hour->base_time_s = base_time_s;
  hour->turn = turn;
  hour->first_block = block;
  *bytes += static_cast<int64_t>(hour->allocated());
  ++open_hours_;
  opened_.push_back({.series = series->number, .base_time_s = base_time_s});
  series->current = series->hours.insert(after, std::move(hour))->get();
  return series->current;
}

void Lane::TakeLog(uint64_t next_block, JournalPayloadWriter* log) {
  log->Clear();
  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(next_block >= next_block_);
  log_.Finish(
      {.stride = stride_, .residue = stride_ == 0 ? first_number_ : first_number_ % stride_});
  std::swap(log_, *log);
  next_block_ = next_block;
}

void Lane::TakeOpened(std::vector<OpenedHour>* opened) {
  std::vector<OpenedHour> taken;
  {
    MutexLock lock(&mutex_);
    taken.swap(opened_);
  }
  opened->insert(opened->end(), taken.begin(), taken.end());
}

void Lane::VisitOpen(const std::function<void(const OpenHourInfo&)>& visit) {
  MutexLock lock(&mutex_);
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    for (const auto& hour : slots_[slot].hours) {
      if (hour->state != State::kOpen) continue;
      visit({.series = slots_[slot].number,
             .slot = slot,
             .base_time_s = hour->base_time_s,
             .touched_s = hour->touched_s,
             .bytes = static_cast<uint32_t>(hour->allocated()),
             .first_block = hour->first_block});
    }
  }
}

std::pair<Lane::Hours::iterator, Lane::Hours::iterator> Lane::OpenOnesLocked(
    const OpenHourInfo& wanted, const Hours::iterator* next) {
  Series& series = slots_[wanted.slot];
  Hours& hours = series.hours;
  if (series.number != wanted.series) return {hours.end(), hours.end()};
  const auto is_of_wanted = [&](Hours::iterator at) {
    return at != hours.end() && (*at)->base_time_s == wanted.base_time_s;
  };
  const bool is_next = next != nullptr && is_of_wanted(*next) && !is_of_wanted(std::next(*next));
  const auto end = is_next ? std::next(*next)
                           : hours.lower_bound(Hour::KeyOf(uint64_t{wanted.base_time_s} + 1, 0));
  auto begin = end;
  while (begin != hours.begin()) {
    const Hour& hour = **std::prev(begin);
    ++hours_visited_;
    if (hour.base_time_s != wanted.base_time_s || hour.state != State::kOpen) break;
    --begin;
  }
  return {begin, end};
}

void Lane::Freeze(std::span<const OpenHourInfo> hours, std::vector<FrozenHour>* frozen) {
  MutexLock lock(&mutex_);
  std::optional<uint32_t> slot;
  Hours::iterator next;  // of `slot`, after the hours found last
  for (const OpenHourInfo& wanted : hours) {
    // A back-fill is sealed by days: nearly always it is the next one.
    const auto [begin, end] = OpenOnesLocked(wanted, slot == wanted.slot ? &next : nullptr);
    slot = wanted.slot;
    next = end;
    for (auto at = begin; at != end; ++at) {
      Hour* const hour = at->get();
      hour->state = State::kSealing;
      HOURCELL_DCHECK(open_hours_ > 0);
      --open_hours_;
      OpenHourInfo info = wanted;
      info.bytes = static_cast<uint32_t>(hour->allocated());
      info.first_block = hour->first_block;
      frozen->push_back({.info = info, .points = &hour->points, .hour = hour});
    }
  }
}

size_t Lane::CopyToLog(std::span<const OpenHourInfo> hours, std::vector<CopiedHour>* copied) {
  MutexLock lock(&mutex_);
  const size_t before = log_.bytes().size();
  for (const OpenHourInfo& wanted : hours) {
    const auto [begin, end] = OpenOnesLocked(wanted, nullptr);
    for (auto at = begin; at != end; ++at) {
      Hour* const hour = at->get();
      columns_.clear();
      hour->points.DecodeTo(&columns_);
      for (size_t i = 0; i < columns_.size(); ++i) {
        log_.Add(wanted.series,
                 {.ms = int64_t{hour->base_time_s} * 1000 + columns_.offset_ms[i],
                  .is_ms = columns_.qualifier(i).is_ms},
                 columns_.value(i));
      }
      copied->push_back({.hour = hour, .block = next_block_});
    }
  }
  return log_.bytes().size() - before;
}

void Lane::CopiesAreSynced(std::span<const CopiedHour> copied) {
  MutexLock lock(&mutex_);
  for (const CopiedHour& copy : copied) {
    HOURCELL_DCHECK(copy.hour->state == State::kOpen && copy.hour->first_block <= copy.block);
    copy.hour->first_block = copy.block;
  }
}

int64_t Lane::Sealed(std::span<const FrozenHour> hours, uint64_t time, uint64_t oldest_read) {
  MutexLock lock(&mutex_);
  HOURCELL_DCHECK(unreaped_.empty() || unreaped_.back().hour->sealed_at <= time);
  for (const FrozenHour& frozen : hours) {
    HOURCELL_DCHECK(frozen.hour->state == State::kSealing);
    frozen.hour->state = State::kSealed;
    frozen.hour->sealed_at = time;
    unreaped_.push_back({.slot = frozen.info.slot, .hour = frozen.hour});
  }
  hours_visited_ += hours.size();
  return ReapLocked(oldest_read);
}

void Lane::Thaw(std::span<const FrozenHour> hours) {
  MutexLock lock(&mutex_);
  for (const FrozenHour& frozen : hours) {
    HOURCELL_DCHECK(frozen.hour->state == State::kSealing);
    frozen.hour->state = State::kOpen;
  }
  open_hours_ += hours.size();
  hours_visited_ += hours.size();
}

int64_t Lane::SealedBelow(uint64_t low_mark, uint64_t time, uint64_t oldest_read) {
  MutexLock lock(&mutex_);
  for (uint32_t slot = 0; slot < slots_.size(); ++slot) {
    for (const auto& hour : slots_[slot].hours) {
      if (hour->state != State::kOpen || hour->last_block >= low_mark) continue;
      hour->state = State::kSealed;
      hour->sealed_at = time;
      --open_hours_;
      unreaped_.push_back({.slot = slot, .hour = hour.get()});
    }
  }
  return ReapLocked(oldest_read);
}

int64_t Lane::Reap(uint64_t oldest_read) {
  MutexLock lock(&mutex_);
  return ReapLocked(oldest_read);
}

int64_t Lane::ReapLocked(uint64_t oldest_read) {
  int64_t freed = 0;
  while (!unreaped_.empty()) {
    const auto [slot, hour] = unreaped_.front();
    ++hours_visited_;
    if (hour->sealed_at >= oldest_read) break;
    unreaped_.pop_front();
    freed += DropLocked(slot, hour);
  }
  return freed;
}

// Drops an hour, and its series if it was the last one. Returns the memory freed.
int64_t Lane::DropLocked(uint32_t slot, Hour* hour) {
  HOURCELL_DCHECK(hour->state == State::kSealed);
  Series& series = slots_[slot];
  const auto bytes = static_cast<int64_t>(hour->allocated());
  if (series.current == hour) series.current = nullptr;
  // Hours are sealed by base time: nearly always it is the first.
  const auto first = series.hours.begin();
  series.hours.erase(first->get() == hour ? first : series.hours.find(hour->key()));
  if (series.hours.empty()) ForgetLocked(slot);
  return bytes;
}

uint64_t Lane::OldestBlock() {
  MutexLock lock(&mutex_);
  uint64_t oldest = UINT64_MAX;
  for (const Series& series : slots_) {
    for (const auto& hour : series.hours) {
      if (hour->state != State::kSealed) oldest = std::min(oldest, hour->first_block);
    }
  }
  return oldest;
}

bool Lane::DecodeLocked(Hours::const_iterator begin,
                        Hours::const_iterator end,
                        uint64_t pinned_at) {
  columns_.clear();
  size_t shown = 0;
  bool ascends = true;
  for (auto at = begin; at != end; ++at) {
    const Hour& hour = **at;
    if (!hour.IsShownAt(pinned_at)) continue;
    hour.points.DecodeTo(&columns_);
    ascends = hour.points.ascends() && shown == 0;
    ++shown;
  }
  if (!ascends) SortLastWins(&columns_);
  return shown > 0;
}

bool Lane::Read(SeriesNumber series,
                uint64_t begin_s,
                uint64_t end_s,
                uint64_t pinned_at,
                const std::function<void(uint32_t, const CellColumns&)>& visit) {
  // After a back-fill, and on a store that is only read. Hours that the read needs stay.
  if (series_count_.load(std::memory_order_relaxed) == 0) return false;
  MutexLock lock(&mutex_);
  const Series* const found = FindLocked(series);
  if (found == nullptr || begin_s > UINT32_MAX) return false;
  bool any = false;
  const Hours& hours = found->hours;
  auto begin = hours.lower_bound(Hour::KeyOf(begin_s, 0));
  while (begin != hours.end() && (*begin)->base_time_s < end_s) {
    const uint32_t base_time_s = (*begin)->base_time_s;
    auto end = std::next(begin);  // of this base time
    while (end != hours.end() && (*end)->base_time_s == base_time_s)
      ++end;
    if (DecodeLocked(begin, end, pinned_at)) {
      visit(base_time_s, columns_);
      any = true;
    }
    begin = end;
  }
  return any;
}

bool Lane::ReadLast(
    SeriesNumber series, int64_t from_ms, int64_t until_ms, uint64_t pinned_at, OpenPoint* last) {
  MutexLock lock(&mutex_);
  const Series* const found = FindLocked(series);
  if (found == nullptr || until_ms < 0) return false;
  const Hours& hours = found->hours;
  const uint64_t until_s = std::min<uint64_t>(static_cast<uint64_t>(until_ms) / 1000, UINT32_MAX);
  auto end = hours.upper_bound(Hour::KeyOf(until_s, UINT32_MAX));
  while (end != hours.begin()) {
    const Hour& newest = **std::prev(end);
    const int64_t base_ms = int64_t{newest.base_time_s} * 1000;
    auto begin = std::prev(end);  // of this base time
    while (begin != hours.begin() && (*std::prev(begin))->base_time_s == newest.base_time_s)
      --begin;
    const bool is_one = begin == std::prev(end);
    const auto hours_end = std::exchange(end, begin);
    const OpenHourPoints& points = newest.points;
    const int64_t newest_ms = base_ms + points.last_offset_ms();
    if (is_one && points.ascends() && newest_ms <= until_ms && !points.last_value().is_special()) {
      // The usual hour: nothing needs to be decoded.
      if (!newest.IsShownAt(pinned_at)) continue;
      *last = {.ms = newest_ms, .value = points.last_value()};
      return newest_ms >= from_ms;
    }
    if (!DecodeLocked(begin, hours_end, pinned_at)) continue;
    const auto after =
        std::ranges::upper_bound(columns_.offset_ms, until_ms - base_ms, {},
                                 [](uint32_t offset_ms) { return int64_t{offset_ms}; });
    auto count = static_cast<size_t>(after - columns_.offset_ms.begin());
    while (count > 0 && columns_.value(count - 1).is_special())
      --count;
    if (count == 0) continue;
    *last = {.ms = base_ms + columns_.offset_ms[count - 1], .value = columns_.value(count - 1)};
    return last->ms >= from_ms;
  }
  return false;
}

void Lane::VisitHours(uint64_t begin_s,
                      uint64_t end_s,
                      uint64_t pinned_at,
                      const std::function<void(SeriesNumber, uint32_t)>& visit) {
  MutexLock lock(&mutex_);
  for (const Series& series : slots_) {
    for (const auto& hour : series.hours) {
      if (hour->base_time_s < begin_s || hour->base_time_s >= end_s) continue;
      if (hour->IsShownAt(pinned_at)) visit(series.number, hour->base_time_s);
    }
  }
}

size_t Lane::log_bytes() {
  MutexLock lock(&mutex_);
  return log_.bytes().size();
}

uint64_t Lane::hours_visited() {
  MutexLock lock(&mutex_);
  return hours_visited_;
}

}  // namespace hourcell
