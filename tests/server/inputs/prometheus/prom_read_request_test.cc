#include "server/inputs/prometheus/prom_read_request.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/inputs/prometheus/prom_messages.h"
#include "tests/support/status_matchers.h"

namespace hourcell::prom_read_request_test {
namespace {

using testing::HasSubstr;

TEST(PromReadRequestTest, ReadsQueriesAndMatchers) {
  const std::string message =
      PromReadMessage({{.start_ms = -5,
                        .end_ms = 7,
                        .matchers = {{PromMatcher::Type::kEqual, "__name__", "up"},
                                     {PromMatcher::Type::kNotRegexp, "job", "a|b"}}},
                       {.start_ms = 1, .end_ms = 2}},
                      {1, 0});

  const auto queries = ParsePromRead(message);

  ASSERT_OK(queries);
  ASSERT_EQ(queries->size(), 2U);
  EXPECT_EQ(queries->at(0).start_ms, -5);
  EXPECT_EQ(queries->at(0).end_ms, 7);
  ASSERT_EQ(queries->at(0).matchers.size(), 2U);
  EXPECT_EQ(queries->at(0).matchers[0].type, PromMatcher::Type::kEqual);
  EXPECT_EQ(queries->at(0).matchers[1].type, PromMatcher::Type::kNotRegexp);
  EXPECT_EQ(queries->at(0).matchers[1].name, "job");
  EXPECT_EQ(queries->at(0).matchers[1].value, "a|b");
  EXPECT_TRUE(queries->at(1).matchers.empty());
}

TEST(PromReadRequestTest, ItsTextHasTimesAndMatchers) {
  using Type = PromMatcher::Type;
  const std::vector<PromReadQuery> queries = {
      {.start_ms = -5,
       .end_ms = 7,
       .matchers = {{Type::kEqual, "__name__", "up"}, {Type::kNotRegexp, "job", "a\"|b"}}},
      {.start_ms = 1,
       .end_ms = 2,
       .matchers = {{Type::kNotEqual, "a", std::string(300, 'x')}, {Type::kRegexp, "b", "."}}}};
  EXPECT_EQ(PromReadText(queries),
            R"({"type":"REMOTE_READ","queries":[{"start":-5,"end":7,"matchers":)"
            R"("{__name__=\"up\",job!~\"a\"|b\"}"},{"start":1,"end":2,"matchers":"{a!=\")" +
                std::string(256, 'x') + R"(...\",b=~\".\"}"}],"queriesNotListed":0})");

  const std::vector<PromReadQuery> many(
      kPromQueriesMax,
      {.start_ms = 1,
       .end_ms = 2,
       .matchers = std::vector<PromMatcher>(10, {Type::kEqual, "label", std::string(300, 'x')})});
  EXPECT_THAT(PromReadText(many), HasSubstr(R"("queriesNotListed":58})"));
}

TEST(PromReadRequestTest, ResponseTypesNeedSamples) {
  EXPECT_OK(ParsePromRead(""));
  EXPECT_OK(ParsePromRead(PromReadMessage({}, {})));
  EXPECT_OK(ParsePromRead(std::string("\x10\x00", 2))) << "not packed";
  EXPECT_THAT(ParsePromRead(PromReadMessage({}, {1})).status(),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected SAMPLES among the response types")));
}

TEST(PromReadRequestTest, RefusesWhatIsNoMessage) {
  const std::string message = PromReadMessage(
      {{.start_ms = 1, .end_ms = 2, .matchers = {{PromMatcher::Type::kEqual, "a", "b"}}}});
  size_t refused = 0;
  for (size_t size = 1; size < message.size(); ++size) {
    if (!ParsePromRead(std::string_view(message).substr(0, size)).ok()) ++refused;
  }
  EXPECT_GT(refused, message.size() / 2);
  EXPECT_THAT(
      ParsePromRead(PromReadMessage({{.matchers = {{PromMatcher::Type{4}, "a", "b"}}}})).status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("expected 0 to 3, got a matcher of type 4")));
}

TEST(PromReadRequestTest, BoundsQueriesAndMatchers) {
  EXPECT_OK(ParsePromRead(PromReadMessage(std::vector<PromReadQuery>(kPromQueriesMax))));
  EXPECT_THAT(
      ParsePromRead(PromReadMessage(std::vector<PromReadQuery>(kPromQueriesMax + 1))).status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("expected at most 64 queries, got more")));
  EXPECT_THAT(
      ParsePromRead(PromReadMessage({{.matchers = std::vector<PromMatcher>(kPromMatchersMax + 1)}}))
          .status(),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("expected at most 64 matchers, got more")));
}

}  // namespace
}  // namespace hourcell::prom_read_request_test
