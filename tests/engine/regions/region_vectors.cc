#include "tests/engine/regions/region_vectors.h"

#include "codec/base/check.h"
#include "tests/support/source_dir.h"
#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;

element Load() {
  // A parser owns the document it parsed.
  static auto* const parser = new simdjson::dom::parser();
  static const element document = [] {
    element loaded;
    HOURCELL_CHECK(!parser->load(SourcePath("tests/data/regions.json")).get(loaded));
    return loaded;
  }();
  return document;
}

}  // namespace

std::vector<RegionVector> LoadRegionVectors(std::string_view group) {
  std::vector<RegionVector> vectors;
  for (const element vector : array(Load())) {
    if (TextOf(vector, "group") != group) continue;
    vectors.push_back({.id = TextOf(vector, "id"),
                       .fn = TextOf(vector, "fn"),
                       .input = vector["input"],
                       .expect = vector["expect"]});
  }
  HOURCELL_CHECK(!vectors.empty());
  return vectors;
}

double NumberOf(element object, std::string_view key) {
  double number = 0;
  HOURCELL_CHECK(!object[key].get(number));
  return number;
}

bool BoolOf(element object, std::string_view key) {
  bool value = false;
  HOURCELL_CHECK(!object[key].get(value));
  return value;
}

std::vector<int64_t> IntsOf(element array_of_integers) {
  std::vector<int64_t> numbers;
  for (const element number : array(array_of_integers))
    numbers.push_back(int64_t(number));
  return numbers;
}

std::vector<std::string> TextsOf(element array_of_texts) {
  std::vector<std::string> texts;
  for (const element text : array(array_of_texts))
    texts.emplace_back(std::string_view(text));
  return texts;
}

}  // namespace hourcell
