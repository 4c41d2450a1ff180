#include "engine/read/row_reader.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "engine/days/hour_place.h"

// Why hour by hour and in key order: within an hour the wanted rows ascend as the series do, so
// one cursor moves forwards only, and blocks are read once. A cursor that has met damage stays
// failed: RocksDB forgets the error at the next seek, and queries were once answered without the
// rows of a bad block (RocksCursorTest.OneThatMetDamageStaysThere).

namespace hourcell {
namespace {

// Rows that are read together by key: at first; at most; and the size of their cells, estimated by
// earlier rows.
constexpr size_t kKeysAtFirst = 64;
constexpr size_t kKeysAtOnce = 1024;
constexpr size_t kKeyedBytes = size_t{4} << 20;
// Rows between two looks at limits, deadline and cancellation.
constexpr uint64_t kRowsPerCheck = 64;
// Rows of other series that a skip scan steps over before it leaps: about the cost of a leap.
constexpr size_t kRowStepsMax = 12;

constexpr uint64_t kEndOfHours = kDataRowSpan.EndOfTimeS();

}  // namespace

ScanBounds ClampHours(ScanBounds bounds) {
  bounds.end_s = std::min(bounds.end_s, kEndOfHours);
  return bounds;
}

// The scan of one bucket: a cursor that goes from hour to hour, in each over the wanted series. Or
// from day to day over the rows of days: then "hour" below means a day.
class RowReader::Scan {
 public:
  Scan(RowReader* reader,
       const BucketScan& of,
       const ScanBounds& bounds,
       RowSpan span,
       const Visit& visit)
      : reader_(*reader),
        selection_(of.selection),
        bucket_(of.bucket),
        span_(span),
        steps_max_(of.steps_max),
        visit_(visit),
        hour_s_(bounds.begin_s),
        end_s_(bounds.end_s) {
    HOURCELL_DCHECK(!bucket_.indices.empty());
    cursor_ = reader->view_.NewCursor(TableId::kData, RangeOf(bounds));
  }

  // Visits the rows before `limit_s` that were not visited yet.
  absl::Status RunUntil(uint64_t limit_s) {
    const uint64_t end_s = std::min(end_s_, limit_s);
    while (hour_s_ < end_s && !is_done_) {
      BeginHour();
      is_done_ = !cursor_->valid();
      if (is_done_) break;
      HOURCELL_RETURN_IF_ERROR(ReadHour());
    }
    return cursor_->status();
  }

  // The time up to which all rows were visited. Rows of the next days or hours may be missing.
  uint64_t next_s() const { return is_done_ ? end_s_ : hour_s_; }

 private:
  // Where the cursor is: at a row that was looked at, or at the first after those.
  enum class Place : uint8_t { kNowhere, kAtTaken, kAtNext };

  ScanRange RangeOf(const ScanBounds& bounds) const {
    const RowKeyCodec& row_keys = reader_.row_keys_;
    ScanRange rows{.begin = {}, .end = {}, .is_large = reader_.is_large_};
    if (span_ == kDaySpan) {
      row_keys.AppendDayPrefix(selection_.metric, bucket_.number, bounds.begin_s, &rows.begin);
      const auto last_s = static_cast<uint32_t>(bounds.end_s - kDaySpan.seconds);
      row_keys.AppendHourPrefix(selection_.metric, bucket_.number, DayField(last_s) + 1, &rows.end);
      return rows;
    }
    std::vector<KeyRange> ranges = row_keys.Ranges(selection_.metric, bounds.begin_s, bounds.end_s);
    HOURCELL_DCHECK(ranges.size() == 1 || bucket_.number < ranges.size());
    KeyRange& range = ranges[ranges.size() == 1 ? 0 : bucket_.number];
    rows.begin = std::move(range.begin);
    rows.end = std::move(range.end);
    return rows;
  }

  std::string_view WantedTags(size_t i) const {
    return selection_.list->tag_bytes(selection_.series[bucket_.indices[i]]);
  }

  // To the first row at or after the hour's first wanted one.
  void BeginHour() {
    prefix_.clear();
    const auto hour_s = static_cast<uint32_t>(hour_s_);
    reader_.row_keys_.AppendHourPrefix(selection_.metric, bucket_.number,
                                       span_ == kDaySpan ? DayField(hour_s) : hour_s, &prefix_);
    next_ = 0;
    target_.assign(prefix_).append(WantedTags(0));
    // The row after the last one that was looked at is mostly the one.
    if (place_ == Place::kAtTaken && cursor_->valid()) {
      cursor_->Next();
      place_ = Place::kAtNext;
    }
    const bool is_there =
        place_ == Place::kAtNext && (!cursor_->valid() || cursor_->key() >= target_);
    if (!is_there) cursor_->Seek(target_);
    place_ = Place::kAtTaken;
  }

  // Visits the hour's rows, and finds the next hour.
  absl::Status ReadHour() {
    const size_t wanted = bucket_.indices.size();
    size_t steps = 0;
    while (cursor_->valid()) {
      const std::string_view key = cursor_->key();
      if (!key.starts_with(prefix_)) {
        LeaveHour(key);
        return absl::OkStatus();
      }
      const std::string_view tags = key.substr(prefix_.size());
      const int order = tags.compare(WantedTags(next_));
      if (order > 0) {
        if (!AdvanceTo(tags)) break;
        continue;
      }
      if (order == 0) {
        steps = 0;
        HOURCELL_RETURN_IF_ERROR(VisitRow());
        if (++next_ == wanted) break;
      } else {
        ++reader_.unmetered_.rows_skipped;
        HOURCELL_RETURN_IF_ERROR(reader_.FlushMany());
        ++steps;
      }
      if (steps > steps_max_) {
        target_.assign(prefix_).append(WantedTags(next_));
        cursor_->Seek(target_);
        steps = 0;
      } else {
        cursor_->Next();
      }
    }
    hour_s_ += span_.seconds;
    return cursor_->valid() ? absl::OkStatus() : cursor_->status();
  }

  // To the first wanted series at or after `tags`. False if none is left.
  bool AdvanceTo(std::string_view tags) {
    // Mostly the next one or one of the next few.
    for (int i = 0; i < 4 && next_ < bucket_.indices.size(); ++i) {
      if (WantedTags(next_) >= tags) return true;
      ++next_;
    }
    const auto first = bucket_.indices.begin() + static_cast<ptrdiff_t>(next_);
    const auto found = std::partition_point(first, bucket_.indices.end(), [&](size_t index) {
      return selection_.list->tag_bytes(selection_.series[index]) < tags;
    });
    next_ = static_cast<size_t>(found - bucket_.indices.begin());
    return next_ < bucket_.indices.size();
  }

  // The row at `key` is of another hour, metric or bucket: the next hour with rows is not before
  // it.
  void LeaveHour(std::string_view key) {
    hour_s_ += span_.seconds;
    place_ = Place::kAtNext;
    if (key.size() < reader_.row_keys_.tags_offset()) return;
    const uint32_t field = reader_.row_keys_.BaseTimeOf(key);
    const bool is_day = IsDayField(field);
    if (is_day != (span_ == kDaySpan)) return;  // hours of 1970-01-01 are between days
    hour_s_ = std::max(hour_s_, uint64_t{is_day ? DayOfField(field) : field});
  }

  absl::Status VisitRow() {
    const std::string_view cell = cursor_->value();
    HOURCELL_RETURN_IF_ERROR(visit_({.index = bucket_.indices[next_],
                                     .base_time_s = static_cast<uint32_t>(hour_s_),
                                     .cell = cell}));
    return reader_.MeterRow(cell.size(), /*is_day=*/span_ == kDaySpan);
  }

  RowReader& reader_;
  const RowSelection& selection_;
  const Bucket& bucket_;
  const RowSpan span_;
  const size_t steps_max_;
  const Visit& visit_;
  uint64_t hour_s_;
  const uint64_t end_s_;
  bool is_done_ = false;
  std::unique_ptr<RowCursor> cursor_;
  Place place_ = Place::kNowhere;
  std::string prefix_;  // of the hour's keys
  std::string target_;
  size_t next_ = 0;  // into bucket_.indices: the series wanted next
};

absl::Status RowReader::Read(const RowSelection& selection,
                             const StoredRows& rows,
                             ReadMethod method,
                             const Visit& visit) {
  if (selection.series.empty() || rows.rows() == 0) return Flush();
  if (method == ReadMethod::kPointReads) return ReadByKey(selection, rows, visit);
  return ScanRows(selection, rows, method == ReadMethod::kLinearScan ? SIZE_MAX - 1 : kRowStepsMax,
                  visit);
}

namespace {

// The part of `bounds` in a salt epoch. A day belongs to the epoch of its start.
ScanBounds PartIn(const SaltSpan& span, const ScanBounds& bounds, RowSpan rows) {
  const uint64_t begin_s = std::max<uint64_t>(bounds.begin_s, rows.CeilS(span.begin_s));
  const uint64_t end_s = std::min(bounds.end_s, rows.CeilS(span.end_s));
  if (begin_s >= end_s) return {.begin_s = 0, .end_s = 0};
  return {.begin_s = static_cast<uint32_t>(begin_s), .end_s = end_s};
}

}  // namespace

absl::Status RowReader::ScanRows(const RowSelection& selection,
                                 const StoredRows& rows,
                                 size_t steps_max,
                                 const Visit& visit) {
  for (const SaltSpan& span : row_keys_.salt_epochs().SpansOf(rows.begin_s(), rows.end_s())) {
    StoredRows part = rows;
    part.hours = PartIn(span, rows.hours, kHourSpan);
    part.days = PartIn(span, rows.days, kDaySpan);
    if (part.rows() == 0) continue;
    for (const Bucket& bucket : BucketsOf(selection, span.buckets)) {
      HOURCELL_RETURN_IF_ERROR(ScanBucket(
          {.selection = selection, .bucket = bucket, .steps_max = steps_max}, part, visit));
    }
  }
  return Flush();
}

absl::Status RowReader::ScanBucket(const BucketScan& of,
                                   const StoredRows& rows,
                                   const Visit& visit) {
  if (!rows.has_days()) {
    return Scan(this, of, rows.hours, kHourSpan, visit).RunUntil(UINT64_MAX);
  }
  DayJoiner joiner(rows.bounds, visit);
  if (!rows.has_hours()) {
    const Visit visit_day = [&joiner](const Row& row) {
      return joiner.VisitDay(row.index, row.base_time_s, row.cell);
    };
    return Scan(this, of, rows.days, kDaySpan, visit_day).RunUntil(UINT64_MAX);
  }
  const Visit hold = [&joiner](const Row& row) {
    joiner.Hold(row.index, row.base_time_s, row.cell);
    return absl::OkStatus();
  };
  const Visit add = [&joiner](const Row& row) { return joiner.AddHour(row); };
  Scan days(this, of, rows.days, kDaySpan, hold);
  Scan hours(this, of, rows.hours, kHourSpan, add);
  const uint64_t end_s = rows.end_s();
  for (uint64_t at_s = 0; at_s < end_s;) {
    // The next day with rows of either kind.
    const uint64_t next_s = std::max(at_s, std::min(days.next_s(), hours.next_s()));
    const uint64_t day_end_s = next_s - next_s % kDaySpan.seconds + kDaySpan.seconds;
    HOURCELL_RETURN_IF_ERROR(days.RunUntil(day_end_s));
    HOURCELL_RETURN_IF_ERROR(hours.RunUntil(day_end_s));
    HOURCELL_RETURN_IF_ERROR(joiner.EndDay());
    at_s = day_end_s;
  }
  return absl::OkStatus();
}

// The series by bucket, in an epoch of `buckets` buckets.
std::vector<RowReader::Bucket> RowReader::BucketsOf(const RowSelection& selection,
                                                    uint32_t buckets) const {
  std::vector<Bucket> found(buckets);
  if (buckets == 1) {
    found[0].indices.resize(selection.series.size());
    std::iota(found[0].indices.begin(), found[0].indices.end(), size_t{0});
    return found;
  }
  for (size_t i = 0; i < selection.series.size(); ++i) {
    const std::string_view tsuid = selection.list->tsuid(selection.series[i]);
    found[row_keys_.BucketOf(tsuid, buckets)].indices.push_back(i);
  }
  for (uint32_t i = 0; i < found.size(); ++i)
    found[i].number = i;
  std::erase_if(found, [](const Bucket& bucket) { return bucket.indices.empty(); });
  return found;
}

// Rows that are read together by key.
class RowReader::KeyBatch {
 public:
  KeyBatch(RowReader* reader, size_t rows_at_most) : reader_(*reader) {
    keys_.reserve(std::min(keys_at_once_, rows_at_most));
    rows_.reserve(keys_.capacity());
  }

  // The key to be filled in of a row, and the row without its cell.
  std::string* Add(const Row& row) {
    rows_.push_back(row);
    return &keys_.emplace_back();
  }

  bool is_full() const { return keys_.size() >= keys_at_once_; }

  // Reads the rows, and visits those that are there.
  absl::Status Read(const Visit& visit) {
    if (keys_.empty()) return reader_.Flush();
    HOURCELL_RETURN_IF_ERROR(reader_.view_.GetMany(TableId::kData, keys_, &cells_));
    size_t bytes = 0;
    for (size_t i = 0; i < cells_.size(); ++i) {
      if (!cells_[i].has_value()) continue;
      bytes += cells_[i]->size();
      rows_[i].cell = *cells_[i];
      HOURCELL_RETURN_IF_ERROR(visit(rows_[i]));
      HOURCELL_RETURN_IF_ERROR(reader_.MeterRow(cells_[i]->size(), /*is_day=*/rows_[i].hours != 1));
    }
    keys_at_once_ = std::clamp<size_t>(kKeyedBytes / (bytes / keys_.size() + 1), 1, kKeysAtOnce);
    keys_.clear();
    rows_.clear();
    return reader_.Flush();
  }

 private:
  RowReader& reader_;
  size_t keys_at_once_ = kKeysAtFirst;
  std::vector<std::string> keys_;
  std::vector<Row> rows_;  // of each key
  std::vector<std::optional<std::string>> cells_;
};

// Reads each row by its key, from a store where many at once cost as much: series by series in each
// day, in the memory of two cells.
class RowReader::OneByOne {
 public:
  OneByOne(RowReader* reader,
           const RowSelection& selection,
           const StoredRows& rows,
           const Visit& visit)
      : reader_(*reader),
        selection_(selection),
        rows_(rows),
        visit_(visit),
        joiner_(rows.bounds, visit) {}

  absl::Status Read() {
    for (uint64_t day_s = kDaySpan.FloorS(rows_.begin_s()); day_s < rows_.end_s();
         day_s += kDaySpan.seconds) {
      for (size_t i = 0; i < selection_.series.size(); ++i)
        HOURCELL_RETURN_IF_ERROR(ReadDay(i, day_s));
    }
    return reader_.Flush();
  }

 private:
  // Reads a series' rows of a day and of its hours.
  absl::Status ReadDay(size_t i, uint64_t day_s) {
    const std::string_view tsuid = selection_.list->tsuid(selection_.series[i]);
    bool has_day = false;
    if (day_s >= rows_.days.begin_s && day_s < rows_.days.end_s) {
      key_.clear();
      reader_.row_keys_.AppendDay(tsuid, static_cast<uint32_t>(day_s), &key_);
      HOURCELL_ASSIGN_OR_RETURN(has_day, Get(/*is_day=*/true, &day_cell_));
    }
    bool is_joined = false;
    const uint64_t end_s = std::min(kDaySpan.EndS(day_s), rows_.hours.end_s);
    for (uint64_t s = std::max<uint64_t>(day_s, rows_.hours.begin_s); s < end_s;
         s += kHourSpan.seconds) {
      const auto base_time_s = static_cast<uint32_t>(s);
      key_.clear();
      reader_.row_keys_.Append(tsuid, base_time_s, &key_);
      HOURCELL_ASSIGN_OR_RETURN(const bool has_hour, Get(/*is_day=*/false, &cell_));
      if (!has_hour) continue;
      if (has_day && !std::exchange(is_joined, true)) {
        joiner_.Hold(i, static_cast<uint32_t>(day_s), day_cell_);
      }
      const Row hour{.index = i, .base_time_s = base_time_s, .cell = cell_};
      HOURCELL_RETURN_IF_ERROR(is_joined ? joiner_.AddHour(hour) : visit_(hour));
    }
    if (!has_day) return absl::OkStatus();
    return is_joined ? joiner_.EndDay()
                     : joiner_.VisitDay(i, static_cast<uint32_t>(day_s), day_cell_);
  }

  // Reads the row of key_. False: it is absent.
  absl::StatusOr<bool> Get(bool is_day, std::string* cell) {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_there,
                              reader_.view_.GetInto(TableId::kData, key_, cell));
    if (is_there) HOURCELL_RETURN_IF_ERROR(reader_.MeterRow(cell->size(), is_day));
    return is_there;
  }

  RowReader& reader_;
  const RowSelection& selection_;
  const StoredRows& rows_;
  const Visit& visit_;
  DayJoiner joiner_;
  std::string key_;
  std::string day_cell_;
  std::string cell_;  // of an hour
};

absl::Status RowReader::ReadByKey(const RowSelection& selection,
                                  const StoredRows& rows,
                                  const Visit& visit) {
  if (view_.gets_one_by_one()) return OneByOne(this, selection, rows, visit).Read();
  KeyBatch batch(this, rows.rows() * selection.series.size());
  DayJoiner joiner(rows.bounds, visit);
  const Visit join = [&joiner, has_hours = rows.has_hours()](const Row& row) {
    if (row.hours == 1) return joiner.AddHour(row);
    if (!has_hours) return joiner.VisitDay(row.index, row.base_time_s, row.cell);
    joiner.Hold(row.index, row.base_time_s, row.cell);
    return absl::OkStatus();
  };
  const Visit& found = rows.has_days() ? join : visit;
  const auto add = [&](uint32_t base_time_s, RowSpan span) -> absl::Status {
    const uint32_t hours = span.seconds / kHourSpan.seconds;
    for (size_t i = 0; i < selection.series.size(); ++i) {
      const std::string_view tsuid = selection.list->tsuid(selection.series[i]);
      std::string* const key =
          batch.Add({.index = i, .base_time_s = base_time_s, .cell = {}, .hours = hours});
      if (span == kDaySpan) {
        row_keys_.AppendDay(tsuid, base_time_s, key);
      } else {
        row_keys_.Append(tsuid, base_time_s, key);
      }
      if (batch.is_full()) HOURCELL_RETURN_IF_ERROR(batch.Read(found));
    }
    return absl::OkStatus();
  };
  if (!rows.has_days()) {
    for (uint64_t s = rows.hours.begin_s; s < rows.hours.end_s; s += kHourSpan.seconds)
      HOURCELL_RETURN_IF_ERROR(add(static_cast<uint32_t>(s), kHourSpan));
    return batch.Read(found);
  }
  for (uint64_t day_s = kDaySpan.FloorS(rows.begin_s()); day_s < rows.end_s();
       day_s += kDaySpan.seconds) {
    const uint64_t end_s = kDaySpan.EndS(day_s);
    if (day_s >= rows.days.begin_s && day_s < rows.days.end_s) {
      HOURCELL_RETURN_IF_ERROR(add(static_cast<uint32_t>(day_s), kDaySpan));
    }
    for (uint64_t s = std::max<uint64_t>(day_s, rows.hours.begin_s);
         s < std::min(end_s, rows.hours.end_s); s += kHourSpan.seconds)
      HOURCELL_RETURN_IF_ERROR(add(static_cast<uint32_t>(s), kHourSpan));
    // A day's row is joined with its hours, so a batch ends with a day that may have both.
    if (!rows.has_hours()) continue;
    HOURCELL_RETURN_IF_ERROR(batch.Read(found));
    HOURCELL_RETURN_IF_ERROR(joiner.EndDay());
  }
  return batch.Read(found);
}

absl::Status RowReader::MeterRow(size_t bytes, bool is_day) {
  ++unmetered_.rows;
  unmetered_.day_rows += is_day ? 1 : 0;
  unmetered_.bytes += bytes;
  return FlushMany();
}

absl::Status RowReader::FlushMany() {
  return unmetered_.rows + unmetered_.rows_skipped < kRowsPerCheck ? absl::OkStatus() : Flush();
}

absl::Status RowReader::Flush() {
  return meter_.Add(std::exchange(unmetered_, {}));
}

namespace {

// From the first to the last row in the ranges. `time_of` gives a row's base time.
template <typename TimeOf>
absl::StatusOr<ScanBounds> PresentIn(TableView* view,
                                     const std::vector<ScanRange>& ranges,
                                     RowSpan span,
                                     const TimeOf& time_of) {
  ScanBounds present{.begin_s = UINT32_MAX, .end_s = 0};
  for (const ScanRange& range : ranges) {
    const std::unique_ptr<RowCursor> cursor = view->NewCursor(TableId::kData, range);
    cursor->Seek(range.begin);
    HOURCELL_RETURN_IF_ERROR(cursor->status());
    if (!cursor->valid()) continue;
    HOURCELL_ASSIGN_OR_RETURN(const uint32_t first_s, time_of(cursor->key()));
    present.begin_s = std::min(present.begin_s, first_s);
    cursor->SeekToLast();
    HOURCELL_RETURN_IF_ERROR(cursor->status());
    if (!cursor->valid()) continue;
    HOURCELL_ASSIGN_OR_RETURN(const uint32_t last_s, time_of(cursor->key()));
    present.end_s = std::max(present.end_s, span.EndS(last_s));
  }
  if (present.end_s == 0) return ScanBounds{.begin_s = 0, .end_s = 0};
  return present;
}

// Whole days around `bounds`.
ScanBounds DaysAround(const ScanBounds& bounds) {
  return {.begin_s = kDaySpan.FloorS(bounds.begin_s), .end_s = kDaySpan.CeilS(bounds.end_s)};
}

}  // namespace

StoredRows AllRows(const TableView& view, const ScanBounds& bounds) {
  StoredRows rows{.bounds = bounds, .hours = bounds, .days = {}};
  if (view.has_day_rows() && bounds.begin_s < bounds.end_s) rows.days = DaysAround(bounds);
  return rows;
}

absl::StatusOr<StoredRows> PresentRows(const RowKeyCodec& row_keys,
                                       TableView* view,
                                       Uid metric,
                                       const ScanBounds& bounds) {
  StoredRows rows = AllRows(*view, bounds);
  TableView& stored = view->stored();
  const auto time_of = [&row_keys](std::string_view key) -> absl::StatusOr<uint32_t> {
    HOURCELL_ASSIGN_OR_RETURN(const RowKeyView row, row_keys.ParseStored(key));
    // Days may be between the hours of 1970-01-01, which then are not before the field's hour.
    return row.span == kDaySpan ? kHourSpan.FloorS(DayField(row.base_time_s)) : row.base_time_s;
  };
  const auto day_of = [&row_keys](std::string_view key) -> absl::StatusOr<uint32_t> {
    HOURCELL_ASSIGN_OR_RETURN(const RowKeyView row, row_keys.ParseStored(key));
    return kDaySpan.FloorS(row.base_time_s);
  };
  std::vector<ScanRange> of_hours;
  for (KeyRange& range : row_keys.Ranges(metric, bounds.begin_s, bounds.end_s))
    of_hours.push_back({.begin = std::move(range.begin), .end = std::move(range.end)});
  HOURCELL_ASSIGN_OR_RETURN(rows.hours, PresentIn(&stored, of_hours, kHourSpan, time_of));
  rows.hours.begin_s = std::max(rows.hours.begin_s, bounds.begin_s);
  rows.hours.end_s = std::min(rows.hours.end_s, bounds.end_s);
  if (!rows.has_days()) return rows;
  std::vector<ScanRange> of_days;
  for (const KeyRange& range : row_keys.Ranges(metric, rows.days.begin_s, rows.days.end_s)) {
    ScanRange& days = of_days.emplace_back();
    const size_t at = row_keys.base_time_offset();
    days.begin = days.end = range.begin.substr(0, at);
    AppendBigEndian(DayField(rows.days.begin_s), kTimeFieldBytes, &days.begin);
    AppendBigEndian(DayField(static_cast<uint32_t>(rows.days.end_s - kDaySpan.seconds)) + 1,
                    kTimeFieldBytes, &days.end);
  }
  HOURCELL_ASSIGN_OR_RETURN(rows.days, PresentIn(&stored, of_days, kDaySpan, day_of));
  return rows;
}

}  // namespace hourcell
