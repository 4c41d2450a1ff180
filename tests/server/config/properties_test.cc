#include "server/config/properties.h"

#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hourcell::properties_test {
namespace {

using testing::ElementsAre;
using testing::FieldsAre;
using testing::IsEmpty;

std::vector<Property> Properties(std::string_view text) {
  PropertiesReader reader(text);
  std::vector<Property> all;
  while (std::optional<Property> property = reader.Next())
    all.push_back(*property);
  return all;
}

TEST(PropertiesTest, ReadsAllThreeSeparators) {
  EXPECT_THAT(Properties("a=1\nb: 2\nc 3\n  d \t = \t 4  \ne\n"),
              ElementsAre(FieldsAre("a", "1", 1), FieldsAre("b", "2", 2), FieldsAre("c", "3", 3),
                          FieldsAre("d", "4", 4), FieldsAre("e", "", 5)));
}

TEST(PropertiesTest, SkipsCommentsAndEmptyLines) {
  EXPECT_THAT(Properties("# a=1\n\n  ! b=2\r\n\t\nc=3 # not a comment"),
              ElementsAre(FieldsAre("c", "3 # not a comment", 5)));
  EXPECT_THAT(Properties(""), IsEmpty());
}

TEST(PropertiesTest, JoinsContinuedLines) {
  EXPECT_THAT(
      Properties("a = x,\\\n    y,\\\r\n    z\nb = \\\\\nc = \\"),
      ElementsAre(FieldsAre("a", "x,y,z", 1), FieldsAre("b", "\\", 4), FieldsAre("c", "", 5)));
}

TEST(PropertiesTest, DecodesEscapes) {
  EXPECT_THAT(
      Properties("a\\ b\\==\\u00e9\\u20AC\\t\\q\\u12\nc=x\\ "),
      ElementsAre(FieldsAre("a b=", "\xC3\xA9\xE2\x82\xAC\tqu12", 1), FieldsAre("c", "x ", 2)));
}

}  // namespace
}  // namespace hourcell::properties_test
