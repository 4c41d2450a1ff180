#include "codec/cells/packed_cell.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/cells/decimal_scale.h"
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

// The points of one cell.
struct PointSpan {
  std::span<const uint32_t> offset_ms;
  std::span<const uint64_t> bits;
  std::span<const uint8_t> flags;

  size_t size() const { return bits.size(); }
  Value value(size_t i) const {
    return (flags[i] & kFloatFlag) != 0 ? Value::Float(std::bit_cast<double>(bits[i]))
                                        : Value::Integer(static_cast<int64_t>(bits[i]));
  }
};

PointSpan PointsOf(const CellColumns& columns, size_t start) {
  return {.offset_ms = std::span(columns.offset_ms).subspan(start),
          .bits = std::span(columns.bits).subspan(start),
          .flags = std::span(columns.flags).subspan(start)};
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

Totals TotalsOf(const PointSpan& points) {
  const size_t count = points.size();
  Totals totals;
  for (size_t i = 0; i < count; ++i) {
    if ((points.flags[i] & kFloatFlag) == 0) continue;
    totals.is_all_integer = false;
    totals.is_finite &= IsFinite(points.bits[i]);
  }
  if (totals.is_all_integer) {
    const auto integer_at = [&](size_t i) { return static_cast<int64_t>(points.bits[i]); };
    FindExtremes<int64_t>(count, integer_at, &totals);
    for (const uint64_t bits : points.bits)
      totals.sum_of_integers += bits;
  } else {
    const auto double_at = [&](size_t i) { return points.value(i).ToDouble(); };
    FindExtremes<double>(count, double_at, &totals);
    totals.sum_of_doubles = double_at(0);
    for (size_t i = 1; i < count; ++i)
      totals.sum_of_doubles += double_at(i);
  }
  return totals;
}

std::optional<CellSummary> SummaryOfPoints(const PointSpan& points) {
  const Totals totals = TotalsOf(points);
  if (!totals.is_finite) return std::nullopt;
  return CellSummary{.count = static_cast<uint32_t>(points.size()),
                     .first_offset_ms = points.offset_ms.front(),
                     .last_offset_ms = points.offset_ms.back(),
                     .first = points.value(0),
                     .last = points.value(points.size() - 1),
                     .all_integer = totals.is_all_integer,
                     .sum = totals.is_all_integer
                                ? Value::Integer(static_cast<int64_t>(totals.sum_of_integers))
                                : Value::Float(totals.sum_of_doubles),
                     .min = points.value(totals.min_at),
                     .max = points.value(totals.max_at)};
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

uint8_t TypesOf(const CellColumns& columns, const Totals& totals, const PackedHeader& header) {
  const auto bit = [&](size_t i, uint8_t is_float_bit) {
    return (columns.flags[i] & kFloatFlag) != 0 ? is_float_bit : 0U;
  };
  const auto types = bit(0, kFirstIsFloat) | bit(columns.size() - 1, kLastIsFloat);
  if (!header.has_summary) return static_cast<uint8_t>(types);
  return static_cast<uint8_t>(types | bit(totals.min_at, kMinIsFloat) |
                              bit(totals.max_at, kMaxIsFloat));
}

// The bits of a double less those that its number gives; 0 of an integer.
uint64_t CorrectionOf(const CellColumns& columns,
                      size_t i,
                      const DecimalScale& scale,
                      uint64_t number) {
  if ((columns.flags[i] & kFloatFlag) == 0) return 0;
  return columns.bits[i] - BitsOf(scale.ValueOf(number));
}

void SetNumbers(std::span<const uint64_t> numbers, const Totals& totals, PackedHeader* out) {
  out->first = numbers.front();
  out->last = numbers.back();
  out->is_constant = std::ranges::all_of(numbers, [&](uint64_t n) { return n == out->first; });
  out->has_summary = totals.is_finite && out->count > kDecodedSummaryMax;
  if (!out->has_summary) return;
  out->sum_of_doubles = totals.sum_of_doubles;
  if (out->form == NumberForm::kBits) {
    out->min = numbers[totals.min_at];
    out->max = numbers[totals.max_at];
    return;
  }
  const auto less = [](uint64_t a, uint64_t b) {
    return static_cast<int64_t>(a) < static_cast<int64_t>(b);
  };
  const auto [min, max] = std::ranges::minmax_element(numbers, less);
  out->min = *min;
  out->max = *max;
  for (const uint64_t number : numbers)
    out->sum += number;
}

// Sets the exceptions of the header, which are kept in `*bytes`.
void SetExceptions(const CellColumns& columns,
                   const ScaledColumn& scaled,
                   const Totals& totals,
                   std::string* bytes,
                   PackedHeader* out) {
  const auto correction = [&](size_t i, uint64_t number) {
    return CorrectionOf(columns, i, scaled.scale, number);
  };
  uint32_t end = 0;
  for (const uint32_t i : scaled.exceptions) {
    AppendException(i - end, correction(i, scaled.numbers[i]), bytes);
    end = i + 1;
  }
  out->exception_count = static_cast<uint32_t>(scaled.exceptions.size());
  out->exceptions = *bytes;
  if (!out->has_summary) return;
  out->first_correction = correction(0, out->first);
  out->last_correction = correction(columns.size() - 1, out->last);
  out->min_correction = correction(totals.min_at, out->min);
  out->max_correction = correction(totals.max_at, out->max);
}

void CheckColumns(const CellColumns& columns, uint32_t span_ms) {
  const size_t points = columns.size();
  HOURCELL_CHECK(points > 0 && columns.bits.size() == points && columns.flags.size() == points);
  bool ascends = true;
  for (size_t i = 1; i < points; ++i)
    ascends &= columns.offset_ms[i - 1] < columns.offset_ms[i];
  HOURCELL_CHECK(ascends && columns.offset_ms.back() < span_ms);
}

// A cell during decoding: its header, the remaining columns, and the destination of its points.
struct Decoding {
  PackedHeader header;
  std::string_view bytes;
  std::span<uint32_t> offset_ms;
  std::span<uint64_t> bits;  // also scratch for the columns before the values
  std::span<uint8_t> flags;

  ColumnVersion version() const {
    return header.format == CellFormat::kPackedFirst ? ColumnVersion::kFirst
                                                     : ColumnVersion::kSecond;
  }
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
  if (const char* fault = TakeIntegerColumn(cell->version(), &cell->bytes, times, &totals);
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
  if (const char* fault = TakeIntegerColumn(cell->version(), &cell->bytes, kinds, &totals);
      fault != nullptr) {
    return fault;
  }
  if (totals.min < 0 || totals.max > (is_flagged ? kPointFlagsMask : 1)) return "unknown kind";
  for (size_t i = 0; i < kinds.size(); ++i)
    cell->flags[i] = static_cast<uint8_t>(is_flagged ? kinds[i] : kinds[i] * kFloatFlag);
  return nullptr;
}

const char* TakeValues(Decoding* cell, IntegerTotals* totals) {
  const PackedHeader& header = cell->header;
  if (header.is_constant) {
    const auto number = static_cast<int64_t>(header.first);
    std::ranges::fill(cell->bits, header.first);
    *totals = {.min = number, .max = number, .sum = header.count * header.first};
    return nullptr;
  }
  if (header.count == 1 && header.first != header.last) return "two values of one point";
  cell->bits.front() = header.first;
  cell->bits.back() = header.last;
  return TakeIntegerColumn(cell->version(), &cell->bytes, cell->bits, totals);
}

const char* DecodeNumbers(Decoding* cell, IntegerTotals* totals) {
  const PackedHeader& header = cell->header;
  if (const char* fault = TakeValues(cell, totals); fault != nullptr) return fault;
  if (!cell->bytes.empty()) return "bytes after the last column";
  if (header.form == NumberForm::kBits) return nullptr;
  const bool is_decimal = header.form == NumberForm::kDecimals;
  if (is_decimal && (totals->min <= -kDecimalEnd || totals->max >= kDecimalEnd)) {
    return "decimal out of range";
  }
  if (!header.has_summary) return nullptr;
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

// FinishDecimal and FloatFlags in one, without a branch a point, because these values are finite.
template <typename Scaling>
void FinishDecimals(const Scaling& scaling, const Decoding& cell) {
  const uint8_t precision = cell.header.is_ms ? CellColumns::kMsPrecision : 0;
  for (size_t i = 0; i < cell.bits.size(); ++i) {
    const double value = scaling(static_cast<double>(static_cast<int64_t>(cell.bits[i])));
    const bool is_short = static_cast<double>(static_cast<float>(value)) == value;
    cell.bits[i] = BitsOf(value);
    cell.flags[i] = static_cast<uint8_t>((is_short ? 0xB : 0xF) | precision);
  }
}

// As DecimalScale::ValueOf, of all numbers.
void FinishScaled(const Decoding& cell) {
  const double divisor = cell.header.scale.double_divisor();
  switch (cell.header.scale.rule) {
    case ScaleRule::kDivide:
      FinishDecimals([divisor](double number) { return number / divisor; }, cell);
      return;
    case ScaleRule::kMultiply:
      FinishDecimals([factor = 1 / divisor](double number) { return number * factor; }, cell);
      return;
    case ScaleRule::kDivideToBinary32:
      FinishDecimals(
          [divisor](double number) {
            return static_cast<double>(static_cast<float>(number / divisor));
          },
          cell);
      return;
  }
}

// Corrects the doubles that their numbers do not give.
const char* FinishExceptions(const Decoding& cell) {
  ExceptionReader exceptions(cell.header);
  uint32_t i = 0;
  for (uint64_t correction = 0; exceptions.Next(&i, &correction);) {
    if ((cell.flags[i] & kFloatFlag) == 0) return "exception that is an integer";
    cell.bits[i] += correction;
  }
  return nullptr;
}

const char* FinishFloats(const Decoding& cell) {
  const uint8_t precision = cell.header.is_ms ? CellColumns::kMsPrecision : 0;
  if (cell.header.form == NumberForm::kDecimals) {
    FinishScaled(cell);
    if (const char* fault = FinishExceptions(cell); fault != nullptr) return fault;
    ExceptionReader exceptions(cell.header);
    uint32_t i = 0;
    for (uint64_t correction = 0; exceptions.Next(&i, &correction);)
      cell.flags[i] = static_cast<uint8_t>(FloatFlags(cell.bits[i]) | precision);
    return nullptr;
  }
  for (size_t i = 0; i < cell.bits.size(); ++i)
    cell.flags[i] = static_cast<uint8_t>(FloatFlags(cell.bits[i]) | precision);
  return nullptr;
}

// Converts a decimal to the value of its kind. False if the kind is integer and it has a fraction.
bool FinishDecimal(const DecimalScale& scale, bool is_float, uint64_t* bits) {
  if (is_float) {
    *bits = BitsOf(scale.ValueOf(*bits));
    return true;
  }
  const auto number = static_cast<int64_t>(*bits);
  const int64_t divisor = scale.divisor();
  *bits = static_cast<uint64_t>(number / divisor);
  return number % divisor == 0;
}

// The flags and times of a point that stores them.
const char* FlagsFault(uint8_t flags, uint64_t bits, uint32_t offset_ms) {
  if (!Holds(flags & kFlagsMask, bits)) return "flags that do not fit their value";
  const bool is_ms = (flags & CellColumns::kMsPrecision) != 0;
  return !is_ms && offset_ms % 1000 != 0 ? "part of a second without its flag" : nullptr;
}

const char* FinishKinds(const Decoding& cell) {
  const PackedHeader& header = cell.header;
  const bool is_flagged = header.flags_kind == FlagsKind::kFlagged;
  if (header.form == NumberForm::kDecimals) {
    for (size_t i = 0; i < cell.bits.size(); ++i) {
      if (!FinishDecimal(header.scale, (cell.flags[i] & kFloatFlag) != 0, &cell.bits[i])) {
        return "integer with a fraction";
      }
    }
    if (const char* fault = FinishExceptions(cell); fault != nullptr) return fault;
  }
  for (size_t i = 0; i < cell.bits.size(); ++i) {
    const uint8_t flags = cell.flags[i];
    const uint64_t bits = cell.bits[i];
    const bool is_float = (flags & kFloatFlag) != 0;
    if (header.form == NumberForm::kIntegers && is_float) return "float among integers";
    if (is_flagged) {
      if (const char* fault = FlagsFault(flags, bits, cell.offset_ms[i]); fault != nullptr) {
        return fault;
      }
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
      return FinishFloats(*cell);
    default:
      return FinishKinds(*cell);
  }
}

// False if the columns cannot hold as many points as the header states. A column on a line takes
// one byte whatever its length, so only the first other column limits the count.
bool CanHoldPoints(const PackedHeader& header, std::string_view columns) {
  if (!header.has_time_column) {
    if (header.is_constant && !header.has_kind_column()) return true;
    while (!columns.empty() && columns.front() == '\0')
      columns.remove_prefix(1);
    if (columns.empty()) return true;
  }
  return CanHoldColumn(columns.size(), header.count);
}

// Decodes the columns and compares them with the header. Returns the fault or nullptr.
const char* DecodePoints(Decoding* cell) {
  if (const char* fault = DecodeColumns(cell); fault != nullptr) return fault;
  const PackedHeader& header = cell->header;
  // Decoding has compared the numbers of integers and decimals with the summary.
  const bool is_checked =
      header.form != NumberForm::kBits && !header.has_kind_column() && header.exception_count == 0;
  if (!header.has_summary || is_checked) return nullptr;
  const PointSpan points{.offset_ms = cell->offset_ms, .bits = cell->bits, .flags = cell->flags};
  return SummaryOfPoints(points) == SummaryOf(header) ? nullptr
                                                      : "points that differ from their summary";
}

// Returns the fault of a packed cell, or nullptr. On a fault `*out` may hold points from `start`
// on.
const char* DecodeFrom(std::string_view cell, size_t start, CellColumns* out) {
  Decoding decoding;
  const char* fault = TakePackedHeader(cell, kQualifierSpanMs, &decoding.header, &decoding.bytes);
  if (fault != nullptr) return fault;
  if (!CanHoldPoints(decoding.header, decoding.bytes)) return "columns too short for the points";
  const size_t end = start + decoding.header.count;
  out->offset_ms.resize(end);
  out->bits.resize(end);
  out->flags.resize(end);
  decoding.offset_ms = std::span(out->offset_ms).subspan(start);
  decoding.bits = std::span(out->bits).subspan(start);
  decoding.flags = std::span(out->flags).subspan(start);
  return DecodePoints(&decoding);
}

// Sets `*out` to the summary of a cell of few points. Returns the fault or nullptr.
const char* SummarizeFew(Decoding* cell, std::optional<CellSummary>* out) {
  std::array<uint32_t, kDecodedSummaryMax> offset_ms;
  std::array<uint64_t, kDecodedSummaryMax> bits;
  std::array<uint8_t, kDecodedSummaryMax> flags;
  const size_t count = cell->header.count;
  cell->offset_ms = std::span(offset_ms).first(count);
  cell->bits = std::span(bits).first(count);
  cell->flags = std::span(flags).first(count);
  if (const char* fault = DecodePoints(cell); fault != nullptr) return fault;
  *out = SummaryOfPoints({.offset_ms = cell->offset_ms, .bits = cell->bits, .flags = cell->flags});
  return nullptr;
}

absl::Status PackedDamage(std::string_view cell, std::string_view fault) {
  return absl::DataLossError(fmt::format("packed cell {}{} of {} bytes: {}",
                                         ToHex(cell.substr(0, 32)), cell.size() > 32 ? "..." : "",
                                         cell.size(), fault));
}

// Appends a cell of format 3 or a page.
void AppendColumns(const CellColumns& columns,
                   CellFormat format,
                   uint32_t span_ms,
                   std::string* out) {
  CheckColumns(columns, span_ms);
  const Totals totals = TotalsOf(PointsOf(columns, 0));
  PackedHeader header;
  header.format = format;
  header.count = static_cast<uint32_t>(columns.size());
  ChooseFlagsKind(columns, totals, &header);
  ScaledColumn scaled;
  if (!totals.is_all_integer) {
    header.form = ScaleColumn(columns, &scaled) ? NumberForm::kDecimals : NumberForm::kBits;
  }
  const bool is_decimal = header.form == NumberForm::kDecimals;
  const std::vector<uint64_t>& numbers = is_decimal ? scaled.numbers : columns.bits;
  SetNumbers(numbers, totals, &header);
  std::string exceptions;
  if (is_decimal) {
    header.scale = scaled.scale;
    SetExceptions(columns, scaled, totals, &exceptions, &header);
  }
  header.types = TypesOf(columns, totals, header);
  header.first_flags = columns.flags.front();
  header.last_flags = columns.flags.back();

  SetTimes(columns.offset_ms, &header);

  constexpr auto kVersion = ColumnVersion::kSecond;
  AppendPackedHeader(header, span_ms, out);
  if (header.has_time_column)
    AppendIntegerColumn(kVersion, TimesOf(columns.offset_ms, header), out);
  if (header.has_kind_column())
    AppendIntegerColumn(kVersion, KindsOf(columns, header.flags_kind), out);
  if (!header.is_constant) AppendIntegerColumn(kVersion, numbers, out);
}

}  // namespace

void AppendPackedCell(const CellColumns& columns, std::string* out) {
  AppendColumns(columns, CellFormat::kPacked, kQualifierSpanMs, out);
}

void AppendPage(const CellColumns& columns, uint32_t hours, std::string* out) {
  HOURCELL_CHECK(hours >= 1 && hours <= kHoursADay);
  HOURCELL_CHECK(hours == 1 || columns.size() <= kSharedPagePointsMax);
  AppendColumns(columns, CellFormat::kPage, hours * kQualifierSpanMs, out);
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
  if (!IsPacked(cell)) return std::nullopt;
  Decoding decoding;
  const PackedHeader& header = decoding.header;
  if (const char* fault =
          TakePackedHeader(cell, kQualifierSpanMs, &decoding.header, &decoding.bytes);
      fault != nullptr) {
    return PackedDamage(cell, fault);
  }
  if (header.has_summary) return SummaryOf(header);
  if (header.format == CellFormat::kPackedFirst || header.count > kDecodedSummaryMax) {
    return std::nullopt;
  }
  std::optional<CellSummary> summary;
  const char* const fault = SummarizeFew(&decoding, &summary);
  if (fault != nullptr) return PackedDamage(cell, fault);
  return summary;
}

std::optional<uint32_t> ReadPackedCount(std::string_view cell) {
  PackedHeader header;
  std::string_view columns;
  const char* const fault = TakePackedHeader(cell, kQualifierSpanMs, &header, &columns);
  if (fault != nullptr) return std::nullopt;
  return header.count;
}

std::optional<CellSummary> Summarize(const CellColumns& columns) {
  HOURCELL_CHECK(columns.size() > 0);
  return SummaryOfPoints(PointsOf(columns, 0));
}

}  // namespace hourcell
