#include "codec/cells/packed_header.h"

#include <absl/status/statusor.h>

#include "codec/base/bytes.h"
#include "codec/cells/integer_column.h"
#include "codec/limits.h"
#include "codec/value_bits.h"

namespace hourcell {
namespace {

constexpr uint8_t kFlagsKindMask = 0x03;
constexpr uint32_t kNumberFormShift = 2;
constexpr uint8_t kNumberFormMask = 0x03;
constexpr uint8_t kMsQualifiersBit = 0x10;
constexpr uint8_t kMsTimesBit = 0x20;
constexpr uint8_t kSummaryBit = 0x40;
constexpr uint8_t kTimeColumnBit = 0x80;

void AppendNumbers(const PackedHeader& header, std::string* out) {
  if (header.form == NumberForm::kBits) {
    AppendBigEndian(header.first, 8, out);
    AppendBigEndian(header.last, 8, out);
    if (!header.has_summary) return;
    AppendBigEndian(header.min, 8, out);
    AppendBigEndian(header.max, 8, out);
    AppendBigEndian(BitsOf(header.sum_of_doubles), 8, out);
    return;
  }
  AppendVarint(ZigZag(header.min), out);
  AppendVarint(header.first - header.min, out);
  AppendVarint(header.last - header.min, out);
  AppendVarint(header.max - header.min, out);
  AppendVarint(header.sum - header.count * header.min, out);
  if (header.form == NumberForm::kDecimals) {
    const uint64_t near = BitsOf(DecimalValue(header.sum, header.exponent));
    AppendVarint(ZigZag(BitsOf(header.sum_of_doubles) - near), out);
  }
}

// Takes fields off the front of a header. After a failure it gives zeros.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  std::string_view rest() const { return rest_; }

  uint8_t Byte() { return static_cast<uint8_t>(BigEndian(1)); }
  uint64_t BigEndian(size_t width) {
    if (rest_.size() < width) return Fail();
    const uint64_t value = LoadBigEndian(rest_.data(), width);
    rest_.remove_prefix(width);
    return value;
  }
  uint64_t Varint() {
    // Most are one byte, and TakeVarint's status costs more than that.
    if (!rest_.empty() && static_cast<uint8_t>(rest_.front()) < 0x80) return Byte();
    const absl::StatusOr<uint64_t> value = TakeVarint(&rest_);
    return value.ok() ? *value : Fail();
  }

 private:
  uint64_t Fail() {
    failed_ = true;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool failed_ = false;
};

void TakeNumbers(FieldReader* fields, PackedHeader* out) {
  if (out->form == NumberForm::kBits) {
    out->first = fields->BigEndian(8);
    out->last = fields->BigEndian(8);
    if (!out->has_summary) return;
    out->min = fields->BigEndian(8);
    out->max = fields->BigEndian(8);
    out->sum_of_doubles = std::bit_cast<double>(fields->BigEndian(8));
    return;
  }
  out->min = UnZigZag(fields->Varint());
  out->first = out->min + fields->Varint();
  out->last = out->min + fields->Varint();
  out->max = out->min + fields->Varint();
  out->sum = out->count * out->min + fields->Varint();
  if (out->form == NumberForm::kDecimals) {
    const uint64_t near = BitsOf(DecimalValue(out->sum, out->exponent));
    out->sum_of_doubles = std::bit_cast<double>(near + UnZigZag(fields->Varint()));
  }
}

// The fault of the shape, or nullptr.
const char* TakeShape(uint8_t shape, PackedHeader* out) {
  out->flags_kind = static_cast<FlagsKind>(shape & kFlagsKindMask);
  out->form = static_cast<NumberForm>(shape >> kNumberFormShift & kNumberFormMask);
  out->is_ms = (shape & kMsQualifiersBit) != 0;
  out->has_ms_times = (shape & kMsTimesBit) != 0;
  out->has_summary = (shape & kSummaryBit) != 0;
  out->has_time_column = (shape & kTimeColumnBit) != 0;
  if (out->form > NumberForm::kBits) return "unknown form of numbers";
  const bool is_flagged = out->flags_kind == FlagsKind::kFlagged;
  const bool has_integers = out->form == NumberForm::kIntegers;
  if (!is_flagged && has_integers != (out->flags_kind == FlagsKind::kIntegers)) {
    return "form of numbers that does not fit the flags";
  }
  if (!out->has_summary && !(is_flagged && out->form == NumberForm::kBits)) return "no summary";
  if (is_flagged ? out->is_ms : out->has_ms_times && !out->is_ms) {
    return "times that do not fit the qualifiers";
  }
  return nullptr;
}

// The value of a number of the header.
Value HeaderValue(const PackedHeader& header, uint64_t number, uint8_t is_float_bit) {
  const auto integer = static_cast<int64_t>(number);
  const bool is_float = (header.types & is_float_bit) != 0;
  if (header.form == NumberForm::kDecimals) {
    return is_float ? Value::Float(DecimalValue(number, header.exponent))
                    : Value::Integer(integer / kIntegerPowersOfTen[header.exponent]);
  }
  return is_float ? Value::Float(std::bit_cast<double>(number)) : Value::Integer(integer);
}

}  // namespace

void AppendPackedHeader(const PackedHeader& header, std::string* out) {
  out->push_back(kPackedByte);
  out->push_back(static_cast<char>(
      static_cast<uint32_t>(header.flags_kind) |
      static_cast<uint32_t>(header.form) << kNumberFormShift |
      (header.is_ms ? kMsQualifiersBit : 0U) | (header.has_ms_times ? kMsTimesBit : 0U) |
      (header.has_summary ? kSummaryBit : 0U) | (header.has_time_column ? kTimeColumnBit : 0U)));
  AppendVarint(header.count, out);
  AppendVarint(header.first_time, out);
  AppendVarint(header.last_time - header.first_time, out);
  if (header.form == NumberForm::kDecimals) out->push_back(static_cast<char>(header.exponent));
  if (header.has_kind_column()) out->push_back(static_cast<char>(header.types));
  if (header.flags_kind == FlagsKind::kFlagged) {
    out->push_back(static_cast<char>(header.first_flags));
    out->push_back(static_cast<char>(header.last_flags));
  }
  AppendNumbers(header, out);
}

const char* TakePackedHeader(std::string_view cell, PackedHeader* out, std::string_view* columns) {
  FieldReader fields(cell);
  if (static_cast<char>(fields.Byte()) != kPackedByte) return "not packed; expected 02";
  if (const char* fault = TakeShape(fields.Byte(), out); fault != nullptr) return fault;
  const uint64_t count = fields.Varint();
  const uint64_t first_time = fields.Varint();
  const uint64_t time_span = fields.Varint();
  const uint64_t times_end = kQualifierSpanMs / out->unit_ms();
  if (fields.failed()) return "header cut short";
  if (count == 0 || count > kQualifierSpanMs) return "no points, or more than an hour holds";
  if (first_time >= times_end || time_span >= times_end - first_time || time_span < count - 1) {
    return "times that do not fit an hour";
  }
  out->count = static_cast<uint32_t>(count);
  out->first_time = static_cast<uint32_t>(first_time);
  out->last_time = static_cast<uint32_t>(first_time + time_span);
  if (out->form == NumberForm::kDecimals) out->exponent = fields.Byte();
  if (out->exponent > kExponentMax) return "exponent out of range";
  if (out->has_kind_column()) out->types = fields.Byte();
  if (out->flags_kind == FlagsKind::kFloats) out->types = kTypesMask;
  if ((out->types & ~kTypesMask) != 0) return "unknown types";
  if (out->form == NumberForm::kIntegers && out->types != 0) return "floats among integers";
  if (out->flags_kind == FlagsKind::kFlagged) {
    out->first_flags = fields.Byte();
    out->last_flags = fields.Byte();
  }
  TakeNumbers(&fields, out);
  if (fields.failed()) return "header cut short";
  *columns = fields.rest();
  return nullptr;
}

CellSummary SummaryOf(const PackedHeader& header) {
  const bool is_all_integer = header.form == NumberForm::kIntegers;
  return {.count = header.count,
          .first_offset_ms = header.first_time * header.unit_ms(),
          .last_offset_ms = header.last_time * header.unit_ms(),
          .first = HeaderValue(header, header.first, kFirstIsFloat),
          .last = HeaderValue(header, header.last, kLastIsFloat),
          .all_integer = is_all_integer,
          .sum = is_all_integer ? Value::Integer(static_cast<int64_t>(header.sum))
                                : Value::Float(header.sum_of_doubles),
          .min = HeaderValue(header, header.min, kMinIsFloat),
          .max = HeaderValue(header, header.max, kMaxIsFloat)};
}

}  // namespace hourcell
