// The stores that query vectors describe in words ("for i=1..300 ts=1356998400+30*i value=i"), as
// series with their points, for tests of the query stages and of the whole server alike.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/point.h"

namespace hourcell {

struct StoredSeries {
  std::string metric;
  std::vector<std::pair<std::string, std::string>> tags;  // ascending by key
  std::vector<std::pair<Timestamp, Value>> points;        // ascending
};

// The series of a vector's given.store, in the order in which their names are first used. Nothing
// for a description not known here.
std::optional<std::vector<StoredSeries>> MakeStore(std::string_view description);

}  // namespace hourcell
