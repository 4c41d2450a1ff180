// Answers of Prometheus' HTTP API to a query, compared by their series, because the order of a
// vector is not defined.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hourcell {

struct PromqlAnswer {
  std::string type;   // of the result; empty: an error, or not an answer
  std::string error;  // its type
  // By labels: times and values. Of a scalar or a string: without labels. A native histogram is
  // several series, whose keys end with `count`, `sum`, and the bounds of each bucket.
  std::map<std::string, std::vector<std::pair<double, std::string>>> series = {};
};

PromqlAnswer PromqlAnswerOf(const std::string& body);

// How far numbers may be from each other: relative to the larger one, or absolute.
struct PromqlTolerance {
  double relative = 0;
  double absolute = 0;
};

// The first difference of two answers; empty if there is none.
std::string PromqlDifference(const PromqlAnswer& got,
                             const PromqlAnswer& want,
                             const PromqlTolerance& tolerance);

}  // namespace hourcell
