#include "codec/cells/packed_header.h"

#include <algorithm>
#include <array>
#include <bit>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/integer_column.h"
#include "codec/cells/packed_cell.h"
#include "codec/cells/packed_header_2.h"
#include "codec/field_reader.h"
#include "codec/limits.h"
#include "codec/value_bits.h"

namespace hourcell {
namespace {

constexpr uint8_t kFlagsKindMask = 0x03;
constexpr uint32_t kNumberFormShift = 2;
constexpr uint8_t kNumberFormMask = 0x03;
constexpr uint8_t kMsQualifiersBit = 0x10;
constexpr uint8_t kConstantBit = 0x20;
constexpr uint8_t kExceptionsBit = 0x40;
constexpr uint8_t kShapeMask = 0x7F;

// Bits of the byte of times.
constexpr uint8_t kStepMask = 0x0F;
constexpr uint8_t kOtherStep = 0x0F;
constexpr uint8_t kFirstTimeBit = 0x10;
constexpr uint8_t kCountBit = 0x20;
constexpr uint8_t kTimeColumnBit = 0x40;
constexpr uint8_t kMsTimesBit = 0x80;
// ON DISK: do not change. In seconds.
constexpr std::array<uint32_t, kOtherStep> kUsualSteps = {1,  2,   5,   6,   10,  15,   20,  30,
                                                          60, 120, 300, 600, 900, 1800, 3600};
constexpr uint8_t kHourStep = kOtherStep - 1;

// A bit of PackedHeader::types as stored: flagged points without a summary; some may be NaN.
constexpr uint8_t kNoSummaryBit = 0x10;

constexpr uint32_t kRuleShift = 5;
constexpr uint8_t kExponentMask = 0x1F;
constexpr uint8_t kRuleMask = 0x03;
constexpr uint8_t kFactorBit = 0x80;

// The points of a line that begins with `first` and fills the row.
uint64_t CountThatFits(uint64_t times_end, uint64_t first, uint64_t step) {
  return (times_end - first + step - 1) / step;
}

void AppendTimes(const PackedHeader& header, uint32_t span_ms, std::string* out) {
  const uint32_t unit_ms = header.unit_ms();
  const uint32_t time_span = header.last_time - header.first_time;
  uint32_t lead = header.has_ms_times ? kMsTimesBit : 0U;
  if (header.first_time != 0) lead |= kFirstTimeBit;
  uint32_t step = 0;
  if (header.has_time_column) {
    lead |= kTimeColumnBit | kCountBit | kOtherStep;
  } else {
    // The step of one point is arbitrary. An hour saves the count where a row is an hour.
    step =
        header.count > 1 ? time_span / (header.count - 1) : kUsualSteps[kHourStep] * 1000 / unit_ms;
    const auto* const usual = std::ranges::find(kUsualSteps, uint64_t{step} * unit_ms,
                                                [](uint32_t s) { return uint64_t{s} * 1000; });
    lead |= static_cast<uint32_t>(usual - kUsualSteps.begin());
    if (CountThatFits(span_ms / unit_ms, header.first_time, step) != header.count)
      lead |= kCountBit;
  }
  out->push_back(static_cast<char>(lead));
  if ((lead & kFirstTimeBit) != 0) AppendVarint(header.first_time, out);
  if ((lead & kCountBit) != 0) AppendVarint(header.count - 1, out);
  if (header.has_time_column) {
    AppendVarint(time_span, out);
  } else if ((lead & kStepMask) == kOtherStep) {
    AppendVarint(step, out);
  }
}

// Sets the times and the count. Returns the fault or nullptr.
const char* TakeTimes(FieldReader* fields, uint32_t span_ms, PackedHeader* out) {
  const uint8_t lead = fields->Byte();
  out->has_ms_times = (lead & kMsTimesBit) != 0;
  out->has_time_column = (lead & kTimeColumnBit) != 0;
  // Not divided by the unit: a division takes as long as the rest.
  const uint64_t times_end = out->has_ms_times ? span_ms : span_ms / 1000;
  const uint64_t first = (lead & kFirstTimeBit) != 0 ? fields->Varint() : 0;
  const bool has_count = (lead & kCountBit) != 0;
  uint64_t count = has_count ? fields->Varint() : 0;  // less 1
  // The step, or the span of a time column.
  const uint64_t step = (lead & kStepMask) == kOtherStep ? fields->Varint()
                                                         : uint64_t{kUsualSteps[lead & kStepMask]} *
                                                               (out->has_ms_times ? 1000U : 1U);
  if (fields->failed()) return "header cut short";
  if (first >= times_end || step > times_end || count >= times_end) {
    return "times that do not fit the row";
  }
  if (out->has_time_column && (!has_count || (lead & kStepMask) != kOtherStep)) {
    return "times without their count or span";
  }
  if (step == 0 && (count > 0 || !has_count)) return "times that do not ascend";
  count = has_count ? count + 1 : CountThatFits(times_end, first, step);
  const uint64_t time_span = out->has_time_column ? step : step * (count - 1);
  if (time_span >= times_end - first || time_span < count - 1) {
    return "times that do not fit the row";
  }
  out->count = static_cast<uint32_t>(count);
  out->first_time = static_cast<uint32_t>(first);
  out->last_time = static_cast<uint32_t>(first + time_span);
  return nullptr;
}

void AppendScale(const DecimalScale& scale, std::string* out) {
  out->push_back(static_cast<char>(scale.exponent |
                                   static_cast<uint32_t>(scale.rule) << kRuleShift |
                                   (scale.factor != 1 ? kFactorBit : 0U)));
  if (scale.factor != 1) AppendVarint(scale.factor - 2, out);
}

const char* TakeScale(FieldReader* fields, DecimalScale* out) {
  const uint8_t lead = fields->Byte();
  const uint64_t factor = (lead & kFactorBit) != 0 ? fields->Varint() : UINT64_MAX;
  if (factor != UINT64_MAX && factor > UINT32_MAX - 2) return "divisor out of range";
  *out = {.rule = static_cast<ScaleRule>(lead >> kRuleShift & kRuleMask),
          .exponent = static_cast<uint8_t>(lead & kExponentMask),
          .factor = static_cast<uint32_t>(factor + 2)};
  return out->IsValid() ? nullptr : "unknown scale, or divisor out of range";
}

// The bits of a sum of doubles that the sum of the numbers suggests.
uint64_t NearSumOf(const PackedHeader& header) {
  if (header.form == NumberForm::kBits) {
    return BitsOf(header.count * std::bit_cast<double>(header.first));
  }
  return BitsOf(static_cast<double>(static_cast<int64_t>(header.sum)) /
                header.scale.double_divisor());
}

void AppendNumbers(const PackedHeader& header, std::string* out) {
  const bool is_of_bits = header.form == NumberForm::kBits;
  const bool has_sum = header.has_summary && header.form != NumberForm::kIntegers;
  if (is_of_bits) {
    AppendBigEndian(header.first, 8, out);
  } else {
    AppendVarint(ZigZag(header.first), out);
  }
  if (header.is_constant) {
    if (has_sum) AppendVarint(ZigZag(BitsOf(header.sum_of_doubles) - NearSumOf(header)), out);
    return;
  }
  if (is_of_bits) {
    AppendBigEndian(header.last, 8, out);
    if (!header.has_summary) return;
    AppendBigEndian(header.min, 8, out);
    AppendBigEndian(header.max, 8, out);
    AppendBigEndian(BitsOf(header.sum_of_doubles), 8, out);
    return;
  }
  AppendVarint(ZigZag(header.last - header.first), out);
  if (!header.has_summary) return;
  AppendVarint(header.first - header.min, out);
  AppendVarint(header.max - header.min, out);
  AppendVarint(header.sum - header.count * header.min, out);
  if (has_sum) AppendVarint(ZigZag(BitsOf(header.sum_of_doubles) - NearSumOf(header)), out);
}

void TakeSumOfDoubles(FieldReader* fields, PackedHeader* out) {
  out->sum_of_doubles = std::bit_cast<double>(NearSumOf(*out) + UnZigZag(fields->Varint()));
}

void TakeNumbers(FieldReader* fields, PackedHeader* out) {
  const bool is_of_bits = out->form == NumberForm::kBits;
  const bool has_sum = out->has_summary && out->form != NumberForm::kIntegers;
  out->first = is_of_bits ? fields->BigEndian(8) : UnZigZag(fields->Varint());
  if (out->is_constant) {
    out->last = out->min = out->max = out->first;
    out->sum = out->count * out->first;
    if (has_sum) TakeSumOfDoubles(fields, out);
    return;
  }
  if (is_of_bits) {
    out->last = fields->BigEndian(8);
    if (!out->has_summary) return;
    out->min = fields->BigEndian(8);
    out->max = fields->BigEndian(8);
    out->sum_of_doubles = std::bit_cast<double>(fields->BigEndian(8));
    return;
  }
  out->last = out->first + UnZigZag(fields->Varint());
  if (!out->has_summary) return;
  out->min = out->first - fields->Varint();
  out->max = out->min + fields->Varint();
  out->sum = out->count * out->min + fields->Varint();
  if (has_sum) TakeSumOfDoubles(fields, out);
}

// The fields of corrections, in the order of their bits in the byte before them.
constexpr std::array kCorrections = {&PackedHeader::first_correction,
                                     &PackedHeader::last_correction, &PackedHeader::min_correction,
                                     &PackedHeader::max_correction};

void AppendExceptions(const PackedHeader& header, std::string* out) {
  AppendVarint(header.exception_count - 1, out);
  out->append(header.exceptions);
  if (!header.has_summary) return;
  uint32_t which = 0;
  for (size_t i = 0; i < kCorrections.size(); ++i)
    which |= (header.*kCorrections[i] != 0 ? 1U : 0U) << i;
  out->push_back(static_cast<char>(which));
  for (const auto correction : kCorrections) {
    if (header.*correction != 0) AppendVarint(ZigZag(header.*correction), out);
  }
}

const char* TakeExceptions(FieldReader* fields, PackedHeader* out) {
  const uint64_t less_one = fields->Varint();
  if (less_one >= out->count) return "more exceptions than points";
  out->exception_count = static_cast<uint32_t>(less_one + 1);
  const std::string_view begin = fields->rest();
  uint64_t end = 0;
  for (uint64_t i = 0; i <= less_one && !fields->failed(); ++i) {
    const uint64_t gap = fields->Varint();
    if (gap >= out->count - end) return "exceptions after the last point";
    end += gap + 1;
    fields->Varint();
  }
  if (fields->failed()) return nullptr;
  out->exceptions = begin.substr(0, begin.size() - fields->rest().size());
  if (!out->has_summary) return nullptr;
  const uint8_t which = fields->Byte();
  if (which >> kCorrections.size() != 0) return "unknown corrections";
  for (size_t i = 0; i < kCorrections.size(); ++i) {
    if ((which >> i & 1) != 0) out->*kCorrections[i] = UnZigZag(fields->Varint());
  }
  return nullptr;
}

// The fault of the shape, or nullptr.
const char* TakeShape(uint8_t shape, PackedHeader* out) {
  out->flags_kind = static_cast<FlagsKind>(shape & kFlagsKindMask);
  out->form = static_cast<NumberForm>(shape >> kNumberFormShift & kNumberFormMask);
  out->is_ms = (shape & kMsQualifiersBit) != 0;
  out->is_constant = (shape & kConstantBit) != 0;
  if ((shape & ~kShapeMask) != 0) return "unknown shape";
  if (out->form > NumberForm::kBits) return "unknown form of numbers";
  const bool is_flagged = out->flags_kind == FlagsKind::kFlagged;
  const bool has_integers = out->form == NumberForm::kIntegers;
  if (!is_flagged && has_integers != (out->flags_kind == FlagsKind::kIntegers)) {
    return "form of numbers that does not fit the flags";
  }
  if ((shape & kExceptionsBit) != 0 && out->form != NumberForm::kDecimals) {
    return "exceptions of numbers that are not decimals";
  }
  return nullptr;
}

// Takes the types and flags that the kinds need, and sets has_summary.
const char* TakeTypes(FieldReader* fields, PackedHeader* out) {
  const bool is_flagged = out->flags_kind == FlagsKind::kFlagged;
  if (out->has_kind_column()) out->types = fields->Byte();
  if (out->flags_kind == FlagsKind::kFloats) out->types = kTypesMask;
  out->has_summary = out->count > kDecodedSummaryMax && (out->types & kNoSummaryBit) == 0;
  if ((out->types & kNoSummaryBit) != 0) {
    if (!is_flagged || out->form == NumberForm::kIntegers) return "no summary";
    out->types &= static_cast<uint8_t>(~kNoSummaryBit);
  }
  if ((out->types & ~kTypesMask) != 0) return "unknown types";
  if (out->form == NumberForm::kIntegers && out->types != 0) return "floats among integers";
  if (is_flagged) {
    out->first_flags = fields->Byte();
    out->last_flags = fields->Byte();
  }
  return nullptr;
}

// The bytes after the format byte, of a page after its hours.
const char* TakePackedHeader3(std::string_view body,
                              uint32_t span_ms,
                              PackedHeader* out,
                              std::string_view* columns) {
  FieldReader fields(body);
  const uint8_t shape = fields.Byte();
  if (fields.failed()) return "header cut short";
  if (const char* fault = TakeShape(shape, out); fault != nullptr) return fault;
  if (const char* fault = TakeTimes(&fields, span_ms, out); fault != nullptr) return fault;
  const bool is_flagged = out->flags_kind == FlagsKind::kFlagged;
  if (is_flagged ? out->is_ms : out->has_ms_times && !out->is_ms) {
    return "times that do not fit the qualifiers";
  }
  if (out->form == NumberForm::kDecimals) {
    if (const char* fault = TakeScale(&fields, &out->scale); fault != nullptr) return fault;
  }
  if (const char* fault = TakeTypes(&fields, out); fault != nullptr) return fault;
  TakeNumbers(&fields, out);
  if ((shape & kExceptionsBit) != 0 && !fields.failed()) {
    if (const char* fault = TakeExceptions(&fields, out); fault != nullptr) return fault;
  }
  if (fields.failed()) return "header cut short";
  *columns = fields.rest();
  return nullptr;
}

const char* TakePageHeader(std::string_view cell, PackedHeader* out, std::string_view* columns) {
  if (cell.size() < 2) return "header cut short";
  const uint32_t hours = static_cast<uint8_t>(cell[1]) + 1U;
  if (hours > kHoursADay) return "page of more than a day";
  if (const char* fault = TakePackedHeader3(cell.substr(2), hours * kQualifierSpanMs, out, columns);
      fault != nullptr) {
    return fault;
  }
  return hours > 1 && out->count > kSharedPagePointsMax ? "more points than hours share a page for"
                                                        : nullptr;
}

// The value of a number of the header.
Value HeaderValue(const PackedHeader& header,
                  uint64_t number,
                  uint64_t correction,
                  uint8_t is_float_bit) {
  const auto integer = static_cast<int64_t>(number);
  const bool is_float = (header.types & is_float_bit) != 0;
  if (header.form == NumberForm::kDecimals) {
    return is_float ? Value::Float(
                          std::bit_cast<double>(BitsOf(header.scale.ValueOf(number)) + correction))
                    : Value::Integer(integer / header.scale.divisor());
  }
  return is_float ? Value::Float(std::bit_cast<double>(number)) : Value::Integer(integer);
}

}  // namespace

void AppendException(uint32_t gap, uint64_t correction, std::string* out) {
  AppendVarint(gap, out);
  AppendVarint(ZigZag(correction), out);
}

bool ExceptionReader::Next(uint32_t* position, uint64_t* correction) {
  if (left_ == 0) return false;
  --left_;
  FieldReader fields(rest_);
  *position = end_ + static_cast<uint32_t>(fields.Varint());
  end_ = *position + 1;
  *correction = UnZigZag(fields.Varint());
  HOURCELL_DCHECK(!fields.failed());
  rest_ = fields.rest();
  return true;
}

void AppendPackedHeader(const PackedHeader& header, uint32_t span_ms, std::string* out) {
  const bool is_page = header.format == CellFormat::kPage;
  HOURCELL_DCHECK(is_page ? span_ms % kQualifierSpanMs == 0 : header.format == CellFormat::kPacked);
  out->push_back(is_page ? kPageByte : kPackedByte);
  if (is_page) out->push_back(static_cast<char>(span_ms / kQualifierSpanMs - 1));
  out->push_back(static_cast<char>(static_cast<uint32_t>(header.flags_kind) |
                                   static_cast<uint32_t>(header.form) << kNumberFormShift |
                                   (header.is_ms ? kMsQualifiersBit : 0U) |
                                   (header.is_constant ? kConstantBit : 0U) |
                                   (header.exception_count > 0 ? kExceptionsBit : 0U)));
  AppendTimes(header, span_ms, out);
  if (header.form == NumberForm::kDecimals) AppendScale(header.scale, out);
  if (header.has_kind_column()) {
    const bool lacks_summary = header.count > kDecodedSummaryMax && !header.has_summary;
    out->push_back(static_cast<char>(header.types | (lacks_summary ? kNoSummaryBit : 0U)));
  }
  if (header.flags_kind == FlagsKind::kFlagged) {
    out->push_back(static_cast<char>(header.first_flags));
    out->push_back(static_cast<char>(header.last_flags));
  }
  AppendNumbers(header, out);
  if (header.exception_count > 0) AppendExceptions(header, out);
}

const char* TakePackedHeader(std::string_view cell,
                             uint32_t span_ms,
                             PackedHeader* out,
                             std::string_view* columns) {
  if (!IsPacked(cell)) return "not packed; expected 02, 03 or 04";
  out->format = static_cast<CellFormat>(cell.front());
  switch (out->format) {
    case CellFormat::kPacked:
      return TakePackedHeader3(cell.substr(1), span_ms, out, columns);
    case CellFormat::kPage:
      return TakePageHeader(cell, out, columns);
    default:
      return TakePackedHeader2(cell, span_ms, out, columns);
  }
}

CellSummary SummaryOf(const PackedHeader& header) {
  const bool is_all_integer = header.form == NumberForm::kIntegers;
  return {.count = header.count,
          .first_offset_ms = header.first_time * header.unit_ms(),
          .last_offset_ms = header.last_time * header.unit_ms(),
          .first = HeaderValue(header, header.first, header.first_correction, kFirstIsFloat),
          .last = HeaderValue(header, header.last, header.last_correction, kLastIsFloat),
          .all_integer = is_all_integer,
          .sum = is_all_integer ? Value::Integer(static_cast<int64_t>(header.sum))
                                : Value::Float(header.sum_of_doubles),
          .min = HeaderValue(header, header.min, header.min_correction, kMinIsFloat),
          .max = HeaderValue(header, header.max, header.max_correction, kMaxIsFloat)};
}

}  // namespace hourcell
