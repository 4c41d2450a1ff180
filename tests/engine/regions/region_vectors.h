// The vectors of tests/data/regions.json: facts about HBase's regions, one {group, fn, input,
// expect} each.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace hourcell {

struct RegionVector {
  std::string id;
  std::string fn;                // which rule of the group
  simdjson::dom::element input;  // lives as long as the process
  simdjson::dom::element expect;
};

// All vectors of a group, in file order. The program ends if the file is unreadable or the group is
// empty.
std::vector<RegionVector> LoadRegionVectors(std::string_view group);

// Fields, as test code wants them; the program ends if a field is absent or of another type.
// TextOf, IntOf, Has and BytesOf are in tests/support/vectors.h.
double NumberOf(simdjson::dom::element object, std::string_view key);
bool BoolOf(simdjson::dom::element object, std::string_view key);
std::vector<int64_t> IntsOf(simdjson::dom::element array);
std::vector<std::string> TextsOf(simdjson::dom::element array);

}  // namespace hourcell
