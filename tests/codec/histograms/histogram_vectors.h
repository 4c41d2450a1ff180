// Histograms of test vectors, {"buckets": [[lower, upper, count], ...], "underflow", "overflow"}.

#pragma once

#include <string_view>
#include <vector>

#include "codec/base/check.h"
#include "codec/histograms/simple_histogram.h"
#include "tests/support/vectors.h"

namespace hourcell {

inline std::vector<simdjson::dom::element> ElementsOf(simdjson::dom::element list) {
  const simdjson::dom::array array = list.get_array();
  return {array.begin(), array.end()};
}

inline std::vector<double> NumbersOf(simdjson::dom::element list) {
  std::vector<double> numbers;
  for (const simdjson::dom::element number : ElementsOf(list))
    numbers.push_back(number.get_double());
  return numbers;
}

inline SimpleHistogram HistogramOf(simdjson::dom::element element) {
  SimpleHistogram histogram;
  for (const simdjson::dom::element bucket : ElementsOf(element["buckets"])) {
    const std::vector<double> fields = NumbersOf(bucket);
    HOURCELL_CHECK(fields.size() == 3);
    histogram.buckets.push_back({.lower = static_cast<float>(fields[0]),
                                 .upper = static_cast<float>(fields[1]),
                                 .count = static_cast<int64_t>(fields[2])});
  }
  histogram.underflow = IntOf(element, "underflow");
  histogram.overflow = IntOf(element, "overflow");
  return histogram;
}

// The vectors of an area of rest.json with this given.kind.
inline std::vector<TestVector> VectorsOfKind(std::string_view area, std::string_view kind) {
  std::vector<TestVector> vectors = LoadVectors("rest.json", area);
  std::erase_if(vectors,
                [&](const TestVector& vector) { return TextOf(vector.given, "kind") != kind; });
  return vectors;
}

}  // namespace hourcell
