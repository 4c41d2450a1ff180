// RowKeys: the row keys of one layout of the benchmark: a KeyTemplate (engine/regions) that
// contains a metric, a time, and tags once each, so that keys can be decoded and queries
// planned, and a distributor over it. The product's keys (codec/rows/row_key.h) have OpenTSDB's
// order.
//
//   [distributor +] field , field , ...             '+' will do for ',', too
//
//   metric,time,tags               OpenTSDB's
//   salt:16+metric,time,tags       OpenTSDB's salt: 16 buckets, by series
//   xxh3:16+metric,time,tags       a hash of the whole row key; any of regions/distributor_spec.h
//   reversed-metric,time,tags      the bytes of the metric's UID in reverse: UIDs that were given
//                                  one after the other differ in their first byte
//   metric,tags,reversed-time      a series' rows together, the newest first
//   metric,day,tags                rows of days: the 24 hours of a series share a row
//   metric,hour-or-day,tags        by density, as a store: hours of fewer than 250 points share the
//                                  row of their day, which has the field of the day in place of the
//                                  base time (codec/rows/day_field.h); the others have rows
//   metric,hour-or-day:400,tags    with another number of points, 1 to 4,294,967,295
//
// A metric has 3 bytes, a time or a day 4, each pair of tags 6. Immutable, except for the counter
// of a round-robin distributor; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/row_span.h"
#include "engine/regions/keys/key_distributor.h"
#include "engine/regions/keys/key_template.h"

namespace hourcell::layouts {

inline constexpr size_t kMetricBytes = 3;
inline constexpr size_t kTimeBytes = 4;
inline constexpr size_t kTagPairBytes = 6;

// With more buckets, a range is read as one scan of the whole table.
inline constexpr uint64_t kBucketsScannedMax = 4'096;

// The points of hours of fewer than this number share a row by default; of a store, too.
inline constexpr uint32_t kUsualDayRowPoints = 250;

// The hours that a row of a layout has.
enum class RowHours : uint8_t { kOne, kDay, kByDensity };

// Identifies a row: bytes of UIDs, and the base time. For keys of days any hour of the day will do.
struct RowId {
  std::string metric = {};
  uint32_t base_time_s = 0;
  std::string tags = {};
  bool is_shared = false;  // with RowHours::kByDensity: the row of the day

  friend bool operator==(const RowId&, const RowId&) = default;
};

// Rows of `metric` with a base time in [begin_s, end_s), whole hours; of one series, or of all.
struct RowQuery {
  std::string metric = {};
  uint32_t begin_s = 0;
  uint32_t end_s = 0;
  std::optional<std::string> tags = {};

  bool Matches(const RowId& row) const;
};

// A read: one row, or the stored keys [begin, end), which may include other rows.
struct KeyAccess {
  bool is_row = false;
  std::string begin = {};
  std::string end = {};  // of a range; empty = no end
};

class RowKeys {
 public:
  // kInvalidArgument: an unknown field or distributor, a field that is missing or repeated,
  // OpenTSDB's salt before another order than OpenTSDB's.
  static absl::StatusOr<RowKeys> Parse(std::string_view text);

  // Parse(text()) gives the same keys.
  const std::string& text() const { return text_; }
  const KeyDistributor& distributor() const { return *distributor_; }
  RowHours hours() const { return hours_; }
  // With RowHours::kByDensity, hours of fewer points share a row. Else 0.
  uint32_t day_row_points() const { return day_row_points_; }
  // kDaySpan for a row that has the hours of a day, else kHourSpan.
  RowSpan SpanOf(const RowId& row) const {
    return hours_ == RowHours::kDay || row.is_shared ? kDaySpan : kHourSpan;
  }

  // Sets `*stored`. kInvalidArgument: UIDs of other widths; keys that the distributor rejects.
  absl::Status Encode(const RowId& row, std::string* stored) const;
  // The row with its own base time. kDataLoss: not a key that Encode makes.
  absl::StatusOr<RowId> Decode(std::string_view stored) const;

  // The fewest reads that this order of fields allows, ascending inside a bucket: rows by key if
  // the whole key is known, else ranges.
  absl::StatusOr<std::vector<KeyAccess>> Plan(const RowQuery& query) const;

  // Bytes of the distributor's prefix and of the first field, for policies that cut at prefixes.
  // Tags count as one pair.
  size_t leading_bytes() const;

 private:
  // The original keys that match a query: whole keys, or a prefix or a range of times each.
  struct Ranges {
    bool are_rows = false;
    std::vector<KeyAccess> list = {};
  };
  Ranges OriginalRanges(const RowQuery& query, bool is_shared) const;
  absl::Status AppendAccesses(const Ranges& ranges, std::vector<KeyAccess>* accesses) const;
  void TakeTime(KeyFieldKind field, std::string_view bytes, RowId* row) const;
  absl::Status AppendRowProbes(const std::string& key, std::vector<KeyAccess>* accesses) const;

  std::string text_;
  std::vector<KeyFieldKind> fields_;
  RowHours hours_ = RowHours::kOne;
  uint32_t day_row_points_ = 0;
  std::shared_ptr<const KeyDistributor> distributor_;
  size_t prefix_bytes_ = 0;
};

}  // namespace hourcell::layouts
