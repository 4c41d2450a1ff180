#include "server/rollups/rollup_status.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::rollup_status_test {
namespace {

using testing::HasSubstr;

class RollupStatusTest : public ApiTest {};

TEST_F(RollupStatusTest, AServerWithRulesShowsHowFarItsLevelsAreComputed) {
  const auto rules = MetricRules::Parse("m 1h (sum)");
  ASSERT_OK(rules);
  options().rollup_rules = *rules;
  EXPECT_EQ(Send("GET /api/admin/rollups").body, R"({"metrics":[]})");
  for (int64_t minute = 0; minute < 120; ++minute)
    Put({"m", "host=a", kStartS + minute * 60, minute});
  Put({"other", "host=a", kStartS, 1});
  ASSERT_OK(tsdb().maintenance().Seal());
  ASSERT_OK(tsdb().maintenance().ComputeRollups());

  const HttpResponse response = Send("GET /api/admin/rollups");
  EXPECT_EQ(response.status, 200);
  const auto all = tsdb().retention().Rollups();
  ASSERT_OK(all);
  ASSERT_EQ(all->size(), 1U);
  EXPECT_GE(all->front().until_s, kStartS + 7200);
  EXPECT_EQ(response.body, RollupStatusJson(*all));
}

TEST_F(RollupStatusTest, TheAnswerHasItsDocumentedFields) {
  const std::vector<RollupProgress> all = {
      {.metric = "a\"b", .levels = "1h(sum)", .until_s = kStartS, .changed = 2}};
  EXPECT_EQ(
      RollupStatusJson(all),
      R"j({"metrics":[{"metric":"a\"b","levels":"1h(sum)","until":1356998400,"changed":2}]})j");
}

TEST_F(RollupStatusTest, AServerWithoutRulesSaysSo) {
  const HttpResponse response = Send("GET /api/admin/rollups");
  EXPECT_EQ(response.status, 409);
  EXPECT_THAT(response.body, HasSubstr("expected the setting tsd.rollups.rules, got none"));
}

}  // namespace
}  // namespace hourcell::rollup_status_test
