#include "codec/text/name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::name_test {
namespace {

using ::testing::HasSubstr;

constexpr NameEncoding kLatin1 = NameEncoding::kLatin1;
constexpr NameEncoding kUtf8 = NameEncoding::kUtf8;

TEST(NameTest, VectorsValidate) {
  for (const TestVector& vector : LoadVectors("storage.json", "name.validate")) {
    SCOPED_TRACE(vector.from);
    const std::string fault = NameFault(TextOf(vector.given, "name"), kLatin1, "");
    EXPECT_EQ(fault, vector.wants_error() ? "illegal character:  " : "");
  }
}

TEST(NameTest, EveryAsciiCharacterIsLegalOrNot) {
  const std::string_view legal =
      "-./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
  for (char c = 0; c >= 0 && c < 127; ++c) {
    const std::string name = std::string("ok") + c;
    const bool is_legal = legal.find(c) != std::string_view::npos;
    EXPECT_EQ(NameFault(name, kUtf8, ""),
              is_legal ? "" : "illegal character: " + TextForMessage({&c, 1}));
  }
}

TEST(NameTest, LettersOfTheBasicPlaneAreLegalAndNothingElse) {
  EXPECT_EQ(NameFault("caf\u00E9", kLatin1, ""), "");
  EXPECT_EQ(NameFault("\u6E29\u5EA6", kUtf8, ""), "");                      // Lo
  EXPECT_EQ(NameFault("\u01C5\u02B0", kUtf8, ""), "");                      // Lt, Lm
  EXPECT_EQ(NameFault("5\u20AC", kUtf8, ""), "illegal character: \u20AC");  // Sc
  EXPECT_EQ(NameFault("x\u0660", kUtf8, ""), "illegal character: \u0660");  // Nd
  EXPECT_EQ(NameFault("\U0001D400", kUtf8, ""),
            "illegal character: \U0001D400");  // letter, plane 1
}

TEST(NameTest, FaultsComeInTheirOrder) {
  EXPECT_EQ(NameFault("", kLatin1, ""), "empty string");
  EXPECT_EQ(NameFault(std::string(kNameBytesMax, 'a'), kLatin1, ""), "");
  EXPECT_EQ(NameFault(std::string(1025, ' '), kLatin1, ""), "longer than 1024 bytes; got 1025");
  EXPECT_EQ(NameFault(" \xFF", kLatin1, ""), "not UTF-8");
  EXPECT_EQ(NameFault("\u6E29 ", kLatin1, ""), "illegal character:  ");
  EXPECT_EQ(NameFault("t\u6E29", kLatin1, ""),
            "character \u6E29 is above U+00FF; expected a store created with names=utf8");
}

TEST(NameTest, ExtraCharactersAreLegal) {
  EXPECT_EQ(NameFault("a:b c\u20AC", kUtf8, ": \u20AC"), "");
  EXPECT_EQ(NameFault("a:b", kUtf8, " "), "illegal character: :");
}

TEST(NameTest, EveryLatin1ByteReadsBack) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string stored(1, static_cast<char>(byte));
    const auto utf8 = DecodeName(stored, kLatin1);
    ASSERT_OK(utf8);
    EXPECT_TRUE(IsUtf8(*utf8));
    EXPECT_THAT(EncodeName(*utf8, kLatin1), IsOkAndHolds(stored));
  }
}

TEST(NameTest, EncodeRejectsWhatHasNoBytes) {
  EXPECT_THAT(EncodeName("\u0100", kLatin1),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("above U+00FF")));
  EXPECT_THAT(EncodeName("\xC3", kUtf8),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("not UTF-8")));
  EXPECT_THAT(EncodeName("\u0100", kUtf8), IsOkAndHolds(std::string("\u0100")));
}

TEST(NameTest, DecodeRejectsStoredBytesThatAreNotUtf8) {
  EXPECT_THAT(DecodeName("\xE9", kUtf8), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT(DecodeName("\u6E29", kUtf8), IsOkAndHolds(std::string("\u6E29")));
}

TEST(NameTest, TelnetTextIsUtf8WhereItIsAndLatin1WhereItIsNot) {
  std::string buffer;
  const std::string_view utf8 = "caf\u00E9";
  EXPECT_EQ(TelnetTextToUtf8(utf8, &buffer).data(), utf8.data());
  EXPECT_EQ(TelnetTextToUtf8("caf\xE9", &buffer), utf8);
}

TEST(NameTest, AStoreOfAnyNamesRefusesControlCharactersAlone) {
  constexpr NameEncoding kAny = NameEncoding::kAny;
  for (const std::string_view name :
       {"web01:9100", "a b", "\u20ac", "\U0001D400", "{}|*=\"\\", "\u00a0"})
    EXPECT_EQ(NameFault(name, kAny, ""), "") << name;
  EXPECT_EQ(NameFault("a\nb", kAny, ""), "illegal character: \\x0a");
  EXPECT_EQ(NameFault("a\x7f", kAny, ""), "illegal character: \\x7f");
  EXPECT_EQ(NameFault("a\u0085", kAny, ""), "illegal character: \\xc2\\x85");
  EXPECT_EQ(NameFault("a\xff", kAny, ""), "not UTF-8");
  EXPECT_THAT(EncodeName("\u5317", kAny), IsOkAndHolds(std::string("\u5317")));
  EXPECT_THAT(DecodeName("\u5317", kAny), IsOkAndHolds(std::string("\u5317")));
}

}  // namespace
}  // namespace hourcell::name_test
