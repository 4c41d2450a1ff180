#include "server/query/last_json.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"

namespace hourcell::last_json_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(LastJsonTest, TakesSeriesByNameAndByTsuid) {
  const auto query = ParseLastJson(
      R"({"queries":[{"metric":"cpu","tags":{"host":"a|b","dc":"*"}},{"tsuids":["0a0B"]},
          {"metric":"mem","tags":null}],"resolveNames":true,"backScan":24,"other":[1]})");

  ASSERT_OK(query);
  EXPECT_THAT(query->queries,
              ElementsAre(LastSubQuery{.metric = "cpu",
                                       .tags = {{"host", "a"}, {"host", "b"}, {"dc", "*"}},
                                       .tsuids = {}},
                          LastSubQuery{.metric = {}, .tags = {}, .tsuids = {"0A0B"}},
                          LastSubQuery{.metric = "mem", .tags = {}, .tsuids = {}}));
  EXPECT_TRUE(query->resolve);
  EXPECT_EQ(query->back_hours, 24u);
}

TEST(LastJsonTest, SaysWhatIsWrong) {
  const auto check = [](const std::string& body, const std::string& want) {
    EXPECT_THAT(ParseLastJson(body), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(want)))
        << body;
  };
  check("", "Missing message content");
  check("{}", "Missing sub queries");
  check(R"({"queries":[]})", "Missing sub queries");
  check(R"({"queries":null})", "Missing sub queries");
  check(R"({"queries":{}})", "queries: not an array of objects");
  check(R"({"queries":[1]})", "queries: not an array of objects");
  check(R"({"queries":[{}]})", "Missing the metric or tsuids");
  check(R"({"queries":[{"metric":"m","tags":[]}]})", "tags: not an object");
  check(R"({"queries":[{"tsuids":["xyz"]}]})", "hexadecimal");
  check(R"({"queries":[{"tsuids":[1]}]})", "tsuids: not an array of strings");
  check(R"({"queries":[{"metric":"m"}],"backScan":"x"})", "Unable to parse back_scan parameter");
  check(R"({"queries":[{"metric":"m"}],"backScan":-1})", "Unable to parse back_scan parameter");
  check(R"({"queries":[{"metric":"m"}],"backScan":4294967296})", "Unable to parse back_scan");
  std::string many = R"({"queries":[{"metric":"m"})";
  for (int i = 0; i < 1000; ++i)
    many += R"(,{"metric":"m"})";
  check(many + "]}", "queries: too many; expected at most 1000, got 1001");
}

TEST(LastJsonTest, PrintsValuesAsStringsAndMilliseconds) {
  const TagView tags[] = {{"host", "a\"b"}, {"dc", "x"}};
  const std::string_view tsuid("\0\0\x0a", 3);
  const LastPoint point{.series = {.tsuid = tsuid, .metric = "cpu", .tags = tags},
                        .ms = 1356998400500,
                        .value = Value::Integer(-42)};
  std::string text;
  AppendLastPoint(point, /*resolved=*/false, &text);
  EXPECT_EQ(text, R"({"timestamp":1356998400500,"value":"-42","tsuid":"00000A"})");

  text.clear();
  LastPoint floating = point;
  floating.value = Value::Float(12345678);
  AppendLastPoint(floating, /*resolved=*/true, &text);
  EXPECT_EQ(text, R"({"metric":"cpu","timestamp":1356998400500,"value":"1.2345678E7",)"
                  R"("tags":{"host":"a\"b","dc":"x"},"tsuid":"00000A"})");
}

}  // namespace
}  // namespace hourcell::last_json_test
