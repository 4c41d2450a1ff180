#include "server/inputs/otlp/otlp_json.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/inputs/metric_metadata.h"
#include "tests/server/inputs/otlp/otlp_messages.h"

namespace hourcell::otlp_json_test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

TEST(OtlpJsonTest, EachKindIsReadAndMembersMayComeInAnyOrder) {
  EXPECT_THAT(OtlpLines(&ReadOtlpJson, OtlpSampleJson()), ElementsAreArray(OtlpSampleLines()));
}

TEST(OtlpJsonTest, NumbersMayBeStringsAndNullIsAbsent) {
  EXPECT_THAT(
      OtlpLines(&ReadOtlpJson, OtlpGaugeJson("m", R"({"timeUnixNano":"5","asDouble":"-Infinity"},
                            {"timeUnixNano":6,"asDouble":"NaN","asInt":null},
                            {"timeUnixNano":7,"asDouble":3},
                            {"timeUnixNano":18446744073709551615,"asInt":-9223372036854775808})")),
      ElementsAre("resource", "m gauge 0 @5 value=-inf", "m gauge 0 @6 value=nan",
                  "m gauge 0 @7 value=3",
                  "m gauge 0 @18446744073709551615 integer=-9.223372036854776e+18"));
  EXPECT_THAT(OtlpLines(&ReadOtlpJson, R"({"resourceMetrics":null,"more":[1]})"), ElementsAre());
  EXPECT_THAT(OtlpLines(&ReadOtlpJson, "{}"), ElementsAre());
}

TEST(OtlpJsonTest, TheTemporalityMayBeANumberOrAName) {
  const std::vector<std::pair<std::string, int>> cases = {
      {"1", 1},
      {"\"2\"", 2},
      {"\"AGGREGATION_TEMPORALITY_UNSPECIFIED\"", 0},
      {"\"AGGREGATION_TEMPORALITY_DELTA\"", 1},
      {"\"AGGREGATION_TEMPORALITY_CUMULATIVE\"", 2},
      {"\"DELTA\"", 0},
      {"-1", 0}};
  for (const auto& [text, number] : cases) {
    const std::string body = fmt::format(
        R"({{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{{"name":"m","sum":{{)"
        R"("aggregationTemporality":{},"dataPoints":[{{"timeUnixNano":"5","asInt":"1"}}]}}}}]}}]}})"
        R"(]}})",
        text);
    EXPECT_THAT(OtlpLines(&ReadOtlpJson, body),
                ElementsAre("resource", fmt::format("m sum {} @5 integer=1", number)))
        << text;
  }
}

std::string DescribedJson(std::string_view members) {
  return fmt::format(R"({{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[)"
                     R"({{"name":"m","gauge":{{}},{}}}]}}]}}]}})",
                     members);
}

TEST(OtlpJsonTest, UnitAndDescriptionMayBeNullAndHaveEscapes) {
  EXPECT_THAT(OtlpLines(&ReadOtlpJson,
                        DescribedJson(R"("unit":null,"description":"a\nb \u00e9 \ud83d\ude00")")),
              ElementsAre("resource", "m unit= description=a\nb \u00e9 \U0001F600"));
  EXPECT_THAT(OtlpLines(&ReadOtlpJson, DescribedJson(R"("unit":5)")),
              ElementsAre("resource", "! unit: expected a string"));
}

TEST(OtlpJsonTest, TheBeginningOfALongDescriptionIsReadWithWholeEscapes) {
  const std::vector<std::pair<std::string_view, std::string_view>> kTexts = {
      {"x", "x"},
      {R"(\n)", "\n"},
      {R"(\u0041)", "A"},
      {R"(\ud83d\ude00)", "\U0001F600"},
      {R"(\u0041\uD83D\uDE00)", "A\U0001F600"},
      {"\u20ac", "\u20ac"},
      {R"(\u0041\n)", "A\n"}};
  for (const auto& [escaped, plain] : kTexts) {
    std::string description;
    std::string whole;
    for (int i = 0; i < 8000; ++i) {
      description += escaped;
      whole += plain;
    }
    const std::vector<std::string> lines =
        OtlpLines(&ReadOtlpJson, DescribedJson(fmt::format(R"("description":"{}")", description)));
    ASSERT_EQ(lines.size(), 2U) << escaped;
    constexpr std::string_view kBefore = "m unit= description=";
    const std::string_view read = std::string_view(lines[1]).substr(kBefore.size());
    EXPECT_TRUE(whole.starts_with(read)) << escaped;
    EXPECT_GE(read.size(), kMetadataHelpMax) << escaped;
    EXPECT_LT(read.size(), whole.size()) << escaped;
  }
}

TEST(OtlpJsonTest, WhatIsNoRequestIsSaid) {
  const std::vector<std::pair<std::string, std::string_view>> cases = {
      {"", "expected an object of JSON"},
      {"[]", "expected an object of JSON"},
      {R"({"resourceMetrics":[}]})", "expected an object of JSON"},
      {R"({"resourceMetrics":{}})", "resourceMetrics: expected an array"},
      {R"({"resourceMetrics":[1]})", "resourceMetrics: expected an object"},
      {OtlpGaugeJson("m", R"({"timeUnixNano":"-5"})"),
       "timeUnixNano: expected an integer from 0 to 2^64-1"},
      {OtlpGaugeJson("m", R"({"asInt":1.5})"), "asInt: expected an integer from -2^63 to 2^63-1"},
      {OtlpGaugeJson("m", R"({"asDouble":"much"})"), "asDouble: expected a number"},
      {OtlpGaugeJson("m", R"({"scale":4294967296})"), "scale: expected an integer of 32 bits"},
      {OtlpGaugeJson("m", R"({"attributes":[{"key":1,"value":{"stringValue":"a"}}]})"),
       "key: expected a string"},
      {OtlpGaugeJson("m", R"({"attributes":[{"key":"a","value":{"boolValue":"a"}}]})"),
       "boolValue: expected true or false"}};
  for (const auto& [body, want] : cases)
    EXPECT_THAT(OtlpLines(&ReadOtlpJson, body).back(), HasSubstr(want)) << body;
}

}  // namespace
}  // namespace hourcell::otlp_json_test
