// A line of Graphite's plaintext protocol: one point.
//
//   path value time
//   path;tag=value;tag=value value time
//
// Words are separated by blanks or tabs. time: seconds since 1970; a fraction is dropped, as carbon
// drops it. An empty line, and one that begins with #, has no point. Pure.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "codec/point.h"

namespace hourcell {

// Views point into the line.
struct GraphiteLine {
  std::string_view name;      // of the path; may be empty. Of no point: data() is null
  std::vector<TagView> tags;  // neither key nor value is empty
  std::string_view value;     // as it stands
  std::string_view time;      // the same, without its fraction
  std::string_view wrong;     // of a line with a fault: the part that is wrong

  bool has_point() const { return name.data() != nullptr; }
};

// Takes a line without its end apart. Returns what is wrong, "want ...", empty if nothing is.
std::string_view ReadGraphiteLine(std::string_view text, GraphiteLine* line);

// The value of a word, which may be NaN or infinite: Python writes nan and inf. An integer beyond
// 64 bits is a float, as all of Graphite's values are. Nothing for other text.
std::optional<Value> GraphiteValue(std::string_view word);

}  // namespace hourcell
