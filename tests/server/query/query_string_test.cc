#include "server/query/query_string.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "server/http/http_target.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::query_string_test {
namespace {

using simdjson::dom::element;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kNowMs = 1'357'300'800'000;

absl::StatusOr<QueryRequest> Parse(std::string_view target) {
  HttpRequest request;
  request.method = "GET";
  request.target = target;
  EXPECT_OK(ParseTarget(&request));
  return ParseQueryString(request, kNowMs);
}

SubQuery ParseGood(std::string_view m) {
  const auto query = ParseSubQueryText(m);
  EXPECT_OK(query) << m;
  return query.value_or(SubQuery{});
}

// "wildcard (case-insensitive variant)" is the vectors' name for iwildcard.
std::string TypeOf(const std::string& want) {
  return want.starts_with("wildcard (case") ? "iwildcard" : want;
}

void ExpectFilters(const std::vector<TagFilterSpec>& filters, element want) {
  ASSERT_EQ(filters.size(), simdjson::dom::array(want).size());
  for (size_t i = 0; i < filters.size(); ++i) {
    EXPECT_EQ(FilterTypeName(filters[i].type), TypeOf(TextOf(want.at(i), "type")));
    EXPECT_EQ(filters[i].group_by, bool(want.at(i)["group_by"]));
    if (Has(want.at(i), "filter")) {
      EXPECT_EQ(filters[i].filter, TextOf(want.at(i), "filter"));
    }
  }
}

void ExpectSubQuery(const SubQuery& query, element want) {
  if (Has(want, "rate")) {
    EXPECT_TRUE(query.rate);
  }
  if (Has(want, "explicitTags")) {
    EXPECT_TRUE(query.explicit_tags);
  }
  if (Has(want, "percentiles")) {
    EXPECT_THAT(query.percentiles, ElementsAre(0.98));
  }
  if (Has(want, "filters")) ExpectFilters(query.filters, want["filters"]);
  if (Has(want, "filters_count")) {
    EXPECT_THAT(query.filters, SizeIs(2));
  }
  if (Has(want, "downsample")) {
    ASSERT_TRUE(query.downsample);
    EXPECT_EQ(query.downsample, *ParseDownsampleSpec(TextOf(want, "downsample")));
  }
  if (Has(want, "filters_in_order")) {
    ASSERT_THAT(query.filters, SizeIs(2));
    EXPECT_EQ(query.filters[0], (TagFilterSpec{"host", FilterType::kWildcard, "*quirm", false}));
    EXPECT_EQ(query.filters[1], (TagFilterSpec{"colo", FilterType::kLiteralOr, "lga", true}));
  }
}

void ExpectParsed(const QueryRequest& request, element want) {
  const SubQuery& query = request.spec.queries.at(0);
  if (Has(want, "downsample")) {
    EXPECT_EQ(query.downsample, *ParseDownsampleSpec(TextOf(want, "downsample")));
  }
  if (Has(want, "rate")) {
    EXPECT_TRUE(query.rate);
    EXPECT_THAT(query.tsuids, ElementsAre("010101"));
  }
  if (Has(want, "end")) {
    EXPECT_EQ(request.spec.end_ms, kNowMs - 300'000);
  }
  if (Has(want, "queries")) {
    EXPECT_THAT(request.spec.queries, SizeIs(2));
  }
}

TEST(QueryStringTest, ParsesTheVectors) {
  int run = 0;
  int refused = 0;
  for (const TestVector& vector : LoadVectors("query.json", "query-parse")) {
    const std::string http = TextOf(vector.given, "http");
    SCOPED_TRACE(http);
    const auto request = Parse(http.substr(http.find(' ') + 1));
    if (Has(vector.expect, "status")) {
      EXPECT_THAT(request, StatusIs(absl::StatusCode::kInvalidArgument));
      ++refused;
      continue;
    }
    ASSERT_OK(request);
    if (Has(vector.expect, "subquery")) {
      ExpectSubQuery(request->spec.queries[0], vector.expect["subquery"]);
    } else {
      ExpectParsed(*request, vector.expect["parsed"]);
    }
    ++run;
  }
  EXPECT_EQ(run, 15);
  EXPECT_EQ(refused, 2);
}

TEST(QueryStringTest, ParseReadsTimesFlagsAndAllSubQueries) {
  const auto request = Parse(
      "/api/query?start=1h-ago&end=5m-ago&m=sum:sys.cpu.0&m=avg:sys.cpu.1&ms&arrays=false"
      "&show_tsuids&show_query=true&show_summary&show_stats&padding&m=sum:sys.cpu.0"
      "&no_annotations&global_annotations");

  ASSERT_OK(request);
  EXPECT_EQ(request->spec.start_ms, kNowMs - 3'600'000);
  EXPECT_EQ(request->spec.end_ms, kNowMs - 300'000);
  ASSERT_THAT(request->spec.queries, SizeIs(2));
  EXPECT_EQ(request->spec.queries[1].aggregator, Aggregator::kAvg);
  EXPECT_EQ(request->spec.queries[1].metric, "sys.cpu.1");
  EXPECT_EQ(request->printing, (QueryPrinting{.ms = true,
                                              .arrays = true,
                                              .show_tsuids = true,
                                              .show_query = true,
                                              .show_summary = true,
                                              .show_stats = true}));
  EXPECT_FALSE(request->spec.annotations);
  EXPECT_TRUE(request->spec.global_annotations);
}

TEST(QueryStringTest, ParseHonoursTheTimezone) {
  const auto by_tz = Parse("/api/query?start=2013/01/01&tz=Pacific/Funafuti&m=sum:m");
  const auto by_timezone = Parse("/api/query?start=2013/01/01&timezone=Pacific/Funafuti&m=sum:m");

  ASSERT_OK(by_tz);
  ASSERT_OK(by_timezone);
  EXPECT_EQ(by_tz->spec.start_ms, 1'356'998'400'000 - 12 * 3'600'000);
  EXPECT_EQ(by_timezone->spec.start_ms, by_tz->spec.start_ms);
}

TEST(QueryStringTest, ParseRefusesRequestsWithoutStartOrQueries) {
  EXPECT_THAT(Parse("/api/query?m=sum:m"),
              StatusIs(absl::StatusCode::kInvalidArgument, "Missing parameter <code>start</code>"));
  EXPECT_THAT(Parse("/api/query?start=1h-ago"),
              StatusIs(absl::StatusCode::kInvalidArgument, "Missing sub queries"));
}

TEST(QueryStringTest, CalendarsAreOfTheTimezone) {
  const auto by_flag = Parse("/api/query?start=1h-ago&use_calendar&tz=Asia/Kabul&m=sum:1d-sum:m");
  const auto by_text = Parse("/api/query?start=1h-ago&tz=Asia/Kabul&m=sum:1dc-sum:m");

  ASSERT_OK(by_flag);
  ASSERT_OK(by_text);
  EXPECT_TRUE(by_flag->spec.queries[0].downsample->calendar);
  EXPECT_EQ(by_flag->spec.queries[0].downsample->timezone.name(), "Asia/Kabul");
  EXPECT_EQ(by_flag->spec.queries, by_text->spec.queries);
}

TEST(QueryStringTest, ParsesQueriesByTsuid) {
  const auto request = Parse(
      "/api/query?start=1h-ago&m=sum:m&tsuid=max:1m-avg:rate:0000010000ab000001,000001000001000002"
      "&tsuids=sum:000001000001000003");

  ASSERT_OK(request);
  ASSERT_THAT(request->spec.queries, SizeIs(3));
  const SubQuery& first = request->spec.queries[0];
  EXPECT_EQ(first.aggregator, Aggregator::kMax);
  EXPECT_THAT(first.tsuids, ElementsAre("0000010000AB000001", "000001000001000002"));
  EXPECT_TRUE(first.rate);
  EXPECT_TRUE(first.downsample);
  EXPECT_THAT(request->spec.queries[1].tsuids, ElementsAre("000001000001000003"));
  EXPECT_EQ(request->spec.queries[2].metric, "m");
}

TEST(QueryStringTest, RefusesBadTsuids) {
  const auto check = [](std::string_view text, std::string_view want) {
    EXPECT_THAT(ParseTsuidQueryText(text),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(want))));
  };
  check("000001", "Invalid parameter tsuid=000001 (not enough :-separated parts)");
  check("sum:", "tsuid: expected an even number of hexadecimal digits, got \"\"");
  check("sum:01,", "tsuid: expected an even number of hexadecimal digits, got \"\"");
  check("sum:012", "tsuid: expected an even number of hexadecimal digits, got \"012\"");
  check("sum:0g", "tsuid: expected an even number of hexadecimal digits, got \"0g\"");
  check("nosuch:01", "No such aggregation function: nosuch");
}

TEST(QueryStringTest, ParsesPercentiles) {
  EXPECT_THAT(ParseGood("sum:percentiles[0.5,99.9]:m").percentiles, ElementsAre(0.5, 99.9));
  EXPECT_TRUE(ParseGood("sum:show-histogram-buckets:m").show_histogram_buckets);
  for (const std::string_view option :
       {"percentiles", "percentiles[]", "percentiles[x]", "percentiles[1", "percentiles[NaN]"}) {
    EXPECT_THAT(ParseSubQueryText(fmt::format("sum:{}:m", option)),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("Invalid percentiles")))
        << option;
  }
}

TEST(QueryStringTest, ParsesRateOptions) {
  EXPECT_EQ(ParseGood("sum:rate:m").rate, RateSpec{});
  EXPECT_EQ(ParseGood("sum:rate{counter}:m").rate, (RateSpec{.counter = true}));
  EXPECT_EQ(ParseGood("sum:rate{counter,255,10}:m").rate,
            (RateSpec{.counter = true, .counter_max = 255, .reset_value = 10}));
  EXPECT_EQ(ParseGood("sum:rate{dropcounter,,5}:m").rate,
            (RateSpec{.counter = true, .reset_value = 5, .drop_resets = true}));
  // opentsdb.js: a plain rate.
  EXPECT_EQ(ParseGood("sum:rate{true,,0}:m").rate, RateSpec{});
}

TEST(QueryStringTest, RefusesBadRateOptions) {
  const auto check = [](std::string_view m, std::string_view want) {
    EXPECT_THAT(ParseSubQueryText(m),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(want))));
  };
  check("sum:rates:m", "Invalid rate options specification: rates");
  check("sum:rate{counter,x}:m", "Max value of counter was not a number, received 'x'");
  check("sum:rate{counter,18446744073709552000}:m",
        "Max value of counter does not fit, received '18446744073709552000', expected "
        "-9223372036854775808 to 9223372036854775807");
  check("sum:rate{counter,,9223372036854775808}:m", "Reset value of counter does not fit");
  check("sum:rate{counter,1,x}:m", "Reset value of counter was not a number, received 'x'");
  check("sum:rate{counter,1,2,3}:m", "Incorrect number of values in rate options");
}

TEST(QueryStringTest, RefusesTooFewAndTooManyParts) {
  EXPECT_THAT(ParseSubQueryText("m"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "Invalid parameter m=m (not enough :-separated parts)"));
  EXPECT_THAT(ParseSubQueryText("sum:a:b:c:d:m"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "Invalid parameter m=sum:a:b:c:d:m (too many :-separated parts)"));
  EXPECT_THAT(ParseSubQueryText("sum::m"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseSubQueryText("sum:"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseSubQueryText(":m"),
              StatusIs(absl::StatusCode::kInvalidArgument, "Missing the aggregation function"));
}

TEST(QueryStringTest, RefusesBadFilters) {
  const auto check = [](std::string_view m, std::string_view want) {
    EXPECT_THAT(ParseSubQueryText(m),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(std::string(want))));
  };
  check("sum:m{host=a", "Missing '}' at the end of: m{host=a");
  check("sum:m{host=a}x", "Missing '}' at the end of: m{host=a}x");
  check("sum:m{host=a}{dc=b", "Missing '}' at the end of");
  check("sum:m{host}", "When parsing tag 'host': invalid tag: host");
  check("sum:m{host=}", "When parsing tag 'host=': invalid tag: host=");
  check("sum:m{a=b,}", "When parsing tag ''");
  check("sum:m{}{=b}", "When parsing filter '=b'");
  check("sum:m{host=nosuch(x)}", "Could not find a tag value filter of the type: nosuch");
}

TEST(QueryStringTest, ReadsEmptyBraces) {
  EXPECT_THAT(ParseGood("sum:m{}").filters, IsEmpty());
  EXPECT_THAT(ParseGood("sum:m{}{}").filters, IsEmpty());
  EXPECT_EQ(ParseGood("sum:m{}").metric, "m");
  EXPECT_THAT(ParseGood("sum:m{}{host=*}").filters,
              ElementsAre(TagFilterSpec{"host", FilterType::kWildcard, "*", false}));
}

// Beyond OpenTSDB, which would cut these in two.
TEST(QueryStringTest, KeepsSeparatorsInsideOfFilters) {
  EXPECT_THAT(ParseGood("sum:m{ip=::1}").filters,
              ElementsAre(TagFilterSpec{"ip", FilterType::kLiteralOr, "::1", true}));
  EXPECT_THAT(ParseGood("sum:m{host=regexp(web[0-9]{1,2}),dc=lga}").filters,
              ElementsAre(TagFilterSpec{"host", FilterType::kRegexp, "web[0-9]{1,2}", true},
                          TagFilterSpec{"dc", FilterType::kLiteralOr, "lga", true}));
}

TEST(QueryStringTest, SeveralFiltersOnOneKeyAreKept) {
  EXPECT_THAT(ParseGood("sum:m{host=web*,host=not_literal_or(web01)}{dc=not_key()}").filters,
              ElementsAre(TagFilterSpec{"dc", FilterType::kNotKey, "", false},
                          TagFilterSpec{"host", FilterType::kIWildcard, "web*", true},
                          TagFilterSpec{"host", FilterType::kNotLiteralOr, "web01", true}));
}

TEST(QueryStringTest, IgnoresUnknownOptions) {
  const SubQuery query = ParseGood("sum:pre-agg:whatever:m");

  EXPECT_EQ(query.metric, "m");
  EXPECT_FALSE(query.rate);
  EXPECT_FALSE(query.downsample);
}

TEST(QueryStringTest, NamesMayBeQuoted) {
  const SubQuery query = ParseGood(R"(sum:1m-avg:"a:b{c}\"\\"{"k=,"="x|y"|z,host=web*}{dc="*"})");
  EXPECT_EQ(query.metric, R"(a:b{c}"\)");
  EXPECT_TRUE(query.downsample.has_value());
  EXPECT_THAT(query.filters,
              ElementsAre(TagFilterSpec{"dc", FilterType::kLiteralOr, R"("*")", false},
                          TagFilterSpec{"k=,", FilterType::kLiteralOr, R"("x|y"|z)", true},
                          TagFilterSpec{"host", FilterType::kIWildcard, "web*", true}));
  EXPECT_EQ(ParseGood(R"(sum:a"b{x=y})").metric, R"(a"b)") << "in the middle of a name";
  EXPECT_EQ(ParseGood(R"(sum:m{x=regexp("a,b")})").filters.front().filter, R"("a,b")");
  EXPECT_EQ(ParseGood(R"(sum:"a:b)").metric, "b") << "not closed: an unknown option, and a metric";
}

TEST(QueryStringTest, RollupsAreOptions) {
  EXPECT_EQ(ParseGood("sum:1h-sum:rollup_raw:m").rollup_usage, RollupUsage::kRaw);
  EXPECT_EQ(ParseGood("sum:1h-sum:ROLLUP_FALLBACK:m").rollup_usage, RollupUsage::kFallback);
  EXPECT_EQ(ParseGood("sum:1h-sum:m").rollup_usage, RollupUsage::kNoFallback);
  EXPECT_TRUE(ParseGood("sum:pre-agg:m").pre_aggregate);
}

}  // namespace
}  // namespace hourcell::query_string_test
