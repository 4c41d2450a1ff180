#include "engine/hours/journal_payload.h"

#include <bit>
#include <cstring>
#include <utility>

#include "codec/base/check.h"
#include "codec/base/varint.h"
#include "codec/limits.h"

// Why a payload names series by number: a number takes one or two bytes, the names of a series
// fifty to hundreds. A series is defined while it is new, until the next sync, so that any block
// that a power failure leaves can be replayed. Rejected: writing all names once in each segment,
// since a segment would begin with a million names; an fsync before the first block of a new
// series, since new series come in thousands (docs/decisions/0006).

namespace hourcell {
namespace {

constexpr uint8_t kMixedSection = 0xFF;
constexpr uint8_t kDefinition = 0xFE;
constexpr uint8_t kSection = 0xFD;

enum SeriesCode : uint8_t { kSameSeries = 0, kNextSeries = 1, kOtherSeries = 2 };
enum LogTimeCode : uint8_t { kLogSameTime = 0, kLogSeconds = 1, kLogMilliseconds = 2 };
enum LogValueCode : uint8_t {
  kLogInteger = 0,
  kLogBinary32 = 1,
  kLogBinary64 = 2,
  kLogSmallInteger = 3
};
constexpr int64_t kLogSmallIntegerMax = 15 - kLogSmallInteger;

// Token and three varints.
constexpr size_t kLogPointBytesMax = 1 + 3 * kVarintBytesMax;
constexpr size_t kHeaderBytesMax = 1 + 4 * kVarintBytesMax;

// Bytes to be read; unless checked, they are enough for a point.
template <bool is_checked>
struct Input {
  const uint8_t* next;
  const uint8_t* end;

  bool TakeVarint(uint64_t* number) {
    if ((!is_checked || next != end) && *next < 0x80) {
      *number = *next++;
      return true;
    }
    next = LoadVarint(next, end, number);
    return next != nullptr;
  }

  template <typename Number>
  bool TakeRaw(Number* number) {
    if (is_checked && static_cast<size_t>(end - next) < sizeof *number) return false;
    std::memcpy(number, next, sizeof *number);
    next += sizeof *number;
    return true;
  }
};

// The section at the front of `*rest`, taken from it.
bool TakeSection(std::string_view* rest, PointSection* section) {
  const auto* in = reinterpret_cast<const uint8_t*>(rest->data());
  const uint8_t* const end = in + rest->size();
  const uint8_t mark = *in++;
  if (mark == kMixedSection) {
    rest->remove_prefix(1);
    *section = {.series = {}, .records = *rest, .is_sorted = false, .defining = 0};
    *rest = {};
    return true;
  }
  if (mark != kSection) return false;
  uint64_t bytes = 0;
  uint64_t defining = 0;
  SeriesClass series;
  for (uint64_t* const number : {&bytes, &defining, &series.stride, &series.residue}) {
    in = LoadVarint(in, end, number);
    if (in == nullptr) return false;
  }
  if (bytes > static_cast<size_t>(end - in) || defining > bytes) return false;
  if (series.stride != 0 && series.residue >= series.stride) return false;
  rest->remove_prefix(static_cast<size_t>(in - reinterpret_cast<const uint8_t*>(rest->data())));
  *section = {
      .series = series, .records = rest->substr(0, bytes), .is_sorted = true, .defining = defining};
  rest->remove_prefix(bytes);
  return true;
}

}  // namespace

// Room for `bytes` more after the bytes written; before the first record, for the header too.
uint8_t* JournalPayloadWriter::Reserve(size_t bytes) {
  if (capacity_ - size_ < bytes + kHeaderBytesMax) {
    const size_t capacity = 2 * capacity_ + bytes + 4096;
    auto data = std::make_unique_for_overwrite<uint8_t[]>(capacity);
    if (size_ != 0) std::memcpy(data.get() + begin_, data_.get() + begin_, size_ - begin_);
    data_ = std::move(data);
    capacity_ = capacity;
  }
  if (size_ == 0) {
    size_ = kHeaderBytesMax;
    begin_ = size_ - 1;
    data_[begin_] = kMixedSection;
    series_ = 0;
    time_ = {};
  }
  return data_.get() + size_;
}

void JournalPayloadWriter::Add(SeriesNumber series, Timestamp time, Value value) {
  uint8_t* const token = Reserve(kLogPointBytesMax);
  uint8_t* out = token + 1;

  uint8_t series_code = kSameSeries;
  if (series == series_ + 1) {
    series_code = kNextSeries;
  } else if (series != series_) {
    series_code = kOtherSeries;
    out = StoreVarint(ZigZag(static_cast<int64_t>(series - series_)), out);
  }
  uint8_t time_code = kLogSameTime;
  if (time != time_) {
    time_code = time.is_ms ? kLogMilliseconds : kLogSeconds;
    // After milliseconds, seconds count from the whole second below.
    const int64_t step = time.is_ms ? time.ms - time_.ms : time.ms / 1000 - time_.ms / 1000;
    out = StoreVarint(ZigZag(step), out);
  }
  uint8_t value_code = kLogInteger;
  if (value.is_integer()) {
    if (value.integer() >= 0 && value.integer() <= kLogSmallIntegerMax) {
      value_code = static_cast<uint8_t>(kLogSmallInteger + value.integer());
    } else {
      out = StoreVarint(ZigZag(value.integer()), out);
    }
  } else {
    const auto narrow = static_cast<float>(value.floating());
    if (std::bit_cast<uint64_t>(static_cast<double>(narrow)) ==
        std::bit_cast<uint64_t>(value.floating())) {
      value_code = kLogBinary32;
      std::memcpy(out, &narrow, sizeof narrow);
      out += sizeof narrow;
    } else {
      value_code = kLogBinary64;
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

void JournalPayloadWriter::Define(const SeriesDefinition& definition) {
  HOURCELL_DCHECK(definition.tags.size() == definition.tag_uids.size());
  size_t bytes = 1 + 4 * kVarintBytesMax + definition.metric.size();
  for (const TagView& tag : definition.tags)
    bytes += 4 * kVarintBytesMax + tag.key.size() + tag.value.size();
  const size_t size = definitions_.size();
  definitions_.resize(size + bytes);
  auto* const begin = reinterpret_cast<uint8_t*>(definitions_.data());
  uint8_t* out = begin + size;
  const auto store_name = [&out](Uid uid, std::string_view name) {
    out = StoreVarint(uid, out);
    out = StoreVarint(name.size(), out);
    if (!name.empty()) std::memcpy(out, name.data(), name.size());
    out += name.size();
  };
  *out++ = kDefinition;
  out = StoreVarint(definition.number, out);
  store_name(definition.metric_uid, definition.metric);
  out = StoreVarint(definition.tags.size(), out);
  for (size_t i = 0; i < definition.tags.size(); ++i) {
    store_name(definition.tag_uids[i].tagk, definition.tags[i].key);
    store_name(definition.tag_uids[i].tagv, definition.tags[i].value);
  }
  definitions_.resize(static_cast<size_t>(out - begin));
}

void JournalPayloadWriter::Finish(const SeriesClass& series) {
  if (size_ == 0 && definitions_.empty()) return;
  const size_t defining = definitions_.size();
  Reserve(defining);
  HOURCELL_DCHECK(begin_ == kHeaderBytesMax - 1);  // not finished before
  HOURCELL_DCHECK(series.stride == 0 || series.residue < series.stride);
  uint8_t* const records = data_.get() + kHeaderBytesMax;
  if (defining != 0) {
    std::memmove(records + defining, records, size_ - kHeaderBytesMax);
    std::memcpy(records, definitions_.data(), defining);
    size_ += defining;
  }
  uint8_t header[kHeaderBytesMax] = {kSection};
  uint8_t* out = header + 1;
  for (const uint64_t number :
       {uint64_t{size_ - kHeaderBytesMax}, uint64_t{defining}, series.stride, series.residue}) {
    out = StoreVarint(number, out);
  }
  begin_ = kHeaderBytesMax - static_cast<size_t>(out - header);
  std::memcpy(data_.get() + begin_, header, static_cast<size_t>(out - header));
}

void JournalPayloadWriter::Clear() {
  begin_ = 0;
  size_ = 0;
  definitions_.clear();
  constexpr size_t kKeptBytesMax = 1 << 20;
  if (definitions_.capacity() > kKeptBytesMax) definitions_ = std::string();
  if (capacity_ <= kKeptBytesMax) return;
  data_.reset();
  capacity_ = 0;
}

bool SplitPayload(std::string_view payload, std::vector<PointSection>* sections) {
  if (!payload.starts_with(kPayloadWithoutDefinitions) && !HasDefinitions(payload)) return false;
  payload.remove_prefix(1);
  while (!payload.empty()) {
    if (!TakeSection(&payload, &sections->emplace_back())) return false;
  }
  return true;
}

JournalPayloadReader::JournalPayloadReader(std::string_view payload)
    : rest_(payload),
      is_readable_(payload.starts_with(kPayloadWithoutDefinitions) || HasDefinitions(payload)) {
  if (is_readable_) rest_.remove_prefix(1);
}

void JournalPayloadReader::Enter(const PointSection& section, std::string_view records) {
  next_ = reinterpret_cast<const uint8_t*>(records.data());
  end_ = next_ + records.size();
  is_sorted_ = section.is_sorted;
  class_ = section.series;
  checked_step_ = 0;
  series_ = 0;
  time_ = {};
}

// Moves to the next section of the payload.
bool JournalPayloadReader::EnterNext() {
  PointSection section;
  if (!TakeSection(&rest_, &section)) return false;
  Enter(section, section.records);
  return true;
}

JournalPayloadReader::Event JournalPayloadReader::Next() {
  if (!is_readable_) return Event::kDamaged;
  while (true) {
    if (next_ == end_) {
      if (rest_.empty()) return Event::kEnd;
      if (!EnterNext()) return Event::kDamaged;
      continue;
    }
    const uint8_t token = *next_++;
    if (token == kDefinition) return TakeDefinition() ? Event::kDefinition : Event::kDamaged;
    if (token < kSection) return TakePoint(token) ? Event::kPoint : Event::kDamaged;
    if (is_sorted_) return Event::kDamaged;
    // After a section without a length in its header.
    --next_;
    rest_ = {reinterpret_cast<const char*>(next_), static_cast<size_t>(end_ - next_)};
    end_ = next_;
  }
}

// True if a series so far after the one before is of the section's class, as that one was.
bool JournalPayloadReader::IsOfClass(uint64_t step) {
  if (class_.stride == 0) return series_ == class_.residue;
  if (series_ < class_.residue || (series_ - class_.residue) % class_.stride != 0) return false;
  checked_step_ = step;
  return true;
}

bool JournalPayloadReader::TakePoint(uint8_t token) {
  // Far from the end no byte needs to be looked for.
  const bool is_far = static_cast<size_t>(end_ - next_) >= kLogPointBytesMax;
  return is_far ? TakePointAt</*is_checked=*/false>(next_, token)
                : TakePointAt</*is_checked=*/true>(next_, token);
}

template <bool is_checked>
bool JournalPayloadReader::TakePointAt(const uint8_t* begin, uint8_t token) {
  Input<is_checked> in = {begin, end_};
  uint64_t number = 0;
  uint64_t step = 0;
  switch (token >> 6) {
    case kSameSeries:
      break;
    case kNextSeries:
      step = 1;
      break;
    case kOtherSeries:
      if (!in.TakeVarint(&number)) return false;
      step = static_cast<uint64_t>(UnZigZag(number));
      break;
    default:
      return false;
  }
  series_ += step;
  if (is_sorted_ && step != checked_step_ && !IsOfClass(step)) return false;
  switch (const auto code = static_cast<uint8_t>(token >> 4 & 3)) {
    case kLogSameTime:
      break;
    case kLogSeconds:
    case kLogMilliseconds: {
      if (!in.TakeVarint(&number)) return false;
      const int64_t passed = UnZigZag(number);
      if (passed > kTimestampMsMax || passed < -kTimestampMsMax) return false;
      const bool is_ms = code == kLogMilliseconds;
      time_ = {.ms = is_ms ? time_.ms + passed : (time_.ms / 1000 + passed) * 1000, .is_ms = is_ms};
      if (time_.ms < 0 || time_.ms > kTimestampMsMax) return false;
      break;
    }
    default:
      return false;
  }
  switch (const auto code = static_cast<uint8_t>(token & 15)) {
    case kLogInteger:
      if (!in.TakeVarint(&number)) return false;
      value_ = Value::Integer(UnZigZag(number));
      break;
    case kLogBinary32: {
      float narrow = 0;
      if (!in.TakeRaw(&narrow)) return false;
      value_ = Value::Float(static_cast<double>(narrow));
      break;
    }
    case kLogBinary64: {
      double wide = 0;
      if (!in.TakeRaw(&wide)) return false;
      value_ = Value::Float(wide);
      break;
    }
    default:
      value_ = Value::Integer(code - kLogSmallInteger);
      break;
  }
  next_ = in.next;
  return true;
}

bool JournalPayloadReader::TakeDefinition() {
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

bool JournalPayloadReader::TakeVarint(uint64_t* value) {
  const uint8_t* const after = LoadVarint(next_, end_, value);
  if (after == nullptr) return false;
  next_ = after;
  return true;
}

bool JournalPayloadReader::TakeName(Uid* uid, std::string_view* name) {
  uint64_t size = 0;
  if (!TakeVarint(uid) || !TakeVarint(&size) || size > static_cast<size_t>(end_ - next_)) {
    return false;
  }
  *name = {reinterpret_cast<const char*>(next_), size};
  next_ += size;
  return true;
}

}  // namespace hourcell
