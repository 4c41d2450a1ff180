// Every kill point that is declared has a test that dies there, and no test waits for another one.

#include "tests/http/crash/kill_points.h"

#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::kill_points_test {
namespace {

// The kill points that the tests of this program have as their parameter, without "#<n>".
std::set<std::string> WalkedKillPoints() {
  std::set<std::string> walked;
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    const testing::TestSuite& suite = *all.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      const char* const printed = suite.GetTestInfo(j)->value_param();
      if (printed == nullptr) continue;
      const std::string text(printed);
      if (text.find(':') == std::string::npos || !text.starts_with('"')) continue;
      walked.insert(text.substr(1, text.find_first_of("#\"", 1) - 1));
    }
  }
  return walked;
}

TEST(KillPointsTest, EachIsWalkedByATest) {
  const std::vector<std::string> declared = DeclaredKillPoints();
  EXPECT_FALSE(declared.empty());
  EXPECT_THAT(WalkedKillPoints(), testing::ElementsAreArray(declared));
}

}  // namespace
}  // namespace hourcell::kill_points_test
