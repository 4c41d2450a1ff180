#include "codec/rows/row_key.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/limits.h"
#include "codec/rows/salt.h"

namespace hourcell {
namespace {

constexpr size_t kBaseTimeWidth = 4;

absl::Status Damaged(std::string_view bytes, std::string_view fault) {
  return absl::DataLossError(fmt::format("row key {}: {}", ToHex(bytes.substr(0, 64)), fault));
}

int Sign(int value) {
  return (value > 0) - (value < 0);
}

// Sets `key` to the first key after all keys that begin with it; empty = no such key.
void AdvancePrefix(std::string* key) {
  while (!key->empty() && key->back() == '\xFF')
    key->pop_back();
  if (!key->empty()) key->back() = static_cast<char>(key->back() + 1);
}

// The epochs of a store whose bucket count was never changed.
std::shared_ptr<const SaltSchedule> OneEpoch(const Layout& layout) {
  const uint32_t buckets = layout.salt_width == 0 ? 1 : layout.salt_buckets;
  absl::StatusOr<SaltEpochs> epochs =
      SaltEpochs::Make({{.from_s = 0, .buckets = buckets}}, layout.salt_width);
  HOURCELL_CHECK(epochs.ok());
  return std::make_shared<const SaltSchedule>(*std::move(epochs));
}

}  // namespace

RowKeyCodec::RowKeyCodec(Layout layout, RowSpan span)
    : RowKeyCodec(std::move(layout), nullptr, span) {}

RowKeyCodec::RowKeyCodec(Layout layout, std::shared_ptr<const SaltSchedule> salts, RowSpan span)
    : layout_(std::move(layout)),
      salts_(salts == nullptr ? OneEpoch(layout_) : std::move(salts)),
      span_(span) {
  HOURCELL_CHECK(ValidateLayout(layout_).ok() && span_.is_by_time());
  for (const RowField field : layout_.fields) {
    switch (field) {
      case RowField::kSalt:
        salt_at_ = tags_at_;
        tags_at_ += layout_.salt_width;
        break;
      case RowField::kMetric:
        metric_at_ = tags_at_;
        tags_at_ += layout_.metric_width;
        break;
      case RowField::kBaseTime:
        base_time_at_ = tags_at_;
        tags_at_ += kBaseTimeWidth;
        break;
      case RowField::kTags:
        break;  // last, as ValidateLayout demands
    }
  }
}

void RowKeyCodec::Append(std::string_view tsuid, uint32_t base_time_s, std::string* out) const {
  HOURCELL_DCHECK(span_.IsBase(base_time_s));
  AppendFields(tsuid, base_time_s, /*field=*/base_time_s, out);
}

void RowKeyCodec::AppendDay(std::string_view tsuid, uint32_t day_s, std::string* out) const {
  HOURCELL_DCHECK(kDaySpan.IsBase(day_s) && span_ == kHourSpan);
  AppendFields(tsuid, day_s, DayField(day_s), out);
}

// `field` is in the place of the base time, which chooses the salt bucket.
void RowKeyCodec::AppendFields(std::string_view tsuid,
                               uint32_t base_time_s,
                               uint32_t field,
                               std::string* out) const {
  HOURCELL_DCHECK(tsuid.size() > layout_.metric_width);
  const size_t start = out->size();
  out->resize(start + tags_at_);
  char* const key = out->data() + start;
  const uint32_t buckets = salt_epochs().BucketsAt(base_time_s);
  StoreBigEndian(BucketOf(tsuid, buckets), layout_.salt_width, key + salt_at_);
  std::copy_n(tsuid.data(), layout_.metric_width, key + metric_at_);
  StoreBigEndian(field, kBaseTimeWidth, key + base_time_at_);
  out->append(tsuid.substr(layout_.metric_width));
}

uint32_t RowKeyCodec::BucketOf(std::string_view tsuid, uint32_t buckets) const {
  return SaltBucket(layout_, tsuid, buckets);
}

void RowKeyCodec::AppendHourPrefix(Uid metric,
                                   uint32_t bucket,
                                   uint32_t base_time_s,
                                   std::string* out) const {
  const size_t start = out->size();
  out->resize(start + tags_at_);
  char* const key = out->data() + start;
  StoreBigEndian(bucket, layout_.salt_width, key + salt_at_);
  StoreBigEndian(metric, layout_.metric_width, key + metric_at_);
  StoreBigEndian(base_time_s, kBaseTimeWidth, key + base_time_at_);
}

bool RowKeyCodec::HasMetric(std::string_view key) const {
  HOURCELL_DCHECK(key.size() >= tags_at_);
  return key.substr(metric_at_, layout_.metric_width).find_first_not_of('\0') != key.npos;
}

uint32_t RowKeyCodec::BaseTimeOf(std::string_view key) const {
  HOURCELL_DCHECK(key.size() >= tags_at_);
  return static_cast<uint32_t>(LoadBigEndian(key.data() + base_time_at_, kBaseTimeWidth));
}

absl::StatusOr<RowKeyView> RowKeyCodec::Parse(std::string_view bytes) const {
  HOURCELL_ASSIGN_OR_RETURN(const RowKeyView parsed, ParseFields(bytes));
  if (!span_.IsBase(parsed.base_time_s)) {
    return Damaged(bytes, fmt::format("base time {} s at byte {}; expected a multiple of {} s",
                                      parsed.base_time_s, base_time_at_, span_.seconds));
  }
  return parsed;
}

absl::StatusOr<RowKeyView> RowKeyCodec::ParseStored(std::string_view bytes) const {
  HOURCELL_DCHECK(span_ == kHourSpan);
  HOURCELL_ASSIGN_OR_RETURN(RowKeyView parsed, ParseFields(bytes));
  if (IsDayField(parsed.base_time_s)) {
    parsed.base_time_s = DayOfField(parsed.base_time_s);
    parsed.span = kDaySpan;
    return parsed;
  }
  return Parse(bytes);
}

// The fields; the base time is any number.
absl::StatusOr<RowKeyView> RowKeyCodec::ParseFields(std::string_view bytes) const {
  const size_t pair = layout_.pair_width();
  if (bytes.size() < tags_at_ + pair) {
    return Damaged(bytes, fmt::format("too short: expected at least {} bytes, got {}",
                                      tags_at_ + pair, bytes.size()));
  }
  const std::string_view tags = bytes.substr(tags_at_);
  if (tags.size() % pair != 0 || tags.size() / pair > kTagsMax) {
    return Damaged(bytes, fmt::format("expected 1 to {} pairs of {}, got {} bytes of tags",
                                      kTagsMax, pair, tags.size()));
  }
  const auto base_time_s =
      static_cast<uint32_t>(LoadBigEndian(bytes.data() + base_time_at_, kBaseTimeWidth));
  return RowKeyView{.salt_bucket = static_cast<uint32_t>(
                        LoadBigEndian(bytes.data() + salt_at_, layout_.salt_width)),
                    .metric = bytes.substr(metric_at_, layout_.metric_width),
                    .base_time_s = base_time_s,
                    .tags = tags,
                    .span = span_};
}

void RowKeyCodec::AppendGlobal(uint32_t base_time_s, std::string* out) const {
  HOURCELL_DCHECK(span_.IsBase(base_time_s));
  const size_t start = out->size();
  out->resize(start + tags_at_);
  StoreBigEndian(base_time_s, kBaseTimeWidth, out->data() + start + base_time_at_);
}

std::optional<uint32_t> RowKeyCodec::ParseGlobal(std::string_view bytes) const {
  if (bytes.size() != tags_at_) return std::nullopt;
  const auto base_time_s =
      static_cast<uint32_t>(LoadBigEndian(bytes.data() + base_time_at_, kBaseTimeWidth));
  if (!span_.IsBase(base_time_s)) return std::nullopt;
  std::string key;
  AppendGlobal(base_time_s, &key);
  return key == bytes ? std::optional(base_time_s) : std::nullopt;
}

// Only the fields before the base time narrow the range; the others vary within it.
KeyRange RowKeyCodec::RangeOf(Uid metric, uint32_t bucket, uint64_t begin_s, uint64_t end_s) const {
  std::string prefix(base_time_at_, '\0');
  if (salt_at_ < base_time_at_) {
    StoreBigEndian(bucket, layout_.salt_width, prefix.data() + salt_at_);
  }
  if (metric_at_ < base_time_at_) {
    StoreBigEndian(metric, layout_.metric_width, prefix.data() + metric_at_);
  }
  KeyRange range{.begin = prefix, .end = std::move(prefix)};
  AppendBigEndian(begin_s, kBaseTimeWidth, &range.begin);
  if (end_s > UINT32_MAX) {
    AdvancePrefix(&range.end);
  } else {
    AppendBigEndian(end_s, kBaseTimeWidth, &range.end);
  }
  return range;
}

std::vector<KeyRange> RowKeyCodec::Ranges(Uid metric, uint32_t begin_s, uint64_t end_s) const {
  const std::vector<SaltSpan> spans =
      salt_epochs().SpansOf(begin_s, end_s == 0 ? UINT64_MAX : end_s);
  const uint32_t buckets =
      has_bucket_ranges() && !spans.empty()
          ? salt_epochs().BucketsMaxIn(spans.front().begin_s, spans.back().end_s)
          : 1;

  std::vector<KeyRange> ranges;
  ranges.reserve(buckets);
  for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
    for (size_t i = 0; i < spans.size(); ++i) {
      if (bucket >= spans[i].buckets) continue;
      const uint64_t from_s = spans[i].begin_s;
      while (i + 1 < spans.size() && bucket < spans[i + 1].buckets)
        ++i;
      ranges.push_back(RangeOf(metric, bucket, from_s, spans[i].end_s));
    }
  }
  return ranges;
}

int RowKeyCodec::CompareIgnoringSalt(std::string_view a, std::string_view b) const {
  const size_t salt_end = salt_at_ + layout_.salt_width;
  HOURCELL_DCHECK(a.size() >= salt_end && b.size() >= salt_end);
  const int before = a.substr(0, salt_at_).compare(b.substr(0, salt_at_));
  return Sign(before != 0 ? before : a.substr(salt_end).compare(b.substr(salt_end)));
}

}  // namespace hourcell
