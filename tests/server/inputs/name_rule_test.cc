#include "server/inputs/name_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/text/name.h"

namespace hourcell::name_rule_test {
namespace {

std::string Legal(std::string_view foreign) {
  std::string name;
  AppendLegalName(foreign, &name);
  return name;
}

TEST(NameRuleTest, LegalNamesStay) {
  EXPECT_EQ(Legal("sys.cpu-0_a/B9"), "sys.cpu-0_a/B9");
  EXPECT_EQ(Legal("Zürich"), "Zürich");
  EXPECT_EQ(Legal(""), "");
}

TEST(NameRuleTest, OtherCharactersBecomeOneUnderscoreEach) {
  EXPECT_EQ(Legal("a b=c;d"), "a_b_c_d");
  EXPECT_EQ(Legal("5€"), "5_");
  EXPECT_EQ(Legal("\xff\xfe"), "__");
}

TEST(NameRuleTest, EveryByteBecomesPartOfALegalName) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = Legal(std::string("a") + static_cast<char>(byte) + "b");
    EXPECT_EQ(NameFault(name, NameEncoding::kUtf8, ""), "") << byte;
  }
}

}  // namespace
}  // namespace hourcell::name_rule_test
