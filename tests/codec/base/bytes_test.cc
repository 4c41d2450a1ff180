#include "codec/base/bytes.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/status_matchers.h"

namespace hourcell::bytes_test {
namespace {

TEST(BytesTest, BigEndianIntegersReadBackInEveryWidth) {
  for (size_t width = 1; width <= 8; ++width) {
    SCOPED_TRACE(width);
    std::string bytes;
    AppendBigEndian(0x0102030405060708, width, &bytes);
    EXPECT_EQ(ToHex(bytes), std::string("0102030405060708").substr(2 * (8 - width)));
    EXPECT_EQ(LoadBigEndian(bytes.data(), width), 0x0102030405060708U & MaxUnsigned(width));
  }
}

TEST(BytesTest, VarintsReadBackAtEveryBoundary) {
  for (size_t bits = 0; bits <= 64; ++bits) {
    const uint64_t first = bits == 64 ? std::numeric_limits<uint64_t>::max() : uint64_t{1} << bits;
    for (const uint64_t value : {first - 1, first}) {
      SCOPED_TRACE(value);
      std::string bytes;
      AppendVarint(value, &bytes);
      std::string_view rest = bytes;
      EXPECT_THAT(TakeVarint(&rest), IsOkAndHolds(value));
      EXPECT_TRUE(rest.empty());
    }
  }
}

TEST(BytesTest, VarintsCutShortOrTooLongAreDataLoss) {
  for (const std::string& bytes : {std::string(), std::string("\x80"), std::string(9, '\x80'),
                                   std::string(10, '\xFF'), std::string(9, '\x80') + '\x02'}) {
    SCOPED_TRACE(ToHex(bytes));
    std::string_view rest = bytes;
    EXPECT_THAT(TakeVarint(&rest), StatusIs(absl::StatusCode::kDataLoss));
    EXPECT_EQ(rest, bytes);
  }
}

TEST(BytesTest, HexReadsBothCases) {
  EXPECT_EQ(ToHex("\xAB\x0F"), "ab0f");
  EXPECT_EQ(ToUpperHex("\xAB\x0F"), "AB0F");
  EXPECT_THAT(FromHex("aB0f"), IsOkAndHolds(std::string("\xAB\x0F")));
  EXPECT_THAT(FromHex("abc"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(FromHex("0g"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell::bytes_test
