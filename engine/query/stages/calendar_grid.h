// CalendarGrid: the bucket boundaries of a downsampling interval by the calendar of a time zone
// (OpenTSDB's DateTime.previousInterval). From a base near an anchor, steps of n units:
//
//   unit  base                                                              a step is
//   ms    n divides 1000: the anchor's second, else its minute              elapsed time
//   s     n divides 60: its minute, else its hour                           elapsed time
//   m     n divides 60: its hour, else its midnight                         elapsed time
//   h     n divides 24: its midnight, else the first of its month           elapsed time
//   d     n = 1: its midnight, else 1 January of its year                   n days of the calendar
//   w     the Sunday of its week                                            7 n days
//   n     1 January of its year                                             n months
//   y     1 January of its year                                             n years
//
// All in local time. If a clock change delays the begin of a day, it begins at the change.
// Differences from OpenTSDB: the anchor is the start of the query rather than each series' first
// point, so that all series have one grid; a grid does not start a new base at the end of a month
// or year. Pure but for time zone tables; thread-safe.

#pragma once

#include <cstdint>

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include "engine/query/query_spec.h"

namespace hourcell {

class CalendarGrid {
 public:
  // REQUIRES: spec.calendar, spec.count > 0.
  CalendarGrid(const DownsampleSpec& spec, int64_t anchor_ms);

  // The last boundary at or before `ms`.
  int64_t Floor(int64_t ms) const;

  // The boundary after the boundary `ms`.
  int64_t Next(int64_t ms) const;

 private:
  int64_t Boundary(int64_t index) const;
  int64_t IndexOf(int64_t ms) const;

  const int64_t count_;
  const DurationUnit unit_;
  const absl::TimeZone timezone_;
  int64_t base_ms_ = 0;      // of steps in elapsed time
  int64_t step_ms_ = 0;      // their length; 0: steps of the calendar
  absl::CivilDay base_day_;  // of steps in days, months and years
};

}  // namespace hourcell
