#include "tests/support/vectors.h"

#include <map>
#include <memory>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "tests/support/source_dir.h"

namespace hourcell {
namespace {

simdjson::dom::element Load(const std::string& file) {
  // A parser owns the document it parsed, so each file keeps its own, for good.
  static auto* parsers = new std::map<std::string, std::unique_ptr<simdjson::dom::parser>>();
  static auto* documents = new std::map<std::string, simdjson::dom::element>();
  if (const auto found = documents->find(file); found != documents->end()) return found->second;
  auto parser = std::make_unique<simdjson::dom::parser>();
  simdjson::dom::element document;
  const auto error = parser->load(SourcePath("tests/data/" + file)).get(document);
  HOURCELL_CHECK(!error);
  (*parsers)[file] = std::move(parser);
  return (*documents)[file] = document;
}

}  // namespace

bool TestVector::wants_error() const {
  return Has(expect, "error");
}

std::vector<TestVector> LoadVectors(const std::string& file, std::string_view area) {
  std::vector<TestVector> vectors;
  for (const simdjson::dom::element element : simdjson::dom::array(Load(file))) {
    if (TextOf(element, "area") != area) continue;
    vectors.push_back({.area = std::string(area),
                       .from = TextOf(element, "from"),
                       .given = element["given"],
                       .expect = element["expect"]});
  }
  HOURCELL_CHECK(!vectors.empty());
  return vectors;
}

std::string TextOf(simdjson::dom::element object, std::string_view key) {
  std::string_view text;
  HOURCELL_CHECK(!object[key].get(text));
  return std::string(text);
}

int64_t IntOf(simdjson::dom::element object, std::string_view key) {
  int64_t number = 0;
  HOURCELL_CHECK(!object[key].get(number));
  return number;
}

bool Has(simdjson::dom::element object, std::string_view key) {
  return object[key].error() == simdjson::SUCCESS;
}

std::string BytesOf(simdjson::dom::element object, std::string_view key) {
  const auto bytes = FromHex(TextOf(object, key));
  HOURCELL_CHECK(bytes.ok());
  return *bytes;
}

}  // namespace hourcell
