#include "engine/read/day_joiner.h"

#include <algorithm>
#include <utility>

#include "codec/base/status_macros.h"
#include "codec/rows/row_span.h"
#include "engine/days/hour_cell.h"
#include "engine/days/hour_place.h"

namespace hourcell {

void DayJoiner::Hold(size_t index, uint32_t day_s, std::string_view cell) {
  held_[index] = {.day_s = day_s, .next_s = day_s, .cell = std::string(cell)};
}

absl::Status DayJoiner::AddHour(const FoundRow& row) {
  const auto found = held_.find(row.index);
  if (found == held_.end()) return visit_(row);
  Held& day = found->second;
  HOURCELL_RETURN_IF_ERROR(VisitPages(day, row.index, day.cell, row.base_time_s));
  day.next_s = kHourSpan.EndS(row.base_time_s);
  const absl::StatusOr<uint32_t> hours = HoursOfDayCell(day.cell);
  const uint32_t hour = HourOfDay(row.base_time_s);
  if (!hours.ok() || (*hours >> hour & 1) == 0) return visit_(row);
  of_day_.clear();
  AppendHourCell(day.cell, hour, &columns_, &of_day_);
  const std::string_view later[] = {row.cell};
  merged_.clear();
  MergeCells(of_day_, later, &merged_);
  FoundRow joined = row;
  joined.cell = merged_;
  return visit_(joined);
}

absl::Status DayJoiner::EndDay() {
  for (const auto& [index, day] : held_)
    HOURCELL_RETURN_IF_ERROR(VisitPages(day, index, day.cell, UINT64_MAX));
  held_.clear();
  return absl::OkStatus();
}

// Visits the pages of the day from its next_s to `end_s`, or all of a directory that does not
// decode: the reader then finds the fault.
absl::Status DayJoiner::VisitPages(const Held& day,
                                   size_t index,
                                   std::string_view cell,
                                   uint64_t end_s) {
  pages_.clear();
  if (!ReadDayPages(cell, &pages_).ok()) {
    return visit_({.index = index, .base_time_s = day.day_s, .cell = cell, .hours = 24});
  }
  for (const DayPage& page : pages_) {
    const uint32_t base_time_s = day.day_s + page.first_hour * kHourSpan.seconds;
    const uint64_t page_end_s = base_time_s + uint64_t{page.hours} * kHourSpan.seconds;
    const uint64_t from_s =
        std::max({uint64_t{base_time_s}, day.next_s, uint64_t{bounds_.begin_s}});
    const uint64_t to_s = std::min({page_end_s, end_s, bounds_.end_s});
    if (from_s >= to_s) continue;
    FoundRow row{.index = index,
                 .base_time_s = base_time_s,
                 .cell = page.cell,
                 .hours = page.hours,
                 .is_part = from_s != base_time_s || to_s != page_end_s,
                 .begin_s = from_s,
                 .end_s = to_s};
    HOURCELL_RETURN_IF_ERROR(visit_(row));
  }
  return absl::OkStatus();
}

}  // namespace hourcell
