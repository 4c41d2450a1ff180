// Row keys: the place of the points of one series and span of time, an hour in the data table.
//
//   offset   size          field
//   0        S             salt bucket          S = layout.salt_width, may be 0
//   S        M             metric UID
//   S + M    4             base time            seconds since 1970, a multiple of the span
//   S+M+4    (K + V) * n   tagk UID, tagv UID   ascending by tagk, then tagv, 1 <= n <= kTagsMax
//
// for the default order of fields; other orders permute the first three. Integers are big-endian,
// so byte order is the order (salt, metric, base time, tags): a time range of a metric is one scan
// per salt bucket. The number of buckets may depend on the base time: salt_epochs.h.
//
// The row of a day (codec/cells/day_cell.h) has the points of a series in one day. Its key has the
// day's field (day_field.h) in place of the base time, a small number. So the days of a metric are
// next to each other, before all its hours from 1970-01-02 04:00 on. The salt bucket is that of the
// day's first hour.
//
// Thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "codec/limits.h"
#include "codec/rows/day_field.h"
#include "codec/rows/layout.h"
#include "codec/rows/row_span.h"
#include "codec/rows/salt_schedule.h"
#include "codec/rows/tsuid.h"

namespace hourcell {

// A parsed row key. Views borrow from the parsed bytes.
struct RowKeyView {
  uint32_t salt_bucket = 0;
  std::string_view metric;  // M bytes
  uint32_t base_time_s = 0;
  std::string_view tags;  // whole (tagk, tagv) pairs
  RowSpan span = {};      // of the row: that of the codec, or a day
};

// Half-open range of keys.
struct KeyRange {
  std::string begin;
  std::string end;  // exclusive; empty = no end
};

// Encodes and decodes row keys of one layout and span. Thread-safe. Copies the layout. Immutable,
// except for epochs that are added to its schedule.
class RowKeyCodec {
 public:
  // One salt epoch, of layout.salt_buckets. REQUIRES: ValidateLayout(layout).ok().
  explicit RowKeyCodec(Layout layout, RowSpan span = kHourSpan);
  // The epochs of a schedule. REQUIRES: the same, and they are of this layout's salt width.
  RowKeyCodec(Layout layout, std::shared_ptr<const SaltSchedule> salts, RowSpan span = kHourSpan);

  const Layout& layout() const { return layout_; }
  RowSpan span() const { return span_; }

  // One epoch of one bucket, if rows are not salted.
  const SaltEpochs& salt_epochs() const { return salts_->epochs(); }
  // The bucket of the rows of `tsuid` in an epoch of `buckets` buckets.
  uint32_t BucketOf(std::string_view tsuid, uint32_t buckets) const;

  // Appends the key of the row of `tsuid` at `base_time_s`, salt computed.
  // REQUIRES: tsuid as EncodeTsuid makes it.
  void Append(std::string_view tsuid, uint32_t base_time_s, std::string* out) const;

  // Takes a key apart; `bytes` is only borrowed.
  // kDataLoss: too short for one tag, tags not a whole number of pairs or over kTagsMax, base time
  // not a multiple of the span. The message gives the fault and the key in hex. O(tags).
  absl::StatusOr<RowKeyView> Parse(std::string_view bytes) const;

  // As Parse, and also takes the key of a day's row. `base_time_s` is then the day's start.
  absl::StatusOr<RowKeyView> ParseStored(std::string_view bytes) const;

  // Appends the key of the row of `tsuid` and the day that begins at
  // `day_s`. REQUIRES: as Append; rows of the codec are of an hour.
  void AppendDay(std::string_view tsuid, uint32_t day_s, std::string* out) const;
  // As AppendHourPrefix, of a day's rows.
  void AppendDayPrefix(Uid metric, uint32_t bucket, uint32_t day_s, std::string* out) const {
    AppendHourPrefix(metric, bucket, DayField(day_s), out);
  }

  // Appends the tsuid of a parsed key: metric and tags.
  static void AppendTsuid(const RowKeyView& key, std::string* out) {
    out->append(key.metric);
    out->append(key.tags);
  }

  // The row of objects without a series (the global annotations): salt and metric are zero bytes,
  // and there are no tags. Not salted, as in OpenTSDB.
  void AppendGlobal(uint32_t base_time_s, std::string* out) const;
  // The base time of such a row; nullopt for any other bytes.
  std::optional<uint32_t> ParseGlobal(std::string_view bytes) const;

  // The keys of `metric` with base time in [begin_s, end_s), ascending: one range a salt bucket, or
  // several, if the bucket existed in some epochs and not in those between. end_s = 0 means no end
  // of time. Where the base time precedes the metric, a range covers every metric of these hours,
  // and the caller checks each key's metric.
  std::vector<KeyRange> Ranges(Uid metric, uint32_t begin_s, uint64_t end_s) const;

  // The common prefix of all keys of one hour of `metric` in a salt bucket. The series' tags
  // follow: the tsuid without its metric.
  void AppendHourPrefix(Uid metric, uint32_t bucket, uint32_t base_time_s, std::string* out) const;

  // Number of bytes before the tags.
  size_t tags_offset() const { return tags_at_; }

  // Number of bytes before the base time.
  size_t base_time_offset() const { return base_time_at_; }

  // False for objects without a series. REQUIRES: the key is at least tags_offset() long.
  bool HasMetric(std::string_view key) const;

  // The base time, or the field of a day, of any key that is at least tags_offset() long.
  uint32_t BaseTimeOf(std::string_view key) const;

  // True if Ranges has a range or more for each salt bucket.
  bool has_bucket_ranges() const { return layout_.salt_width > 0 && salt_at_ < base_time_at_; }

  // -1, 0 or 1: the order of two keys without their salt bytes, a shorter one first among equals.
  // REQUIRES: both have salt bytes.
  int CompareIgnoringSalt(std::string_view a, std::string_view b) const;

 private:
  void AppendFields(std::string_view tsuid,
                    uint32_t base_time_s,
                    uint32_t field,
                    std::string* out) const;
  absl::StatusOr<RowKeyView> ParseFields(std::string_view bytes) const;
  KeyRange RangeOf(Uid metric, uint32_t bucket, uint64_t begin_s, uint64_t end_s) const;

  Layout layout_;
  std::shared_ptr<const SaltSchedule> salts_;
  RowSpan span_;
  // Where each field begins; tags are last.
  size_t salt_at_ = 0;
  size_t metric_at_ = 0;
  size_t base_time_at_ = 0;
  size_t tags_at_ = 0;
};

}  // namespace hourcell
