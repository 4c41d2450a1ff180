#include "codec/cells/packed_cell.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/integer_column.h"
#include "codec/cells/packed_header.h"
#include "codec/limits.h"
#include "codec/qualifier.h"
#include "codec/value_bits.h"

namespace hourcell {
namespace {

constexpr uint8_t kPointFlagsMask = CellColumns::kMsPrecision | kFlagsMask;

// The flags with which a put stores an integer; ValueFlags without a branch a point.
uint8_t IntegerFlags(uint64_t bits) {
  const auto value = static_cast<int64_t>(bits);
  return static_cast<uint8_t>((value != static_cast<int8_t>(value) ? 1 : 0) +
                              (value != static_cast<int16_t>(value) ? 2 : 0) +
                              (value != static_cast<int32_t>(value) ? 4 : 0));
}

// The flags with which a put stores a finite double.
uint8_t FloatFlags(uint64_t bits) {
  return WidenFloatBits(NarrowFloatBits(bits)) == bits ? 0xB : 0xF;
}

bool IsFinite(uint64_t bits) {
  return (bits >> 52 & 0x7FF) != 0x7FF;
}

// True if `flags` can hold the value without loss.
bool Holds(uint8_t flags, uint64_t bits) {
  if (!AreReadableFlags(flags)) return false;
  if ((flags & kFloatFlag) != 0) {
    return (flags & kWidthMask) == 7 || WidenFloatBits(NarrowFloatBits(bits)) == bits;
  }
  return IntegerFlags(bits) <= flags;
}

// Totals of the points; the positions are those of the earliest extremes.
struct Totals {
  size_t min_at = 0;
  size_t max_at = 0;
  uint64_t sum_of_integers = 0;
  double sum_of_doubles = 0;
  bool is_all_integer = true;
  bool is_finite = true;
};

template <typename Number, typename NumberAt>
void FindExtremes(size_t count, const NumberAt& number_at, Totals* totals) {
  Number min = number_at(0);
  Number max = min;
  for (size_t i = 1; i < count; ++i) {
    const Number number = number_at(i);
    if (number < min) {
      min = number;
      totals->min_at = i;
    }
    if (number > max) {
      max = number;
      totals->max_at = i;
    }
  }
}

// The totals of the points from `start` on.
Totals TotalsOf(const CellColumns& columns, size_t start) {
  const size_t count = columns.size() - start;
  Totals totals;
  for (size_t i = start; i < columns.size(); ++i) {
    if ((columns.flags[i] & kFloatFlag) == 0) continue;
    totals.is_all_integer = false;
    totals.is_finite &= IsFinite(columns.bits[i]);
  }
  if (totals.is_all_integer) {
    const auto integer_at = [&](size_t i) { return static_cast<int64_t>(columns.bits[start + i]); };
    FindExtremes<int64_t>(count, integer_at, &totals);
    for (size_t i = start; i < columns.size(); ++i)
      totals.sum_of_integers += columns.bits[i];
  } else {
    const auto double_at = [&](size_t i) { return columns.value(start + i).ToDouble(); };
    FindExtremes<double>(count, double_at, &totals);
    totals.sum_of_doubles = double_at(0);
    for (size_t i = 1; i < count; ++i)
      totals.sum_of_doubles += double_at(i);
  }
  return totals;
}

std::optional<CellSummary> SummarizeFrom(const CellColumns& columns, size_t start) {
  const Totals totals = TotalsOf(columns, start);
  if (!totals.is_finite) return std::nullopt;
  const size_t last = columns.size() - 1;
  return CellSummary{.count = static_cast<uint32_t>(columns.size() - start),
                     .first_offset_ms = columns.offset_ms[start],
                     .last_offset_ms = columns.offset_ms[last],
                     .first = columns.value(start),
                     .last = columns.value(last),
                     .all_integer = totals.is_all_integer,
                     .sum = totals.is_all_integer
                                ? Value::Integer(static_cast<int64_t>(totals.sum_of_integers))
                                : Value::Float(totals.sum_of_doubles),
                     .min = columns.value(start + totals.min_at),
                     .max = columns.value(start + totals.max_at)};
}

// True if all points have the flags that a put would give them, for their types.
bool HasCanonicalFlags(const CellColumns& columns, const Totals& totals, uint8_t any_flags) {
  if (totals.is_all_integer && IntegerFlags(columns.bits[totals.min_at]) == 0 &&
      IntegerFlags(columns.bits[totals.max_at]) == 0) {
    return (any_flags & kFlagsMask) == 0;
  }
  if (!totals.is_finite) return false;
  bool is_canonical = true;
  for (size_t i = 0; i < columns.size(); ++i) {
    const uint8_t flags = columns.flags[i];
    const uint64_t bits = columns.bits[i];
    is_canonical &=
        (flags & kFlagsMask) == ((flags & kFloatFlag) != 0 ? FloatFlags(bits) : IntegerFlags(bits));
  }
  return is_canonical;
}

// The kind of flags: the cheapest that restores all of them.
void ChooseFlagsKind(const CellColumns& columns, const Totals& totals, PackedHeader* out) {
  uint8_t any = 0;
  uint8_t all = kPointFlagsMask;
  for (const uint8_t flags : columns.flags) {
    any |= flags;
    all &= flags;
  }
  const bool has_both_precisions = ((any ^ all) & CellColumns::kMsPrecision) != 0;
  if (has_both_precisions || !HasCanonicalFlags(columns, totals, any)) {
    out->flags_kind = FlagsKind::kFlagged;
    return;
  }
  out->is_ms = (any & CellColumns::kMsPrecision) != 0;
  if (totals.is_all_integer) {
    out->flags_kind = FlagsKind::kIntegers;
  } else {
    out->flags_kind = (all & kFloatFlag) != 0 ? FlagsKind::kFloats : FlagsKind::kMixed;
  }
}

// The decimal of `value` with the exponent, if there is one: the nearest integer, verified by
// converting it back. -0.0 does not have one.
bool ScaleToDecimal(double value, size_t exponent, uint64_t* number) {
  const double scaled = value * kPowersOfTen[exponent];
  if (!(std::abs(scaled) < static_cast<double>(kDecimalEnd))) return false;
  // From 2^52 on the added half is lost, and every double is an integer.
  const double half = std::abs(scaled) < 0x1p52 ? std::copysign(0.5, scaled) : 0.0;
  const auto integer = static_cast<int64_t>(scaled + half);
  *number = static_cast<uint64_t>(integer);
  return integer < kDecimalEnd && integer > -kDecimalEnd &&
         BitsOf(DecimalValue(*number, exponent)) == BitsOf(value);
}

bool ScaleToDecimal(Value value, size_t exponent, uint64_t* number) {
  if (!value.is_integer()) return ScaleToDecimal(value.floating(), exponent, number);
  const int64_t most = (kDecimalEnd - 1) / kIntegerPowersOfTen[exponent];
  if (value.integer() > most || value.integer() < -most) return false;
  *number = static_cast<uint64_t>(value.integer() * kIntegerPowersOfTen[exponent]);
  return true;
}

// Sets `*numbers` to the points as decimals of the least common exponent.
bool ScaleToDecimals(const CellColumns& columns,
                     uint8_t* exponent,
                     std::vector<uint64_t>* numbers) {
  // A value with an exponent also has every larger one while its digits fit. Hence one upward
  // search, and one more pass if the first values were scaled by less than the last ones.
  size_t power = 0;
  size_t power_of_first = 0;
  numbers->resize(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    while (!ScaleToDecimal(columns.value(i), power, &(*numbers)[i])) {
      if (++power > kExponentMax) return false;
    }
    if (i == 0) power_of_first = power;
  }
  *exponent = static_cast<uint8_t>(power);
  if (power == power_of_first) return true;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!ScaleToDecimal(columns.value(i), power, &(*numbers)[i])) return false;
  }
  return true;
}

void SetTimes(std::span<const uint32_t> offset_ms, PackedHeader* out) {
  const uint32_t step = offset_ms.size() > 1 ? offset_ms[1] - offset_ms[0] : 0;
  bool is_line = true;
  bool is_seconds = offset_ms[0] % 1000 == 0;
  for (size_t i = 1; i < offset_ms.size(); ++i) {
    is_line &= offset_ms[i] - offset_ms[i - 1] == step;
    is_seconds &= offset_ms[i] % 1000 == 0;
  }
  out->has_time_column = !is_line;
  out->has_ms_times = !is_seconds;
  out->first_time = offset_ms.front() / out->unit_ms();
  out->last_time = offset_ms.back() / out->unit_ms();
}

std::vector<uint64_t> TimesOf(std::span<const uint32_t> offset_ms, const PackedHeader& header) {
  std::vector<uint64_t> times;
  times.reserve(offset_ms.size());
  for (const uint32_t offset : offset_ms)
    times.push_back(header.has_ms_times ? offset : offset / 1000);
  return times;
}

std::vector<uint64_t> KindsOf(const CellColumns& columns, FlagsKind flags_kind) {
  std::vector<uint64_t> kinds(columns.flags.begin(), columns.flags.end());
  if (flags_kind == FlagsKind::kMixed) {
    for (uint64_t& kind : kinds)
      kind = (kind & kFloatFlag) != 0 ? 1 : 0;
  }
  return kinds;
}

uint8_t TypesOf(const CellColumns& columns, const Totals& totals) {
  const auto bit = [&](size_t i, uint8_t is_float_bit) {
    return (columns.flags[i] & kFloatFlag) != 0 ? is_float_bit : 0U;
  };
  const auto types = bit(0, kFirstIsFloat) | bit(columns.size() - 1, kLastIsFloat);
  if (!totals.is_finite) return static_cast<uint8_t>(types);
  return static_cast<uint8_t>(types | bit(totals.min_at, kMinIsFloat) |
                              bit(totals.max_at, kMaxIsFloat));
}

void SetNumbers(std::span<const uint64_t> numbers, const Totals& totals, PackedHeader* out) {
  out->first = numbers.front();
  out->last = numbers.back();
  if (!totals.is_finite) return;
  out->has_summary = true;
  out->min = numbers[totals.min_at];
  out->max = numbers[totals.max_at];
  out->sum_of_doubles = totals.sum_of_doubles;
  if (out->form == NumberForm::kIntegers) {
    out->sum = totals.sum_of_integers;
  } else if (out->form == NumberForm::kDecimals) {
    for (const uint64_t number : numbers)
      out->sum += number;
  }
}

void CheckColumns(const CellColumns& columns) {
  const size_t points = columns.size();
  HOURCELL_CHECK(points > 0 && columns.bits.size() == points && columns.flags.size() == points);
  bool ascends = true;
  for (size_t i = 1; i < points; ++i)
    ascends &= columns.offset_ms[i - 1] < columns.offset_ms[i];
  HOURCELL_CHECK(ascends && columns.offset_ms.back() < kQualifierSpanMs);
}

// A cell during decoding: its header, the remaining columns, and the destination of its points.
struct Decoding {
  PackedHeader header;
  std::string_view bytes;
  std::span<uint32_t> offset_ms;
  std::span<uint64_t> bits;  // also scratch for the columns before the values
  std::span<uint8_t> flags;
};

const char* DecodeTimeLine(const Decoding& cell) {
  const PackedHeader& header = cell.header;
  const uint32_t span = header.last_time - header.first_time;
  const uint32_t step = header.count > 1 ? span / (header.count - 1) : 0;
  if (step * (header.count - 1) != span) return "times that are not on a line";
  uint32_t offset_ms = header.first_time * header.unit_ms();
  for (uint32_t& out : cell.offset_ms) {
    out = offset_ms;
    offset_ms += step * header.unit_ms();
  }
  return nullptr;
}

const char* DecodeTimeColumn(Decoding* cell) {
  const std::span<uint64_t> times = cell->bits;
  times.front() = cell->header.first_time;
  times.back() = cell->header.last_time;
  IntegerTotals totals;
  if (const char* fault = TakeIntegerColumn(ColumnVersion::kFirst, &cell->bytes, times, &totals);
      fault != nullptr) {
    return fault;
  }
  bool ascends = true;
  const uint32_t unit_ms = cell->header.unit_ms();
  for (size_t i = 0; i < times.size(); ++i) {
    ascends &= i == 0 || times[i - 1] < times[i];
    cell->offset_ms[i] = static_cast<uint32_t>(times[i]) * unit_ms;
  }
  return ascends ? nullptr : "times that do not ascend";
}

// Sets the flags of each point to the stored ones, if there are any, else to kFloatFlag or 0.
const char* DecodeKinds(Decoding* cell) {
  const PackedHeader& header = cell->header;
  const bool is_flagged = header.flags_kind == FlagsKind::kFlagged;
  const auto of_type = [&](uint8_t bit) { return (header.types & bit) != 0 ? 1U : 0U; };
  const uint64_t first = is_flagged ? header.first_flags : of_type(kFirstIsFloat);
  const uint64_t last = is_flagged ? header.last_flags : of_type(kLastIsFloat);
  if (header.count == 1 && first != last) return "two kinds of one point";
  const std::span<uint64_t> kinds = cell->bits;
  kinds.front() = first;
  kinds.back() = last;
  IntegerTotals totals;
  if (const char* fault = TakeIntegerColumn(ColumnVersion::kFirst, &cell->bytes, kinds, &totals);
      fault != nullptr) {
    return fault;
  }
  if (totals.min < 0 || totals.max > (is_flagged ? kPointFlagsMask : 1)) return "unknown kind";
  for (size_t i = 0; i < kinds.size(); ++i)
    cell->flags[i] = static_cast<uint8_t>(is_flagged ? kinds[i] : kinds[i] * kFloatFlag);
  return nullptr;
}

const char* DecodeNumbers(Decoding* cell, IntegerTotals* totals) {
  const PackedHeader& header = cell->header;
  if (header.count == 1 && header.first != header.last) return "two values of one point";
  cell->bits.front() = header.first;
  cell->bits.back() = header.last;
  if (const char* fault =
          TakeIntegerColumn(ColumnVersion::kFirst, &cell->bytes, cell->bits, totals);
      fault != nullptr) {
    return fault;
  }
  if (!cell->bytes.empty()) return "bytes after the last column";
  if (header.form == NumberForm::kBits) return nullptr;
  const bool is_decimal = header.form == NumberForm::kDecimals;
  if (is_decimal && (totals->min <= -kDecimalEnd || totals->max >= kDecimalEnd)) {
    return "decimal out of range";
  }
  if (static_cast<uint64_t>(totals->min) != header.min ||
      static_cast<uint64_t>(totals->max) != header.max || totals->sum != header.sum) {
    return "numbers that differ from their summary";
  }
  return nullptr;
}

void FinishIntegers(const IntegerTotals& totals, const Decoding& cell) {
  const uint8_t precision = cell.header.is_ms ? CellColumns::kMsPrecision : 0;
  const uint8_t widest = std::max(IntegerFlags(static_cast<uint64_t>(totals.min)),
                                  IntegerFlags(static_cast<uint64_t>(totals.max)));
  if (widest == 0) {
    std::fill(cell.flags.begin(), cell.flags.end(), precision);
    return;
  }
  for (size_t i = 0; i < cell.bits.size(); ++i)
    cell.flags[i] = static_cast<uint8_t>(IntegerFlags(cell.bits[i]) | precision);
}

void FinishFloats(const Decoding& cell) {
  const uint8_t precision = cell.header.is_ms ? CellColumns::kMsPrecision : 0;
  if (cell.header.form == NumberForm::kDecimals) {
    // FinishDecimal and FloatFlags in one, without a branch a point, because these values are
    // finite.
    const double power = kPowersOfTen[cell.header.exponent];
    for (size_t i = 0; i < cell.bits.size(); ++i) {
      const double value = static_cast<double>(static_cast<int64_t>(cell.bits[i])) / power;
      const bool is_short = static_cast<double>(static_cast<float>(value)) == value;
      cell.bits[i] = BitsOf(value);
      cell.flags[i] = static_cast<uint8_t>((is_short ? 0xB : 0xF) | precision);
    }
    return;
  }
  for (size_t i = 0; i < cell.bits.size(); ++i)
    cell.flags[i] = static_cast<uint8_t>(FloatFlags(cell.bits[i]) | precision);
}

// Converts a decimal to the value of its kind. False if the kind is integer and it has a fraction.
bool FinishDecimal(const PackedHeader& header, bool is_float, uint64_t* bits) {
  if (is_float) {
    *bits = BitsOf(DecimalValue(*bits, header.exponent));
    return true;
  }
  const auto number = static_cast<int64_t>(*bits);
  const int64_t power = kIntegerPowersOfTen[header.exponent];
  *bits = static_cast<uint64_t>(number / power);
  return number % power == 0;
}

const char* FinishKinds(const Decoding& cell) {
  const PackedHeader& header = cell.header;
  for (size_t i = 0; i < cell.bits.size(); ++i) {
    const uint8_t flags = cell.flags[i];
    const bool is_float = (flags & kFloatFlag) != 0;
    if (header.form == NumberForm::kIntegers && is_float) return "float among integers";
    if (header.form == NumberForm::kDecimals && !FinishDecimal(header, is_float, &cell.bits[i])) {
      return "integer with a fraction";
    }
    const uint64_t bits = cell.bits[i];
    if (header.flags_kind == FlagsKind::kFlagged) {
      if (!Holds(flags & kFlagsMask, bits)) return "flags that do not fit their value";
      const bool is_ms = (flags & CellColumns::kMsPrecision) != 0;
      if (!is_ms && cell.offset_ms[i] % 1000 != 0) return "part of a second without its flag";
    } else {
      cell.flags[i] = static_cast<uint8_t>((is_float ? FloatFlags(bits) : IntegerFlags(bits)) |
                                           (header.is_ms ? CellColumns::kMsPrecision : 0));
    }
  }
  return nullptr;
}

const char* DecodeColumns(Decoding* cell) {
  const PackedHeader& header = cell->header;
  const char* fault = header.has_time_column ? DecodeTimeColumn(cell) : DecodeTimeLine(*cell);
  if (fault == nullptr && header.has_kind_column()) fault = DecodeKinds(cell);
  IntegerTotals totals;
  if (fault == nullptr) fault = DecodeNumbers(cell, &totals);
  if (fault != nullptr) return fault;
  switch (header.flags_kind) {
    case FlagsKind::kIntegers:
      FinishIntegers(totals, *cell);
      return nullptr;
    case FlagsKind::kFloats:
      FinishFloats(*cell);
      return nullptr;
    default:
      return FinishKinds(*cell);
  }
}

// False if the columns cannot hold as many points as the header states. A column on a line takes
// one byte whatever its length, so only the first other column limits the count.
bool CanHoldPoints(const PackedHeader& header, std::string_view columns) {
  if (!header.has_time_column) {
    while (!columns.empty() && columns.front() == '\0')
      columns.remove_prefix(1);
    if (columns.empty()) return true;
  }
  return CanHoldColumn(columns.size(), header.count);
}

// Returns the fault of a packed cell, or nullptr. On a fault `*out` may hold points from `start`
// on.
const char* DecodeFrom(std::string_view cell, size_t start, CellColumns* out) {
  Decoding decoding;
  const char* fault = TakePackedHeader(cell, &decoding.header, &decoding.bytes);
  if (fault != nullptr) return fault;
  const PackedHeader& header = decoding.header;
  if (!CanHoldPoints(header, decoding.bytes)) return "columns too short for the points";
  const size_t end = start + header.count;
  out->offset_ms.resize(end);
  out->bits.resize(end);
  out->flags.resize(end);
  decoding.offset_ms = std::span(out->offset_ms).subspan(start);
  decoding.bits = std::span(out->bits).subspan(start);
  decoding.flags = std::span(out->flags).subspan(start);
  fault = DecodeColumns(&decoding);
  if (fault != nullptr) return fault;
  // Decoding has compared the numbers of integers and decimals with the summary.
  const bool is_checked = header.form != NumberForm::kBits && !header.has_kind_column();
  if (header.has_summary && !is_checked && SummarizeFrom(*out, start) != SummaryOf(header)) {
    return "points that differ from their summary";
  }
  return nullptr;
}

absl::Status PackedDamage(std::string_view cell, std::string_view fault) {
  return absl::DataLossError(fmt::format("packed cell {}{} of {} bytes: {}",
                                         ToHex(cell.substr(0, 32)), cell.size() > 32 ? "..." : "",
                                         cell.size(), fault));
}

}  // namespace

void AppendPackedCell(const CellColumns& columns, std::string* out) {
  CheckColumns(columns);
  const Totals totals = TotalsOf(columns, 0);
  PackedHeader header{.count = static_cast<uint32_t>(columns.size())};
  ChooseFlagsKind(columns, totals, &header);
  std::vector<uint64_t> scaled;
  if (!totals.is_all_integer) {
    header.form = totals.is_finite && ScaleToDecimals(columns, &header.exponent, &scaled)
                      ? NumberForm::kDecimals
                      : NumberForm::kBits;
  }
  const std::vector<uint64_t>& numbers =
      header.form == NumberForm::kDecimals ? scaled : columns.bits;
  SetNumbers(numbers, totals, &header);
  header.types = TypesOf(columns, totals);
  header.first_flags = columns.flags.front();
  header.last_flags = columns.flags.back();

  SetTimes(columns.offset_ms, &header);

  AppendPackedHeader(header, out);
  if (header.has_time_column)
    AppendIntegerColumn(ColumnVersion::kFirst, TimesOf(columns.offset_ms, header), out);
  if (header.has_kind_column())
    AppendIntegerColumn(ColumnVersion::kFirst, KindsOf(columns, header.flags_kind), out);
  AppendIntegerColumn(ColumnVersion::kFirst, numbers, out);
}

absl::Status DecodePackedCell(std::string_view cell, CellColumns* out) {
  const size_t start = out->size();
  const char* const fault = DecodeFrom(cell, start, out);
  if (fault == nullptr) return absl::OkStatus();
  out->offset_ms.resize(start);
  out->bits.resize(start);
  out->flags.resize(start);
  return PackedDamage(cell, fault);
}

absl::StatusOr<std::optional<CellSummary>> ReadCellSummary(std::string_view cell) {
  if (cell.empty() || cell.front() == static_cast<char>(CellFormat::kDamaged)) {
    return PackedDamage(cell, "empty or a damaged record");
  }
  if (cell.front() != kPackedByte) return std::nullopt;
  PackedHeader header;
  std::string_view columns;
  if (const char* fault = TakePackedHeader(cell, &header, &columns); fault != nullptr) {
    return PackedDamage(cell, fault);
  }
  if (!header.has_summary) return std::nullopt;
  return SummaryOf(header);
}

std::optional<CellSummary> Summarize(const CellColumns& columns) {
  HOURCELL_CHECK(columns.size() > 0);
  return SummarizeFrom(columns, 0);
}

}  // namespace hourcell
