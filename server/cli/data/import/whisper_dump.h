// WhisperDump: translates the text that Graphite's whisper-dump prints for a Whisper file into
// lines of Graphite (graphite_line.h).
//
//   Archive 0 info:
//     seconds per point: 60
//     ...
//   Archive 0 data:
//   0: 1356998400,        4.5       slot: time in seconds, value
//   1: 0,          0                an empty slot
//   Archive 1 data: ...             the same hours in longer steps, and hours before them
//
// It takes all points of the first archive. It takes a point of another archive only if no previous
// archive has a point within its step. It thereby stores each time only once, without a mean of
// stored points. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/statusor.h>

#include "server/cli/data/import/line_reader.h"

namespace hourcell {

// Limits of a dump: points of a file, and archives. Whisper does not limit them.
inline constexpr size_t kWhisperPointsMax = size_t{1} << 24;
inline constexpr size_t kWhisperArchivesMax = 256;

// The path of a metric from the path of its dump, by carbon's naming of files: a/b.wsp, a/b.txt and
// a/b.wsp.txt.gz are a.b, and _tagged/x/y/m_DOT_n;k=v.txt is m.n;k=v. kInvalidArgument: the path is
// absolute, leads out of the directory, or is that of the standard input.
absl::StatusOr<std::string> WhisperMetricOf(std::string_view path);

class WhisperDump {
 public:
  // `metric` is the path of all points, with tags as ";tag=value". Blanks become '_'.
  explicit WhisperDump(std::string_view metric);

  // Translates the next line of the dump. Returns, with its number: a line of Graphite; an empty
  // line if it gives zero points; or the line itself, with a fault. A line that is too long remains
  // so. Valid until the next call.
  Line Translate(const Line& line);

 private:
  void EndArchive();
  bool TakeHeading(std::string_view text);
  Line TakeSlot(const Line& line);
  bool IsCovered(uint32_t time_s) const;

  std::string metric_;
  std::vector<uint32_t> steps_s_;     // by archive, for the known ones
  size_t archive_ = 0;                // of the last heading
  bool is_in_data_ = false;           // the last heading was of data
  std::vector<uint32_t> covered_;     // times of points of the previous archives, ascending
  std::vector<uint32_t> of_archive_;  // times of points of this archive
  std::string text_;                  // the text of the last result
};

}  // namespace hourcell
