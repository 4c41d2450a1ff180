#include "server/rollups/rollup_line.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/server/rollups/rollup_test_rules.h"
#include "tests/support/vectors.h"

namespace hourcell::rollup_line_test {
namespace {

using simdjson::dom::element;

constexpr std::string_view kCommand = "rollup ";

void ExpectTarget(const RollupTarget& target, element want) {
  const auto expect = [&](std::string_view key, const std::string& got) {
    if (!Has(want, key)) return;
    EXPECT_EQ(got, want[key].is_null() ? "" : TextOf(want, key)) << key;
  };
  expect("interval", target.interval);
  expect("aggregator", target.aggregator);
  expect("groupByAggregator", target.group_by);
}

void ExpectPoint(const PointView& point, element want) {
  if (Has(want, "metric")) {
    EXPECT_EQ(point.metric, TextOf(want, "metric"));
  }
  if (Has(want, "timestamp")) {
    EXPECT_EQ(point.timestamp.is_ms ? point.timestamp.ms : point.timestamp.ms / 1000,
              IntOf(want, "timestamp"));
  }
  if (Has(want, "value")) {
    EXPECT_EQ(point.value.ToDouble(), double(want["value"]));
  }
  if (!Has(want, "tags")) return;
  std::map<std::string_view, std::string_view> tags;
  for (const TagView& tag : point.tags)
    tags[tag.key] = tag.value;
  std::map<std::string_view, std::string_view> wanted;
  for (const auto tag : simdjson::dom::object(want["tags"]))
    wanted[tag.key] = std::string_view(tag.value);
  EXPECT_EQ(tags, wanted);
}

TEST(RollupLineTest, TheVectorsOfLinesHold) {
  int run = 0;
  for (const TestVector& vector : LoadVectors("rest.json", "rollup-parse")) {
    if (TextOf(vector.given, "kind") != "telnet") continue;
    const std::string line = TextOf(vector.given, "line");
    SCOPED_TRACE(line);
    ASSERT_TRUE(line.starts_with(kCommand));
    PointText parser;
    RollupTarget target;
    const auto error = ParseRollupWords(std::string_view(line).substr(kCommand.size()),
                                        PointSyntax::kTelnet, {}, &parser, &target);
    ++run;
    ASSERT_EQ(error.has_value(), vector.wants_error());
    if (error.has_value()) continue;
    ExpectTarget(target, vector.expect);
    ExpectPoint(parser.point(), vector.expect);
  }
  EXPECT_EQ(run, 12);
}

TEST(RollupLineTest, ErrorsHaveOpenTsdbsTexts) {
  const auto error_of = [](std::string_view words) {
    PointText parser;
    RollupTarget target;
    const auto error = ParseRollupWords(words, PointSyntax::kTelnet, {}, &parser, &target);
    return error.has_value() ? error->text : "none";
  };

  EXPECT_EQ(error_of(""), "not enough arguments (need least 7, got 0)");
  EXPECT_EQ(error_of("1h-sum m 1365465600 42"), "not enough arguments (need least 7, got 4)");
  EXPECT_EQ(error_of("1h-sum  1365465600 42 a=b"), "empty metric name");
  EXPECT_EQ(error_of("1h-sum m 0 42 a=b"), "invalid timestamp: 0");
  EXPECT_EQ(error_of("1h-sum m 1365465600 x a=b"), "Invalid character 'x' in x");
}

TEST(RollupLineTest, TheLineOfALevelHasItsMetricAndTags) {
  RollupRules rules = MakeTestRules();
  std::string text;
  const auto line_of = [&](std::string_view words) {
    PointText parser;
    RollupTarget target;
    if (auto error = ParseRollupWords(words, PointSyntax::kTelnet, {}, &parser, &target)) {
      return "refused: " + error->text;
    }
    const Parsed<LinePoint> point = LevelLineOf(rules, target, parser.point(), &text);
    if (!point.ok()) return "refused: " + point.error().text;
    return std::string(point->metric) + "|" + std::string(point->tags) + "|" +
           std::to_string(point->timestamp.ms / 1000) + "|" +
           std::to_string(point->value.integer());
  };

  EXPECT_EQ(line_of("1h-sum cpu 1357000000 42 host=a  dc=b "),
            "_rollup/1h-sum/cpu|host=a dc=b|1356998400|42");
  EXPECT_EQ(line_of("1h-sum:max cpu 1357000000 42 _aggregate=max"),
            "_rollup/1h-sum-agg/cpu|_aggregate=MAX|1356998400|42");
  EXPECT_EQ(line_of("1h-sum c\xE4 1356998400 42 host=\xE4"),
            "_rollup/1h-sum/c\xC3\xA4|host=\xC3\xA4|1356998400|42");
  EXPECT_EQ(line_of("1h-sum cpu 1356998400000 42 a=b").substr(0, 19), "refused: timestamp ");
  rules.tag_raw = true;
  EXPECT_EQ(line_of("1h-sum cpu 1357000000 42 host=a"),
            "_rollup/1h-sum/cpu|host=a _aggregate=RAW|1356998400|42");
}

TEST(RollupLineTest, AMetricNamedRollupIsNoRollup) {
  EXPECT_TRUE(IsRollupLine("rollup 1h-sum cpu 1356998400 42 host=a"));
  EXPECT_TRUE(IsRollupLine("rollup sum cpu 1356998400 42 host=a"));
  EXPECT_TRUE(IsRollupLine("rollup "));
  EXPECT_FALSE(IsRollupLine("rollup 1356998400 42 host=a"));
  EXPECT_FALSE(IsRollupLine("rollup 1500ms 42 host=a"));
  EXPECT_FALSE(IsRollupLine("rollup.x 1356998400 42 host=a"));
}

}  // namespace
}  // namespace hourcell::rollup_line_test
