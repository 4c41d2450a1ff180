#include "engine/series/active_sets.h"

#include <algorithm>
#include <iterator>

#include <absl/container/flat_hash_map.h>
#include <roaring/roaring64map.hh>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/kill_point.h"
#include "codec/base/status_macros.h"
#include "engine/rows/key_range.h"
#include "engine/series/series_reads.h"

// Why hours are noted as they are opened, and not as they are sealed: a query must know of open
// hours, too, and finding those of one metric in each lane would be a walk over all open hours.
// Opening one is rare, once an hour and series, and costs the lane 16 bytes until the next read.
//
// Why the sets go into RocksDB's log though index rows do not: a row that is in a file must be in
// its set, also if the power fails. RocksDB syncs the logs after which a memtable was closed before
// it takes the memtable's file, so a set logged before a cell is on disk before the cell. A series
// is added once a day: that is a twentieth of the rows that sealing writes.

namespace hourcell {
namespace {

// A plan of more days would read as many sets for a smaller gain.
constexpr uint32_t kDaysMax = 32;

// Numbers that are remembered as added already, and the days they are of.
constexpr uint64_t kKnownMax = 16 << 20;
constexpr size_t kKnownDaysMax = 1024;

// Hours whose series are looked up together.
constexpr size_t kOpenedAtOnce = 65'536;

// Series of a day whose rows are looked for together.
constexpr size_t kEmptiedAtOnce = 64;
constexpr size_t kHoursOfDay = kDayS / kDataRowSpan.seconds;

// Rows of one write.
constexpr size_t kActiveRowsAtOnce = 4096;

// How many days from 1970 on have expired altogether.
uint32_t ExpiredDays(int64_t expires_before_ms) {
  const auto days = static_cast<uint64_t>(std::max<int64_t>(expires_before_ms, 0)) / 1000 / kDayS;
  return static_cast<uint32_t>(std::min<uint64_t>(days, UINT32_MAX / kDayS + 1));
}

void SortUnique(std::vector<SeriesNumber>* numbers) {
  std::ranges::sort(*numbers);
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

}  // namespace

// Series that were added to the sets of a day: 23 of 24 hours add nothing. Forgets them all when
// they are too many; adding a series twice does not change a set.
class ActiveSets::Known {
 public:
  bool Add(const OpenedHour& hour) {
    if (size_ >= kKnownMax || days_.size() >= kKnownDaysMax) {
      days_.clear();
      size_ = 0;
    }
    const bool is_new = days_[DayOf(hour.base_time_s)].addChecked(hour.series);
    size_ += is_new ? 1 : 0;
    return is_new;
  }
  void Forget() {
    days_.clear();
    size_ = 0;
  }

 private:
  absl::flat_hash_map<uint32_t, Roaring64Map> days_;
  uint64_t size_ = 0;
};

ActiveSets::ActiveSets(const Layout& layout, const Parts& parts, bool is_whole)
    : layout_(layout), parts_(parts), is_whole_(is_whole), known_(std::make_unique<Known>()) {}

ActiveSets::~ActiveSets() = default;

absl::StatusOr<std::optional<std::vector<SeriesNumber>>> ActiveSets::Of(Uid metric,
                                                                        const ScanBounds& bounds) {
  using Numbers = std::vector<SeriesNumber>;
  if (!is_whole_ || bounds.end_s <= bounds.begin_s) return std::optional<Numbers>();
  const auto last_s = static_cast<uint32_t>(std::min<uint64_t>(bounds.end_s - 1, UINT32_MAX));
  const uint32_t first_day = DayOf(bounds.begin_s);
  const uint32_t last_day = DayOf(last_s);
  if (last_day - first_day >= kDaysMax) return std::optional<Numbers>();
  Numbers added;
  {
    // Memory first: series that have left memory are in the table.
    MutexLock lock(&mutex_);
    HOURCELL_RETURN_IF_ERROR(DrainLocked());
    const auto append = [&](const Sets& sets) {
      for (auto at = sets.lower_bound({metric, first_day});
           at != sets.end() && at->first <= MetricDay(metric, last_day); ++at)
        added.insert(added.end(), at->second.begin(), at->second.end());
    };
    append(unwritten_);
    if (writing_ != nullptr) append(*writing_);
  }
  absl::StatusOr<Numbers> found =
      ReadActiveSets(layout_, metric, first_day, last_day, parts_.tables->Snapshot().get());
  // fsck reports a damaged set; without the set all series are read.
  if (absl::IsDataLoss(found.status())) return std::optional<Numbers>();
  HOURCELL_RETURN_IF_ERROR(found.status());
  Numbers numbers = *std::move(found);
  if (!added.empty()) {
    numbers.insert(numbers.end(), added.begin(), added.end());
    SortUnique(&numbers);
  }
  return std::optional<Numbers>(std::move(numbers));
}

absl::Status ActiveSets::TakeOpened() {
  MutexLock lock(&mutex_);
  return DrainLocked();
}

absl::Status ActiveSets::DrainLocked() {
  for (Lane& lane : parts_.open_hours->lanes())
    lane.TakeOpened(&opened_);
  ListAgain(opened_);
  while (!opened_.empty()) {
    const size_t first = opened_.size() - std::min(opened_.size(), kOpenedAtOnce);
    HOURCELL_RETURN_IF_ERROR(AddLocked(std::span(opened_).subspan(first)));
    opened_.resize(first);
  }
  if (opened_.capacity() > kOpenedAtOnce) opened_.shrink_to_fit();
  return absl::OkStatus();
}

// A series with an open hour has points that no delete hides.
void ActiveSets::ListAgain(std::span<const OpenedHour> opened) const {
  UnlistedSeries& unlisted = *parts_.series->unlisted();
  if (opened.empty() || !unlisted.is_any()) return;
  std::vector<SeriesNumber> numbers;
  numbers.reserve(opened.size());
  for (const OpenedHour& hour : opened)
    numbers.push_back(hour.series);
  unlisted.Show(numbers);
}

// Hours of now are not late, so that their series are looked up once a day and not each hour.
absl::Status ActiveSets::ShowLate(std::span<const OpenedHour> opened) const {
  const uint64_t late_before_s = parts_.rollups == nullptr ? 0 : parts_.rollups->LateBeforeS();
  std::vector<OpenedHour> late;
  std::vector<SeriesNumber> numbers;
  for (const OpenedHour& hour : opened) {
    if (hour.base_time_s >= late_before_s) continue;
    late.push_back(hour);
    numbers.push_back(hour.series);
  }
  if (late.empty()) return absl::OkStatus();
  std::vector<std::string> tsuids;
  HOURCELL_RETURN_IF_ERROR(FindTsuids(numbers, &tsuids));
  for (size_t i = 0; i < late.size(); ++i) {
    if (tsuids[i].empty()) continue;
    const Uid metric = LoadBigEndian(tsuids[i].data(), layout_.metric_width);
    parts_.rollups->Note(metric, late[i].series, late[i].base_time_s);
  }
  return absl::OkStatus();
}

absl::Status ActiveSets::AddLocked(std::span<const OpenedHour> opened) {
  HOURCELL_RETURN_IF_ERROR(ShowLate(opened));
  std::vector<SeriesNumber> numbers;
  std::vector<uint32_t> days;
  for (const OpenedHour& hour : opened) {
    if (!known_->Add(hour)) continue;
    numbers.push_back(hour.series);
    days.push_back(DayOf(hour.base_time_s));
  }
  if (numbers.empty()) return absl::OkStatus();
  std::vector<std::string> tsuids;
  const absl::Status found = FindTsuids(numbers, &tsuids);
  if (!found.ok()) {
    known_->Forget();  // they are not in a set
    return found;
  }
  HOURCELL_DCHECK(tsuids.size() == numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) {
    // The series is not in the tables: the sealer sets its hour aside.
    if (tsuids[i].empty()) continue;
    const Uid metric = LoadBigEndian(tsuids[i].data(), layout_.metric_width);
    unwritten_[{metric, days[i]}].push_back(numbers[i]);
  }
  return absl::OkStatus();
}

// The tsuids of numbers; empty if it cannot be read, so that one damaged row keeps no other series
// out of its sets.
absl::Status ActiveSets::FindTsuids(std::span<const SeriesNumber> numbers,
                                    std::vector<std::string>* tsuids) const {
  const absl::Status found = parts_.series->TsuidsFound(numbers, tsuids);
  if (!absl::IsDataLoss(found)) return found;
  tsuids->assign(numbers.size(), {});
  std::vector<std::string> one;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const absl::Status looked = parts_.series->TsuidsFound(numbers.subspan(i, 1), &one);
    if (looked.ok()) {
      (*tsuids)[i] = std::move(one.front());
    } else if (!absl::IsDataLoss(looked)) {
      return looked;
    }
  }
  return absl::OkStatus();
}

absl::Status ActiveSets::Write() {
  MutexLock write(&write_mutex_);
  // Twice if the call before failed: its sets, and those that came since.
  while (true) {
    std::shared_ptr<const Sets> sets;
    {
      MutexLock lock(&mutex_);
      HOURCELL_RETURN_IF_ERROR(DrainLocked());
      if (writing_ == nullptr) {
        if (unwritten_.empty()) return absl::OkStatus();
        writing_ = std::make_shared<const Sets>(std::move(unwritten_));
        unwritten_.clear();
      }
      sets = writing_;
    }
    HOURCELL_KILL_POINT("active:before_written");
    HOURCELL_RETURN_IF_ERROR(WriteSets(*sets));
    HOURCELL_KILL_POINT("active:written");
    MutexLock lock(&mutex_);
    writing_ = nullptr;
  }
}

absl::Status ActiveSets::WriteSets(const Sets& sets) {
  std::vector<Mutation> group;
  for (const auto& [of, numbers] : sets) {
    AppendActiveSet(layout_, of.first, of.second, numbers, &group);
    if (group.size() < kActiveRowsAtOnce) continue;
    HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(group, /*sync=*/false));
    group.clear();
  }
  return group.empty() ? absl::OkStatus() : parts_.tables->Apply(group, /*sync=*/false);
}

// One search a metric, and one step a set that has expired.
absl::StatusOr<std::vector<Uid>> ActiveSets::DropExpired(
    const std::function<int64_t(Uid metric)>& expires_before_ms) {
  std::vector<Uid> dropped;
  std::optional<Uid> at;
  uint32_t end_day = 0;  // of the metric `at`: sets before it are dropped
  const std::string all = ActiveSetsPrefix(layout_, 0).substr(0, 1);
  // Rows with hidden points count: an undo needs their sets.
  const std::unique_ptr<TableView> view = parts_.tables->SnapshotWithHidden();
  const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kSeries, PrefixRange(all));
  std::vector<Mutation> group;
  for (row->Seek({}); row->valid();) {
    const std::string key(row->key());
    if (key.size() < ActiveSetPrefix(layout_, 0, 0).size()) {
      row->Next();  // nothing reads it
      continue;
    }
    const Uid metric = LoadBigEndian(key.data() + 1, layout_.metric_width);
    const uint64_t day = LoadBigEndian(key.data() + 1 + layout_.metric_width, 2);
    if (at != metric) {
      at = metric;
      end_day = ExpiredDays(expires_before_ms(metric));
      if (day < end_day) {
        HOURCELL_ASSIGN_OR_RETURN(end_day, FirstDayWithRows(view.get(), metric, end_day));
      }
      if (day < end_day) dropped.push_back(metric);
    }
    if (day < end_day) {
      group.push_back({TableId::kSeries, Mutation::Kind::kDelete, key, {}});
      row->Next();
    } else {
      row->Seek(PrefixRange(ActiveSetsPrefix(layout_, metric)).end);
    }
    if (group.size() < kActiveRowsAtOnce) continue;
    HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(group, /*sync=*/false));
    group.clear();
  }
  HOURCELL_RETURN_IF_ERROR(row->status());
  if (!group.empty()) HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(group, /*sync=*/false));
  // A TTL may be made longer, and points of such a day be put again.
  MutexLock lock(&mutex_);
  known_->Forget();
  return dropped;
}

// The day of the metric's first row before `end_day`, or `end_day`. Expired rows stay in the table
// for a while, and are visible again if the TTL is raised.
absl::StatusOr<uint32_t> ActiveSets::FirstDayWithRows(TableView* view,
                                                      Uid metric,
                                                      uint32_t end_day) const {
  for (const KeyRange& range : parts_.row_keys->Ranges(metric, 0, uint64_t{end_day} * kDayS)) {
    const std::unique_ptr<RowCursor> row =
        view->NewCursor(TableId::kData, {.begin = range.begin, .end = range.end});
    row->Seek({});
    HOURCELL_RETURN_IF_ERROR(row->status());
    if (!row->valid()) continue;
    const absl::StatusOr<RowKeyView> parsed = parts_.row_keys->Parse(row->key());
    // A key that does not parse may be of any day.
    end_day = parsed.ok() ? std::min(end_day, DayOf(parsed->base_time_s)) : 0;
  }
  return end_day;
}

// The lock keeps the sets' rows as they are read. An hour that is opened from now on adds its
// series anew, after the change, because known_ was cleared.
absl::Status ActiveSets::RemoveEmptied(std::span<const SeriesDay> emptied) {
  MutexLock write(&write_mutex_);
  {
    MutexLock lock(&mutex_);
    known_->Forget();
  }
  std::map<MetricDay, std::vector<EmptiedSeries>> by_day;
  for (const SeriesDay& one : emptied) {
    HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, parts_.series->NumberOf(one.tsuid));
    if (number == 0) continue;
    const Uid metric = LoadBigEndian(one.tsuid.data(), layout_.metric_width);
    by_day[{metric, one.day}].push_back({.number = number, .tsuid = one.tsuid});
  }
  for (auto& [of, series] : by_day) {
    HOURCELL_RETURN_IF_ERROR(KeepThoseWithPoints(of.second, &series));
    if (series.empty()) continue;
    std::ranges::sort(series, {}, &EmptiedSeries::number);
    const absl::Status taken = TakeOut(of.first, of.second, series);
    if (!taken.ok() && !absl::IsDataLoss(taken)) return taken;
  }
  return absl::OkStatus();
}

// Removes from `*series` those with an open hour or a row of the day. Hours first: one that is
// sealed by then is in the snapshot.
absl::Status ActiveSets::KeepThoseWithPoints(uint32_t day, std::vector<EmptiedSeries>* series) {
  const uint64_t begin_s = uint64_t{day} * kDayS;
  const ReadPins::Pin pin = parts_.open_hours->pins().Acquire();
  const auto is_open = [&](const EmptiedSeries& one) {
    return parts_.open_hours->LaneOf(one.number)
        .Read(one.number, begin_s, begin_s + kDayS, pin.time(),
              [](uint32_t, const CellColumns&) {});
  };
  std::erase_if(*series, is_open);
  const std::unique_ptr<TableView> view = parts_.tables->SnapshotWithHidden();
  std::vector<std::string> keys;
  std::vector<std::optional<std::string>> cells;
  size_t kept = 0;
  for (size_t begin = 0; begin < series->size(); begin += kEmptiedAtOnce) {
    const auto some =
        std::span(*series).subspan(begin, std::min(kEmptiedAtOnce, series->size() - begin));
    keys.clear();
    for (const EmptiedSeries& one : some) {
      for (uint64_t hour_s = begin_s; hour_s < begin_s + kDayS; hour_s += kDataRowSpan.seconds)
        parts_.row_keys->Append(one.tsuid, static_cast<uint32_t>(hour_s), &keys.emplace_back());
    }
    HOURCELL_RETURN_IF_ERROR(view->GetMany(TableId::kData, keys, &cells));
    HOURCELL_DCHECK(cells.size() == some.size() * kHoursOfDay);
    for (size_t i = 0; i < some.size(); ++i) {
      const auto of_one = std::span(cells).subspan(i * kHoursOfDay, kHoursOfDay);
      const bool has_row =
          std::ranges::any_of(of_one, [](const auto& cell) { return cell.has_value(); });
      if (!has_row) (*series)[kept++] = std::move(some[i]);
    }
  }
  series->resize(kept);
  return absl::OkStatus();
}

absl::Status ActiveSets::TakeOut(Uid metric, uint32_t day, std::span<const EmptiedSeries> series) {
  HOURCELL_DCHECK(std::ranges::is_sorted(series, {}, &EmptiedSeries::number));
  const std::string prefix = ActiveSetPrefix(layout_, metric, day);
  std::vector<Mutation> group;
  std::vector<SeriesNumber> numbers;
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  for (size_t begin = 0; begin < series.size();) {
    const uint64_t chunk = series[begin].number >> 16;
    size_t end = begin;
    while (end < series.size() && series[end].number >> 16 == chunk)
      ++end;
    const auto of_chunk = series.subspan(begin, end - begin);
    begin = end;
    Mutation change{TableId::kSeries, Mutation::Kind::kDelete, prefix, {}};
    AppendPostingChunk(of_chunk.front().number, &change.key);
    HOURCELL_ASSIGN_OR_RETURN(const std::optional<std::string> set,
                              view->Get(TableId::kSeries, change.key));
    if (!set.has_value()) continue;
    numbers.clear();
    HOURCELL_RETURN_IF_ERROR(DecodePosting(*set, chunk, &numbers));
    std::erase_if(numbers, [of_chunk](SeriesNumber number) {
      return std::ranges::binary_search(of_chunk, number, {}, &EmptiedSeries::number);
    });
    for (const SeriesNumber number : numbers)
      AddToPosting(number, &change.value);
    if (!numbers.empty()) change.kind = Mutation::Kind::kSet;
    group.push_back(std::move(change));
  }
  if (group.empty()) return absl::OkStatus();
  HOURCELL_KILL_POINT("active:before_removed");
  HOURCELL_RETURN_IF_ERROR(parts_.tables->Apply(group, /*sync=*/false));
  HOURCELL_KILL_POINT("active:removed");
  return absl::OkStatus();
}

// The newest day first: it has all series that still get points, so few numbers are left after it.
absl::Status ActiveSets::RemoveActive(Uid metric, std::vector<SeriesNumber>* numbers) const {
  HOURCELL_CHECK(is_whole_);
  HOURCELL_DCHECK(numbers->empty() || numbers->front() <= numbers->back());
  const std::string prefix = ActiveSetsPrefix(layout_, metric);
  const size_t width = ActiveSetPrefix(layout_, metric, 0).size();
  std::vector<bool> is_active(numbers->size());
  size_t left = numbers->size();
  const std::unique_ptr<TableView> view = parts_.tables->Snapshot();
  const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kSeries, PrefixRange(prefix));
  std::vector<SeriesNumber> active;
  for (row->SeekToLast(); left > 0 && row->valid(); row->SeekBefore(std::string(row->key()))) {
    HOURCELL_ASSIGN_OR_RETURN(const uint64_t chunk, PostingChunk(row->key(), width));
    active.clear();
    HOURCELL_RETURN_IF_ERROR(DecodePosting(row->value(), chunk, &active));
    auto number = std::ranges::lower_bound(*numbers, chunk << 16);
    for (const SeriesNumber one : active) {
      while (number != numbers->end() && *number < one)
        ++number;
      if (number == numbers->end()) break;
      const auto at = static_cast<size_t>(number - numbers->begin());
      if (*number != one || is_active[at]) continue;
      is_active[at] = true;
      --left;
    }
  }
  HOURCELL_RETURN_IF_ERROR(row->status());
  size_t kept = 0;
  for (size_t i = 0; i < numbers->size(); ++i)
    if (!is_active[i]) (*numbers)[kept++] = (*numbers)[i];
  numbers->resize(kept);
  return absl::OkStatus();
}

void AppendActiveSet(const Layout& layout,
                     Uid metric,
                     uint32_t day,
                     std::vector<SeriesNumber> numbers,
                     std::vector<Mutation>* group) {
  SortUnique(&numbers);
  const std::string prefix = ActiveSetPrefix(layout, metric, day);
  for (size_t begin = 0; begin < numbers.size();) {
    const uint64_t chunk = numbers[begin] >> 16;
    Mutation merge{TableId::kSeries, Mutation::Kind::kMerge, prefix, {}};
    AppendPostingChunk(numbers[begin], &merge.key);
    for (; begin < numbers.size() && numbers[begin] >> 16 == chunk; ++begin)
      AddToPosting(numbers[begin], &merge.value);
    group->push_back(std::move(merge));
  }
}

absl::StatusOr<std::vector<SeriesNumber>> ReadActiveSets(
    const Layout& layout, Uid metric, uint32_t first_day, uint32_t last_day, TableView* view) {
  ScanRange range = PrefixRange(ActiveSetPrefix(layout, metric, last_day));
  range.begin = ActiveSetPrefix(layout, metric, first_day);
  const size_t width = range.begin.size();
  std::vector<SeriesNumber> numbers;
  absl::Status damage;
  HOURCELL_RETURN_IF_ERROR(
      view->Scan(TableId::kSeries, range, [&](std::string_view key, std::string_view set) {
        const absl::StatusOr<uint64_t> chunk = PostingChunk(key, width);
        damage = chunk.ok() ? DecodePosting(set, *chunk, &numbers) : chunk.status();
        return damage.ok();
      }));
  HOURCELL_RETURN_IF_ERROR(damage);
  SortUnique(&numbers);
  return numbers;
}

}  // namespace hourcell
