#include "bench/lab/layouts/row_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/rows/day_field.h"
#include "codec/rows/layout.h"
#include "engine/regions/keys/distributor_spec.h"
#include "engine/rows/key_range.h"

namespace hourcell::layouts {
namespace {

constexpr std::string_view kSalt = "salt:";
constexpr std::string_view kHourOrDay = "hour-or-day";
constexpr std::string_view kHourField = "hour";

// The part of a row's identity in the field: 0 metric, 1 time, 2 tags; empty for other fields.
std::optional<size_t> PartOf(KeyFieldKind field) {
  switch (field) {
    case KeyFieldKind::kMetric:
    case KeyFieldKind::kMetricReversed:
      return 0;
    case KeyFieldKind::kHour:
    case KeyFieldKind::kHourReversed:
    case KeyFieldKind::kDay:
      return 1;
    case KeyFieldKind::kTags:
      return 2;
    default:
      return std::nullopt;
  }
}

bool IsTime(KeyFieldKind field) {
  return PartOf(field) == 1;
}

void AppendField(KeyFieldKind field, const RowId& row, std::string* key) {
  if (row.is_shared && IsTime(field)) {
    AppendBigEndian(DayField(kDaySpan.FloorS(row.base_time_s)), kTimeBytes, key);
    return;
  }
  AppendRowField(field, row.metric, row.tags, uint64_t{row.base_time_s} * 1'000, key);
}

absl::Status Refuse(std::string_view text, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("row keys {}: expected {}", QuoteForMessage(text), want));
}

absl::StatusOr<std::vector<KeyFieldKind>> ParseFields(std::string_view text,
                                                      std::string_view list) {
  const absl::StatusOr<KeyTemplate> parsed = KeyTemplate::Parse(list);
  std::vector<KeyFieldKind> fields;
  std::array<int, 3> seen = {};
  bool are_known = parsed.ok();
  if (parsed.ok()) {
    for (const KeyField& field : parsed->fields()) {
      fields.push_back(field.kind);
      const std::optional<size_t> part = PartOf(field.kind);
      are_known = are_known && part.has_value();
      if (part.has_value()) ++seen[*part];
    }
  }
  if (are_known && seen == std::array{1, 1, 1}) return fields;
  return Refuse(text,
                "one of metric and reversed-metric, one of time, reversed-time, day and "
                "hour-or-day, and tags, with commas");
}

// Replaces the first hour-or-day in `*fields` by a field of hours, which has the same place and
// width. Returns its number of points; 0 if the field is missing.
absl::StatusOr<uint32_t> TakeHourOrDay(std::string_view text, std::string* fields) {
  const size_t begin = fields->find(kHourOrDay);
  if (begin == std::string::npos) return 0;
  const size_t end = std::min(fields->find_first_of("+,", begin), fields->size());
  std::string_view points(*fields);
  points = points.substr(begin + kHourOrDay.size(), end - begin - kHourOrDay.size());
  uint32_t number = kUsualDayRowPoints;
  if (!points.empty()) {
    const char* const last = points.data() + points.size();
    const auto [read, error] = std::from_chars(points.data() + 1, last, number);
    if (!points.starts_with(':') || error != std::errc() || read != last || number == 0) {
      return Refuse(text, "a number of points after hour-or-day:");
    }
  }
  fields->replace(begin, end - begin, kHourField);
  return number;
}

// The distributor: the text before the first '+', unless that is a field, too.
std::string_view DistributorIn(std::string_view text) {
  const size_t end = text.find_first_of("+,");
  if (end == text.npos || text[end] == ',') return "";
  const std::string_view word = text.substr(0, end);
  return word.starts_with(kSalt) || !KeyTemplate::IsField(word) ? word : "";
}

absl::StatusOr<std::shared_ptr<const KeyDistributor>> ParseDistributor(
    std::string_view text, std::string_view spec, const std::vector<KeyFieldKind>& fields) {
  Layout layout;
  if (spec.empty()) spec = "none";
  if (spec.starts_with(kSalt)) {
    const std::string_view number = spec.substr(kSalt.size());
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), layout.salt_buckets);
    if (error != std::errc() || end != number.data() + number.size() || layout.salt_buckets == 0 ||
        layout.salt_buckets > 256) {
      return Refuse(text, "1 to 256 buckets after salt:");
    }
    const bool is_opentsdbs = fields.front() == KeyFieldKind::kMetric &&
                              fields[1] != KeyFieldKind::kHourReversed &&
                              fields.back() == KeyFieldKind::kTags;
    if (!is_opentsdbs) {
      return Refuse(text, "metric,time,tags or metric,day,tags after the salt, which hashes these");
    }
    layout.salt_width = 1;
    spec = "series-salt";
  }
  HOURCELL_ASSIGN_OR_RETURN(std::unique_ptr<KeyDistributor> made, MakeKeyDistributor(spec, layout));
  return std::shared_ptr<const KeyDistributor>(std::move(made));
}

std::string Reversed(std::string_view bytes) {
  return {bytes.rbegin(), bytes.rend()};
}

absl::Status NotAKey(std::string_view stored, std::string_view why) {
  return absl::DataLossError(fmt::format("row key {}: {}", ToHex(stored), why));
}

}  // namespace

bool RowQuery::Matches(const RowId& row) const {
  return row.metric == metric && row.base_time_s >= begin_s && row.base_time_s < end_s &&
         (!tags.has_value() || row.tags == *tags);
}

absl::StatusOr<RowKeys> RowKeys::Parse(std::string_view text) {
  RowKeys made;
  made.text_ = std::string(text);
  std::string plain(text);
  HOURCELL_ASSIGN_OR_RETURN(made.day_row_points_, TakeHourOrDay(text, &plain));
  const std::string_view spec = DistributorIn(plain);
  const std::string_view list(plain);
  HOURCELL_ASSIGN_OR_RETURN(made.fields_,
                            ParseFields(text, spec.empty() ? list : list.substr(spec.size() + 1)));
  const bool has_days = std::ranges::find(made.fields_, KeyFieldKind::kDay) != made.fields_.end();
  made.hours_ = made.day_row_points_ != 0 ? RowHours::kByDensity
                : has_days                ? RowHours::kDay
                                          : RowHours::kOne;
  HOURCELL_ASSIGN_OR_RETURN(made.distributor_, ParseDistributor(text, spec, made.fields_));
  // If the distributor rejects one row's key, it rejects all of this form.
  const RowId sample{.metric = std::string(kMetricBytes, '\1'),
                     .base_time_s = kHourSpan.seconds,
                     .tags = std::string(kTagPairBytes, '\1')};
  std::string stored;
  HOURCELL_RETURN_IF_ERROR(made.Encode(sample, &stored));
  made.prefix_bytes_ = stored.size() - (kMetricBytes + kTimeBytes + kTagPairBytes);
  return made;
}

absl::Status RowKeys::Encode(const RowId& row, std::string* stored) const {
  if (row.metric.size() != kMetricBytes || row.tags.size() % kTagPairBytes != 0) {
    return absl::InvalidArgumentError(fmt::format(
        "row: expected {} and a multiple of {}, got a metric of {} bytes and tags of {}",
        kMetricBytes, kTagPairBytes, row.metric.size(), row.tags.size()));
  }
  std::string key;
  for (const KeyFieldKind field : fields_)
    AppendField(field, row, &key);
  return distributor_->Encode(key, stored);
}

absl::StatusOr<RowId> RowKeys::Decode(std::string_view stored) const {
  std::string scratch;
  HOURCELL_ASSIGN_OR_RETURN(std::string_view key, distributor_->Decode(stored, &scratch));
  constexpr size_t kFixedBytes = kMetricBytes + kTimeBytes;
  if (key.size() < kFixedBytes || (key.size() - kFixedBytes) % kTagPairBytes != 0) {
    return NotAKey(stored, fmt::format("expected {} and a multiple of {}, got {} bytes",
                                       kFixedBytes, kTagPairBytes, key.size()));
  }
  const size_t tag_bytes = key.size() - kFixedBytes;
  RowId row;
  for (const KeyFieldKind field : fields_) {
    const size_t size = field == KeyFieldKind::kTags ? tag_bytes
                        : IsTime(field)              ? kTimeBytes
                                                     : kMetricBytes;
    const std::string_view bytes = key.substr(0, size);
    key.remove_prefix(size);
    if (field == KeyFieldKind::kTags) row.tags = bytes;
    if (field == KeyFieldKind::kMetric) row.metric = bytes;
    if (field == KeyFieldKind::kMetricReversed) row.metric = Reversed(bytes);
    if (IsTime(field)) TakeTime(field, bytes, &row);
  }
  const RowSpan span = SpanOf(row);
  if (!span.IsBase(row.base_time_s)) {
    return NotAKey(stored, fmt::format("base time {} is not a multiple of {} s", row.base_time_s,
                                       span.seconds));
  }
  return row;
}

void RowKeys::TakeTime(KeyFieldKind field, std::string_view bytes, RowId* row) const {
  const auto number = static_cast<uint32_t>(LoadBigEndian(bytes.data(), kTimeBytes));
  row->is_shared = hours_ == RowHours::kByDensity && IsDayField(number);
  row->base_time_s = row->is_shared                         ? DayOfField(number)
                     : field == KeyFieldKind::kHourReversed ? UINT32_MAX - number
                                                            : number;
}

RowKeys::Ranges RowKeys::OriginalRanges(const RowQuery& query, bool is_shared) const {
  std::vector<std::string> prefixes = {""};
  RowId row{.metric = query.metric, .tags = query.tags.value_or(""), .is_shared = is_shared};
  const RowSpan span = SpanOf(row);
  const uint32_t first_s = span.FloorS(query.begin_s);
  const uint32_t last_s = span.FloorS(query.end_s - 1);
  for (size_t i = 0; i < fields_.size(); ++i) {
    const KeyFieldKind field = fields_[i];
    if (field == KeyFieldKind::kTags && !query.tags.has_value()) break;
    if (!IsTime(field)) {
      for (std::string& prefix : prefixes)
        AppendField(field, row, &prefix);
      continue;
    }
    const bool is_next_known =
        i + 1 < fields_.size() && (fields_[i + 1] != KeyFieldKind::kTags || query.tags.has_value());
    if (!is_next_known && first_s != last_s) {
      // All times of the range lie together after the prefix.
      std::array<std::string, 2> ends = {prefixes[0], prefixes[0]};
      row.base_time_s = first_s;
      AppendField(field, row, &ends[0]);
      row.base_time_s = last_s;
      AppendField(field, row, &ends[1]);
      const auto [first, last] = std::minmax(ends[0], ends[1]);
      return {.list = {{.begin = first, .end = PrefixEnd(last)}}};
    }
    std::vector<std::string> times;
    for (row.base_time_s = first_s; row.base_time_s <= last_s; row.base_time_s += span.seconds) {
      times.push_back(prefixes[0]);
      AppendField(field, row, &times.back());
    }
    if (field == KeyFieldKind::kHourReversed) std::ranges::reverse(times);
    prefixes = std::move(times);
  }
  Ranges ranges{.are_rows = query.tags.has_value()};
  for (const std::string& prefix : prefixes)
    ranges.list.push_back({ranges.are_rows, prefix, ranges.are_rows ? "" : PrefixEnd(prefix)});
  return ranges;
}

absl::Status RowKeys::AppendRowProbes(const std::string& key,
                                      std::vector<KeyAccess>* accesses) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> probes, distributor_->Probes(key));
  for (const std::string& probe : probes)
    accesses->push_back({.is_row = true, .begin = probe});
  return absl::OkStatus();
}

absl::Status RowKeys::AppendAccesses(const Ranges& ranges, std::vector<KeyAccess>* accesses) const {
  for (const KeyAccess& range : ranges.list) {
    if (ranges.are_rows) {
      HOURCELL_RETURN_IF_ERROR(AppendRowProbes(range.begin, accesses));
      continue;
    }
    if (distributor_->buckets() > kBucketsScannedMax) {
      *accesses = {KeyAccess()};
      return absl::OkStatus();
    }
    HOURCELL_ASSIGN_OR_RETURN(DistributedRange stored,
                              distributor_->Intervals(range.begin, range.end));
    for (BucketInterval& interval : stored.intervals) {
      accesses->push_back({.begin = std::move(interval.start), .end = std::move(interval.stop)});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<KeyAccess>> RowKeys::Plan(const RowQuery& query) const {
  HOURCELL_CHECK(query.begin_s < query.end_s);
  std::vector<KeyAccess> accesses;
  HOURCELL_RETURN_IF_ERROR(AppendAccesses(OriginalRanges(query, /*is_shared=*/false), &accesses));
  if (hours_ == RowHours::kByDensity) {
    HOURCELL_RETURN_IF_ERROR(AppendAccesses(OriginalRanges(query, /*is_shared=*/true), &accesses));
  }
  return accesses;
}

size_t RowKeys::leading_bytes() const {
  const KeyFieldKind first = fields_.front();
  const size_t field_bytes = first == KeyFieldKind::kTags ? kTagPairBytes
                             : IsTime(first)              ? kTimeBytes
                                                          : kMetricBytes;
  return prefix_bytes_ + field_bytes;
}

}  // namespace hourcell::layouts
