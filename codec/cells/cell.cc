#include "codec/cells/cell.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "codec/value.h"
#include "codec/value_bits.h"

namespace hourcell {
namespace {

constexpr char kOpenTsdbByte = static_cast<char>(CellFormat::kOpenTsdb);
constexpr char kDamagedByte = static_cast<char>(CellFormat::kDamaged);

// A format-1 cell walked but not decoded. Views point into the cell.
struct Outline {
  std::string_view qualifiers;
  std::string_view values;  // without the meta byte
  size_t points = 0;
  uint32_t first_offset_ms = 0;
  uint32_t last_offset_ms = 0;
  bool has_seconds = false;
  bool has_ms = false;
  bool reserved_bits = false;  // some ms qualifier has bits set that an encoder leaves 0
};

absl::Status CellDamage(std::string_view cell, std::string_view fault) {
  return absl::DataLossError(fmt::format("cell {}{} of {} bytes: {}", ToHex(cell.substr(0, 32)),
                                         cell.size() > 32 ? "..." : "", cell.size(), fault));
}

// Future formats may use any byte between the known ones and kDamagedByte.
absl::Status UnknownFormat(std::string_view cell) {
  const auto format = static_cast<uint8_t>(cell.front());
  if (format == 0) return CellDamage(cell, "unknown format; expected 01 to 05 or ff");
  return CellDamage(cell,
                    NewerFormatMessage(fmt::format("format {:02x}", format), "01 to 05 and ff"));
}

// The qualifier at `bytes`, which has the length that its first byte gives. The hot form of
// ParseQualifier: it does not check the offset. Inlined by force: a call for each point made
// decoding 1.6 times as slow.
[[gnu::always_inline]] inline Qualifier LoadQualifier(const char* bytes) {
  if (!IsMsQualifier(*bytes)) {
    uint16_t stored;
    std::memcpy(&stored, bytes, sizeof stored);
    const uint32_t number = __builtin_bswap16(stored);
    return {.offset_ms = (number >> 4) * 1000,
            .is_ms = false,
            .flags = static_cast<uint8_t>(number & kFlagsMask)};
  }
  uint32_t stored;
  std::memcpy(&stored, bytes, sizeof stored);
  const uint32_t number = __builtin_bswap32(stored);
  return {.offset_ms = (number & 0x0FFFFFC0U) >> 6,
          .is_ms = true,
          .flags = static_cast<uint8_t>(number & kFlagsMask)};
}

// Adds a qualifier to the outline, or returns its fault.
[[gnu::always_inline]] inline const char* AddToOutline(const Qualifier& qualifier,
                                                       Outline* outline) {
  if (!AreReadableFlags(qualifier.flags)) return "unreadable flags";
  if (qualifier.offset_ms >= kQualifierSpanMs) return "offset of an hour or more";
  if (outline->points == 0) {
    outline->first_offset_ms = qualifier.offset_ms;
  } else if (qualifier.offset_ms <= outline->last_offset_ms) {
    return "offsets do not ascend";
  }
  outline->last_offset_ms = qualifier.offset_ms;
  outline->has_ms |= qualifier.is_ms;
  outline->has_seconds |= !qualifier.is_ms;
  ++outline->points;
  return nullptr;
}

// Finds where the qualifiers of a format-1 cell end and checks all but the values.
absl::Status OutlineCell(std::string_view cell, Outline* out) {
  Outline outline;  // a local, so that the loop keeps it in registers
  const std::string_view body = cell.substr(1);
  size_t at = 0;           // end of the qualifiers seen
  size_t value_bytes = 0;  // by their flags
  while (at + 2 <= body.size()) {
    const bool is_ms = IsMsQualifier(body[at]);
    if (is_ms && at + 4 > body.size()) break;
    const Qualifier qualifier = LoadQualifier(body.data() + at);
    if (const char* fault = AddToOutline(qualifier, &outline); fault != nullptr) {
      return CellDamage(cell, fmt::format("qualifier at {}: {}", at + 1, fault));
    }
    outline.reserved_bits |= is_ms && (body[at + 3] & 0x30) != 0;
    at += qualifier.encoded_size();
    value_bytes += qualifier.value_size();

    const size_t meta_bytes = outline.points > 1 ? 1 : 0;
    const size_t filled = at + value_bytes + meta_bytes;
    if (filled < body.size()) continue;
    if (filled > body.size()) break;
    // OpenTSDB reads a mixed cell with the other meta byte, so only other numbers are damage.
    if (meta_bytes == 1 && static_cast<uint8_t>(body.back()) > 1) {
      return CellDamage(cell, fmt::format("meta byte {:02x}; expected 00 or 01", body.back()));
    }
    outline.qualifiers = body.substr(0, at);
    outline.values = body.substr(at, value_bytes);
    *out = outline;
    return absl::OkStatus();
  }
  return CellDamage(
      cell, fmt::format("qualifiers and values do not add up after {} points", outline.points));
}

void DecodeOutline(const Outline& outline, CellColumns* out) {
  const size_t start = out->size();
  const size_t end = start + outline.points;
  out->offset_ms.resize(end);
  out->bits.resize(end);
  out->flags.resize(end);
  const char* qualifier_at = outline.qualifiers.data();
  const char* value_at = outline.values.data();
  for (size_t i = start; i < end; ++i) {
    const Qualifier qualifier = LoadQualifier(qualifier_at);
    out->offset_ms[i] = qualifier.offset_ms;
    out->flags[i] =
        static_cast<uint8_t>(qualifier.flags | (qualifier.is_ms ? CellColumns::kMsPrecision : 0));
    out->bits[i] = LoadValueBits(qualifier.flags, value_at);
    qualifier_at += qualifier.encoded_size();
    value_at += qualifier.value_size();
  }
}

absl::Status DecodeOpenTsdb(std::string_view cell, CellColumns* out) {
  Outline outline;
  HOURCELL_RETURN_IF_ERROR(OutlineCell(cell, &outline));
  DecodeOutline(outline, out);
  return absl::OkStatus();
}

bool HasFormat(std::string_view cell, char format) {
  return !cell.empty() && cell.front() == format;
}

// A damaged record taken apart. Views point into it.
struct DamagedRecord {
  std::string_view good;  // may be empty
  std::vector<std::string_view> items;
};

bool TakeSized(std::string_view* bytes, std::string_view* out) {
  const absl::StatusOr<uint64_t> size = TakeVarint(bytes);
  if (!size.ok() || *size > bytes->size()) return false;
  *out = bytes->substr(0, *size);
  bytes->remove_prefix(*size);
  return true;
}

// False unless `cell` is a complete damaged record with at least one item.
bool SplitDamaged(std::string_view cell, DamagedRecord* out) {
  if (!HasFormat(cell, kDamagedByte)) return false;
  std::string_view rest = cell.substr(1);
  if (!TakeSized(&rest, &out->good)) return false;
  while (!rest.empty()) {
    std::string_view item;
    if (!TakeSized(&rest, &item)) return false;
    out->items.push_back(item);
  }
  return !out->items.empty();
}

// The inputs of a merge: those that decode and those that do not, each in order. Call Finish after
// the last one.
class MergeInputs {
 public:
  explicit MergeInputs(size_t count) { good_.reserve(count); }

  void Add(std::string_view cell) {
    if (AddGood(cell)) return;
    DamagedRecord record;
    if (!SplitDamaged(cell, &record)) {
      damaged_.push_back(cell);
      return;
    }
    if (!record.good.empty() && !AddGood(record.good)) damaged_.push_back(record.good);
    damaged_.insert(damaged_.end(), record.items.begin(), record.items.end());
  }

  // The cells of hours in a day's row are damage: their hours are unknown.
  void Finish() {
    if (!days_.has_points()) return;
    for (const Good& good : good_)
      damaged_.push_back(good.cell);
    good_.clear();
  }

  bool has_points() const { return !good_.empty() || days_.has_points(); }
  const std::vector<std::string_view>& damaged() const { return damaged_; }

  // REQUIRES: has_points().
  void AppendMerged(std::string* out) {
    if (days_.has_points()) {
      days_.AppendMerged(out);
    } else if (good_.size() == 1 && good_.front().is_packed) {
      out->append(good_.front().cell);
    } else if (CanConcatenate()) {
      AppendConcatenated(out);
    } else if (CellColumns columns = Joined(); has_packed()) {
      AppendPackedCell(columns, out);
    } else {
      AppendCell(columns, out);
    }
  }

 private:
  // An input that decodes. Format-1 cells are walked; packed ones are decoded into `unpacked_`,
  // because only complete decoding proves that a cell decodes.
  struct Good {
    std::string_view cell;
    bool is_packed = false;
    Outline outline;          // if not packed
    size_t unpacked_end = 0;  // where its points end in `unpacked_`
  };

  bool AddGood(std::string_view cell) {
    if (IsDayCell(cell)) return days_.Add(cell);
    if (HasFormat(cell, kPageByte)) return false;
    Good good;
    good.cell = cell;
    if (IsPacked(cell)) {
      if (!DecodePackedCell(cell, &unpacked_).ok()) return false;
      good.is_packed = true;
    } else if (!HasFormat(cell, kOpenTsdbByte) || !OutlineCell(cell, &good.outline).ok()) {
      return false;
    }
    good.unpacked_end = unpacked_.size();
    good_.push_back(good);
    return true;
  }

  bool has_packed() const { return unpacked_.size() > 0; }

  // The points of all inputs, sorted.
  CellColumns Joined() const {
    size_t points = unpacked_.size();
    for (const Good& good : good_)
      points += good.outline.points;
    CellColumns columns;
    columns.offset_ms.reserve(points);
    columns.bits.reserve(points);
    columns.flags.reserve(points);
    size_t unpacked_begin = 0;
    for (const Good& good : good_) {
      if (good.is_packed) {
        AppendRange(unpacked_, unpacked_begin, good.unpacked_end, &columns);
      } else {
        DecodeOutline(good.outline, &columns);
      }
      unpacked_begin = good.unpacked_end;
    }
    SortLastWins(&columns);
    return columns;
  }

  static void AppendRange(const CellColumns& from, size_t begin, size_t end, CellColumns* out) {
    const auto first = static_cast<ptrdiff_t>(begin);
    const auto last = static_cast<ptrdiff_t>(end);
    out->offset_ms.insert(out->offset_ms.end(), from.offset_ms.begin() + first,
                          from.offset_ms.begin() + last);
    out->bits.insert(out->bits.end(), from.bits.begin() + first, from.bits.begin() + last);
    out->flags.insert(out->flags.end(), from.flags.begin() + first, from.flags.begin() + last);
  }

  // Format-1 points that arrive in order, the usual case before a row is packed, are merged without
  // reading a value.
  bool CanConcatenate() const {
    if (has_packed()) return false;
    for (size_t i = 0; i < good_.size(); ++i) {
      const Outline& outline = good_[i].outline;
      if (outline.reserved_bits) return false;
      if (i > 0 && outline.first_offset_ms <= good_[i - 1].outline.last_offset_ms) return false;
    }
    return true;
  }

  void AppendConcatenated(std::string* out) const {
    size_t bytes = 2;
    size_t points = 0;
    bool has_seconds = false;
    bool has_ms = false;
    for (const Good& good : good_) {
      const Outline& outline = good.outline;
      bytes += outline.qualifiers.size() + outline.values.size();
      points += outline.points;
      has_seconds |= outline.has_seconds;
      has_ms |= outline.has_ms;
    }
    out->reserve(out->size() + bytes);
    out->push_back(kOpenTsdbByte);
    for (const Good& good : good_)
      out->append(good.outline.qualifiers);
    for (const Good& good : good_)
      out->append(good.outline.values);
    if (points > 1) out->push_back(has_seconds && has_ms ? '\x01' : '\x00');
  }

  std::vector<Good> good_;
  CellColumns unpacked_;
  DayCellMerge days_;
  std::vector<std::string_view> damaged_;
};

void AppendSized(std::string_view bytes, std::string* out) {
  AppendVarint(bytes.size(), out);
  out->append(bytes);
}

}  // namespace

void CellColumns::clear() {
  offset_ms.clear();
  bits.clear();
  flags.clear();
}

void CellColumns::push_back(const Qualifier& qualifier, Value value) {
  offset_ms.push_back(qualifier.offset_ms);
  bits.push_back(value.is_integer() ? static_cast<uint64_t>(value.integer())
                                    : std::bit_cast<uint64_t>(value.floating()));
  flags.push_back(static_cast<uint8_t>(qualifier.flags | (qualifier.is_ms ? kMsPrecision : 0)));
}

void AppendCell(const CellColumns& columns, std::string* out) {
  const size_t points = columns.size();
  HOURCELL_CHECK(points > 0 && columns.bits.size() == points && columns.flags.size() == points);
  size_t qualifier_bytes = 0;
  size_t value_bytes = 0;
  bool ascends = true;
  uint8_t any = 0;
  uint8_t all = CellColumns::kMsPrecision;
  for (size_t i = 0; i < points; ++i) {
    const uint8_t flags = columns.flags[i];
    qualifier_bytes += (flags & CellColumns::kMsPrecision) != 0 ? 4 : 2;
    value_bytes += static_cast<size_t>(flags & kWidthMask) + 1;
    ascends &= i == 0 || columns.offset_ms[i - 1] < columns.offset_ms[i];
    any |= flags;
    all &= flags;
  }
  HOURCELL_CHECK(ascends);

  const size_t start = out->size();
  out->resize(start + 1 + qualifier_bytes + value_bytes + (points > 1 ? 1 : 0));
  char* qualifier_at = out->data() + start;
  *qualifier_at++ = kOpenTsdbByte;
  char* value_at = qualifier_at + qualifier_bytes;
  for (size_t i = 0; i < points; ++i) {
    qualifier_at += StoreQualifier(columns.qualifier(i), qualifier_at);
    value_at += StoreValueBits(columns.bits[i], columns.flags[i], value_at);
  }
  const bool mixed = (any & CellColumns::kMsPrecision) != 0 && all == 0;
  if (points > 1) *value_at = mixed ? '\x01' : '\x00';
}

void AppendPointCell(uint32_t offset_ms, bool is_ms, Value value, std::string* out) {
  const uint8_t flags = ValueFlags(value);
  char buffer[1 + kQualifierBytesMax + kValueBytesMax];
  buffer[0] = kOpenTsdbByte;
  size_t size = 1;
  size += StoreQualifier({.offset_ms = offset_ms, .is_ms = is_ms, .flags = flags}, buffer + size);
  size += StoreValue(value, flags, buffer + size);
  out->append(buffer, size);
}

absl::Status DecodeCell(std::string_view cell, CellColumns* out) {
  if (cell.empty()) return CellDamage(cell, "empty; expected a format byte");
  if (cell.front() == kOpenTsdbByte) return DecodeOpenTsdb(cell, out);
  if (IsPacked(cell)) return DecodePackedCell(cell, out);
  if (IsDayCell(cell)) return DecodeDayCell(cell, out);
  if (cell.front() != kDamagedByte) return UnknownFormat(cell);

  DamagedRecord record;
  if (!SplitDamaged(cell, &record)) return CellDamage(cell, "damaged record that does not add up");
  if (HasFormat(record.good, kOpenTsdbByte)) {
    HOURCELL_RETURN_IF_ERROR(DecodeOpenTsdb(record.good, out));
  } else if (IsPacked(record.good)) {
    HOURCELL_RETURN_IF_ERROR(DecodePackedCell(record.good, out));
  } else if (IsDayCell(record.good)) {
    HOURCELL_RETURN_IF_ERROR(DecodeDayCell(record.good, out));
  }
  return CellDamage(
      cell, fmt::format("damaged record of {} parts that do not decode", record.items.size()));
}

absl::StatusOr<OpenTsdbCell> ToOpenTsdb(std::string_view cell) {
  if (IsDayCell(cell) || HasFormat(cell, kPageByte)) {
    return absl::InvalidArgumentError(
        fmt::format("cell {:02x}: expected a cell of one hour, got {}", cell.front(),
                    IsDayCell(cell) ? "that of a day" : "a page of a day"));
  }
  if (!HasFormat(cell, kOpenTsdbByte)) {
    CellColumns columns;
    HOURCELL_RETURN_IF_ERROR(DecodeCell(cell, &columns));
    std::string format1;
    AppendCell(columns, &format1);
    return ToOpenTsdb(format1);
  }
  Outline outline;
  HOURCELL_RETURN_IF_ERROR(OutlineCell(cell, &outline));
  return OpenTsdbCell{.qualifiers = std::string(outline.qualifiers),
                      .values = std::string(cell.substr(1 + outline.qualifiers.size()))};
}

bool HasSpecialValue(const CellColumns& columns) {
  // Without a branch, so that compilers use vectors: queries ask this of each row.
  uint64_t found = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool has_exponent = (columns.bits[i] & Value::kSpecialBits) == Value::kSpecialBits;
    // An integer may have the same bits.
    found |= uint64_t{has_exponent} & (uint64_t{columns.flags[i]} / kFloatFlag);
  }
  return (found & 1) != 0;
}

void RemoveSpecialValues(CellColumns* columns) {
  size_t kept = 0;
  for (size_t i = 0; i < columns->size(); ++i) {
    if (columns->value(i).is_special()) continue;
    columns->offset_ms[kept] = columns->offset_ms[i];
    columns->bits[kept] = columns->bits[i];
    columns->flags[kept] = columns->flags[i];
    ++kept;
  }
  columns->offset_ms.resize(kept);
  columns->bits.resize(kept);
  columns->flags.resize(kept);
}

void SortLastWins(CellColumns* columns) {
  const std::vector<uint32_t>& offsets = columns->offset_ms;
  if (std::adjacent_find(offsets.begin(), offsets.end(), std::greater_equal<>()) == offsets.end()) {
    return;
  }
  // The position in the low half makes every key different and sorts the latest point of an offset
  // last.
  std::vector<uint64_t> keys(offsets.size());
  for (size_t i = 0; i < keys.size(); ++i)
    keys[i] = uint64_t{offsets[i]} << 32 | i;
  std::sort(keys.begin(), keys.end());

  CellColumns sorted;
  sorted.offset_ms.reserve(keys.size());
  sorted.bits.reserve(keys.size());
  sorted.flags.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (i + 1 < keys.size() && keys[i] >> 32 == keys[i + 1] >> 32) continue;
    const size_t from = keys[i] & 0xFFFFFFFFU;
    sorted.offset_ms.push_back(offsets[from]);
    sorted.bits.push_back(columns->bits[from]);
    sorted.flags.push_back(columns->flags[from]);
  }
  *columns = std::move(sorted);
}

void MergeCells(std::string_view existing,
                std::span<const std::string_view> operands,
                std::string* out) {
  MergeInputs inputs(operands.size() + 1);
  if (!existing.empty()) inputs.Add(existing);
  for (const std::string_view operand : operands)
    inputs.Add(operand);
  inputs.Finish();

  out->clear();
  if (inputs.damaged().empty()) {
    if (inputs.has_points()) inputs.AppendMerged(out);
    return;
  }
  std::string good;
  if (inputs.has_points()) inputs.AppendMerged(&good);
  out->push_back(kDamagedByte);
  AppendSized(good, out);
  for (const std::string_view bytes : inputs.damaged())
    AppendSized(bytes, out);
}

}  // namespace hourcell
