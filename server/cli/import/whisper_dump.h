// WhisperDump: the text that Graphite's whisper-dump prints of a file of Whisper, as lines of
// Graphite (graphite_line.h).
//
//   Archive 0 info:
//     seconds per point: 60
//     ...
//   Archive 0 data:
//   0: 1356998400,        4.5       slot: time in seconds, value
//   1: 0,          0                an empty slot
//   Archive 1 data: ...             the same hours in longer steps, and hours before them
//
// All points of the first archive are taken. A point of another one is taken if no archive before
// it has a point within its step, so that no time is stored twice, once as a mean.
// Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "server/cli/import/line_reader.h"

namespace hourcell {

// The most points of a file and archives that a dump may have; Whisper has no limit.
inline constexpr size_t kWhisperPointsMax = size_t{1} << 24;
inline constexpr size_t kWhisperArchivesMax = 256;

// The path of a metric by that of its dump, as carbon names files: a/b.wsp, a/b.txt and
// a/b.wsp.txt.gz are a.b, and _tagged/x/y/m_DOT_n;k=v.txt is m.n;k=v. kInvalidArgument: the path is
// absolute, leads out of the directory, or is that of the standard input.
absl::StatusOr<std::string> WhisperMetricOf(std::string_view path);

class WhisperDump {
 public:
  // `metric` is the path of all points, with tags as ";tag=value". Blanks in it become '_'.
  explicit WhisperDump(std::string_view metric);

  // What stands for the next line of the dump, with its number: a line of Graphite; an empty line
  // if it has no point; or the line itself, with a fault. Valid until the next call. A line that is
  // too long stays so.
  Line Translate(const Line& line);

 private:
  void EndArchive();
  bool TakeHeading(std::string_view text);
  Line TakeSlot(const Line& line);
  bool IsCovered(uint32_t time_s) const;

  std::string metric_;
  std::vector<uint32_t> steps_s_;     // by archive, as far as they were said
  size_t archive_ = 0;                // whose heading came last
  bool is_in_data_ = false;           // of that archive
  std::vector<uint32_t> covered_;     // times of points of the archives before, ascending
  std::vector<uint32_t> of_archive_;  // and of this one
  std::string text_;                  // of the line that was given last
};

}  // namespace hourcell
