// Test vectors: facts about OpenTSDB in tests/data/*.json, one {area, given, expect, from} each.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace hourcell {

struct TestVector {
  std::string area;
  std::string from;              // the unit test or source rule it states
  simdjson::dom::element given;  // lives as long as the process
  simdjson::dom::element expect;

  // expect.error exists: the input must be refused.
  bool wants_error() const;
};

// All vectors of an area, in file order. The program ends if the file is unreadable or the area is
// empty.
//   LoadVectors("storage.json", "qualifier.build")
std::vector<TestVector> LoadVectors(const std::string& file, std::string_view area);

// Fields, as test code wants them; the program ends if a field is absent or of another type.
std::string TextOf(simdjson::dom::element object, std::string_view key);
int64_t IntOf(simdjson::dom::element object, std::string_view key);
bool Has(simdjson::dom::element object, std::string_view key);

// The bytes of a hex field.
std::string BytesOf(simdjson::dom::element object, std::string_view key);

}  // namespace hourcell
