#include "server/text/json_scalar.h"

#include <string>

#include <gtest/gtest.h>

namespace hourcell::json_scalar_test {
namespace {

// Reads `json` as the one element of an array with `read`.
template <typename Read>
simdjson::error_code ReadElement(const std::string& json, Read read) {
  const simdjson::padded_string text("[" + json + "]");
  simdjson::ondemand::parser parser;
  simdjson::ondemand::document document;
  if (const auto error = parser.iterate(text).get(document)) return error;
  simdjson::ondemand::array array;
  if (const auto error = document.get_array().get(array)) return error;
  for (auto item : array) {
    simdjson::ondemand::value value;
    if (const auto error = std::move(item).get(value)) return error;
    if (const auto error = read(value)) return error;
  }
  return simdjson::SUCCESS;
}

bool Skips(const std::string& json) {
  return ReadElement(json, [](simdjson::ondemand::value value) {
           return SkipJsonValue(value, 0);
         }) == simdjson::SUCCESS;
}

TEST(JsonScalarTest, IsJsonNumberFollowsTheGrammar) {
  for (const std::string_view good : {"0", "-0", "42", "-4.2E-3", "1e5", "1E+5", "0.5"}) {
    EXPECT_TRUE(IsJsonNumber(good)) << good;
  }
  for (const std::string_view bad :
       {"", "-", "01", "1.", ".5", "+1", "1e", "1e+", "0x1", "1 2", "NaN", "-Infinity"}) {
    EXPECT_FALSE(IsJsonNumber(bad)) << bad;
  }
}

TEST(JsonScalarTest, IsBareNonNumberTakesJacksonsWordsOnly) {
  for (const std::string_view good :
       {"NaN", "Infinity", "+Infinity", "-Infinity", "+INF", "-INF"}) {
    EXPECT_TRUE(IsBareNonNumber(good)) << good;
  }
  for (const std::string_view bad : {"Nan", "INF", "+inf", "nan", "+NaN", ""}) {
    EXPECT_FALSE(IsBareNonNumber(bad)) << bad;
  }
}

TEST(JsonScalarTest, ReadJsonTextGivesStringsDecodedAndNumbersAsWritten) {
  const auto check = [](const std::string& json, std::string_view want) {
    SCOPED_TRACE(json);
    const auto error = ReadElement(json, [want](simdjson::ondemand::value value) {
      std::string_view text;
      const auto read = ReadJsonText(value, &text);
      EXPECT_EQ(text, want);
      return read;
    });
    EXPECT_EQ(error, simdjson::SUCCESS);
  };
  check(R"("web01")", "web01");
  check(R"( "a\tb\u00e9" )", "a\tb\u00e9");
  check(R"("")", "");
  check("  1.50  ", "1.50");
  check("12345678901234567890123", "12345678901234567890123");
  check("true", "true");
  check("null", "");
}

TEST(JsonScalarTest, ReadJsonTextRefusesWhatHasNone) {
  const auto error_of = [](const std::string& json) {
    return ReadElement(json, [](simdjson::ondemand::value value) {
      std::string_view text;
      return ReadJsonText(value, &text);
    });
  };
  EXPECT_EQ(error_of("{}"), simdjson::INCORRECT_TYPE);
  EXPECT_EQ(error_of("[1]"), simdjson::INCORRECT_TYPE);
  EXPECT_NE(error_of("NaN"), simdjson::SUCCESS);
  EXPECT_NE(error_of("nul"), simdjson::SUCCESS);
  EXPECT_NE(error_of("1.2.3"), simdjson::SUCCESS);
  EXPECT_NE(error_of(R"("a"b)"), simdjson::SUCCESS);
}

TEST(JsonScalarTest, SkipJsonValueChecksAllOfIt) {
  EXPECT_TRUE(Skips(R"({"a": [1, {"b": null}, "c"], "d": {}})"));
  EXPECT_FALSE(Skips(R"({"a": [1, bad]})"));
  EXPECT_FALSE(Skips(R"({"a" 1})"));
  EXPECT_FALSE(Skips(R"([1, 2 3])"));
  EXPECT_FALSE(Skips(R"({"a": 1,})"));
}

TEST(JsonScalarTest, SkipJsonValueBoundsTheDepth) {
  const auto nested = [](int depth) {
    const auto count = static_cast<size_t>(depth);
    return std::string(count, '[') + std::string(count, ']');
  };

  EXPECT_TRUE(Skips(nested(kJsonDepthMax)));
  EXPECT_FALSE(Skips(nested(kJsonDepthMax + 2)));
  EXPECT_FALSE(Skips(nested(100'000)));
}

}  // namespace
}  // namespace hourcell::json_scalar_test
