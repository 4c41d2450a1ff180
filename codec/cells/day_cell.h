// Day cells: format 5, the points of a series in a day as pages. Only this file describes the
// directory byte by byte; packed_cell.h has that of a page (format 4).
//
//   05 | form: 1 | mask of hours: 3, if so | { hour: 1 | length: V } of each page but the last
//      | hour: 1 of the last page | pages
//
//   form    bits 0-4   pages - 1
//           bit 5      with a mask of hours
//           bits 6-7   0
//   mask    big-endian; bit h: hour h has points. Without one, all hours of pages have points. A
//           mask that says the same is damage
//   hour    bits 0-4   the first hour of the page
//           bits 5-7   (the first hour + the hours of the page) mod 7, which changes with any bit
//                      of these; the body of a page would fit other hours too
//   length  bytes of the page; V is a varint
//
// Pages ascend, do not overlap and end by hour 24. A page begins and ends with hours with points.
// An hour is found by the directory and decoded with its page alone, and each page has the summary
// of a packed cell. A page of one hour has the bytes of that hour's cell of format 3 after its
// first byte.
//
// Writers cut pages by the points of each hour and by nothing else: from hour 0 on, a page takes
// further hours while it has at most kPagePointsMax points. The same points therefore give the same
// bytes in whatever order they were merged.
//
// Pure; bounded on any bytes; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/cells/cell.h"

namespace hourcell {

// The points of a page of more than one hour. ON DISK: another value gives other cells, which
// are read all the same.
inline constexpr uint32_t kPagePointsMax = 512;

// A page of a day cell, which it borrows from.
struct DayPage {
  uint32_t first_hour = 0;
  uint32_t hours = 0;
  std::string_view cell;  // format 4: DecodeCell and ReadCellSummary take it
};

// Appends to `*out` one day cell of `columns`, whose offsets are from the start of the day.
// REQUIRES: as AppendPackedCell (packed_cell.h), but offsets are below a day.
void AppendDayCell(const CellColumns& columns, std::string* out);

// Appends to `*out` the day cell of one hour's cell, of format 1, 2 or 3; the last is not encoded
// again. REQUIRES: hour < 24; a cell that decodes.
void AppendDayCellOfHour(uint32_t hour, std::string_view hour_cell, std::string* out);

// Sets `*pages` to the pages in order. kDataLoss: not a day cell, or a directory that does not add
// up. Pages are not decoded.
absl::Status ReadDayPages(std::string_view cell, std::vector<DayPage>* pages);

// The hours with points, hour h as bit h, by the directory. kDataLoss as ReadDayPages.
absl::StatusOr<uint32_t> HoursOfDayCell(std::string_view cell);

// Decodes the points of an hour, appending to `*out`, with offsets from its start. Decodes one
// page; appends nothing if the hour has no points, or on an error. kDataLoss: a fault of the
// directory or of that page. REQUIRES: hour < 24.
absl::Status DecodeHourOfDay(std::string_view cell, uint32_t hour, CellColumns* out);

// Decodes a day cell, appending to `*out`, with offsets from the start of the day; nothing is
// appended on an error. kDataLoss: faults of the directory or of a page, pages whose points are in
// other hours than the directory says.
absl::Status DecodeDayCell(std::string_view cell, CellColumns* out);

// Sets `*out` to `cell` with the points of `hour` replaced by those of `hour_cell`, of format 1, 2
// or 3, or removed if that is empty. `*out` is empty if no point is left. kDataLoss: an input that
// does not decode; `*out` is then empty. REQUIRES: hour < 24.
absl::Status SetHourOfDay(std::string_view cell,
                          uint32_t hour,
                          std::string_view hour_cell,
                          std::string* out);

// The merge of day cells, for MergeCells. One thread owns it; added cells outlive it.
class DayCellMerge {
 public:
  // Adds a cell that is later than those before. False if it does not decode; then it is left out.
  bool Add(std::string_view cell);

  // Removes the points of an hour from the cells that were added so far.
  void RemoveHour(uint32_t hour);

  bool has_points() const { return points_.size() > 0; }

  // Appends to `*out` the one cell that was added, or a day cell of the last point of each instant.
  // Pages that only one cell has points for are copied. Call it once. REQUIRES: has_points().
  void AppendMerged(std::string* out);

 private:
  struct Input {
    std::string_view cell;       // empty if points were removed
    uint32_t hours = 0;          // with points
    std::vector<DayPage> pages;  // as stored
  };

  // The bytes of the page of these hours if one input has it and the others no points there; else
  // empty.
  std::string_view StoredPage(uint32_t first_hour, uint32_t hours) const;

  std::vector<Input> inputs_;
  CellColumns points_;  // of all inputs
};

}  // namespace hourcell
