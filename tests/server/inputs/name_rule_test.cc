#include "server/inputs/name_rule.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "codec/text/name.h"

namespace hourcell::name_rule_test {
namespace {

const NameRule kLatin1(NameEncoding::kLatin1, "");
const NameRule kUtf8(NameEncoding::kUtf8, "");
const NameRule kAny(NameEncoding::kAny, "");

TEST(NameRuleTest, LegalNamesStay) {
  for (const std::string_view name : {"", "cpu", "sys.cpu-0/user_total", "Z9", "caf\u00e9"})
    EXPECT_EQ(kLatin1.Apply(name), name);
}

TEST(NameRuleTest, EachOtherCharacterBecomesOneUnderscore) {
  EXPECT_EQ(kLatin1.Apply("disk usage:%"), "disk_usage__");
  EXPECT_EQ(kLatin1.Apply("a=b,c\\d\"e"), "a_b_c_d_e");
}

TEST(NameRuleTest, AStoreOfAnyNamesChangesNone) {
  for (const std::string_view name : {"web01:9100", "+Inf", "disk usage:%", "a=b,c\\d\"e{}|*()",
                                      "10 \u20ac", "\u5317\u4eac", "\U0001F680", " "}) {
    EXPECT_EQ(kAny.Apply(name), name);
    EXPECT_EQ(NameFault(name, NameEncoding::kAny, ""), "");
  }
}

TEST(NameRuleTest, NamesThatLoseMoreThanAsciiEndInAHash) {
  EXPECT_EQ(kLatin1.Apply("10 \u20ac"), "10___20eee297f64acebc");
  EXPECT_NE(kLatin1.Apply("\u5317\u4eac"), kLatin1.Apply("\u4e0a\u6d77"));
  EXPECT_NE(kLatin1.Apply("x\u5317"), kLatin1.Apply("x\u4e0a"));
  EXPECT_NE(kAny.Apply("a\nb\n"), kAny.Apply("a\rb\r"));
  EXPECT_NE(kAny.Apply("a\xff"), kAny.Apply("a\xfe")) << "bytes that are no UTF-8";
  EXPECT_EQ(kAny.Apply("a\nb").substr(0, 4), "a_b_");
  EXPECT_EQ(kAny.Apply("a\nb").size(), 3 + kNameSuffixBytes);
  EXPECT_EQ(kAny.Apply("12345678\x7f").substr(0, 10), "12345678__") << "found eight at a time";
  EXPECT_EQ(kAny.Apply("1234567\x1f").substr(0, 9), "1234567__");
}

TEST(NameRuleTest, KeepsTheLettersThatTheStoreTakes) {
  EXPECT_EQ(kLatin1.Apply("\u0442\u00e9\u6e29").substr(0, 5), "_\u00e9__");
  EXPECT_EQ(kUtf8.Apply("\u0442\u00e9\u6e29"), "\u0442\u00e9\u6e29");
}

TEST(NameRuleTest, KeepsTheExtraCharactersButForWhatCutsALine) {
  const NameRule rule(NameEncoding::kLatin1, ":@ =\u00b0");

  EXPECT_EQ(rule.Apply("a:b@c d=e\u00b0f"), "a:b@c_d_e\u00b0f");
}

TEST(NameRuleTest, WholeTagsAreAsTheirNames) {
  const auto tags = [](std::string_view text) -> std::string {
    std::string out(text.size() + 1, '\0');
    const char* const end = kUtf8.WriteAsciiTags(text, out.data());
    return end == nullptr ? "none" : out.substr(0, static_cast<size_t>(end - out.data()));
  };
  EXPECT_EQ(tags("host=web 01,region=eu-west:1,a=b"), "\1host\1web_01\1region\1eu-west_1\1a\1b");
  EXPECT_EQ(tags("a=b"), "\1a\1b");
  EXPECT_EQ(tags("a=caf\u00e9"), "none");
  EXPECT_EQ(tags("host=web01,a=caf\u00e9"), "none");
  EXPECT_EQ(kUtf8.Apply("in the middle of a long name: caf\u00e9, and after it"),
            "in_the_middle_of_a_long_name__caf\u00e9__and_after_it");
}

// Eight bytes are examined together, and the last one to seven bytes, too.
TEST(NameRuleTest, EachByteIsMappedAtEachPositionOfEachLength) {
  for (size_t size = 1; size <= 20; ++size) {
    for (size_t at = 0; at < size; ++at) {
      for (int byte = 0x20; byte < 0x7F; ++byte) {
        std::string text(size, 'x');
        text[at] = static_cast<char>(byte);
        std::string expected = text;
        if (NameFault(text, NameEncoding::kLatin1, "") != "") expected[at] = '_';
        ASSERT_EQ(kLatin1.Apply(text), expected);
        ASSERT_EQ(kAny.Apply(text), text);
      }
    }
  }
}

TEST(NameRuleTest, EveryNameIsLegalAfterIt) {
  std::string text;
  for (size_t byte = 0; byte < 256; ++byte)
    text.push_back(static_cast<char>(byte));
  for (size_t a = 0; a < 256; ++a) {
    for (size_t b = 0; b < 256; ++b) {
      const std::array pair = {static_cast<char>(a), static_cast<char>(b), 'x'};
      const std::string_view name(pair.data(), pair.size());
      ASSERT_EQ(NameFault(kLatin1.Apply(name), NameEncoding::kLatin1, ""), "");
      ASSERT_EQ(NameFault(kUtf8.Apply(name), NameEncoding::kUtf8, ""), "");
      ASSERT_EQ(NameFault(kAny.Apply(name), NameEncoding::kAny, ""), "");
      ASSERT_LE(kUtf8.Apply(name).size(), name.size() + kNameSuffixBytes);
    }
  }
  EXPECT_EQ(NameFault(kLatin1.Apply(text), NameEncoding::kLatin1, ""), "");
}

}  // namespace
}  // namespace hourcell::name_rule_test
