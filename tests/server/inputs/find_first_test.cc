#include "server/inputs/find_first.h"

#include <string_view>

#include <gtest/gtest.h>

namespace hourcell::find_first_test {
namespace {

TEST(FindFirstTest, FindsWhatFindFirstOfFinds) {
  for (const std::string_view text : {"", ":", "a", "a:b|c", "|a:b", "abc", "a b\tc", "\t "}) {
    for (const std::string_view ends : {":", "|", "|:", " \t", ",;[:", "c"}) {
      EXPECT_EQ(FindFirst(text, ends), text.find_first_of(ends)) << text << " " << ends;
    }
  }
}

}  // namespace
}  // namespace hourcell::find_first_test
