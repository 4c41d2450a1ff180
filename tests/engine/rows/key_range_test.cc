#include "engine/rows/key_range.h"

#include "tests/support/status_matchers.h"

namespace hourcell::key_range_test {
namespace {

TEST(KeyRangeTest, PrefixEndIsTheLeastKeyAfterThePrefix) {
  EXPECT_EQ(PrefixEnd("a"), "b");
  EXPECT_EQ(PrefixEnd("a\xff\xff"), "b");
  EXPECT_EQ(PrefixEnd("\x7f"), "\x80");
  EXPECT_EQ(PrefixEnd("\xff"), "");
  EXPECT_EQ(PrefixEnd(""), "");
}

}  // namespace
}  // namespace hourcell::key_range_test
