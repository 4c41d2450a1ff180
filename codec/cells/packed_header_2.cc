#include "codec/cells/packed_header_2.h"

#include <bit>

#include "codec/base/check.h"
#include "codec/cells/integer_column.h"
#include "codec/field_reader.h"
#include "codec/value_bits.h"

namespace hourcell {
namespace {

constexpr uint8_t kFlagsKindMask2 = 0x03;
constexpr uint32_t kNumberFormShift2 = 2;
constexpr uint8_t kNumberFormMask2 = 0x03;
constexpr uint8_t kMsQualifiersBit2 = 0x10;
constexpr uint8_t kMsTimesBit2 = 0x20;
constexpr uint8_t kSummaryBit2 = 0x40;
constexpr uint8_t kTimeColumnBit2 = 0x80;

void TakeNumbers2(FieldReader* fields, PackedHeader* out) {
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
    const uint64_t near = BitsOf(out->scale.ValueOf(out->sum));
    out->sum_of_doubles = std::bit_cast<double>(near + UnZigZag(fields->Varint()));
  }
}

// The fault of the shape, or nullptr.
const char* TakeShape2(uint8_t shape, PackedHeader* out) {
  out->flags_kind = static_cast<FlagsKind>(shape & kFlagsKindMask2);
  out->form = static_cast<NumberForm>(shape >> kNumberFormShift2 & kNumberFormMask2);
  out->is_ms = (shape & kMsQualifiersBit2) != 0;
  out->has_ms_times = (shape & kMsTimesBit2) != 0;
  out->has_summary = (shape & kSummaryBit2) != 0;
  out->has_time_column = (shape & kTimeColumnBit2) != 0;
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

}  // namespace

const char* TakePackedHeader2(std::string_view cell,
                              uint32_t span_ms,
                              PackedHeader* out,
                              std::string_view* columns) {
  HOURCELL_DCHECK(cell.starts_with(static_cast<char>(CellFormat::kPackedFirst)));
  FieldReader fields(cell.substr(1));
  out->format = CellFormat::kPackedFirst;
  if (const char* fault = TakeShape2(fields.Byte(), out); fault != nullptr) return fault;
  const uint64_t count = fields.Varint();
  const uint64_t first_time = fields.Varint();
  const uint64_t time_span = fields.Varint();
  const uint64_t times_end = span_ms / out->unit_ms();
  if (fields.failed()) return "header cut short";
  if (count == 0 || count > span_ms) return "no points, or more than an hour holds";
  if (first_time >= times_end || time_span >= times_end - first_time || time_span < count - 1) {
    return "times that do not fit an hour";
  }
  out->count = static_cast<uint32_t>(count);
  out->first_time = static_cast<uint32_t>(first_time);
  out->last_time = static_cast<uint32_t>(first_time + time_span);
  if (out->form == NumberForm::kDecimals) out->scale.exponent = fields.Byte();
  if (out->scale.exponent > kExponentMax) return "exponent out of range";
  if (out->has_kind_column()) out->types = fields.Byte();
  if (out->flags_kind == FlagsKind::kFloats) out->types = kTypesMask;
  if ((out->types & ~kTypesMask) != 0) return "unknown types";
  if (out->form == NumberForm::kIntegers && out->types != 0) return "floats among integers";
  if (out->flags_kind == FlagsKind::kFlagged) {
    out->first_flags = fields.Byte();
    out->last_flags = fields.Byte();
  }
  TakeNumbers2(&fields, out);
  if (fields.failed()) return "header cut short";
  *columns = fields.rest();
  return nullptr;
}

}  // namespace hourcell
