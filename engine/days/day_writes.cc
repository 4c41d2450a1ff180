#include "engine/days/day_writes.h"

#include <map>
#include <memory>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/cells/packed_header.h"
#include "engine/days/few_points.h"
#include "engine/days/hour_cell.h"
#include "engine/days/hour_place.h"

// Why an hour with an hour row gets all its points there: of two rows that may have the same
// instant, one must be known to be newer. Rejected: a stamp for each page, which costs space
// in every row for a case that hardly occurs; reading both rows at each merge.

namespace hourcell {
namespace {

// Days of metrics that are remembered; a larger map is cleared.
constexpr size_t kKnownDaysMax = 1 << 16;

// True for a packed cell of an hour with few points.
bool HasFewPoints(std::string_view cell, uint32_t points_max) {
  PackedHeader header;
  std::string_view columns;
  if (!IsPacked(cell) || TakePackedHeader(cell, kHourSpan.ms(), &header, &columns) != nullptr) {
    return false;
  }
  const uint64_t time_ms = uint64_t{header.last_time - header.first_time} * header.unit_ms();
  return AreFewPoints(header.count, time_ms, points_max);
}

bool IsMergeOfDay(const Mutation& write) {
  return write.kind == Mutation::Kind::kMerge && IsDayCell(write.value);
}

// The key of an hour of the day that has the hour of `hour_key`.
std::string KeyOfHour(std::string_view hour_key, uint32_t hour, size_t at) {
  std::string key(hour_key);
  SetTimeField(kDaySpan.FloorS(TimeFieldOf(hour_key, at)) + hour * kHourSpan.seconds, at, &key);
  return key;
}

bool IsOfHour(const Mutation& write, size_t at) {
  return write.table == TableId::kData && write.key.size() >= at + kTimeFieldBytes &&
         kHourSpan.IsBase(TimeFieldOf(write.key, at));
}

}  // namespace

// The translation of one group.
class DayWrites::Group {
 public:
  Group(DayWrites* writes, bool may_have_days, std::vector<Mutation>* changed)
      : writes_(*writes), may_have_days_(may_have_days), changed_(*changed) {}

  absl::Status Run(std::span<const Mutation> group, bool* writes_day) {
    HOURCELL_RETURN_IF_ERROR(FindOwnRows(group));
    if (!changes_any_) return absl::OkStatus();
    changed_.reserve(group.size());
    for (size_t i = 0; i < group.size(); ++i) {
      const Mutation& write = group[i];
      if (!IsOfHour(write, writes_.at_)) {
        changed_.push_back(write);
      } else if (write.kind != Mutation::Kind::kMerge) {
        HOURCELL_RETURN_IF_ERROR(Replace(write));
      } else if (IsDayCell(write.value)) {
        HOURCELL_RETURN_IF_ERROR(ShareDay(write, may_share_[i], writes_day));
      } else if (may_share_[i] && !own_.contains(write.key)) {
        Share(write);
        *writes_day = true;
      } else {
        Keep(write);
      }
    }
    AppendDays();
    return absl::OkStatus();
  }

 private:
  // Finds the hours with hour rows among those that could share one.
  absl::Status FindOwnRows(std::span<const Mutation> group) {
    std::vector<std::string> keys;
    may_share_.resize(group.size());
    for (size_t i = 0; i < group.size(); ++i) {
      const Mutation& write = group[i];
      if (!IsOfHour(write, writes_.at_)) continue;
      bool is_asked = write.kind != Mutation::Kind::kMerge && may_have_days_;
      may_share_[i] = write.kind == Mutation::Kind::kMerge && writes_.MayShare(write);
      changes_any_ = changes_any_ || is_asked || may_share_[i] || IsMergeOfDay(write);
      if (may_share_[i]) {
        HOURCELL_ASSIGN_OR_RETURN(is_asked, writes_.DayHasHours(write.key));
      }
      if (is_asked) HOURCELL_RETURN_IF_ERROR(AppendHourKeys(write, &keys));
    }
    if (keys.empty()) return absl::OkStatus();
    std::vector<std::optional<std::string>> cells;
    // Points that a delete hides count: after an undo they are in the row again.
    HOURCELL_RETURN_IF_ERROR(
        writes_.stored_.SnapshotWithHidden()->GetMany(TableId::kData, keys, &cells));
    for (size_t i = 0; i < keys.size(); ++i)
      if (cells[i].has_value()) own_.insert(std::move(keys[i]));
    return absl::OkStatus();
  }

  // The keys of the hours that the write is about.
  absl::Status AppendHourKeys(const Mutation& write, std::vector<std::string>* keys) const {
    if (!IsMergeOfDay(write)) {
      keys->push_back(write.key);
      return absl::OkStatus();
    }
    HOURCELL_ASSIGN_OR_RETURN(const uint32_t hours, HoursOfDayCell(write.value));
    for (uint32_t hour = 0; hour < kHoursADay; ++hour)
      if ((hours >> hour & 1) != 0) keys->push_back(KeyOfHour(write.key, hour, writes_.at_));
    return absl::OkStatus();
  }

  void Share(const Mutation& write) {
    Mutation& merge = changed_.emplace_back();
    merge.table = TableId::kData;
    merge.kind = Mutation::Kind::kMerge;
    merge.key = DayKeyOf(write.key, writes_.at_);
    AppendDayCellOfHour(HourOfDay(TimeFieldOf(write.key, writes_.at_)), write.value, &merge.value);
  }

  // Merges the points of several hours: those of hours with hour rows there, the others into the
  // day's row.
  absl::Status ShareDay(const Mutation& write, bool may_share, bool* writes_day) {
    HOURCELL_ASSIGN_OR_RETURN(const uint32_t hours, HoursOfDayCell(write.value));
    std::string day = write.value;
    CellColumns columns;
    for (uint32_t hour = 0; hour < kHoursADay; ++hour) {
      if ((hours >> hour & 1) == 0) continue;
      std::string key = KeyOfHour(write.key, hour, writes_.at_);
      if (may_share && !own_.contains(key)) continue;
      Mutation kept;
      kept.kind = Mutation::Kind::kMerge;
      kept.key = std::move(key);
      columns.clear();
      HOURCELL_RETURN_IF_ERROR(DecodeHourOfDay(write.value, hour, &columns));
      AppendPackedCell(columns, &kept.value);
      Keep(kept);
      std::string left;
      HOURCELL_RETURN_IF_ERROR(SetHourOfDay(day, hour, "", &left));
      day = std::move(left);
    }
    if (day.empty()) return absl::OkStatus();
    Mutation& merge = changed_.emplace_back();
    merge.kind = Mutation::Kind::kMerge;
    merge.key = DayKeyOf(write.key, writes_.at_);
    merge.value = std::move(day);
    *writes_day = true;
    return absl::OkStatus();
  }

  // The write goes to the hour's own row.
  void Keep(const Mutation& write) {
    if (write.kind != Mutation::Kind::kDelete) own_.insert(write.key);
    changed_.push_back(write);
  }

  // Sets or deletes an hour that may be in its day's row.
  absl::Status Replace(const Mutation& write) {
    if (!may_have_days_) {
      Keep(write);
      return absl::OkStatus();
    }
    HOURCELL_ASSIGN_OR_RETURN(std::string * day, DayOf(write.key));
    const uint32_t hour = HourOfDay(TimeFieldOf(write.key, writes_.at_));
    if (day->empty() || (IsShownWhole(*day) && hour != 0)) {
      Keep(write);
      return absl::OkStatus();
    }
    if (IsShownWhole(*day)) {
      // A write of the hour that shows the day.
      const bool is_day = write.kind == Mutation::Kind::kSet && IsDayCell(write.value);
      *day = is_day ? write.value : "";
      if (!is_day && write.kind == Mutation::Kind::kSet) Keep(write);
      return absl::OkStatus();
    }
    HOURCELL_ASSIGN_OR_RETURN(const uint32_t hours, HoursOfDayCell(*day));
    if ((hours >> hour & 1) == 0) {
      Keep(write);
      return absl::OkStatus();
    }
    CellColumns columns;
    const bool stays = write.kind == Mutation::Kind::kSet && !own_.contains(write.key) &&
                       DecodeCell(write.value, &columns).ok();
    std::string left;
    HOURCELL_RETURN_IF_ERROR(
        SetHourOfDay(*day, hour, stays ? std::string_view(write.value) : "", &left));
    *day = std::move(left);
    if (!stays) Keep(write);
    return absl::OkStatus();
  }

  // The cell of the day's row, as changed so far; empty: no row.
  absl::StatusOr<std::string*> DayOf(std::string_view hour_key) {
    std::string key = DayKeyOf(hour_key, writes_.at_);
    const auto found = days_.find(key);
    if (found != days_.end()) return &found->second;
    HOURCELL_ASSIGN_OR_RETURN(std::optional<std::string> cell, View().Get(TableId::kData, key));
    std::string* const day = &days_[key];
    if (cell.has_value()) {
      *day = *std::move(cell);
      were_there_.insert(std::move(key));
    }
    return day;
  }

  void AppendDays() {
    for (auto& [key, cell] : days_) {
      if (!were_there_.contains(key)) continue;
      Mutation& write = changed_.emplace_back();
      write.table = TableId::kData;
      write.kind = cell.empty() ? Mutation::Kind::kDelete : Mutation::Kind::kSet;
      write.key = key;
      write.value = std::move(cell);
    }
  }

  TableView& View() {
    if (view_ == nullptr) view_ = writes_.stored_.Snapshot();
    return *view_;
  }

  DayWrites& writes_;
  const bool may_have_days_;
  std::vector<Mutation>& changed_;
  std::unique_ptr<TableView> view_;
  std::vector<bool> may_share_;  // of each mutation
  bool changes_any_ = false;
  absl::flat_hash_set<std::string> own_;  // keys of hour rows
  std::map<std::string, std::string> days_;
  absl::flat_hash_set<std::string> were_there_;  // of days_
};

bool DayWrites::LeavesAsIs(std::span<const Mutation> group, bool may_have_days) const {
  const bool may_change = points_max_ > 0 || may_have_days;
  for (const Mutation& write : group)
    if (write.table == TableId::kData && (may_change || IsMergeOfDay(write))) return false;
  return true;
}

absl::Status DayWrites::Translate(std::span<const Mutation> group,
                                  bool may_have_days,
                                  std::vector<Mutation>* changed,
                                  bool* writes_day) {
  HOURCELL_RETURN_IF_ERROR(Group(this, may_have_days, changed).Run(group, writes_day));
  const std::span<const Mutation> written =
      changed->empty() ? group : std::span<const Mutation>(*changed);
  NoteHours(written);
  NoteLatest(written);
  return absl::OkStatus();
}

bool DayWrites::MayShare(const Mutation& write) const {
  if (points_max_ == 0) return false;
  const bool is_few = IsDayCell(write.value) || HasFewPoints(write.value, points_max_);
  return is_few && IsInOneEpoch(write.key);
}

bool DayWrites::IsInOneEpoch(std::string_view hour_key) const {
  if (row_keys_.salt_epochs().epochs().size() == 1) return true;
  const uint32_t day_s = kDaySpan.FloorS(TimeFieldOf(hour_key, at_));
  return row_keys_.salt_epochs().SpansOf(day_s, kDaySpan.EndS(day_s)).size() == 1;
}

// Whether there is a row of an hour with the same bytes before the base time in the day.
absl::StatusOr<bool> DayWrites::DayHasHours(std::string_view hour_key) {
  std::string prefix = DayPrefix(hour_key);
  {
    MutexLock lock(&mutex_);
    const auto known = has_hours_.find(prefix);
    if (known != has_hours_.end()) return known->second;
  }
  const uint32_t day_s = kDaySpan.FloorS(TimeFieldOf(hour_key, at_));
  ScanRange range{.begin = prefix, .end = std::string(hour_key.substr(0, at_))};
  if (day_s == kDaySpan.LastBaseS()) {
    range.end += std::string(kTimeFieldBytes + 1, '\xFF');
  } else {
    AppendBigEndian(kDaySpan.EndS(day_s), kTimeFieldBytes, &range.end);
  }
  const std::unique_ptr<TableView> view = stored_.SnapshotWithHidden();
  const std::unique_ptr<RowCursor> row = view->NewCursor(TableId::kData, range);
  row->Seek(range.begin);
  HOURCELL_RETURN_IF_ERROR(row->status());
  const bool has_hours = row->valid();
  MutexLock lock(&mutex_);
  if (has_hours_.size() >= kKnownDaysMax) has_hours_.clear();
  // Rows written meanwhile are noted.
  return has_hours_.try_emplace(std::move(prefix), has_hours).first->second;
}

// Notes the days that get rows of hours. Before they are applied: a row too many that is looked up
// does no harm.
void DayWrites::NoteHours(std::span<const Mutation> group) {
  if (points_max_ == 0) return;
  std::string last;
  for (const Mutation& write : group) {
    if (write.kind == Mutation::Kind::kDelete || !IsOfHour(write, at_)) continue;
    std::string prefix = DayPrefix(write.key);
    if (prefix == last) continue;
    last = prefix;
    MutexLock lock(&mutex_);
    if (has_hours_.size() >= kKnownDaysMax) has_hours_.clear();
    has_hours_[std::move(prefix)] = true;
  }
}

// Notes whether metrics have rows of days or of hours.
void DayWrites::NoteLatest(std::span<const Mutation> group) {
  if (points_max_ == 0) return;
  std::optional<std::pair<std::string_view, bool>> last;
  for (const Mutation& write : group) {
    const bool is_row = write.table == TableId::kData && write.kind == Mutation::Kind::kMerge &&
                        write.key.size() >= at_ + kTimeFieldBytes;
    if (!is_row) continue;
    const std::pair latest(std::string_view(write.key).substr(0, at_), IsDayKey(write.key, at_));
    if (latest == last) continue;
    last = latest;
    MutexLock lock(&mutex_);
    if (is_shared_.size() >= kKnownDaysMax) is_shared_.clear();
    is_shared_[std::string(latest.first)] = latest.second;
  }
}

bool DayWrites::IsLikelyShared(std::string_view hour_key) {
  MutexLock lock(&mutex_);
  const auto known = is_shared_.find(std::string(hour_key.substr(0, at_)));
  return known != is_shared_.end() && known->second;
}

std::string DayWrites::DayPrefix(std::string_view hour_key) const {
  std::string prefix(hour_key.substr(0, at_));
  AppendBigEndian(kDaySpan.FloorS(TimeFieldOf(hour_key, at_)), kTimeFieldBytes, &prefix);
  return prefix;
}

}  // namespace hourcell
