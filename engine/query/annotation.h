// Annotation: a note at an instant or over a range of time, of one series or global, as a query
// answers it.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hourcell {

struct Annotation {
  std::string tsuid;       // upper-case hex; empty = global
  int64_t start_time = 0;  // as it was given: seconds or milliseconds
  int64_t end_time = 0;    // 0 = an instant
  std::string description;
  std::string notes;
  std::vector<std::pair<std::string, std::string>> custom;
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

}  // namespace hourcell
