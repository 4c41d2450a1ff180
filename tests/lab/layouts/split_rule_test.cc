#include "bench/lab/layouts/split_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::layouts::split_rule_test {
namespace {

using absl::StatusCode;
using testing::HasSubstr;

constexpr RunExtent kExtent = {.bytes = 96'000'000, .writes = 600'000, .leading_bytes = 4};

TEST(SplitRuleTest, NamesAreFoundAgain) {
  for (const SplitRule rule : kSplitRules)
    EXPECT_THAT(FindSplitRule(SplitRuleName(rule)), IsOkAndHolds(rule));
  EXPECT_THAT(FindSplitRule("decreasing").status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("increasing-2")));
}

TEST(SplitRuleTest, SizesAreSharesOfTheRun) {
  const SplitSettings settings = SettingsOf(SplitRule::kIncreasing, kExtent, 5);

  EXPECT_EQ(settings.policy, SplitPolicyKind::kIncreasingToUpperBound);
  EXPECT_EQ(settings.flush_bytes, 1'000'000u);
  EXPECT_EQ(settings.max_bytes, 8'000'000u);
  EXPECT_EQ(settings.exponent, 3u);
  EXPECT_EQ(settings.jitter_seed, 5u);
  EXPECT_EQ(SettingsOf(SplitRule::kIncreasing2, kExtent, 5).exponent, 2u);
}

TEST(SplitRuleTest, RulesArePoliciesOfTheEngine) {
  EXPECT_EQ(SettingsOf(SplitRule::kNone, kExtent, 1).policy, SplitPolicyKind::kDisabled);
  EXPECT_EQ(SettingsOf(SplitRule::kPresplit, kExtent, 1).policy, SplitPolicyKind::kDisabled);
  EXPECT_EQ(SettingsOf(SplitRule::kConstant, kExtent, 1).policy, SplitPolicyKind::kConstantSize);
  EXPECT_EQ(SettingsOf(SplitRule::kStepping, kExtent, 1).policy, SplitPolicyKind::kStepping);
  EXPECT_EQ(SettingsOf(SplitRule::kKeyPrefix, kExtent, 1).policy_prefix_length, 4u);
  // A twelfth of 200 requests a second; 600,000 take 3,000 s.
  EXPECT_NEAR(SettingsOf(SplitRule::kLoad, kExtent, 1).load.requests_per_s_min, 16.7, 0.1);
  EXPECT_EQ(SettingsOf(SplitRule::kLoad, kExtent, 1).load.record_ms_min, 50'000u);
}

}  // namespace
}  // namespace hourcell::layouts::split_rule_test
