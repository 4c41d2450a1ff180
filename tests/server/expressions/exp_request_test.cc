#include "server/expressions/exp_request.h"

#include <cmath>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::exp_request_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kNowMs = 1'357'300'800'000;

absl::StatusOr<ExpRequest> Parse(std::string_view fields) {
  return ParseExpJson(
      R"({"time":{"start":"1h-ago","aggregator":"sum"},)" + std::string(fields) + "}", kNowMs);
}

TEST(ExpRequestTest, FillPoliciesHaveTheirValue) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("expressions.json", "exp fill")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const auto fill = ParseExpressionFill(vector.given["fillPolicy"]);
    ++run;
    EXPECT_EQ(fill.ok(), !vector.wants_error());
    if (!fill.ok() || vector.wants_error()) continue;
    const simdjson::dom::element want = vector.expect["value"];
    EXPECT_TRUE(want.is_string() ? std::isnan(fill->value) : fill->value == double(want));
  }
  EXPECT_EQ(run, 11);
}

TEST(ExpRequestTest, IdsAreLettersAndDigits) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("expressions.json", "exp id")) {
    const std::string id = TextOf(vector.given, "id");
    EXPECT_EQ(CheckExpressionId(id).ok(), bool(vector.expect["accepted"])) << id;
    ++run;
  }
  EXPECT_EQ(run, 7);
  EXPECT_FALSE(CheckExpressionId("size").ok());
}

TEST(ExpRequestTest, RequestsAreChecked) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("expressions.json", "exp validate")) {
    const std::string body = simdjson::minify(vector.given["body"]);
    EXPECT_EQ(ParseExpJson(body, kNowMs).ok(), !vector.wants_error()) << body;
    ++run;
  }
  EXPECT_EQ(run, 11);
}

TEST(ExpRequestTest, TheDefaultJoinIsAUnionOfAllTags) {
  const auto vectors = LoadVectors("expressions.json", "exp default");
  ASSERT_EQ(vectors.size(), 1u);
  EXPECT_EQ(TextOf(vectors[0].expect, "operator"), "union");
  const auto request =
      Parse(R"("metrics":[{"id":"a","metric":"m"}],"expressions":[{"id":"e","expr":"a"}])");

  ASSERT_OK(request);
  const JoinedExpression& joined = request->expressions[0].joined;
  EXPECT_EQ(joined.join, JoinSet::kUnion);
  EXPECT_EQ(joined.by_query_tags, bool(vectors[0].expect["useQueryTags"]));
  EXPECT_EQ(joined.by_aggregated, bool(vectors[0].expect["includeAggTags"]));
}

TEST(ExpRequestTest, EqualMetricsAreReadOnce) {
  const auto request =
      Parse(R"("metrics":[{"id":"a","metric":"m"},{"id":"A","metric":"m"},{"id":"c","metric":"n"},)"
            R"({"id":"d","metric":"m","timeOffset":"-1d"}])");

  ASSERT_OK(request);
  ASSERT_EQ(request->fetches.size(), 2u);
  EXPECT_EQ(request->fetches[0].spec.queries.size(), 2u);
  EXPECT_EQ(request->metrics[1].sub_query, 0u);
  EXPECT_EQ(request->metrics[2].sub_query, 1u);
  EXPECT_EQ(request->metrics[3].fetch, 1u);
  EXPECT_EQ(request->fetches[1].offset_ms, 86'400'000);
  EXPECT_EQ(request->fetches[1].spec.start_ms, request->fetches[0].spec.start_ms - 86'400'000);
}

TEST(ExpRequestTest, TheFillOfTheDownsamplerIsThatOfMetricsWithoutOne) {
  const auto request = ParseExpJson(
      R"({"time":{"start":"1h-ago","aggregator":"sum","rate":true,"downsampler":{"interval":"1m",)"
      R"("aggregator":"max","fillPolicy":{"policy":"scalar","value":3}}},"metrics":)"
      R"([{"id":"a","metric":"m"},{"id":"b","metric":"m","aggregator":"avg",)"
      R"("fillPolicy":{"policy":"null"}}]})",
      kNowMs);

  ASSERT_OK(request);
  EXPECT_EQ(request->metrics[0].fill.value, 3);
  EXPECT_TRUE(request->metrics[1].fill.nan_as_null);
  const SubQuery& query = request->fetches[0].spec.queries[1];
  EXPECT_EQ(query.aggregator, Aggregator::kAvg);
  EXPECT_EQ(query.downsample->interval_ms, 60'000);
  EXPECT_TRUE(query.rate.has_value());
}

TEST(ExpRequestTest, ExpressionsAreOrderedByTheirUse) {
  const auto request =
      Parse(R"("metrics":[{"id":"a","metric":"m"}],"expressions":[{"id":"z","expr":"y+x"},)"
            R"({"id":"y","expr":"x*2"},{"id":"x","expr":"a"}])");

  ASSERT_OK(request);
  EXPECT_THAT(request->order, ElementsAre(2, 1, 0));
  EXPECT_THAT(request->expressions[0].inputs, ElementsAre(2, 3));
}

TEST(ExpRequestTest, AnErrorNamesItsPart) {
  const std::string metric = R"("metrics":[{"id":"a","metric":"m"}],)";
  const auto expect_error = [](const std::string& fields, std::string_view error) {
    EXPECT_THAT(Parse(fields),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(error))))
        << fields;
  };
  expect_error(metric + R"("expressions":[{"id":"e","expr":"a+"}])", "expression: character 3: ");
  expect_error(metric + R"("expressions":[{"id":"e","expr":"A"}])", R"(variable "A": not defined)");
  expect_error(metric + R"("expressions":[{"id":"e","expr":"e"}])", "Self referencing");
  expect_error(metric + R"("expressions":[{"id":"e","expr":"a","join":{"operator":"cross"}}])",
               "join.operator: expected union or intersection");
  expect_error(R"("metrics":[{"id":"a","metric":"m","filter":"f"}])", R"(filter "f": not defined)");
  expect_error(R"("metrics":[{"id":"a","metric":"m","timeOffset":"99y"}])", "after 1970");
  expect_error(R"("metrics":[{"id":"a","metric":7},{"id":"a","metric":"m"}])", "id a: repeated");
}

}  // namespace
}  // namespace hourcell::exp_request_test
