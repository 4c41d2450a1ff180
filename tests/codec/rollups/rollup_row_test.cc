#include "codec/rollups/rollup_row.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/value.h"
#include "tests/support/vectors.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

RollupInterval IntervalOf(element given) {
  const auto interval = RollupInterval::Parse({.interval = TextOf(given["interval"], "interval"),
                                               .row_span = TextOf(given["interval"], "rowSpan")});
  EXPECT_TRUE(interval.ok()) << interval.status().ToString();
  return *interval;
}

std::vector<RollupAggregate> AggregatesOf(element given) {
  std::vector<RollupAggregate> aggregates;
  for (const auto field : simdjson::dom::object(given["ids"])) {
    aggregates.push_back({.name = std::string(std::string_view(field.value)),
                          .id = std::stoi(std::string(field.key))});
  }
  return aggregates;
}

double NumberOf(element number) {
  double value = 0;
  EXPECT_FALSE(number.get(value));
  return value;
}

void RunEncode(const TestVector& vector) {
  const RollupInterval interval = IntervalOf(vector.given);
  const int64_t time = IntOf(vector.given, "timestamp");
  const absl::StatusOr<uint32_t> slot = interval.SlotOf(time);
  ASSERT_EQ(slot.ok(), !vector.wants_error()) << slot.status().ToString();
  if (!slot.ok()) return;
  std::string bytes;
  AppendRollupQualifier(static_cast<uint8_t>(IntOf(vector.given, "agg_id")), *slot,
                        static_cast<uint8_t>(IntOf(vector.given, "flags")), &bytes);
  EXPECT_EQ(ToHex(bytes), TextOf(vector.expect, "qualifier"));
  EXPECT_EQ(*interval.BaseOf(time), IntOf(vector.expect, "base_time"));
}

void RunDecode(const TestVector& vector) {
  const auto parsed =
      ParseRollupQualifier(BytesOf(vector.given, "qualifier"), AggregatesOf(vector.given));
  ASSERT_EQ(parsed.ok(), !vector.wants_error()) << parsed.status().ToString();
  if (!parsed.ok()) return;
  const int64_t time_s =
      IntOf(vector.given, "base_time") + int64_t{parsed->slot} * IntervalOf(vector.given).seconds();
  EXPECT_EQ(parsed->aggregate, TextOf(vector.expect, "aggregator"));
  EXPECT_EQ(time_s * 1000, IntOf(vector.expect, "timestamp_ms"));
  EXPECT_EQ((parsed->flags & 7) + 1, IntOf(vector.expect, "length"));
  EXPECT_EQ((parsed->flags & 8) != 0, Has(vector.expect, "float"));
  EXPECT_EQ(parsed->is_text, Has(vector.expect, "form"));
}

void RunValue(const TestVector& vector) {
  int64_t integer = 0;
  const Value value = vector.given["value"].get(integer) == simdjson::SUCCESS
                          ? Value::Integer(integer)
                          : Value::Float(NumberOf(vector.given["value"]));
  const uint8_t flags = ValueFlags(value);
  std::string bytes;
  AppendValue(value, flags, &bytes);
  EXPECT_EQ(flags, IntOf(vector.expect, "flags"));
  EXPECT_EQ(ToHex(bytes), TextOf(vector.expect, "bytes"));
}

void RunRow(const TestVector& vector) {
  std::vector<std::string> bytes;
  std::vector<uint64_t> written;
  for (const element cell : simdjson::dom::array(vector.given["cells"])) {
    bytes.push_back(*FromHex(std::string_view(cell.at(0))));
    bytes.push_back(*FromHex(std::string_view(cell.at(1))));
    written.push_back(uint64_t(cell.at(2)));
  }
  std::vector<RollupCell> cells;
  for (size_t i = 0; i < written.size(); ++i) {
    cells.push_back({.qualifier = bytes[2 * i], .value = bytes[2 * i + 1], .written = written[i]});
  }

  const auto row = ReadRollupRow(IntervalOf(vector.given), IntOf(vector.given, "base_time"),
                                 AggregatesOf(vector.given), cells);

  ASSERT_TRUE(row.ok()) << row.status().ToString();
  const simdjson::dom::object want(vector.expect["points"]);
  EXPECT_EQ(row->size(), want.size());
  for (const auto& [aggregate, points] : *row) {
    const simdjson::dom::array of_aggregate(want[aggregate]);
    ASSERT_EQ(points.size(), of_aggregate.size());
    for (size_t i = 0; i < points.size(); ++i) {
      EXPECT_EQ(points[i].time_s * 1000, int64_t(of_aggregate.at(i).at(0)));
      EXPECT_EQ(points[i].value.ToDouble(), NumberOf(of_aggregate.at(i).at(1)));
    }
  }
}

TEST(RollupRowTest, TheVectorsOfQualifiersHold) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "rollup-qualifier")) {
    SCOPED_TRACE(simdjson::to_string(vector.given));
    const std::string kind = TextOf(vector.given, "kind");
    if (kind == "encode") RunEncode(vector);
    if (kind == "decode") RunDecode(vector);
    if (kind == "value") RunValue(vector);
    if (kind == "row") RunRow(vector);
    ++run;
  }
  EXPECT_EQ(run, 27);
}

TEST(RollupRowTest, ACellThatDoesNotParseIsRefused) {
  const std::vector<RollupAggregate> aggregates = {{.name = "sum", .id = 0}};
  const auto hours = RollupInterval::Parse({.interval = "1h", .row_span = "1d"});
  ASSERT_TRUE(hours.ok());
  const auto read = [&](std::string_view qualifier, std::string_view value) {
    const RollupCell cell{.qualifier = qualifier, .value = value};
    return ReadRollupRow(*hours, 0, aggregates, std::span(&cell, 1)).status().code();
  };

  EXPECT_EQ(read(std::string_view("\0\0\0", 3), "\x2a"), absl::StatusCode::kOk);
  EXPECT_EQ(read(std::string_view("\0\0\0", 3), "\x2a\x2a"), absl::StatusCode::kDataLoss);
  EXPECT_EQ(read("", "\x2a"), absl::StatusCode::kDataLoss);
  EXPECT_EQ(read(std::string_view("sum\0\0", 5), "\x2a"), absl::StatusCode::kDataLoss);
  EXPECT_EQ(read(std::string_view("max:\0\0", 6), "\x2a"), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace hourcell
