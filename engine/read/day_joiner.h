// DayJoiner: turns the rows of days into rows in the order of time, joined with rows of hours of
// the same series.
//
//   day's row     [ page 0h-8h ][ page 8h-16h ][ page 16h-24h ]
//   hours' rows                    [ 10h ]
//   visited       0h-8h, 8h-10h, 10h, 11h-16h, 16h-24h
//
// At an equal instant the hour's own row wins: engine/days/day_writes.h. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/status/status.h>

#include "codec/cells/cell.h"
#include "codec/cells/day_cell.h"
#include "engine/query/stages/scan_bounds.h"

namespace hourcell {

// A row found, or a part of one. `index` into RowSelection::series; those of one series come by
// time and do not overlap.
struct FoundRow {
  size_t index = 0;
  uint32_t base_time_s = 0;
  std::string_view cell;  // borrowed for the call
  uint32_t hours = 1;     // that the cell covers
  // If set, only points in [begin_s, end_s) belong to the row.
  bool is_part = false;
  uint64_t begin_s = 0;
  uint64_t end_s = 0;

  using Visit = std::function<absl::Status(const FoundRow& row)>;
};

class DayJoiner {
 public:
  // Visits nothing outside `bounds`. `visit` is borrowed.
  DayJoiner(const ScanBounds& bounds, const FoundRow::Visit& visit)
      : bounds_(bounds), visit_(visit) {}

  // Visits the row of a day, of a series without hour rows in it.
  absl::Status VisitDay(size_t index, uint32_t day_s, std::string_view cell) {
    return VisitPages({.day_s = day_s, .next_s = day_s}, index, cell, UINT64_MAX);
  }

  // Keeps a day's row until the rows of its hours were added.
  void Hold(size_t index, uint32_t day_s, std::string_view cell);
  // Visits the row of an hour, after the rest of its day before it.
  absl::Status AddHour(const FoundRow& row);
  // Visits the rest of the rows held: no hour of their days follows.
  absl::Status EndDay();

 private:
  struct Held {
    uint32_t day_s = 0;
    uint64_t next_s = 0;  // everything before was visited
    std::string cell = {};
  };

  absl::Status VisitPages(const Held& day, size_t index, std::string_view cell, uint64_t end_s);

  const ScanBounds bounds_;
  const FoundRow::Visit& visit_;
  absl::flat_hash_map<size_t, Held> held_;
  std::vector<DayPage> pages_;
  CellColumns columns_;
  std::string of_day_;
  std::string merged_;
};

}  // namespace hourcell
