#include "server/cli/progress.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

#include <fmt/format.h>

#include "codec/base/clock.h"
#include "server/cli/terminal.h"

namespace hourcell {
namespace {

constexpr int64_t kRedrawMs = 200;
// Carriage return and "erase to the end of the line".
constexpr char kEraseLine[] = "\r\x1b[K";

}  // namespace

uint64_t PointsPerSecond(uint64_t points, int64_t elapsed_ms) {
  const auto ms = static_cast<double>(std::max<int64_t>(elapsed_ms, 1));
  return static_cast<uint64_t>(static_cast<double>(points) * 1000 / ms);
}

std::string FormatProgress(const Progress& progress) {
  std::string text = fmt::format("{} points, {} points/s", progress.points,
                                 PointsPerSecond(progress.points, progress.elapsed_ms));
  if (progress.bytes_total == 0) return text;

  const double done = std::min(
      1.0, static_cast<double>(progress.bytes_done) / static_cast<double>(progress.bytes_total));
  text += fmt::format(", {} %", static_cast<int>(done * 100));
  if (done > 0) {
    const double left_ms = static_cast<double>(progress.elapsed_ms) * (1 - done) / done;
    text += fmt::format(", {} s left", std::llround(left_ms / 1000));
  }
  return text;
}

std::string FormatMilestone(uint64_t points, int64_t elapsed_ms) {
  return fmt::format("... {} data points in {}ms ({} points/s)", points, elapsed_ms,
                     PointsPerSecond(points, elapsed_ms));
}

ProgressMeter::ProgressMeter(std::FILE* file,
                             bool is_tty,
                             MonotonicClock* clock,
                             uint64_t bytes_total)
    : file_(file),
      is_tty_(is_tty),
      clock_(clock),
      bytes_total_(bytes_total),
      start_ms_(clock->MonotonicMs()) {}

int64_t ProgressMeter::elapsed_ms() const {
  return clock_->MonotonicMs() - start_ms_;
}

void ProgressMeter::Update(uint64_t points, uint64_t bytes_done) {
  const int64_t elapsed = elapsed_ms();
  if (!is_tty_) {
    if (points / kProgressPoints <= milestones_) return;
    milestones_ = points / kProgressPoints;
    PrintTo(file_, "{}\n", FormatMilestone(points, elapsed));
    return;
  }
  if (is_shown_ && elapsed - shown_ms_ < kRedrawMs) return;
  const Progress progress{.points = points,
                          .bytes_done = bytes_done,
                          .bytes_total = bytes_total_,
                          .elapsed_ms = elapsed};
  PrintTo(file_, "{}{}", kEraseLine, FormatProgress(progress));
  std::fflush(file_);
  shown_ms_ = elapsed;
  is_shown_ = true;
}

void ProgressMeter::Clear() {
  if (!is_shown_) return;
  PrintTo(file_, "{}", kEraseLine);
  is_shown_ = false;
}

}  // namespace hourcell
