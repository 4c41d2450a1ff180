#include "engine/read/row_reader.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"

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

// The scan of one bucket: a cursor that goes from hour to hour, in each over the wanted series.
class RowReader::Scan {
 public:
  Scan(RowReader* reader,
       const RowSelection& selection,
       const Bucket& bucket,
       const ScanBounds& hours,
       size_t steps_max,
       const Visit& visit)
      : reader_(*reader),
        selection_(selection),
        bucket_(bucket),
        steps_max_(steps_max),
        visit_(visit),
        hour_s_(hours.begin_s),
        end_s_(hours.end_s) {
    std::vector<KeyRange> ranges =
        reader->row_keys_.Ranges(selection.metric, hours.begin_s, hours.end_s);
    HOURCELL_DCHECK(ranges.size() == 1 || bucket.number < ranges.size());
    HOURCELL_DCHECK(!bucket.indices.empty());
    KeyRange& range = ranges[ranges.size() == 1 ? 0 : bucket.number];
    cursor_ = reader->view_.NewCursor(TableId::kData, {.begin = std::move(range.begin),
                                                       .end = std::move(range.end),
                                                       .is_large = reader->is_large_});
  }

  absl::Status Run() {
    while (hour_s_ < end_s_) {
      BeginHour();
      if (!cursor_->valid()) break;
      HOURCELL_RETURN_IF_ERROR(ReadHour());
    }
    return cursor_->status();
  }

 private:
  // Where the cursor is: at a row that was looked at, or at the first after those.
  enum class Place : uint8_t { kNowhere, kAtTaken, kAtNext };

  std::string_view WantedTags(size_t i) const {
    return selection_.list->tag_bytes(selection_.series[bucket_.indices[i]]);
  }

  // To the first row at or after the hour's first wanted one.
  void BeginHour() {
    prefix_.clear();
    reader_.row_keys_.AppendHourPrefix(selection_.metric, bucket_.number,
                                       static_cast<uint32_t>(hour_s_), &prefix_);
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
        HOURCELL_RETURN_IF_ERROR(reader_.Meter({.rows_skipped = 1}));
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
    hour_s_ += kDataRowSpan.seconds;
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
    hour_s_ += kDataRowSpan.seconds;
    place_ = Place::kAtNext;
    if (key.size() < reader_.row_keys_.tags_offset()) return;
    const uint32_t base_time_s = reader_.row_keys_.BaseTimeOf(key);
    hour_s_ = std::max(hour_s_, uint64_t{base_time_s});
  }

  absl::Status VisitRow() {
    const std::string_view cell = cursor_->value();
    HOURCELL_RETURN_IF_ERROR(visit_({.index = bucket_.indices[next_],
                                     .base_time_s = static_cast<uint32_t>(hour_s_),
                                     .cell = cell}));
    return reader_.Meter({.rows = 1, .bytes = cell.size()});
  }

  RowReader& reader_;
  const RowSelection& selection_;
  const Bucket& bucket_;
  const size_t steps_max_;
  const Visit& visit_;
  uint64_t hour_s_;
  const uint64_t end_s_;
  std::unique_ptr<RowCursor> cursor_;
  Place place_ = Place::kNowhere;
  std::string prefix_;  // of the hour's keys
  std::string target_;
  size_t next_ = 0;  // into bucket_.indices: the series wanted next
};

absl::Status RowReader::Read(const RowSelection& selection,
                             const ScanBounds& hours,
                             ReadMethod method,
                             const Visit& visit) {
  if (selection.series.empty() || hours.begin_s >= hours.end_s) return Flush();
  if (method == ReadMethod::kPointReads) return ReadByKey(selection, hours, visit);
  const size_t steps_max = method == ReadMethod::kLinearScan ? SIZE_MAX - 1 : kRowStepsMax;
  for (const SaltSpan& span : row_keys_.salt_epochs().SpansOf(hours.begin_s, hours.end_s)) {
    const ScanBounds part{.begin_s = static_cast<uint32_t>(span.begin_s), .end_s = span.end_s};
    for (const Bucket& bucket : BucketsOf(selection, span.buckets)) {
      Scan scan(this, selection, bucket, part, steps_max, visit);
      HOURCELL_RETURN_IF_ERROR(scan.Run());
    }
  }
  return Flush();
}

// The series by bucket, in an epoch of `buckets` buckets.
std::vector<RowReader::Bucket> RowReader::BucketsOf(const RowSelection& selection,
                                                    uint32_t buckets) const {
  std::vector<Bucket> found(buckets);
  for (size_t i = 0; i < selection.series.size(); ++i) {
    const std::string_view tsuid = selection.list->tsuid(selection.series[i]);
    found[row_keys_.BucketOf(tsuid, buckets)].indices.push_back(i);
  }
  for (uint32_t i = 0; i < found.size(); ++i)
    found[i].number = i;
  std::erase_if(found, [](const Bucket& bucket) { return bucket.indices.empty(); });
  return found;
}

absl::Status RowReader::ReadByKey(const RowSelection& selection,
                                  const ScanBounds& hours,
                                  const Visit& visit) {
  std::vector<std::string> keys;
  std::vector<Row> rows;  // of each key
  std::vector<std::optional<std::string>> cells;
  size_t keys_at_once = kKeysAtFirst;
  const size_t rows_at_most =
      (hours.end_s - hours.begin_s) / kDataRowSpan.seconds * selection.series.size();
  keys.reserve(std::min(keys_at_once, rows_at_most));
  rows.reserve(keys.capacity());
  const auto read_batch = [&]() -> absl::Status {
    if (keys.empty()) return Flush();
    HOURCELL_RETURN_IF_ERROR(view_.GetMany(TableId::kData, keys, &cells));
    size_t bytes = 0;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!cells[i].has_value()) continue;
      bytes += cells[i]->size();
      rows[i].cell = *cells[i];
      HOURCELL_RETURN_IF_ERROR(visit(rows[i]));
      HOURCELL_RETURN_IF_ERROR(Meter({.rows = 1, .bytes = cells[i]->size()}));
    }
    keys_at_once = std::clamp<size_t>(kKeyedBytes / (bytes / keys.size() + 1), 1, kKeysAtOnce);
    keys.clear();
    rows.clear();
    return Flush();
  };
  for (uint64_t hour_s = hours.begin_s; hour_s < hours.end_s; hour_s += kDataRowSpan.seconds) {
    const auto base_time_s = static_cast<uint32_t>(hour_s);
    for (size_t i = 0; i < selection.series.size(); ++i) {
      row_keys_.Append(selection.list->tsuid(selection.series[i]), base_time_s,
                       &keys.emplace_back());
      rows.push_back({.index = i, .base_time_s = base_time_s, .cell = {}});
      if (keys.size() >= keys_at_once) HOURCELL_RETURN_IF_ERROR(read_batch());
    }
  }
  return read_batch();
}

absl::Status RowReader::Meter(const QueryCost& read) {
  unmetered_.rows += read.rows;
  unmetered_.rows_skipped += read.rows_skipped;
  unmetered_.bytes += read.bytes;
  return unmetered_.rows + unmetered_.rows_skipped < kRowsPerCheck ? absl::OkStatus() : Flush();
}

absl::Status RowReader::Flush() {
  return meter_.Add(std::exchange(unmetered_, {}));
}

absl::StatusOr<ScanBounds> PresentHours(const RowKeyCodec& row_keys,
                                        TableView* view,
                                        Uid metric,
                                        const ScanBounds& bounds) {
  ScanBounds present{.begin_s = UINT32_MAX, .end_s = 0};
  for (KeyRange& range : row_keys.Ranges(metric, bounds.begin_s, bounds.end_s)) {
    const std::unique_ptr<RowCursor> cursor =
        view->NewCursor(TableId::kData, {.begin = range.begin, .end = range.end});
    cursor->Seek(range.begin);
    HOURCELL_RETURN_IF_ERROR(cursor->status());
    if (!cursor->valid()) continue;
    HOURCELL_ASSIGN_OR_RETURN(const RowKeyView first, row_keys.Parse(cursor->key()));
    present.begin_s = std::min(present.begin_s, first.base_time_s);
    cursor->SeekToLast();
    HOURCELL_RETURN_IF_ERROR(cursor->status());
    if (!cursor->valid()) continue;
    HOURCELL_ASSIGN_OR_RETURN(const RowKeyView last, row_keys.Parse(cursor->key()));
    present.end_s = std::max(present.end_s, uint64_t{last.base_time_s} + kDataRowSpan.seconds);
  }
  if (present.end_s == 0) return ScanBounds{bounds.begin_s, bounds.begin_s};
  return present;
}

}  // namespace hourcell
