#include "server/config/setting_list.h"

#include <gmock/gmock.h>

namespace hourcell::setting_list_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SettingListTest, CutsAtCommasAndStripsBlanks) {
  EXPECT_THAT(ListItems("a, b ,c d"), ElementsAre("a", "b", "c d"));
  EXPECT_THAT(ListItems("a,,"), ElementsAre("a", "", ""));
  EXPECT_THAT(ListItems("  "), IsEmpty());
  EXPECT_THAT(ListItems(""), IsEmpty());
}

}  // namespace
}  // namespace hourcell::setting_list_test
