#include "engine/hours/open_hour_points.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "codec/base/check.h"
#include "codec/base/varint.h"
#include "codec/value.h"

// Why points are encoded as they come: a gauge of small integers at a fixed step takes one byte a
// point, so a million hours can be open in the memory that is set apart. The order of arrival is
// kept and not the order of time, because the last write of an instant wins; readers sort, which is
// needed only where the times do not ascend.

namespace hourcell {
namespace {

enum TimeCode : uint8_t { kSameStep = 0, kSeconds = 1, kMilliseconds = 2 };
enum ValueCode : uint8_t {
  kSameValue = 0,
  kIntegerDelta = 1,
  kBinary32 = 2,
  kBinary64 = 3,
  kDecimalDelta = 4,
  kNewDecimal = 5,
  kSmallDelta = 6,
};
constexpr unsigned kValueCodeBits = 6;
constexpr uint8_t kValueCodeMask = (1 << kValueCodeBits) - 1;
constexpr uint64_t kSmallDeltaMax = kValueCodeMask - kSmallDelta;

// Integers of one byte are below this, and not below its negative.
constexpr uint64_t kOneByteMax = 128;

// Token, a time of 5 bytes at most, and a value: an exponent and a varint at most.
constexpr size_t kPointBytesMax = 1 + 5 + 1 + kVarintBytesMax;

constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr uint8_t kExponentMax = 6;
// After a float that is not a short decimal, this many are stored unchanged before the next try.
constexpr uint8_t kBinariesInARow = 15;

// True if value is *mantissa / 10^exponent to the bit.
bool IsDecimal(double value, uint8_t exponent, int64_t* mantissa) {
  constexpr double kExactMax = 9007199254740992.0;  // 2^53
  const double scaled = value * kPowersOfTen[exponent];
  if (!(std::fabs(scaled) < kExactMax)) return false;
  *mantissa = static_cast<int64_t>(scaled + (scaled < 0 ? -0.5 : 0.5));
  const double back = static_cast<double>(*mantissa) / kPowersOfTen[exponent];
  return std::bit_cast<uint64_t>(back) == std::bit_cast<uint64_t>(value);
}

uint64_t Difference(uint64_t a, uint64_t b) {
  return ZigZag(static_cast<int64_t>(a - b));
}

}  // namespace

void OpenHourPoints::Grow() {
  // Small at first: most series of a large store have few points an hour.
  const uint32_t capacity = capacity_ == 0 ? 32 : capacity_ + capacity_ / 2;
  auto data = std::make_unique_for_overwrite<uint8_t[]>(capacity);
  if (size_ != 0) std::memcpy(data.get(), data_.get(), size_);
  data_ = std::move(data);
  capacity_ = capacity;
}

void OpenHourPoints::Append(uint32_t offset_ms, bool is_ms, Value value) {
  if (capacity_ - size_ < kPointBytesMax) Grow();
  uint8_t* const token = data_.get() + size_;
  uint8_t* out = token + 1;

  const int32_t step = static_cast<int32_t>(offset_ms) - static_cast<int32_t>(offset_ms_);
  uint8_t time_code = kSameStep;
  if (step != step_ms_ || is_ms != is_ms_ || points_ == 0) {
    time_code = is_ms ? kMilliseconds : kSeconds;
    // After milliseconds, seconds count from the whole second below.
    const int32_t seconds =
        static_cast<int32_t>(offset_ms / 1000) - static_cast<int32_t>(offset_ms_ / 1000);
    out = StoreVarint(ZigZag(is_ms ? step : seconds), out);
  }
  ascends_ = ascends_ && (step > 0 || points_ == 0);
  offset_ms_ = offset_ms;
  step_ms_ = step;
  is_ms_ = is_ms;
  ++points_;

  if (!value.is_integer()) {
    out = StoreFloat(value.floating(), time_code, token, out);
  } else {
    const auto bits = static_cast<uint64_t>(value.integer());
    const bool was_integer = kind_ == Kind::kInteger;
    const uint64_t delta = Difference(bits, was_integer ? bits_ : 0);
    uint8_t code = kIntegerDelta;
    if (was_integer && delta <= kSmallDeltaMax) {
      code = static_cast<uint8_t>(kSmallDelta + delta);
    } else {
      out = StoreVarint(delta, out);
    }
    *token = static_cast<uint8_t>(time_code << kValueCodeBits | code);
    bits_ = bits;
    kind_ = Kind::kInteger;
  }
  size_ = static_cast<uint32_t>(out - data_.get());
}

uint8_t* OpenHourPoints::StoreFloat(double value, uint8_t time_code, uint8_t* token, uint8_t* out) {
  const auto bits = std::bit_cast<uint64_t>(value);
  uint8_t code = kSameValue;
  int64_t mantissa = 0;
  if (kind_ != Kind::kInteger && bits == bits_) {
    // Nothing follows.
  } else if (kind_ == Kind::kDecimal && IsDecimal(value, exponent_, &mantissa)) {
    const uint64_t delta =
        Difference(static_cast<uint64_t>(mantissa), static_cast<uint64_t>(mantissa_));
    mantissa_ = mantissa;
    if (delta <= kSmallDeltaMax) {
      code = static_cast<uint8_t>(kSmallDelta + delta);
    } else {
      code = kDecimalDelta;
      out = StoreVarint(delta, out);
    }
  } else {
    out = StoreNewFloat(value, &code, out);
  }
  *token = static_cast<uint8_t>(time_code << kValueCodeBits | code);
  bits_ = bits;
  return out;
}

// A float encoded without the one before.
uint8_t* OpenHourPoints::StoreNewFloat(double value, uint8_t* code, uint8_t* out) {
  int64_t mantissa = 0;
  if (TryNewDecimal(value, &mantissa)) {
    *code = kNewDecimal;
    kind_ = Kind::kDecimal;
    mantissa_ = mantissa;
    *out++ = exponent_;
    return StoreVarint(ZigZag(mantissa), out);
  }
  kind_ = Kind::kBinary;
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto narrow = static_cast<float>(value);
  if (std::bit_cast<uint64_t>(static_cast<double>(narrow)) == bits) {
    *code = kBinary32;
    std::memcpy(out, &narrow, sizeof narrow);
    return out + sizeof narrow;
  }
  *code = kBinary64;
  std::memcpy(out, &bits, sizeof bits);
  return out + sizeof bits;
}

// Finds the exponent with which a value is a decimal; skips most tries after a float that is not
// one.
bool OpenHourPoints::TryNewDecimal(double value, int64_t* mantissa) {
  if (kind_ == Kind::kBinary && ++binaries_ <= kBinariesInARow) return false;
  binaries_ = 0;
  for (uint8_t exponent = 0; exponent <= kExponentMax; ++exponent) {
    if (!IsDecimal(value, exponent, mantissa)) continue;
    exponent_ = exponent;
    return true;
  }
  return false;
}

// The encoder's state at each point, found again.
class OpenHourPoints::Decoder {
 public:
  Decoder(const uint8_t* in, size_t size) : in_(in), end_(in + size) {}

  bool done() const { return in_ == end_; }

  // To the next point. REQUIRES: !done().
  void Next() {
    const uint8_t token = *in_++;
    TakeTime(token >> kValueCodeBits);
    TakeValue(token & kValueCodeMask);
  }

  // Takes at most `most` of the next points, up to the first that is unlike a usual gauge's: an
  // integer of one byte, a byte a point, after the same step. Their flags are 0.
  size_t TakeUsual(size_t most, uint32_t* offsets, uint64_t* bits) {
    if (kind_ != Kind::kInteger || is_ms_) return 0;
    const auto step_ms = static_cast<uint32_t>(step_ms_);
    uint32_t offset_ms = offset_ms_;
    uint64_t value = bits_;
    size_t taken = 0;
    for (; taken < most; ++taken) {
      const uint8_t token = in_[taken];
      uint64_t next = value;
      if (token != kSameValue) {
        if (token < kSmallDelta || token > kValueCodeMask) break;
        next += static_cast<uint64_t>(UnZigZag(token - kSmallDelta));
      }
      if (next + kOneByteMax >= 2 * kOneByteMax) break;
      value = next;
      offset_ms += step_ms;
      offsets[taken] = offset_ms;
      bits[taken] = value;
    }
    in_ += taken;
    offset_ms_ = offset_ms;
    bits_ = value;
    return taken;
  }

  // Of the point.
  uint32_t offset_ms() const { return offset_ms_; }
  uint64_t bits() const { return bits_; }
  // As CellColumns has them.
  uint8_t flags() const {
    const uint8_t ms = is_ms_ ? CellColumns::kMsPrecision : 0;
    if (kind_ != Kind::kInteger) {
      return static_cast<uint8_t>(ValueFlags(Value::Float(std::bit_cast<double>(bits_))) | ms);
    }
    if (bits_ + kOneByteMax < 2 * kOneByteMax) return ms;  // the usual gauge
    return static_cast<uint8_t>(ValueFlags(Value::Integer(static_cast<int64_t>(bits_))) | ms);
  }

 private:
  uint64_t TakeVarint() {
    uint64_t value = 0;
    in_ = LoadVarint(in_, end_, &value);
    HOURCELL_DCHECK(in_ != nullptr);
    return value;
  }

  template <typename T>
  T TakeRaw() {
    T value;
    std::memcpy(&value, in_, sizeof value);
    in_ += sizeof value;
    return value;
  }

  void TakeTime(int code) {
    if (code == kMilliseconds) {
      is_ms_ = true;
      step_ms_ = UnZigZag(TakeVarint());
    } else if (code == kSeconds) {
      is_ms_ = false;
      step_ms_ = (int64_t{offset_ms_ / 1000} + UnZigZag(TakeVarint())) * 1000 - int64_t{offset_ms_};
    }
    offset_ms_ = static_cast<uint32_t>(int64_t{offset_ms_} + step_ms_);
  }

  void TakeValue(int code) {
    switch (code) {
      case kSameValue:
        break;
      case kIntegerDelta:
        if (kind_ != Kind::kInteger) bits_ = 0;
        kind_ = Kind::kInteger;
        AddDelta(TakeVarint());
        break;
      case kBinary32:
        kind_ = Kind::kBinary;
        bits_ = std::bit_cast<uint64_t>(static_cast<double>(TakeRaw<float>()));
        break;
      case kBinary64:
        kind_ = Kind::kBinary;
        bits_ = TakeRaw<uint64_t>();
        break;
      case kNewDecimal:
        kind_ = Kind::kDecimal;
        exponent_ = *in_++;
        mantissa_ = 0;
        AddDelta(TakeVarint());
        break;
      case kDecimalDelta:
        AddDelta(TakeVarint());
        break;
      default:
        AddDelta(static_cast<uint64_t>(code - kSmallDelta));
        break;
    }
  }

  // Adds to the integer, or to the mantissa of the decimal.
  void AddDelta(uint64_t zigzag) {
    if (kind_ == Kind::kInteger) {
      bits_ += static_cast<uint64_t>(UnZigZag(zigzag));
    } else {
      mantissa_ += UnZigZag(zigzag);
      bits_ = std::bit_cast<uint64_t>(static_cast<double>(mantissa_) / kPowersOfTen[exponent_]);
    }
  }

  const uint8_t* in_;
  const uint8_t* const end_;
  uint32_t offset_ms_ = 0;
  int64_t step_ms_ = 0;
  bool is_ms_ = false;
  Kind kind_ = Kind::kInteger;
  uint8_t exponent_ = 0;
  uint64_t bits_ = 0;
  int64_t mantissa_ = 0;
};

void OpenHourPoints::DecodeTo(CellColumns* out) const {
  const size_t before = out->size();
  out->offset_ms.resize(before + points_);
  out->bits.resize(before + points_);
  out->flags.resize(before + points_);
  uint32_t* const offsets = out->offset_ms.data() + before;
  uint64_t* const bits = out->bits.data() + before;
  uint8_t* const flags = out->flags.data() + before;
  Decoder decoder(data_.get(), size_);
  for (size_t i = 0; i < points_;) {
    decoder.Next();
    offsets[i] = decoder.offset_ms();
    bits[i] = decoder.bits();
    flags[i] = decoder.flags();
    ++i;
    const size_t usual = decoder.TakeUsual(points_ - i, offsets + i, bits + i);
    std::fill_n(flags + i, usual, uint8_t{0});
    i += usual;
  }
  HOURCELL_DCHECK(decoder.done());
}

}  // namespace hourcell
