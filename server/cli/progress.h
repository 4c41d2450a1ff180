// Progress of a long command, as text.

#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "codec/base/clock.h"

namespace hourcell {

// Without a terminal, a line is printed after each such number of points, as OpenTSDB's importer
// does.
inline constexpr uint64_t kProgressPoints = 1'000'000;

struct Progress {
  uint64_t points = 0;
  uint64_t bytes_done = 0;   // of the files, as stored (compressed)
  uint64_t bytes_total = 0;  // 0 = unknown
  int64_t elapsed_ms = 0;
};

// Points per second; less than a millisecond counts as one.
uint64_t PointsPerSecond(uint64_t points, int64_t elapsed_ms);

// "1234567 points, 411522 points/s, 34 %, 6 s left"; the last two only if the total is known.
std::string FormatProgress(const Progress& progress);

// "... 1000000 data points in 2431ms (411352 points/s)".
std::string FormatMilestone(uint64_t points, int64_t elapsed_ms);

// Shows progress on a stream: one line that overwrites itself on a terminal, else a line for each
// milestone. Thread-compatible.
class ProgressMeter {
 public:
  // Borrows `file` and `clock`. The elapsed time starts here.
  ProgressMeter(std::FILE* file, bool is_tty, MonotonicClock* clock, uint64_t bytes_total);
  ProgressMeter(const ProgressMeter&) = delete;
  ProgressMeter& operator=(const ProgressMeter&) = delete;

  void Update(uint64_t points, uint64_t bytes_done);

  // Removes the line from the terminal, so that other text can be printed.
  void Clear();

  int64_t elapsed_ms() const;

 private:
  std::FILE* const file_;
  const bool is_tty_;
  MonotonicClock* const clock_;
  const uint64_t bytes_total_;
  const int64_t start_ms_;
  int64_t shown_ms_ = 0;     // elapsed at the last output
  uint64_t milestones_ = 0;  // shown so far
  bool is_shown_ = false;
};

}  // namespace hourcell
