#include "server/text/row_aggregate_json.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::row_aggregate_json_test {
namespace {

using testing::HasSubstr;

std::string JsonOf(const RowAggregates& result, const RowAggregateTexts& texts) {
  const absl::StatusOr<RowAggregateRequest> request = ParseRowAggregates(texts);
  EXPECT_OK(request.status());
  std::string json;
  if (request.ok()) AppendRowAggregates(result, *request, &json);
  return json;
}

RowTotals TwoPoints() {
  RowTotals totals;
  totals.AddPoint(1000, Value::Integer(3));
  totals.AddPoint(2000, Value::Float(0.5));
  totals.AddRow(13, 40);
  return totals;
}

TEST(RowAggregateJsonTest, AllAggregatesHaveTheirFields) {
  RowAggregates result{.total = TwoPoints(), .workers = 2};
  result.regions.push_back(
      {.id = 7, .name = "n", .start = "", .end = "\\x01", .rows = 1, .points = 2, .us = 1500});

  EXPECT_EQ(JsonOf(result, {.aggregate = "all"}),
            R"({"total":{"rows":1,"points":2,"min":0.5,"max":3,"sum":3.5,"avg":1.75,"dev":1.25,)"
            R"("first":1000,"last":2000,"key_bytes":13,"cell_bytes":40},"groups":[],)"
            R"("regions":[{"id":7,"name":"n","start":"","end":"\\x01","rows":1,"points":2,)"
            R"("ms":1.500}],"workers":2})");
}

TEST(RowAggregateJsonTest, AGroupHasItsValuesByGrouping) {
  RowAggregates result{.total = TwoPoints(), .workers = 1};
  result.groups.push_back({.by = {"cpu\"", "1356998400", std::nullopt}, .totals = TwoPoints()});

  EXPECT_EQ(JsonOf(result, {.aggregate = "sum,rows", .by = {"metric", "hour", "tag:host"}}),
            R"({"total":{"rows":1,"sum":3.5},"groups":[{"by":{"metric":"cpu\"",)"
            R"("hour":1356998400,"tag:host":null},"rows":1,"sum":3.5}],"regions":[],"workers":1})");
}

TEST(RowAggregateJsonTest, WithoutNumbersOrBeyondDoublesAnAggregateIsNull) {
  RowTotals huge;
  huge.AddPoint(0, Value::Float(1e308));
  huge.AddPoint(0, Value::Float(1e308));

  EXPECT_THAT(JsonOf({}, {.aggregate = "min,avg,first,points"}),
              HasSubstr(R"("total":{"points":0,"min":null,"avg":null,"first":null})"));
  EXPECT_THAT(JsonOf({.total = huge}, {.aggregate = "sum,max"}),
              HasSubstr(R"("total":{"max":1e+308,"sum":null})"));
}

TEST(RowAggregateJsonTest, TextsThatDoNotParseAreNamed) {
  const auto message = [](const RowAggregateTexts& texts) {
    const absl::Status status = ParseRowAggregates(texts).status();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument));
    return std::string(status.message());
  };

  EXPECT_EQ(message({.aggregate = "rows,median"}),
            "aggregate: expected rows, points, min, max, sum, avg, dev, first, last, key_bytes, "
            "cell_bytes, or all, got \"median\"");
  EXPECT_THAT(message({.by = {"metric"}}), HasSubstr("aggregate: expected"));
  EXPECT_THAT(message({.aggregate = "rows,"}), HasSubstr("got \"\""));
  EXPECT_THAT(message({.aggregate = "rows,sum,rows"}), HasSubstr("got \"rows\" again"));
  EXPECT_THAT(message({.aggregate = "rows", .by = {"host"}}), HasSubstr("tag:TAGK"));
  EXPECT_THAT(message({.aggregate = "rows", .by = {"hour", "hour"}}), HasSubstr("again"));
  EXPECT_THAT(message({.aggregate = "rows", .values = {"5"}}), HasSubstr(">=5"));
  EXPECT_THAT(message({.aggregate = "rows", .groups = "-1"}), HasSubstr("got \"-1\""));
  EXPECT_THAT(message({.aggregate = "rows", .groups = "100001"}), HasSubstr("1 to 100000"));
}

}  // namespace
}  // namespace hourcell::row_aggregate_json_test
