#include "server/query/query_json.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "codec/limits.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::query_json_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr int64_t kNowMs = 1'357'300'800'000;

// A body of one sub query with the given further fields.
std::string Body(std::string_view fields) {
  return fmt::format(
      R"({{"start":1356998400,"queries":[{{"aggregator":"sum","metric":"m"{}{}}}]}})",
      fields.empty() ? "" : ",", fields);
}

SubQuery ParseGood(std::string_view fields) {
  const auto request = ParseQueryJson(Body(fields), kNowMs);
  EXPECT_OK(request) << fields;
  return request.ok() ? request->spec.queries[0] : SubQuery{};
}

void ExpectRefused(const std::string& body, const std::string& want) {
  EXPECT_THAT(ParseQueryJson(body, kNowMs),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(want)))
      << body;
}

void ExpectVectorHolds(const QueryRequest& request, simdjson::dom::element want) {
  if (Has(want, "start_ms")) {
    EXPECT_EQ(request.spec.start_ms, IntOf(want, "start_ms"));
  }
  if (Has(want, "end_ms")) {
    EXPECT_EQ(request.spec.end_ms, IntOf(want, "end_ms"));
  }
  const SubQuery& query = request.spec.queries.at(0);
  if (Has(want, "downsampling")) {
    EXPECT_FALSE(query.downsample);
  }
  if (Has(want, "downsample_uses_calendar")) {
    EXPECT_TRUE(query.downsample->calendar);
    EXPECT_EQ(query.downsample->timezone.name(), TextOf(want, "timezone"));
  }
  if (Has(want, "downsample_ms")) {
    EXPECT_EQ(query.downsample->interval_ms, IntOf(want, "downsample_ms"));
  }
  EXPECT_THAT(query.filters, ElementsAre(TagFilterSpec{"host", FilterType::kWildcard, "*", true},
                                         TagFilterSpec{"dc", FilterType::kLiteralOr, "lga", true}));
}

TEST(QueryJsonTest, ParsesTheVectors) {
  int run = 0;
  int refused = 0;
  for (const TestVector& vector : LoadVectors("query.json", "query-validate")) {
    SCOPED_TRACE(vector.from);
    const auto request = ParseQueryJson(simdjson::to_string(vector.given["body"]), kNowMs);
    if (Has(vector.expect, "status")) {
      const std::string want =
          Has(vector.expect, "message") ? TextOf(vector.expect, "message") : "";
      EXPECT_THAT(request, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(want)));
      ++refused;
    } else {
      ASSERT_OK(request);
      ExpectVectorHolds(*request, vector.expect);
      ++run;
    }
  }
  EXPECT_EQ(run, 4);
  EXPECT_EQ(refused, 3);
}

TEST(QueryJsonTest, ParseReadsFlagsAndTimes) {
  const auto request = ParseQueryJson(
      R"({"start":"2013/01/01","end":1357000000.5,"timezone":"UTC","msResolution":true,
          "showTSUIDs":true,"showQuery":"true","showSummary":1,"noAnnotations":true,
          "showStats":true,"globalAnnotations":true,"padding":true,
          "delete":false,"unknown":{"x":[]},"queries":[{"aggregator":"sum","metric":"m"}]})",
      kNowMs);

  ASSERT_OK(request);
  EXPECT_EQ(request->spec.start_ms, 1'356'998'400'000);
  EXPECT_EQ(request->spec.end_ms, 1'357'000'000'500);
  EXPECT_EQ(request->printing, (QueryPrinting{.ms = true,
                                              .show_tsuids = true,
                                              .show_query = true,
                                              .show_summary = true,
                                              .show_stats = true}));
  EXPECT_FALSE(request->delete_points);
  EXPECT_FALSE(request->spec.annotations);
  EXPECT_TRUE(request->spec.global_annotations);
}

TEST(QueryJsonTest, ParseReadsTheFieldsOfASubQuery) {
  const SubQuery query =
      ParseGood(R"("downsample":"1m-avg-nan","rate":true,"explicitTags":true,)"
                R"("rateOptions":{"counter":true,"counterMax":65535.0,"resetValue":10})");

  EXPECT_EQ(query.downsample,
            (DownsampleSpec{
                .interval_ms = 60'000, .function = Aggregator::kAvg, .fill = FillPolicy::kNan}));
  EXPECT_EQ(query.rate, (RateSpec{.counter = true, .counter_max = 65535, .reset_value = 10}));
  EXPECT_TRUE(query.explicit_tags);
}

TEST(QueryJsonTest, ParseReadsEmptyAndNullAsAbsent) {
  const SubQuery query = ParseGood(
      R"("downsample":"","rate":null,"rateOptions":null,"tags":null,"filters":null,"tsuids":[])");

  SubQuery want;
  want.metric = "m";
  EXPECT_EQ(query, want);
}

// OpenTSDB lets the later of the two win, even an empty one.
TEST(QueryJsonTest, ParseAddsTagsToFilters) {
  const TagFilterSpec host{"host", FilterType::kRegexp, "web.*", false};
  const TagFilterSpec dc{"dc", FilterType::kLiteralOr, "lga", true};
  const std::string filters =
      R"("filters":[{"type":"Regexp","tagk":"host","filter":"web.*","groupBy":false}])";

  EXPECT_THAT(ParseGood(R"("tags":{"dc":"lga"},)" + filters).filters, ElementsAre(host, dc));
  EXPECT_THAT(ParseGood(filters + R"(,"tags":{"dc":"lga"})").filters, ElementsAre(host, dc));
  EXPECT_THAT(ParseGood(filters + R"(,"tags":{})").filters, ElementsAre(host));
}

TEST(QueryJsonTest, ParseTakesBothSpellingsOfGroupBy) {
  const auto filter = [](std::string_view group_by) {
    return ParseGood(fmt::format(
        R"("filters":[{{"type":"wildcard","tagk":"host","filter":"*",{}}}])", group_by));
  };

  EXPECT_TRUE(filter(R"("groupBy":true)").filters.at(0).group_by);
  EXPECT_TRUE(filter(R"("group_by":true)").filters.at(0).group_by);
  EXPECT_FALSE(filter(R"("groupBy":false)").filters.at(0).group_by);
}

TEST(QueryJsonTest, ParseKeepsTheLastOfRepeatedFields) {
  const SubQuery query = ParseGood(R"("metric":"n","tags":{"a":"1"},"tags":{"b":"2"})");

  EXPECT_EQ(query.metric, "n");
  EXPECT_THAT(query.filters, ElementsAre(TagFilterSpec{"b", FilterType::kLiteralOr, "2", true}));
}

TEST(QueryJsonTest, ParseRefusesBadBodies) {
  ExpectRefused("", "Missing message content");
  ExpectRefused("nonsense", "Unable to parse the given JSON");
  ExpectRefused("[]", "Unable to parse the given JSON");
  ExpectRefused("{}", "Missing start time");
  ExpectRefused(R"({"start":1})", "Missing queries");
  ExpectRefused(R"({"start":1,"queries":null})", "Missing queries");
  ExpectRefused(R"({"start":1,"queries":{}})", "queries: not an array of objects");
  ExpectRefused(R"({"start":1,"queries":[1]})", "queries: not an array of objects");
  ExpectRefused(R"({"start":[],"queries":[]})", "start: not a string");
  ExpectRefused(std::string(5000, '['), "Unable to parse the given JSON");
  ExpectRefused(std::string(kQueryBodyBytesMax + 1, ' '), "query body: too long");
}

TEST(QueryJsonTest, ParseRefusesBadSubQueries) {
  const auto check = [](std::string_view query, const std::string& want) {
    ExpectRefused(fmt::format(R"({{"start":1,"queries":[{{{}}}]}})", query), want);
  };
  check(R"("metric":"m")", "Missing the aggregation function");
  check(R"("aggregator":"nosuch","metric":"m")", "No such aggregation function: nosuch");
  check(R"("aggregator":"sum")", "Missing the metric or tsuids, provide at least one");
  ExpectRefused(Body(R"("downsample":"1m")"), "must provide at least interval and function");
  ExpectRefused(Body(R"("rateOptions":{"counterMax":9223372036854775808})"), "counterMax");
  ExpectRefused(Body(R"("rateOptions":{"counter":[]})"), "counter: not true or false");
  ExpectRefused(Body(R"("filters":[{"type":"nosuch","tagk":"a","filter":"b"}])"),
                "Could not find a tag value filter of the type: nosuch");
  ExpectRefused(Body(R"("filters":[{"type":"regexp","filter":"b"}])"), "Filter has no tagk");
  ExpectRefused(Body(R"("tags":{"a":""})"), "invalid tag: a=");
}

// Dashboards send the largest unsigned integer, at times as a floating-point number prints it.
TEST(QueryJsonTest, IntegersThatDoNotFitAreToldWithTheirRange) {
  for (const std::string number :
       {"9223372036854775808", "18446744073709551615", "18446744073709552000", "1.8e19",
        "-18446744073709552000", "\"18446744073709552000\""}) {
    SCOPED_TRACE(number);
    const std::string body =
        Body(fmt::format(R"("note":"\"x\": 18446744073709552000","rateOptions":{{"counter":true,)"
                         R"("counterMax" : {}}})",
                         number));

    ExpectRefused(body, "counterMax: not an integer of 64 bits; expected ");
    ExpectRefused(body, "expected -9223372036854775808 to 9223372036854775807");
  }
  ExpectRefused(Body(R"("rateOptions":{"counterMax":18446744073709552000})"),
                "got 18446744073709552000");
}

TEST(QueryJsonTest, ParseReadsTsuids) {
  const auto request = ParseQueryJson(
      R"({"start":1,"queries":[{"aggregator":"sum","tsuids":["0000010000ab000001"]}]})", kNowMs);

  ASSERT_OK(request);
  EXPECT_THAT(request->spec.queries.at(0).tsuids, ElementsAre("0000010000AB000001"));
  ExpectRefused(Body(R"("tsuids":["xy"])"),
                "tsuid: expected an even number of hexadecimal digits, got");
  ExpectRefused(Body(R"("tsuids":"01")"), "tsuids: not an array of strings");
  ExpectRefused(Body(R"("tsuids":[1])"), "tsuids: not an array of strings");
}

TEST(QueryJsonTest, ParseReadsPercentiles) {
  const SubQuery query = ParseGood(R"("percentiles":[99.9,50],"showHistogramBuckets":true)");

  EXPECT_THAT(query.percentiles, ElementsAre(99.9, 50.0));
  EXPECT_TRUE(query.show_histogram_buckets);
  ExpectRefused(Body(R"("percentiles":["99"])"), "percentiles: not an array of numbers");
}

TEST(QueryJsonTest, ParseReadsFunctions) {
  const SubQuery query = ParseGood(R"x("functions":["top(10,max)","bottom(50,avg)"])x");

  EXPECT_THAT(query.functions,
              ElementsAre(*ParseFunctionSpec("top(10,max)"), *ParseFunctionSpec("bottom(50,avg)")));
  EXPECT_TRUE(ParseGood(R"("functions":null)").functions.empty());
  ExpectRefused(Body(R"x("functions":"top(1,max)")x"), "functions: not an array of strings");
  ExpectRefused(Body(R"x("functions":[1])x"), "functions: not an array of strings");
  ExpectRefused(Body(R"x("functions":["top(0,max)"])x"), "expected top(N,BY)");
  std::string five = R"x("functions":["top(1,max)")x";
  for (int i = 0; i < 4; ++i)
    five += R"x(,"top(1,max)")x";
  ExpectRefused(Body(five + "]"), "functions: too many; expected at most 4, got 5");
}

TEST(QueryJsonTest, ParseReadsNotKey) {
  const SubQuery query =
      ParseGood(R"("filters":[{"type":"not_key","tagk":"host","filter":"","groupBy":true}])");

  EXPECT_THAT(query.filters, ElementsAre(TagFilterSpec{"host", FilterType::kNotKey, "", false}));
}

TEST(QueryJsonTest, ParseReadsRateOptionsAsTheyAreSent) {
  // Text and floating point count as the integers they are.
  EXPECT_EQ(ParseGood(R"("rate":"true","rateOptions":{"counter":"true","counterMax":"255",)"
                      R"("resetValue":1.0,"dropResets":true})")
                .rate,
            (RateSpec{.counter = true, .counter_max = 255, .reset_value = 1, .drop_resets = true}));
  EXPECT_EQ(ParseGood(R"("rate":true,"rateOptions":{})").rate, RateSpec{});
  EXPECT_EQ(ParseGood(R"("rate":false,"rateOptions":{"counter":true})").rate, std::nullopt);
  ExpectRefused(Body(R"("rateOptions":{"counterMax":"many"})"), "counterMax: not an integer");
}

}  // namespace
}  // namespace hourcell::query_json_test
