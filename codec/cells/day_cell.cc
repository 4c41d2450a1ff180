#include "codec/cells/day_cell.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/cells/packed_cell.h"
#include "codec/field_reader.h"
#include "codec/limits.h"

namespace hourcell {
namespace {

constexpr uint32_t kDayMs = kHoursADay * kQualifierSpanMs;
constexpr size_t kDayMaskBytes = 3;

// Bits of the form.
constexpr uint8_t kPagesMask = 0x1F;
constexpr uint8_t kHasMaskBit = 0x20;

// Bits of the byte of an hour.
constexpr uint8_t kFirstHourMask = 0x1F;
constexpr uint32_t kHourCheckShift = 5;
constexpr uint32_t kHourCheckModulus = 7;

uint32_t HourBit(uint32_t hour) {
  return 1U << hour;
}

uint32_t HourBits(uint32_t first_hour, uint32_t hours) {
  return ((1U << hours) - 1) << first_hour;
}

bool IsInHour(uint32_t offset_ms, uint32_t hour) {
  return offset_ms / kQualifierSpanMs == hour;
}

char HourByte(uint32_t first_hour, uint32_t hours) {
  return static_cast<char>(first_hour | (first_hour + hours) % kHourCheckModulus
                                            << kHourCheckShift);
}

absl::Status DayDamage(std::string_view cell, std::string_view fault) {
  return absl::DataLossError(fmt::format("day cell {}{} of {} bytes: {}", ToHex(cell.substr(0, 32)),
                                         cell.size() > 32 ? "..." : "", cell.size(), fault));
}

// A day cell up to its pages.
struct DayDirectory {
  uint32_t hours = 0;  // with points
  size_t page_count = 0;
  std::array<DayPage, kHoursADay> all_pages;

  std::span<const DayPage> pages() const { return std::span(all_pages).first(page_count); }
};

// Takes a page off the front of `*rest`. `hour_byte` is that of the directory.
const char* TakePage(uint8_t hour_byte, uint64_t length, std::string_view* rest, DayPage* out) {
  if (length > rest->size()) return "page cut short";
  out->cell = rest->substr(0, length);
  rest->remove_prefix(length);
  if (length < 2 || out->cell.front() != kPageByte) return "part that is not a page; expected 04";
  out->first_hour = hour_byte & kFirstHourMask;
  out->hours = static_cast<uint8_t>(out->cell[1]) + 1U;
  if (out->first_hour + out->hours > kHoursADay) return "page after the end of the day";
  const bool is_checked = HourByte(out->first_hour, out->hours) == static_cast<char>(hour_byte);
  return is_checked ? nullptr : "first hour that does not fit its page";
}

// Returns the fault or nullptr.
const char* TakeDayDirectory(std::string_view cell, DayDirectory* out) {
  if (!IsDayCell(cell)) return "not of a day; expected 05";
  FieldReader fields(cell.substr(1));
  const uint8_t form = fields.Byte();
  if ((form & ~(kPagesMask | kHasMaskBit)) != 0) return "unknown form";
  const bool has_mask = (form & kHasMaskBit) != 0;
  out->page_count = (form & kPagesMask) + 1U;
  if (out->page_count > kHoursADay) return "more pages than hours";
  const auto mask = static_cast<uint32_t>(has_mask ? fields.BigEndian(kDayMaskBytes) : 0);
  std::array<uint8_t, kHoursADay> hour_bytes;
  std::array<uint64_t, kHoursADay> lengths;
  for (size_t i = 0; i < out->page_count; ++i) {
    hour_bytes[i] = fields.Byte();
    lengths[i] = i + 1 < out->page_count ? fields.Varint() : 0;
  }
  if (fields.failed()) return "directory cut short";

  std::string_view rest = fields.rest();
  uint32_t end_hour = 0;
  uint32_t end_bits = 0;  // the first and last hours of pages
  for (size_t i = 0; i < out->page_count; ++i) {
    DayPage& page = out->all_pages[i];
    const bool is_last = i + 1 == out->page_count;
    if (const char* fault =
            TakePage(hour_bytes[i], is_last ? rest.size() : lengths[i], &rest, &page);
        fault != nullptr) {
      return fault;
    }
    if (page.first_hour < end_hour) return "pages that overlap or do not ascend";
    end_hour = page.first_hour + page.hours;
    end_bits |= HourBit(page.first_hour) | HourBit(end_hour - 1);
    out->hours |= HourBits(page.first_hour, page.hours);
  }
  if (!has_mask) return nullptr;
  if ((mask & ~out->hours) != 0 || (end_bits & ~mask) != 0)
    return "mask that does not fit the pages";
  if (mask == out->hours) return "mask without a missing hour";
  out->hours = mask;
  return nullptr;
}

absl::Status DecodePage(std::string_view cell, const DayPage& page, CellColumns* out) {
  const size_t start = out->size();
  if (const absl::Status status = DecodePackedCell(page.cell, out); !status.ok()) {
    return DayDamage(
        cell, fmt::format("page of hour {}: {}", page.first_hour, std::string(status.message())));
  }
  for (size_t i = start; i < out->size(); ++i)
    out->offset_ms[i] += page.first_hour * kQualifierSpanMs;
  return absl::OkStatus();
}

void Truncate(size_t size, CellColumns* columns) {
  columns->offset_ms.resize(size);
  columns->bits.resize(size);
  columns->flags.resize(size);
}

uint32_t HoursOfPoints(std::span<const uint32_t> offset_ms) {
  uint32_t hours = 0;
  for (const uint32_t offset : offset_ms)
    hours |= HourBit(offset / kQualifierSpanMs);
  return hours;
}

absl::Status DecodeDay(std::string_view cell, const DayDirectory& directory, CellColumns* out) {
  const size_t start = out->size();
  for (const DayPage& page : directory.pages()) {
    if (absl::Status status = DecodePage(cell, page, out); !status.ok()) {
      Truncate(start, out);
      return status;
    }
  }
  if (HoursOfPoints(std::span(out->offset_ms).subspan(start)) != directory.hours) {
    Truncate(start, out);
    return DayDamage(cell, "points in other hours than the directory says");
  }
  return absl::OkStatus();
}

// The points [begin, end) of a day, which make a page.
struct PageCut {
  uint32_t first_hour = 0;
  uint32_t hours = 0;
  size_t begin = 0;
  size_t end = 0;
};

// Cuts the points of a day into pages, as the header says. REQUIRES: offsets that ascend, below a
// day.
std::vector<PageCut> CutPages(std::span<const uint32_t> offset_ms) {
  std::array<size_t, kHoursADay> counts = {};
  for (const uint32_t offset : offset_ms)
    ++counts[offset / kQualifierSpanMs];
  std::vector<PageCut> cuts;
  size_t at = 0;
  for (uint32_t hour = 0; hour < kHoursADay; ++hour) {
    const size_t count = counts[hour];
    if (count == 0) continue;
    if (cuts.empty() || cuts.back().end - cuts.back().begin + count > kPagePointsMax) {
      cuts.push_back({.first_hour = hour, .hours = 0, .begin = at, .end = at});
    }
    PageCut& cut = cuts.back();
    cut.hours = hour + 1 - cut.first_hour;
    at += count;
    cut.end = at;
  }
  return cuts;
}

void AppendCut(const CellColumns& columns, const PageCut& cut, std::string* out) {
  const auto part = [&](const auto& of) {
    return std::vector(of.begin() + static_cast<ptrdiff_t>(cut.begin),
                       of.begin() + static_cast<ptrdiff_t>(cut.end));
  };
  CellColumns page{.offset_ms = part(columns.offset_ms),
                   .bits = part(columns.bits),
                   .flags = part(columns.flags)};
  for (uint32_t& offset : page.offset_ms)
    offset -= cut.first_hour * kQualifierSpanMs;
  AppendPage(page, cut.hours, out);
}

// Appends the day cell of `columns`. stored(first hour, hours) gives the bytes of pages that are
// encoded already, else nothing.
template <typename Stored>
void AppendDay(const CellColumns& columns, const Stored& stored, std::string* out) {
  const std::vector<PageCut> cuts = CutPages(columns.offset_ms);
  std::string pages;
  std::string entries;
  uint32_t hours = 0;
  for (const PageCut& cut : cuts) {
    const size_t begin = pages.size();
    const std::string_view page = stored(cut.first_hour, cut.hours);
    page.empty() ? AppendCut(columns, cut, &pages) : void(pages.append(page));
    entries.push_back(HourByte(cut.first_hour, cut.hours));
    if (&cut != &cuts.back()) AppendVarint(pages.size() - begin, &entries);
    hours |= HourBits(cut.first_hour, cut.hours);
  }
  const uint32_t mask = HoursOfPoints(columns.offset_ms);
  out->push_back(kDayByte);
  out->push_back(static_cast<char>((cuts.size() - 1) | (mask != hours ? kHasMaskBit : 0U)));
  if (mask != hours) AppendBigEndian(mask, kDayMaskBytes, out);
  out->append(entries);
  out->append(pages);
}

}  // namespace

void AppendDayCell(const CellColumns& columns, std::string* out) {
  HOURCELL_CHECK(columns.size() > 0 && columns.offset_ms.back() < kDayMs);
  AppendDay(columns, [](uint32_t, uint32_t) { return std::string_view(); }, out);
}

void AppendDayCellOfHour(uint32_t hour, std::string_view hour_cell, std::string* out) {
  HOURCELL_CHECK(hour < kHoursADay);
  out->push_back(kDayByte);
  out->push_back('\0');
  out->push_back(HourByte(hour, 1));
  if (!hour_cell.empty() && hour_cell.front() == kPackedByte) {
    out->push_back(kPageByte);
    out->push_back('\0');
    out->append(hour_cell.substr(1));
    return;
  }
  CellColumns columns;
  HOURCELL_CHECK(DecodeCell(hour_cell, &columns).ok());
  AppendPage(columns, 1, out);
}

absl::Status ReadDayPages(std::string_view cell, std::vector<DayPage>* pages) {
  pages->clear();
  DayDirectory directory;
  if (const char* fault = TakeDayDirectory(cell, &directory); fault != nullptr) {
    return DayDamage(cell, fault);
  }
  pages->assign(directory.pages().begin(), directory.pages().end());
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> HoursOfDayCell(std::string_view cell) {
  DayDirectory directory;
  if (const char* fault = TakeDayDirectory(cell, &directory); fault != nullptr) {
    return DayDamage(cell, fault);
  }
  return directory.hours;
}

absl::Status DecodeHourOfDay(std::string_view cell, uint32_t hour, CellColumns* out) {
  HOURCELL_DCHECK(hour < kHoursADay);
  DayDirectory directory;
  if (const char* fault = TakeDayDirectory(cell, &directory); fault != nullptr) {
    return DayDamage(cell, fault);
  }
  const std::span<const DayPage> pages = directory.pages();
  const auto page = std::ranges::find_if(pages, [&](const DayPage& of) {
    return (HourBits(of.first_hour, of.hours) & HourBit(hour)) != 0;
  });
  if (page == pages.end()) return absl::OkStatus();

  // Decodes the page also if the mask omits the hour: a flipped bit must not hide points.
  const size_t start = out->size();
  HOURCELL_RETURN_IF_ERROR(DecodePage(cell, *page, out));
  size_t kept = start;
  for (size_t i = start; i < out->size(); ++i) {
    if (!IsInHour(out->offset_ms[i], hour)) continue;
    out->offset_ms[kept] = out->offset_ms[i] - hour * kQualifierSpanMs;
    out->bits[kept] = out->bits[i];
    out->flags[kept] = out->flags[i];
    ++kept;
  }
  const bool has_points = kept > start;
  const bool is_in_mask = (directory.hours & HourBit(hour)) != 0;
  Truncate(has_points == is_in_mask ? kept : start, out);
  return has_points == is_in_mask
             ? absl::OkStatus()
             : DayDamage(cell, "points in other hours than the directory says");
}

absl::Status DecodeDayCell(std::string_view cell, CellColumns* out) {
  DayDirectory directory;
  if (const char* fault = TakeDayDirectory(cell, &directory); fault != nullptr) {
    return DayDamage(cell, fault);
  }
  return DecodeDay(cell, directory, out);
}

absl::Status SetHourOfDay(std::string_view cell,
                          uint32_t hour,
                          std::string_view hour_cell,
                          std::string* out) {
  HOURCELL_CHECK(hour < kHoursADay);
  out->clear();
  DayCellMerge merge;
  if (!merge.Add(cell)) {
    CellColumns ignored;
    return DecodeDayCell(cell, &ignored);
  }
  merge.RemoveHour(hour);
  std::string added;
  if (!hour_cell.empty()) {
    if (IsDayCell(hour_cell) || hour_cell.front() == kPageByte) {
      return DayDamage(hour_cell, "expected a cell of one hour");
    }
    CellColumns points;
    HOURCELL_RETURN_IF_ERROR(DecodeCell(hour_cell, &points));
    AppendDayCellOfHour(hour, hour_cell, &added);
    HOURCELL_CHECK(merge.Add(added));
  }
  if (merge.has_points()) merge.AppendMerged(out);
  return absl::OkStatus();
}

bool DayCellMerge::Add(std::string_view cell) {
  DayDirectory directory;
  if (TakeDayDirectory(cell, &directory) != nullptr) return false;
  if (!DecodeDay(cell, directory, &points_).ok()) return false;
  inputs_.push_back({.cell = cell,
                     .hours = directory.hours,
                     .pages = {directory.pages().begin(), directory.pages().end()}});
  return true;
}

void DayCellMerge::RemoveHour(uint32_t hour) {
  for (Input& input : inputs_) {
    if ((input.hours & HourBit(hour)) == 0) continue;
    input.cell = {};
    input.hours &= ~HourBit(hour);
    std::erase_if(input.pages, [&](const DayPage& page) {
      return (HourBits(page.first_hour, page.hours) & HourBit(hour)) != 0;
    });
  }
  size_t kept = 0;
  for (size_t i = 0; i < points_.size(); ++i) {
    if (IsInHour(points_.offset_ms[i], hour)) continue;
    points_.offset_ms[kept] = points_.offset_ms[i];
    points_.bits[kept] = points_.bits[i];
    points_.flags[kept] = points_.flags[i];
    ++kept;
  }
  Truncate(kept, &points_);
}

void DayCellMerge::AppendMerged(std::string* out) {
  HOURCELL_CHECK(has_points());
  if (inputs_.size() == 1 && !inputs_.front().cell.empty()) {
    out->append(inputs_.front().cell);
    return;
  }
  SortLastWins(&points_);
  const auto stored = [this](uint32_t first_hour, uint32_t hours) {
    return StoredPage(first_hour, hours);
  };
  AppendDay(points_, stored, out);
}

std::string_view DayCellMerge::StoredPage(uint32_t first_hour, uint32_t hours) const {
  const Input* only = nullptr;
  for (const Input& input : inputs_) {
    if ((input.hours & HourBits(first_hour, hours)) == 0) continue;
    if (only != nullptr) return {};
    only = &input;
  }
  HOURCELL_DCHECK(only != nullptr);
  for (const DayPage& page : only->pages)
    if (page.first_hour == first_hour && page.hours == hours) return page.cell;
  return {};
}

}  // namespace hourcell
