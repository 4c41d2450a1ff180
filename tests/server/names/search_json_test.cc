#include "server/names/search_json.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/support/status_matchers.h"

namespace hourcell::search_json_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SearchJsonTest, TakesABody) {
  const auto query = ParseLookupJson(
      R"({"metric":"m","tags":[{"key":"host","value":"a"},{"key":null,"value":"x"},{"key":"dc"}],
          "limit":"7","startIndex":3,"useMeta":true})");

  ASSERT_OK(query);
  EXPECT_EQ(query->metric, "m");
  EXPECT_THAT(query->tags,
              ElementsAre(TagMatch{"host", "a"}, TagMatch{"", "x"}, TagMatch{"dc", ""}));
  EXPECT_EQ(query->limit, 7u);
  EXPECT_EQ(query->start_index, 3u);
  EXPECT_EQ(ParseLookupJson(R"({"metric":"m"})")->limit, kLookupLimitDefault);
}

TEST(SearchJsonTest, SaysWhatIsWrong) {
  const auto check = [](const std::string& body, const std::string& want) {
    EXPECT_THAT(ParseLookupJson(body),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(want)))
        << body;
  };
  check("", "Missing message content");
  check("{}", "Missing metric and tags. Please supply at least one value.");
  check(R"({"metric":"","tags":[]})", "Missing metric and tags.");
  check(R"({"metric":"m","tags":{}})", "tags: not an array of objects");
  check(R"({"metric":"m","tags":["a"]})", "tags: not an array of objects");
  check(R"({"metric":"m","limit":-1})", "Unable to convert 'limit' to a valid number");
  check(R"({"metric":"m","startIndex":"x"})", "Unable to convert 'startIndex' to a valid number");
}

TEST(SearchJsonTest, CountsOfAnySizeAreTaken) {
  EXPECT_THAT(ParseLookupCount("limit", "0"), IsOkAndHolds(0u));
  EXPECT_THAT(ParseLookupCount("limit", "99999999999999999999"), IsOkAndHolds(UINT64_MAX));
  EXPECT_THAT(ParseLookupCount("limit", ""), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(ParseLookupCount("limit", "1x"), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(SearchJsonTest, PrintsTheQueryAndASeries) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  AddLookupQuery({.metric = "", .tags = {{"", "x"}, {"host", "*"}}, .limit = 5}, &json);
  json.CloseObject();
  EXPECT_EQ(
      text,
      R"({"metric":"*","tags":[{"key":"*","value":"x"},{"key":"host","value":"*"}],"limit":5})");

  text.clear();
  const TagView tags[] = {{"host", "a"}};
  AppendFoundSeries({.tsuid = std::string_view("\0\1", 2), .metric = "m\n", .tags = tags}, &text);
  EXPECT_EQ(text, R"({"tsuid":"0001","metric":"m\n","tags":{"host":"a"}})");
}

}  // namespace
}  // namespace hourcell::search_json_test
