#include "engine/ingest/point_log.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/varint.h"
#include "codec/limits.h"

namespace hourcell {
namespace {

constexpr uint8_t kSection = 0xFF;
constexpr uint8_t kDefinition = 0xFE;

enum SeriesCode : uint8_t { kSameSeries = 0, kNextSeries = 1, kOtherSeries = 2 };
enum TimeCode : uint8_t { kSameTime = 0, kSeconds = 1, kMilliseconds = 2 };
enum ValueCode : uint8_t { kInteger = 0, kBinary32 = 1, kBinary64 = 2, kSmallInteger = 3 };
constexpr int64_t kSmallIntegerMax = 15 - kSmallInteger;

// Section mark, token, and three varints.
constexpr size_t kPointBytesMax = 2 + 3 * kVarintBytesMax;

}  // namespace

// Room for `bytes` more behind what is written; before the first record, the mark of the section.
uint8_t* PointLogWriter::Reserve(size_t bytes) {
  if (capacity_ - size_ < bytes + 1) {
    const size_t capacity = 2 * capacity_ + bytes + 4096;
    auto data = std::make_unique_for_overwrite<uint8_t[]>(capacity);
    if (size_ != 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }
  if (size_ == 0) {
    data_[size_++] = kSection;
    series_ = 0;
    time_ = {};
  }
  return data_.get() + size_;
}

void PointLogWriter::Add(SeriesNumber series, Timestamp time, Value value) {
  uint8_t* const token = Reserve(kPointBytesMax);
  uint8_t* out = token + 1;

  uint8_t series_code = kSameSeries;
  if (series == series_ + 1) {
    series_code = kNextSeries;
  } else if (series != series_) {
    series_code = kOtherSeries;
    out = StoreVarint(ZigZag(static_cast<int64_t>(series - series_)), out);
  }
  uint8_t time_code = kSameTime;
  if (time != time_) {
    time_code = time.is_ms ? kMilliseconds : kSeconds;
    // After milliseconds, seconds count from the whole second below.
    const int64_t step = time.is_ms ? time.ms - time_.ms : time.ms / 1000 - time_.ms / 1000;
    out = StoreVarint(ZigZag(step), out);
  }
  uint8_t value_code = kInteger;
  if (value.is_integer()) {
    if (value.integer() >= 0 && value.integer() <= kSmallIntegerMax) {
      value_code = static_cast<uint8_t>(kSmallInteger + value.integer());
    } else {
      out = StoreVarint(ZigZag(value.integer()), out);
    }
  } else {
    const auto narrow = static_cast<float>(value.floating());
    if (std::bit_cast<uint64_t>(static_cast<double>(narrow)) ==
        std::bit_cast<uint64_t>(value.floating())) {
      value_code = kBinary32;
      std::memcpy(out, &narrow, sizeof narrow);
      out += sizeof narrow;
    } else {
      value_code = kBinary64;
      const double wide = value.floating();
      std::memcpy(out, &wide, sizeof wide);
      out += sizeof wide;
    }
  }
  *token = static_cast<uint8_t>(series_code << 6 | time_code << 4 | value_code);
  size_ = static_cast<size_t>(out - data_.get());
  series_ = series;
  time_ = time;
}

void PointLogWriter::Define(const SeriesDefinition& definition) {
  HOURCELL_DCHECK(definition.tags.size() == definition.tag_uids.size());
  size_t bytes = 1 + 4 * kVarintBytesMax + definition.metric.size();
  for (const TagView& tag : definition.tags)
    bytes += 4 * kVarintBytesMax + tag.key.size() + tag.value.size();
  uint8_t* out = Reserve(bytes);
  const auto store_name = [&out](Uid uid, std::string_view name) {
    out = StoreVarint(uid, out);
    out = StoreVarint(name.size(), out);
    if (!name.empty()) std::memcpy(out, name.data(), name.size());
    out += name.size();
  };
  has_definitions_ = true;
  *out++ = kDefinition;
  out = StoreVarint(definition.number, out);
  store_name(definition.metric_uid, definition.metric);
  out = StoreVarint(definition.tags.size(), out);
  for (size_t i = 0; i < definition.tags.size(); ++i) {
    store_name(definition.tag_uids[i].tagk, definition.tags[i].key);
    store_name(definition.tag_uids[i].tagv, definition.tags[i].value);
  }
  size_ = static_cast<size_t>(out - data_.get());
}

void PointLogWriter::Clear() {
  size_ = 0;
  has_definitions_ = false;
  constexpr size_t kKeptBytesMax = 1 << 20;
  if (capacity_ <= kKeptBytesMax) return;
  data_.reset();
  capacity_ = 0;
}

PointLogReader::Event PointLogReader::Next() {
  if (!is_readable_) return Event::kDamaged;
  while (next_ != end_) {
    const uint8_t token = *next_++;
    if (token == kSection) {
      series_ = 0;
      time_ = {};
    } else if (token == kDefinition) {
      return TakeDefinition() ? Event::kDefinition : Event::kDamaged;
    } else {
      return TakePoint(token) ? Event::kPoint : Event::kDamaged;
    }
  }
  return Event::kEnd;
}

bool PointLogReader::TakePoint(uint8_t token) {
  uint64_t number = 0;
  switch (token >> 6) {
    case kSameSeries:
      break;
    case kNextSeries:
      ++series_;
      break;
    case kOtherSeries:
      if (!TakeVarint(&number)) return false;
      series_ += static_cast<uint64_t>(UnZigZag(number));
      break;
    default:
      return false;
  }
  switch (token >> 4 & 3) {
    case kSameTime:
      break;
    case kSeconds:
    case kMilliseconds: {
      if (!TakeVarint(&number)) return false;
      const int64_t step = UnZigZag(number);
      if (step > kTimestampMsMax || step < -kTimestampMsMax) return false;
      const bool is_ms = (token >> 4 & 3) == kMilliseconds;
      time_ = {.ms = is_ms ? time_.ms + step : (time_.ms / 1000 + step) * 1000, .is_ms = is_ms};
      break;
    }
    default:
      return false;
  }
  if (time_.ms < 0 || time_.ms > kTimestampMsMax) return false;
  switch (const uint8_t code = token & 15) {
    case kInteger:
      if (!TakeVarint(&number)) return false;
      value_ = Value::Integer(UnZigZag(number));
      return true;
    case kBinary32: {
      float narrow = 0;
      if (static_cast<size_t>(end_ - next_) < sizeof narrow) return false;
      std::memcpy(&narrow, next_, sizeof narrow);
      next_ += sizeof narrow;
      value_ = Value::Float(static_cast<double>(narrow));
      return std::isfinite(narrow);
    }
    case kBinary64: {
      double wide = 0;
      if (static_cast<size_t>(end_ - next_) < sizeof wide) return false;
      std::memcpy(&wide, next_, sizeof wide);
      next_ += sizeof wide;
      value_ = Value::Float(wide);
      return std::isfinite(wide);
    }
    default:
      value_ = Value::Integer(code - kSmallInteger);
      return true;
  }
}

bool PointLogReader::TakeDefinition() {
  uint64_t count = 0;
  if (!TakeVarint(&definition_.number) || !TakeName(&definition_.metric_uid, &definition_.metric) ||
      !TakeVarint(&count) || count > kTagsMax) {
    return false;
  }
  tags_.resize(count);
  tag_uids_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    if (!TakeName(&tag_uids_[i].tagk, &tags_[i].key)) return false;
    if (!TakeName(&tag_uids_[i].tagv, &tags_[i].value)) return false;
  }
  definition_.tags = tags_;
  definition_.tag_uids = tag_uids_;
  return true;
}

bool PointLogReader::TakeVarint(uint64_t* value) {
  const uint8_t* const behind = LoadVarint(next_, end_, value);
  if (behind == nullptr) return false;
  next_ = behind;
  return true;
}

bool PointLogReader::TakeName(Uid* uid, std::string_view* name) {
  uint64_t size = 0;
  if (!TakeVarint(uid) || !TakeVarint(&size) || size > static_cast<size_t>(end_ - next_)) {
    return false;
  }
  *name = {reinterpret_cast<const char*>(next_), size};
  next_ += size;
  return true;
}

}  // namespace hourcell
