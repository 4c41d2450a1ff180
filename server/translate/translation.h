// Translation: a query in the language of m= (docs/query-language.md) as PromQL, or the reverse.
//
// A translation gives the values of the query that it is made from: always, or if its conditions
// hold. docs/promql.md ("Translating") has the assumptions about a store.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hourcell {

struct Translation {
  std::string text;
  // The distance of the steps at which both queries are evaluated, all multiples of the distance;
  // 0: at the times of the points.
  int64_t step_ms = 0;
  // Sentences about the points and the steps; empty: the translation is exact.
  std::vector<std::string> conditions = {};
  friend bool operator==(const Translation&, const Translation&) = default;
};

}  // namespace hourcell
