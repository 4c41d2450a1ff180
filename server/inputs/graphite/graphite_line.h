// A line of Graphite's plaintext protocol: one point.
//
//   path value time
//   path;tag=value;tag=value value time
//
// Blanks or tabs separate words. time: seconds since 1970; a fraction is dropped, as in carbon.
// Empty lines and lines that begin with # are skipped. No I/O.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "codec/point.h"

namespace hourcell {

// Views point into the line.
struct GraphiteLine {
  std::string_view name;      // of the path; may be empty. data() is null for a skipped line
  std::vector<TagView> tags;  // keys and values are not empty
  std::string_view value;     // as in the line
  std::string_view time;      // as in the line, without its fraction
  std::string_view wrong;     // the faulty part of a line with a fault

  bool has_point() const { return name.data() != nullptr; }
};

// Parses a line without its line end. Returns the fault, "expected ...", or "".
std::string_view ReadGraphiteLine(std::string_view text, GraphiteLine* line);

// Parses a value, which may be NaN or infinite: Python writes nan and inf. An integer beyond 64
// bits becomes a float, as are all values in Graphite. Nullopt for other text.
std::optional<Value> GraphiteValue(std::string_view word);

}  // namespace hourcell
