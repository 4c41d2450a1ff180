#include "engine/regions/region_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"
#include "tests/support/status_matchers.h"

namespace hourcell::region_name_test {
namespace {

using testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(StringBinaryTest, EscapesWhatIsNotPrintable) {
  EXPECT_EQ(ToStringBinary(std::string("a\0Z~ \\\x7F\xFF", 8)), "a\\x00Z~ \\x5C\\x7F\\xFF");
  EXPECT_EQ(ToStringBinary(""), "");
}

TEST(StringBinaryTest, ReadsBackAllBytes) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte)
    bytes += static_cast<char>(byte);

  EXPECT_THAT(FromStringBinary(ToStringBinary(bytes)), IsOkAndHolds(bytes));
}

TEST(StringBinaryTest, TakesDigitsOfEitherCase) {
  EXPECT_THAT(FromStringBinary("\\xfF\\x0a"), IsOkAndHolds(std::string("\xFF\n")));
}

TEST(StringBinaryTest, RefusesWhatIsNoEscape) {
  EXPECT_THAT(FromStringBinary("a\\"), StatusIs(kInvalid, HasSubstr("expected printable ASCII")));
  EXPECT_THAT(FromStringBinary("a\\x1"), StatusIs(kInvalid));
  EXPECT_THAT(FromStringBinary("a\\xG0"), StatusIs(kInvalid));
  EXPECT_THAT(FromStringBinary("a\\n"), StatusIs(kInvalid));
  EXPECT_THAT(FromStringBinary("a\nb"), StatusIs(kInvalid));
}

TEST(RegionNameTest, HasEncodedNameAtItsEnd) {
  EXPECT_EQ(RegionName("table_p8ddpd6q5z", "3", {1469514778736}),
            "table_p8ddpd6q5z,3,1469514778736.bf024670a847c0adffb74b2e13408b32.");
}

TEST(RegionNameTest, IsPrintedWithItsStartEscaped) {
  const std::string start("\x01\0k", 3);
  const std::string name = PrintableRegionName("t", start, {5});

  EXPECT_TRUE(name.starts_with("t,\\x01\\x00k,5.")) << name;
  EXPECT_THAT(ParsePrintableRegionName(name),
              IsOkAndHolds(RegionNameParts{.table = "t", .start = start, .id = {5}}));
}

TEST(RegionNameTest, StartMayHoldCommasAndDots) {
  const RegionNameParts parts{.table = "ns:t", .start = ",a,.b.,", .id = {7}};

  EXPECT_THAT(ParseRegionName(RegionName(parts.table, parts.start, parts.id)), IsOkAndHolds(parts));
}

TEST(RegionNameTest, ReadsBackAnyStart) {
  constexpr uint64_t kSeed = 20240501;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  for (int i = 0; i < 500; ++i) {
    RegionNameParts parts{.table = "t", .start = "", .id = {random.Below(1'000'000)}};
    for (uint64_t size = random.Below(12); size > 0; --size)
      parts.start += static_cast<char>(random.Below(256));
    const std::string printed = PrintableRegionName(parts.table, parts.start, parts.id);
    ASSERT_THAT(ParsePrintableRegionName(printed), IsOkAndHolds(parts));
  }
}

TEST(RegionNameTest, RefusesAnEncodedNameOfAnotherRegion) {
  EXPECT_THAT(ParseRegionName("table_p8ddpd6q5z,4,1469514778736.bf024670a847c0adffb74b2e13408b32."),
              StatusIs(kInvalid, HasSubstr("but its hash is")));
}

TEST(RegionNameTest, SaysWhatIsWrongWithItsForm) {
  const std::string md5 = ".bf024670a847c0adffb74b2e13408b32.";

  EXPECT_THAT(ParseRegionName(""), StatusIs(kInvalid, HasSubstr("no encoded name")));
  EXPECT_THAT(ParseRegionName("hbase:meta,,1.1588230740"),
              StatusIs(kInvalid, HasSubstr("expected")));
  EXPECT_THAT(ParseRegionName("t" + md5), StatusIs(kInvalid, HasSubstr("fewer than 2 commas")));
  EXPECT_THAT(ParseRegionName("t,1" + md5), StatusIs(kInvalid, HasSubstr("fewer than 2 commas")));
  EXPECT_THAT(ParseRegionName(",,1" + md5), StatusIs(kInvalid, HasSubstr("empty table")));
  EXPECT_THAT(ParseRegionName("t,," + md5), StatusIs(kInvalid, HasSubstr("is no number")));
  EXPECT_THAT(ParseRegionName("t,,-1" + md5), StatusIs(kInvalid, HasSubstr("is no number")));
  EXPECT_THAT(ParseRegionName("t,,01" + md5), StatusIs(kInvalid, HasSubstr("is no number")));
  EXPECT_THAT(ParseRegionName("t,,99999999999999999999" + md5),
              StatusIs(kInvalid, HasSubstr("is no number")));
}

}  // namespace
}  // namespace hourcell::region_name_test
