#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "codec/cells/packed_cell.h"
#include "codec/limits.h"
#include "tests/fuzz/fuzz_input.h"

namespace hourcell {
namespace {

constexpr size_t kCellsMax = 16;
// A page of a few bytes may have each millisecond of an hour.
constexpr uint32_t kPointsMax = 10'000;

// A day cell and its points, if it decodes.
struct Day {
  std::string cell;
  CellColumns points;
  bool is_whole = false;
  bool is_canonical = false;  // has the bytes that AppendDayCell gives
};

// True if the pages have few points by their headers, so that an input takes little time.
bool IsSmall(std::string_view cell) {
  std::vector<DayPage> pages;
  if (!ReadDayPages(cell, &pages).ok()) return true;
  uint32_t points = 0;
  for (const DayPage& page : pages) {
    const uint32_t count = ReadPackedCount(page.cell).value_or(0);
    if (count > kPointsMax) return false;
    points += count;
  }
  return points <= kPointsMax;
}

CellColumns HourOf(const CellColumns& day, uint32_t hour) {
  CellColumns points;
  for (size_t i = 0; i < day.size(); ++i) {
    if (day.offset_ms[i] / kQualifierSpanMs != hour) continue;
    Qualifier qualifier = day.qualifier(i);
    qualifier.offset_ms -= hour * kQualifierSpanMs;
    points.push_back(qualifier, day.value(i));
  }
  return points;
}

// The pages of a day that decodes have the summaries and bytes of their points.
void CheckPages(const Day& day) {
  std::vector<DayPage> pages;
  HOURCELL_CHECK(ReadDayPages(day.cell, &pages).ok());
  size_t points = 0;
  for (const DayPage& page : pages) {
    CellColumns columns;
    HOURCELL_CHECK(DecodeCell(page.cell, &columns).ok());
    HOURCELL_CHECK(ReadPackedCount(page.cell) == columns.size());
    std::string again;
    AppendPage(columns, page.hours, &again);
    HOURCELL_CHECK(ReadCellSummary(page.cell).ok());
    HOURCELL_CHECK(ReadCellSummary(again).value() == Summarize(columns));
    points += columns.size();
  }
  HOURCELL_CHECK(points == day.points.size());
}

// The hours of a day that decodes have its points.
void CheckHours(const Day& day) {
  const absl::StatusOr<uint32_t> hours = HoursOfDayCell(day.cell);
  HOURCELL_CHECK(hours.ok());
  for (uint32_t hour = 0; hour < kHoursADay; ++hour) {
    CellColumns columns;
    HOURCELL_CHECK(DecodeHourOfDay(day.cell, hour, &columns).ok());
    HOURCELL_CHECK(columns == HourOf(day.points, hour));
    HOURCELL_CHECK((columns.size() > 0) == ((*hours >> hour & 1) != 0));
  }
}

// Decodes a cell that is whole to points that encode again, or refuses it with kDataLoss.
Day Checked(std::string cell) {
  Day day{.cell = std::move(cell), .points = {}};
  const absl::Status status = DecodeDayCell(day.cell, &day.points);
  day.is_whole = status.ok();
  for (uint32_t hour = 0; hour < kHoursADay; ++hour) {
    CellColumns columns;
    const absl::Status of_hour = DecodeHourOfDay(day.cell, hour, &columns);
    HOURCELL_CHECK(of_hour.ok() || (absl::IsDataLoss(of_hour) && !day.is_whole));
  }
  if (!day.is_whole) {
    HOURCELL_CHECK(absl::IsDataLoss(status) && day.points.size() == 0);
    return day;
  }
  CheckPages(day);
  CheckHours(day);
  std::string again;
  AppendDayCell(day.points, &again);
  CellColumns points;
  HOURCELL_CHECK(DecodeDayCell(again, &points).ok() && points == day.points);
  day.is_canonical = again == day.cell;
  return day;
}

std::string Merged(std::string_view existing, std::span<const std::string_view> operands) {
  std::string out;
  MergeCells(existing, operands, &out);
  return out;
}

// A merge has the last points of the inputs. Of canonical inputs it is canonical, however they are
// grouped. `seed` chooses the grouping.
void CheckMerge(const std::vector<Day>& days, size_t seed) {
  std::vector<std::string_view> cells;
  CellColumns expected;
  for (const Day& day : days) {
    cells.push_back(day.cell);
    for (size_t i = 0; i < day.points.size(); ++i)
      expected.push_back(day.points.qualifier(i), day.points.value(i));
  }
  SortLastWins(&expected);
  const std::string merged = Merged("", cells);
  CellColumns points;
  const absl::Status status = DecodeCell(merged, &points);
  HOURCELL_CHECK(status.ok() == std::ranges::all_of(days, &Day::is_whole));
  HOURCELL_CHECK(points == expected);
  if (!std::ranges::all_of(days, &Day::is_canonical)) return;

  std::string canonical;
  AppendDayCell(expected, &canonical);
  HOURCELL_CHECK(merged == canonical);
  if (days.size() < 2) return;
  const std::span<const std::string_view> all(cells);
  const size_t cut = 1 + seed % (cells.size() - 1);
  const std::string front = Merged("", all.first(cut));
  const std::string back = Merged("", all.subspan(cut));
  const std::string_view operand = back;
  HOURCELL_CHECK(Merged(front, all.subspan(cut)) == merged);
  HOURCELL_CHECK(Merged(front, {&operand, 1}) == merged);
}

// Setting an hour changes the points of that hour and no others.
void CheckSetHour(const Day& day, uint32_t hour, std::string_view hour_cell) {
  std::string set;
  const absl::Status status = SetHourOfDay(day.cell, hour, hour_cell, &set);
  if (!status.ok()) {
    HOURCELL_CHECK(absl::IsDataLoss(status) && set.empty());
    return;
  }
  HOURCELL_CHECK(day.is_whole);
  CellColumns added;
  HOURCELL_CHECK(hour_cell.empty() || DecodeCell(hour_cell, &added).ok());
  if (set.empty()) {
    HOURCELL_CHECK(added.size() == 0);
    return;
  }
  CellColumns points;
  HOURCELL_CHECK(DecodeDayCell(set, &points).ok());
  for (uint32_t of = 0; of < kHoursADay; ++of)
    HOURCELL_CHECK(HourOf(points, of) == (of == hour ? added : HourOf(day.points, of)));
}

bool IsHourCell(std::string_view cell) {
  const std::optional<uint32_t> count = ReadPackedCount(cell);
  CellColumns columns;
  return !IsDayCell(cell) && !cell.starts_with(kPageByte) && count.value_or(0) <= kPointsMax &&
         DecodeCell(cell, &columns).ok();
}

}  // namespace
}  // namespace hourcell

// Any day cells decode to points that encode again, by pages and by hours, or are refused with
// kDataLoss; they merge, and take the points of hours. Input: parts of a byte, and a length byte
// with a cell. The byte is the hour of an hour's cell, or 24 and more for a day cell.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hourcell;
  std::string_view input = InputText(data, size);
  std::vector<Day> days;
  while (!input.empty() && days.size() < kCellsMax) {
    const uint8_t hour = TakeByte(&input);
    const std::string_view part = TakePart(&input);
    std::string cell(part);
    if (hour < kHoursADay) {
      if (!IsHourCell(part)) continue;
      cell.clear();
      AppendDayCellOfHour(hour, part, &cell);
      if (!days.empty()) CheckSetHour(days.back(), hour, part);
    } else if (!IsDayCell(part) || !IsSmall(part)) {
      continue;
    }
    days.push_back(Checked(std::move(cell)));
    CheckSetHour(days.back(), hour % kHoursADay, "");
  }
  if (!days.empty()) CheckMerge(days, size);
  return 0;
}
