#include "engine/hours/tsuid_list.h"

#include <string>
#include <string_view>
#include <vector>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell::tsuid_list_test {
namespace {

using testing::ElementsAre;

// The items taken off a list, and the number of bytes left.
std::vector<std::string> Take(std::string_view list, size_t* left) {
  std::vector<std::string> tsuids;
  for (std::string_view tsuid; TakeTsuid(&list, &tsuid);)
    tsuids.emplace_back(tsuid);
  *left = list.size();
  return tsuids;
}

TEST(TsuidListTest, GivesBackWhatWasAppended) {
  std::string list;
  size_t left = 0;
  EXPECT_THAT(Take(list, &left), ElementsAre());
  AppendToTsuidList("ab", &list);
  AppendToTsuidList("", &list);
  AppendToTsuidList("c", &list);
  EXPECT_EQ(ToHex(list), "000261620000000163");
  EXPECT_THAT(Take(list, &left), ElementsAre("ab", "", "c"));
  EXPECT_EQ(left, 0u);
}

TEST(TsuidListTest, StopsWhereAListIsCut) {
  std::string list;
  AppendToTsuidList("abc", &list);
  AppendToTsuidList("defg", &list);
  for (size_t size = 0; size < list.size(); ++size) {
    size_t left = 0;
    const size_t whole = size < 5 ? 0 : 1;
    EXPECT_EQ(Take(std::string_view(list).substr(0, size), &left).size(), whole) << size;
    EXPECT_EQ(left, size - whole * 5) << size;
  }
}

}  // namespace
}  // namespace hourcell::tsuid_list_test
