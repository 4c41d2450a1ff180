#include "server/query/query_echo.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/query/query_string.h"
#include "tests/support/status_matchers.h"

namespace hourcell::query_echo_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string Echo(const SubQuery& query, size_t index = 0) {
  std::string out;
  AppendSubQueryJson(query, index, &out);
  return out;
}

TEST(QueryEchoTest, HasOpenTsdbsFieldsInItsOrder) {
  SubQuery query;
  query.metric = "m";
  query.filters = {{"dc", FilterType::kLiteralOr, "lga", false},
                   {"host", FilterType::kWildcard, "*", true}};
  query.downsample = DownsampleSpec{.interval_ms = 60'000, .fill = FillPolicy::kNan};
  query.rate = RateSpec{.counter = true};

  EXPECT_EQ(Echo(query, 3),
            R"({"aggregator":"sum","metric":"m","tsuids":null,"downsample":"1m-avg-nan",)"
            R"("rate":true,"rateOptions":{"counter":true,"counterMax":9223372036854775807,)"
            R"("resetValue":0,"dropResets":false},"filters":[)"
            R"({"tagk":"dc","filter":"lga","group_by":false,"type":"literal_or"},)"
            R"({"tagk":"host","filter":"*","group_by":true,"type":"wildcard"}],)"
            R"x("explicitTags":false,"index":3,"tags":{"host":"wildcard(*)"},"filterTagKs":null,)x"
            R"("percentiles":null,"showHistogramBuckets":false,"rollupUsage":null,)"
            R"("preAggregate":false,"useFuzzyFilter":true,"useMultiGets":true})");
}

TEST(QueryEchoTest, EchoesAQueryByTsuid) {
  SubQuery query;
  query.tsuids = {"000001000001000001"};
  query.percentiles = {50, 99.9};

  EXPECT_THAT(Echo(query), HasSubstr(R"("metric":null,"tsuids":["000001000001000001"],)"));
  EXPECT_THAT(Echo(query), HasSubstr(R"("percentiles":[50.0,99.9],)"));
}

TEST(QueryEchoTest, FunctionsAreLast) {
  SubQuery query;
  EXPECT_THAT(Echo(query), Not(HasSubstr("functions")));
  query.functions = {*ParseFunctionSpec("top(2,max)"), *ParseFunctionSpec("bottom(9,last)")};

  EXPECT_THAT(Echo(query),
              EndsWith(R"x("useMultiGets":true,"functions":["top(2,max)","bottom(9,last)"]})x"));
}

TEST(QueryEchoTest, DownsampleTextParsesBack) {
  for (const std::string text :
       {"10s-sum", "1m-avg-nan", "90m-max", "1h-min-zero", "7d-dev-null", "500ms-count", "1dc-sum",
        "3n-p99", "2yc-ep50r3-nan", "1m-avg-scalar(-1.5)"}) {
    const auto spec = ParseDownsampleSpec(text);
    ASSERT_OK(spec);
    EXPECT_EQ(DownsampleText(*spec), text);
  }
  EXPECT_EQ(DownsampleText(*ParseDownsampleSpec("0all-sum")), "0all-sum");
  // Of a program, which gives milliseconds only.
  EXPECT_EQ(DownsampleText({.interval_ms = 7'200'000}), "2h-avg");
  EXPECT_EQ(DownsampleText({.interval_ms = 1'500}), "1500ms-avg");
}

TEST(QueryEchoTest, SubQueryTextParsesBack) {
  for (const std::string text :
       {"sum:cpu", "none:1m-avg-nan:cpu{host=*}", "zimsum:rate:cpu.user{host=a|b}{dc=wildcard(l*)}",
        "max:1h-max:rate{counter,100,5}:cpu{}{dc=not_key()}",
        "avg:\"a b:c\"{\"x y\"=regexp(a{1,2})}", "sum:cpu{host=literal_or(\"a b\"|c)}"}) {
    const auto query = ParseSubQueryText(text);
    ASSERT_OK(query) << text;
    EXPECT_EQ(SubQueryText(*query), text);
  }
}

}  // namespace
}  // namespace hourcell::query_echo_test
