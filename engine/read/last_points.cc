#include "engine/read/last_points.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "codec/rows/day_field.h"
#include "codec/rows/tsuid.h"
#include "engine/names/series_names.h"
#include "engine/rows/key_range.h"

// Why rows are walked backwards by hour: row keys have metric and hour before the tags, so a
// step back from the range's end finds the newest hour with any row of the metric. The open
// hours have the last points of all series that are alive. So there need be no table of last
// points, as OpenTSDB's meta tables are, to which each put would write.

namespace hourcell {
namespace {

// A seek costs about as much as this number of steps (measured hot).
constexpr size_t kLastStepsMax = 8;

// Series between two checks of the watch.
constexpr size_t kSeriesBetweenChecks = 1024;

// Visited points between two checks of the watch.
constexpr size_t kRowsBetweenChecks = 64;

}  // namespace

LastPointReader::LastPointReader(const RowKeyCodec& row_keys, const Parts& parts)
    : row_keys_(row_keys),
      parts_(parts),
      prefix_size_(row_keys.layout().salt_width + row_keys.layout().metric_width + 4),
      time_at_(row_keys.base_time_offset()) {}

absl::Status LastPointReader::Read(const LastQuery& query,
                                   const QueryWatch& watch,
                                   QueryControl* control,
                                   const std::function<void(const LastPoint&)>& visit) {
  const int64_t now_ms = std::clamp<int64_t>(parts_.clock->NowMs(), 0, kTimestampMsMax);
  // Includes the last points of hosts with a clock slightly ahead.
  until_ms_ = int64_t{kDataRowSpan.BaseS(now_ms)} * 1000 + kDataRowSpan.ms() - 1;
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Wanted> all, Select(query, watch));
  control->series += all.size();
  cursor_ = parts_.view->stored().NewCursor(TableId::kData, {});
  const size_t metric_width = row_keys_.layout().metric_width;
  for (auto begin = all.begin(); begin != all.end();) {
    const std::string metric = begin->tsuid.substr(0, metric_width);
    const auto end = std::find_if(
        begin, all.end(), [&](const Wanted& one) { return !one.tsuid.starts_with(metric); });
    const absl::Status read = ReadMetric({begin, end}, query.back_hours, watch);
    control->rows += std::exchange(rows_, 0);
    control->points += std::exchange(points_, 0);
    HOURCELL_RETURN_IF_ERROR(read);
    begin = end;
  }
  SeriesNames names(row_keys_.layout(), parts_.uids, parts_.memory);
  size_t visited = 0;
  for (const Wanted& one : all) {
    if (!one.has_point) continue;
    if (visited++ % kRowsBetweenChecks == 0) HOURCELL_RETURN_IF_ERROR(watch.Check());
    LastPoint last{
        .series = {.tsuid = one.tsuid, .metric = {}, .tags = {}}, .ms = one.ms, .value = one.value};
    if (query.resolve) HOURCELL_RETURN_IF_ERROR(names.Resolve(one.tsuid, &last.series));
    visit(last);
  }
  return absl::OkStatus();
}

// All series of all sub queries, once each, ascending by tsuid.
absl::StatusOr<std::vector<LastPointReader::Wanted>> LastPointReader::Select(
    const LastQuery& query, const QueryWatch& watch) const {
  const SeriesLookup lookup(row_keys_.layout(), parts_.uids, parts_.series, parts_.memory);
  std::vector<SelectedSeries> selected;
  for (const LastSubQuery& sub_query : query.queries) {
    HOURCELL_RETURN_IF_ERROR(sub_query.tsuids.empty()
                                 ? lookup.Select(sub_query.metric, sub_query.tags, watch, &selected,
                                                 parts_.skip_unresolved_tagvs)
                                 : SelectTsuids(sub_query.tsuids, &selected));
  }
  if (query.queries.size() > 1 || (selected.size() > 1 && !query.queries[0].tsuids.empty())) {
    std::ranges::sort(selected, {}, &SelectedSeries::tsuid);
    const auto repeats = std::ranges::unique(selected, {}, &SelectedSeries::tsuid);
    selected.erase(repeats.begin(), repeats.end());
  }
  if (parts_.memory != nullptr) {
    // Each series is in a group, and in a group of its salt bucket.
    HOURCELL_RETURN_IF_ERROR(
        parts_.memory->Take(selected.size() * (sizeof(Wanted) + 3 * sizeof(Wanted*))));
  }
  std::vector<Wanted> all(selected.size());
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].number = selected[i].number;
    all[i].tsuid = std::move(selected[i].tsuid);
  }
  return all;
}

absl::Status LastPointReader::SelectTsuids(std::span<const std::string> tsuids,
                                           std::vector<SelectedSeries>* selected) const {
  for (const std::string& text : tsuids) {
    const absl::StatusOr<std::string> bytes = UidBytesFromHex(text, /*width=*/0);
    const absl::Status parsed =
        bytes.ok() ? ParseTsuid(row_keys_.layout(), *bytes).status() : bytes.status();
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("tsuid {}: {}", QuoteForMessage(text), std::string(parsed.message())));
    }
    HOURCELL_ASSIGN_OR_RETURN(const SeriesNumber number, parts_.series->NumberOf(*bytes));
    if (number == 0) continue;
    if (parts_.memory != nullptr) {
      HOURCELL_RETURN_IF_ERROR(parts_.memory->Take(2 * sizeof(SelectedSeries) + bytes->capacity()));
    }
    selected->push_back({.number = number, .tsuid = *bytes});
  }
  return absl::OkStatus();
}

absl::Status LastPointReader::Check(const QueryWatch& watch) {
  HOURCELL_RETURN_IF_ERROR(cursor_->status());
  return watch.Check();
}

// The points of series of one metric.
absl::Status LastPointReader::ReadMetric(std::span<Wanted> series,
                                         uint32_t back_hours,
                                         const QueryWatch& watch) {
  HOURCELL_DCHECK(!series.empty() && cursor_ != nullptr);
  const Layout& layout = row_keys_.layout();
  const Uid metric = LoadBigEndian(series.front().tsuid.data(), layout.metric_width);
  int64_t from_ms = parts_.expiry == nullptr ? 0 : parts_.expiry->ExpiresBeforeMs(metric);
  if (back_hours > 0) {
    const int64_t hour_ms = int64_t{kDataRowSpan.BaseS(until_ms_)} * 1000;
    from_ms = std::max(from_ms, hour_ms - int64_t{back_hours} * kDataRowSpan.ms());
  }
  Group left;
  size_t looked_at = 0;
  for (Wanted& one : series) {
    if (++looked_at % kSeriesBetweenChecks == 0) HOURCELL_RETURN_IF_ERROR(Check(watch));
    one.begin_s = FirstRowFromS(kDataRowSpan, from_ms);
    OpenPoint open;
    if (parts_.open_hours->LaneOf(one.number)
            .ReadLast(one.number, from_ms, until_ms_, parts_.pinned_at, &open)) {
      one.has_point = true;
      one.ms = open.ms;
      one.value = open.value;
      one.begin_s = kDataRowSpan.BaseS(open.ms);
      ++rows_;
      ++points_;
    }
    left.push_back(&one);
  }
  std::vector<SaltSpan> epochs =
      row_keys_.salt_epochs().SpansOf(0, kDataRowSpan.EndS(kDataRowSpan.BaseS(until_ms_)));
  std::ranges::reverse(epochs);
  for (const SaltSpan& span : epochs) {
    HOURCELL_RETURN_IF_ERROR(ReadEpoch(span, from_ms, watch, &left));
    if (epochs.size() > 1) std::ranges::sort(left, {}, &Wanted::tsuid);
  }
  return absl::OkStatus();
}

// Reads the hours of an epoch, one bucket after the other. Removes series that are done, and
// reorders the others.
absl::Status LastPointReader::ReadEpoch(const SaltSpan& span,
                                        int64_t from_ms,
                                        const QueryWatch& watch,
                                        Group* left) {
  std::map<uint32_t, Group> groups;  // by bucket
  for (Wanted* const one : *left)
    groups[row_keys_.BucketOf(one->tsuid, span.buckets)].push_back(one);
  left->clear();
  for (auto& [bucket, group] : groups) {
    HOURCELL_RETURN_IF_ERROR(ReadStored(span, from_ms, watch, &group));
    left->insert(left->end(), group.begin(), group.end());
  }
  return absl::OkStatus();
}

// Reads the rows of hours and those of days together, the newest first.
absl::Status LastPointReader::ReadStored(const SaltSpan& span,
                                         int64_t from_ms,
                                         const QueryWatch& watch,
                                         Group* left) {
  HOURCELL_DCHECK(!left->empty());
  tsuid_ = left->front()->tsuid;
  steps_max_ = 1;
  HOURCELL_ASSIGN_OR_RETURN(std::optional<uint32_t> hour, NewestHourIn(span.begin_s, span.end_s));
  HOURCELL_ASSIGN_OR_RETURN(std::optional<uint32_t> day, NewestDayIn(span.begin_s, span.end_s));
  while (!left->empty() && (hour.has_value() || day.has_value())) {
    HOURCELL_RETURN_IF_ERROR(Check(watch));
    if (!day.has_value() || (hour.has_value() && *hour >= uint64_t{*day} + kDaySpan.seconds)) {
      // The rows that follow are of earlier hours and of days that end before this one.
      std::erase_if(*left, [&](const Wanted* one) { return one->begin_s > *hour; });
      HOURCELL_RETURN_IF_ERROR(ReadRows({.begin_s = *hour}, from_ms, watch, left));
      HOURCELL_ASSIGN_OR_RETURN(hour, NewestHourIn(span.begin_s, *hour));
      continue;
    }
    std::erase_if(*left, [&](const Wanted* one) {
      return one->begin_s >= uint64_t{*day} + kDaySpan.seconds;
    });
    HOURCELL_RETURN_IF_ERROR(ReadRows({.begin_s = *day, .is_day = true}, from_ms, watch, left));
    // Further days are earlier, but an hour of this day may have a row.
    std::erase_if(*left, [&](const Wanted* one) {
      return one->begin_s >= *day && (!hour.has_value() || one->begin_s > *hour);
    });
    if (left->empty()) break;
    HOURCELL_ASSIGN_OR_RETURN(day, NewestDayIn(span.begin_s, *day));
  }
  return absl::OkStatus();
}

// Sets prefix_ to that of an hour or a day of the group.
void LastPointReader::SetPrefix(const RowsAt& at) {
  prefix_.clear();
  if (at.is_day) {
    row_keys_.AppendDay(tsuid_, at.begin_s, &prefix_);
  } else {
    row_keys_.Append(tsuid_, at.begin_s, &prefix_);
  }
  prefix_.resize(prefix_size_);
}

// The newest hour of [begin_s, end_s), of one epoch, in which the group's metric and bucket have
// a row of an hour.
absl::StatusOr<std::optional<uint32_t>> LastPointReader::NewestHourIn(uint64_t begin_s,
                                                                      uint64_t end_s) {
  while (end_s > begin_s) {
    const auto newest_s = static_cast<uint32_t>(end_s - kDataRowSpan.seconds);
    SetPrefix({.begin_s = newest_s});
    cursor_->SeekBefore(PrefixEnd(prefix_));
    if (!cursor_->valid()) break;
    HOURCELL_ASSIGN_OR_RETURN(const RowKeyView row, row_keys_.ParseStored(cursor_->key()));
    uint32_t hour_s = row.base_time_s;
    if (row.span == kDaySpan) {
      // The fields of days are between those of the hours of 1970-01-01.
      hour_s = kDataRowSpan.FloorS(DayField(row.base_time_s));
    } else {
      // Then the row is of another metric or bucket, or before the epoch.
      if (hour_s < begin_s || hour_s >= end_s) break;
      SetPrefix({.begin_s = hour_s});
      if (cursor_->key().starts_with(prefix_)) return hour_s;
    }
    // If the row differs before its time, all earlier rows are of other groups.
    if (!cursor_->key().starts_with(std::string_view(prefix_).substr(0, time_at_))) break;
    // Of hours up to this row's, this one is the first that may still have one.
    end_s = std::min<uint64_t>(newest_s, uint64_t{hour_s} + kDataRowSpan.seconds);
  }
  HOURCELL_RETURN_IF_ERROR(cursor_->status());
  return std::nullopt;
}

// The same for days with rows. An epoch has whole days only.
absl::StatusOr<std::optional<uint32_t>> LastPointReader::NewestDayIn(uint64_t begin_s,
                                                                     uint64_t end_s) {
  while (end_s > begin_s) {
    const uint32_t newest_s = kDaySpan.FloorS(static_cast<uint32_t>(end_s - 1));
    SetPrefix({.begin_s = newest_s, .is_day = true});
    cursor_->SeekBefore(PrefixEnd(prefix_));
    if (!cursor_->valid()) break;
    HOURCELL_ASSIGN_OR_RETURN(const RowKeyView row, row_keys_.ParseStored(cursor_->key()));
    // An hour of 1970-01-01 has only days with a lower field before it.
    uint64_t day_s = uint64_t{row.base_time_s} / 2 * kDaySpan.seconds;
    if (row.span == kDaySpan) {
      day_s = row.base_time_s;
      if (day_s < begin_s || day_s >= end_s) break;
      SetPrefix({.begin_s = row.base_time_s, .is_day = true});
      if (cursor_->key().starts_with(prefix_)) return row.base_time_s;
      day_s += kDaySpan.seconds;
    }
    if (!cursor_->key().starts_with(std::string_view(prefix_).substr(0, time_at_))) break;
    end_s = std::min<uint64_t>(newest_s, day_s);
  }
  HOURCELL_RETURN_IF_ERROR(cursor_->status());
  return std::nullopt;
}

// Moves to the first row at or after `key`; `key` is not before the cursor, unless the cursor is at
// no row.
absl::Status LastPointReader::GoTo(std::string_view key) {
  if (!cursor_->valid() || cursor_->key() >= key) return cursor_->status();
  for (size_t i = 0; i < steps_max_ && cursor_->valid() && cursor_->key() < key; ++i)
    cursor_->Next();
  if (!cursor_->valid()) return cursor_->status();
  if (cursor_->key() >= key) {
    steps_max_ = std::min(kLastStepsMax, 2 * steps_max_);
  } else {
    steps_max_ = std::max<size_t>(1, steps_max_ / 2);
    cursor_->Seek(key);
  }
  return cursor_->status();
}

// Takes the rows that the series of `*left` have there; removes those whose last point an hour had.
absl::Status LastPointReader::ReadRows(const RowsAt& at,
                                       int64_t from_ms,
                                       const QueryWatch& watch,
                                       Group* left) {
  if (left->empty()) return absl::OkStatus();
  const size_t metric_width = row_keys_.layout().metric_width;
  SetPrefix(at);
  std::string key = prefix_ + left->front()->tsuid.substr(metric_width);
  cursor_->Seek(key);
  size_t kept = 0;
  for (size_t i = 0; i < left->size(); ++i) {
    Wanted* const one = (*left)[i];
    if ((i + 1) % kSeriesBetweenChecks == 0) HOURCELL_RETURN_IF_ERROR(Check(watch));
    key.resize(prefix_size_);
    key.append(one->tsuid, metric_width);
    HOURCELL_RETURN_IF_ERROR(GoTo(key));
    bool is_done = false;
    if (cursor_->valid() && cursor_->key() == key) {
      if (at.is_day) {
        HOURCELL_RETURN_IF_ERROR(TakeDay(at.begin_s, from_ms, one));
      } else {
        HOURCELL_ASSIGN_OR_RETURN(is_done, TakeCell(at.begin_s, from_ms, one));
      }
    }
    if (!is_done) (*left)[kept++] = one;
  }
  left->resize(kept);
  return cursor_->status();
}

absl::Status LastPointReader::Damaged(const absl::Status& status) const {
  return absl::DataLossError(fmt::format("row {}: {}", ToHex(cursor_->key()), status.ToString()));
}

// The last point of columns_ that counts and is not in the future.
std::optional<OpenPoint> LastPointReader::LastOfColumns(int64_t base_ms) {
  points_ += columns_.size();
  for (size_t i = columns_.size(); i-- > 0;) {
    const int64_t ms = base_ms + columns_.offset_ms[i];
    if (ms > until_ms_ || columns_.value(i).is_special()) continue;
    return OpenPoint{.ms = ms, .value = columns_.value(i)};
  }
  return std::nullopt;
}

// Takes the last point of the cursor's row, if it is the series' last point. False if all points of
// the row are in the future.
absl::StatusOr<bool> LastPointReader::TakeCell(uint32_t base_time_s,
                                               int64_t from_ms,
                                               Wanted* series) {
  ++rows_;
  const int64_t base_ms = int64_t{base_time_s} * 1000;
  absl::StatusOr<std::optional<CellSummary>> summary = ReadCellSummary(cursor_->value());
  if (!summary.ok()) return Damaged(summary.status());
  std::optional<OpenPoint> last;
  if (summary->has_value() && base_ms + (*summary)->last_offset_ms <= until_ms_) {
    last = {.ms = base_ms + (*summary)->last_offset_ms, .value = (*summary)->last};
    ++points_;
  } else {
    columns_.clear();
    if (const absl::Status decoded = DecodeCell(cursor_->value(), &columns_); !decoded.ok()) {
      return Damaged(decoded);
    }
    last = LastOfColumns(base_ms);
    if (!last.has_value()) return false;
  }
  // Of equal instants, the open point was written last, and that of a day's row first.
  const bool is_later =
      !series->has_point || last->ms > series->ms || (last->ms == series->ms && series->is_of_day);
  if (last->ms >= from_ms && is_later) {
    series->has_point = true;
    series->is_of_day = false;
    series->ms = last->ms;
    series->value = last->value;
  }
  return true;
}

// The same of a day's row, hour by hour from the last. Sets begin_s to the hour of its last point.
absl::Status LastPointReader::TakeDay(uint32_t day_s, int64_t from_ms, Wanted* series) {
  ++rows_;
  const absl::StatusOr<uint32_t> hours = HoursOfDayCell(cursor_->value());
  if (!hours.ok()) return Damaged(hours.status());
  for (uint32_t hour = 24; hour-- > 0;) {
    const uint32_t base_s = day_s + hour * kHourSpan.seconds;
    if ((*hours >> hour & 1) == 0 || int64_t{base_s} * 1000 > until_ms_) continue;
    if (base_s < series->begin_s) return absl::OkStatus();
    columns_.clear();
    if (const absl::Status decoded = DecodeHourOfDay(cursor_->value(), hour, &columns_);
        !decoded.ok()) {
      return Damaged(decoded);
    }
    const std::optional<OpenPoint> last = LastOfColumns(int64_t{base_s} * 1000);
    if (!last.has_value()) continue;
    series->begin_s = base_s;
    if (last->ms < from_ms || (series->has_point && last->ms <= series->ms)) continue;
    series->has_point = true;
    series->is_of_day = true;
    series->ms = last->ms;
    series->value = last->value;
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace hourcell
