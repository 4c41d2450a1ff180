#include "engine/layouts/key_template.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/layout.h"
#include "codec/limits.h"
#include "engine/key_range.h"
#include "engine/regions/distributor_spec.h"

namespace hourcell::layouts {
namespace {

struct FieldName {
  std::string_view name;
  KeyField field;
};
constexpr std::array kFieldNames = {
    FieldName{"metric", KeyField::kMetric}, FieldName{"reversed-metric", KeyField::kReversedMetric},
    FieldName{"time", KeyField::kTime},     FieldName{"reversed-time", KeyField::kReversedTime},
    FieldName{"tags", KeyField::kTags},
};

constexpr std::string_view kSalt = "salt:";
constexpr std::string_view kSaltedOrder = "metric,time,tags";

// Which of the three things a key says the field says.
int KindOf(KeyField field) {
  switch (field) {
    case KeyField::kMetric:
    case KeyField::kReversedMetric:
      return 0;
    case KeyField::kTime:
    case KeyField::kReversedTime:
      return 1;
    case KeyField::kTags:
      break;
  }
  return 2;
}

bool IsTime(KeyField field) {
  return KindOf(field) == 1;
}

absl::Status Refuse(std::string_view text, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("key template {}: want {}", QuoteForMessage(text), want));
}

absl::StatusOr<std::vector<KeyField>> ParseFields(std::string_view text, std::string_view list) {
  constexpr std::string_view kWant =
      "one of metric and reversed-metric, one of time and reversed-time, and tags, with commas";
  std::vector<KeyField> fields;
  std::array<int, 3> seen = {};
  while (true) {
    const size_t end = std::min(list.find(','), list.size());
    const auto known =
        std::find_if(kFieldNames.begin(), kFieldNames.end(),
                     [&](const FieldName& name) { return name.name == list.substr(0, end); });
    if (known == kFieldNames.end()) return Refuse(text, kWant);
    fields.push_back(known->field);
    ++seen[static_cast<size_t>(KindOf(known->field))];
    if (end == list.size()) break;
    list.remove_prefix(end + 1);
  }
  if (seen != std::array{1, 1, 1}) return Refuse(text, kWant);
  return fields;
}

absl::StatusOr<std::shared_ptr<const KeyDistributor>> ParseDistributor(std::string_view text,
                                                                       std::string_view spec,
                                                                       std::string_view fields) {
  Layout layout;
  if (spec.starts_with(kSalt)) {
    const std::string_view number = spec.substr(kSalt.size());
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), layout.salt_buckets);
    if (error != std::errc() || end != number.data() + number.size() || layout.salt_buckets == 0 ||
        layout.salt_buckets > 256) {
      return Refuse(text, "1 to 256 buckets behind salt:");
    }
    if (fields != kSaltedOrder) {
      return Refuse(text, fmt::format("{} behind the salt, which hashes these", kSaltedOrder));
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

absl::StatusOr<KeyTemplate> KeyTemplate::Parse(std::string_view text) {
  const size_t plus = text.find('+');
  const std::string_view list = plus == text.npos ? text : text.substr(plus + 1);
  KeyTemplate made;
  made.text_ = std::string(text);
  HOURCELL_ASSIGN_OR_RETURN(made.fields_, ParseFields(text, list));
  HOURCELL_ASSIGN_OR_RETURN(
      made.distributor_,
      ParseDistributor(text, plus == text.npos ? "none" : text.substr(0, plus), list));
  // What the distributor cannot take, it cannot take of any row.
  const RowId sample{.metric = std::string(kMetricBytes, '\1'),
                     .base_time_s = kRowSpanS,
                     .tags = std::string(kTagPairBytes, '\1')};
  std::string stored;
  HOURCELL_RETURN_IF_ERROR(made.Encode(sample, &stored));
  made.prefix_bytes_ = stored.size() - (kMetricBytes + kTimeBytes + kTagPairBytes);
  return made;
}

void KeyTemplate::AppendField(KeyField field, const RowId& row, std::string* key) const {
  switch (field) {
    case KeyField::kMetric:
      key->append(row.metric);
      break;
    case KeyField::kReversedMetric:
      key->append(Reversed(row.metric));
      break;
    case KeyField::kTime:
      AppendBigEndian(row.base_time_s, kTimeBytes, key);
      break;
    case KeyField::kReversedTime:
      AppendBigEndian(UINT32_MAX - row.base_time_s, kTimeBytes, key);
      break;
    case KeyField::kTags:
      key->append(row.tags);
      break;
  }
}

absl::Status KeyTemplate::Encode(const RowId& row, std::string* stored) const {
  if (row.metric.size() != kMetricBytes || row.tags.size() % kTagPairBytes != 0) {
    return absl::InvalidArgumentError(
        fmt::format("row: got a metric of {} bytes and tags of {}; want {} and a multiple of {}",
                    row.metric.size(), row.tags.size(), kMetricBytes, kTagPairBytes));
  }
  std::string key;
  for (const KeyField field : fields_)
    AppendField(field, row, &key);
  return distributor_->Encode(key, stored);
}

absl::StatusOr<RowId> KeyTemplate::Decode(std::string_view stored) const {
  std::string scratch;
  HOURCELL_ASSIGN_OR_RETURN(std::string_view key, distributor_->Decode(stored, &scratch));
  constexpr size_t kFixedBytes = kMetricBytes + kTimeBytes;
  if (key.size() < kFixedBytes || (key.size() - kFixedBytes) % kTagPairBytes != 0) {
    return NotAKey(stored, fmt::format("got {} bytes; want {} and a multiple of {}", key.size(),
                                       kFixedBytes, kTagPairBytes));
  }
  const size_t tag_bytes = key.size() - kFixedBytes;
  RowId row;
  for (const KeyField field : fields_) {
    const size_t size = field == KeyField::kTags ? tag_bytes
                        : IsTime(field)          ? kTimeBytes
                                                 : kMetricBytes;
    const std::string_view bytes = key.substr(0, size);
    key.remove_prefix(size);
    if (field == KeyField::kTags) row.tags = bytes;
    if (field == KeyField::kMetric) row.metric = bytes;
    if (field == KeyField::kReversedMetric) row.metric = Reversed(bytes);
    if (!IsTime(field)) continue;
    row.base_time_s = static_cast<uint32_t>(LoadBigEndian(bytes.data(), kTimeBytes));
    if (field == KeyField::kReversedTime) row.base_time_s = UINT32_MAX - row.base_time_s;
  }
  if (row.base_time_s % kRowSpanS != 0) {
    return NotAKey(stored, fmt::format("base time {} is no whole hour", row.base_time_s));
  }
  return row;
}

KeyTemplate::Ranges KeyTemplate::OriginalRanges(const RowQuery& query) const {
  std::vector<std::string> prefixes = {""};
  RowId row{.metric = query.metric, .tags = query.tags.value_or("")};
  for (size_t i = 0; i < fields_.size(); ++i) {
    const KeyField field = fields_[i];
    if (field == KeyField::kTags && !query.tags.has_value()) break;
    if (!IsTime(field)) {
      for (std::string& prefix : prefixes)
        AppendField(field, row, &prefix);
      continue;
    }
    const bool is_next_known =
        i + 1 < fields_.size() && (fields_[i + 1] != KeyField::kTags || query.tags.has_value());
    const bool is_one_hour = query.begin_s + kRowSpanS >= query.end_s;
    if (!is_next_known && !is_one_hour) {
      // All times of the range lie together behind the prefix.
      std::array<std::string, 2> ends = {prefixes[0], prefixes[0]};
      row.base_time_s = query.begin_s;
      AppendField(field, row, &ends[0]);
      row.base_time_s = query.end_s - kRowSpanS;
      AppendField(field, row, &ends[1]);
      const auto [first, last] = std::minmax(ends[0], ends[1]);
      return {.list = {{.begin = first, .end = PrefixEnd(last)}}};
    }
    std::vector<std::string> hours;
    for (row.base_time_s = query.begin_s; row.base_time_s < query.end_s;
         row.base_time_s += kRowSpanS) {
      hours.push_back(prefixes[0]);
      AppendField(field, row, &hours.back());
    }
    if (field == KeyField::kReversedTime) std::ranges::reverse(hours);
    prefixes = std::move(hours);
  }
  Ranges ranges{.are_rows = query.tags.has_value()};
  for (const std::string& prefix : prefixes)
    ranges.list.push_back({ranges.are_rows, prefix, ranges.are_rows ? "" : PrefixEnd(prefix)});
  return ranges;
}

absl::Status KeyTemplate::AppendRowProbes(const std::string& key,
                                          std::vector<KeyAccess>* accesses) const {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> probes, distributor_->Probes(key));
  for (const std::string& probe : probes)
    accesses->push_back({.is_row = true, .begin = probe});
  return absl::OkStatus();
}

absl::StatusOr<std::vector<KeyAccess>> KeyTemplate::Plan(const RowQuery& query) const {
  HOURCELL_CHECK(query.begin_s < query.end_s);
  const Ranges ranges = OriginalRanges(query);
  std::vector<KeyAccess> accesses;
  for (const KeyAccess& range : ranges.list) {
    if (ranges.are_rows) {
      HOURCELL_RETURN_IF_ERROR(AppendRowProbes(range.begin, &accesses));
      continue;
    }
    if (distributor_->buckets() > kBucketsScannedMax) return std::vector<KeyAccess>{KeyAccess()};
    HOURCELL_ASSIGN_OR_RETURN(DistributedRange stored,
                              distributor_->Intervals(range.begin, range.end));
    for (BucketInterval& interval : stored.intervals) {
      accesses.push_back({.begin = std::move(interval.start), .end = std::move(interval.stop)});
    }
  }
  return accesses;
}

size_t KeyTemplate::leading_bytes() const {
  const KeyField first = fields_.front();
  const size_t field_bytes = first == KeyField::kTags ? kTagPairBytes
                             : IsTime(first)          ? kTimeBytes
                                                      : kMetricBytes;
  return prefix_bytes_ + field_bytes;
}

}  // namespace hourcell::layouts
