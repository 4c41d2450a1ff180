#include "codec/rows/uid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/status_matchers.h"
#include "tests/support/vectors.h"

namespace hourcell::uid_test {
namespace {

using ::testing::HasSubstr;

TEST(UidTest, KindNamesAreOpenTsdbsAndReadBack) {
  EXPECT_EQ(KindName(UidKind::kMetric), "metrics");
  EXPECT_EQ(KindName(UidKind::kTagk), "tagk");
  EXPECT_EQ(KindName(UidKind::kTagv), "tagv");
  for (const UidKind kind : kUidKinds) {
    EXPECT_THAT(ParseKindName(KindName(kind)), IsOkAndHolds(kind));
  }
}

TEST(UidTest, ParseKindNameRejectsOtherWords) {
  EXPECT_THAT(ParseKindName("metric"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                HasSubstr("expected metrics, tagk or tagv")));
}

TEST(UidTest, VectorsToHex) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.to_hex")) {
    SCOPED_TRACE(vector.from);
    EXPECT_EQ(ToUpperHex(BytesOf(vector.given, "uid")), TextOf(vector.expect, "hex"));
  }
}

TEST(UidTest, VectorsFromHex) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.from_hex")) {
    SCOPED_TRACE(vector.from);
    const auto width =
        Has(vector.given, "width") ? static_cast<size_t>(IntOf(vector.given, "width")) : size_t{0};
    const auto bytes = UidBytesFromHex(TextOf(vector.given, "hex"), width);
    if (vector.wants_error()) {
      EXPECT_THAT(bytes, StatusIs(absl::StatusCode::kInvalidArgument));
    } else {
      EXPECT_THAT(bytes, IsOkAndHolds(BytesOf(vector.expect, "uid")));
    }
  }
}

TEST(UidTest, FromHexRejectsOtherCharacters) {
  EXPECT_THAT(UidBytesFromHex("00000g", 3), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(UidTest, VectorsToLong) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.to_long")) {
    SCOPED_TRACE(vector.from);
    const auto uid = UidFromBytes(BytesOf(vector.given, "uid"),
                                  static_cast<size_t>(IntOf(vector.given, "width")));
    if (vector.wants_error()) {
      EXPECT_THAT(uid, StatusIs(absl::StatusCode::kInvalidArgument));
    } else {
      EXPECT_THAT(uid, IsOkAndHolds(static_cast<Uid>(IntOf(vector.expect, "value"))));
    }
  }
}

TEST(UidTest, VectorsFromLong) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.from_long")) {
    SCOPED_TRACE(vector.from);
    const auto bytes = UidToBytes(static_cast<Uid>(IntOf(vector.given, "value")),
                                  static_cast<size_t>(IntOf(vector.given, "width")));
    if (vector.wants_error()) {
      EXPECT_THAT(bytes, StatusIs(absl::StatusCode::kInvalidArgument));
    } else {
      EXPECT_THAT(bytes, IsOkAndHolds(BytesOf(vector.expect, "uid")));
    }
  }
}

TEST(UidTest, VectorsMaxForWidth) {
  for (const TestVector& vector : LoadVectors("storage.json", "uid.max_for_width")) {
    SCOPED_TRACE(vector.from);
    const auto width = static_cast<size_t>(IntOf(vector.given, "width"));
    if (vector.wants_error()) {
      EXPECT_THAT(UidToBytes(0, width), StatusIs(absl::StatusCode::kInvalidArgument));
      continue;
    }
    // Java's maximum for 8 bytes is that of a signed long; a Uid has one bit more.
    const uint64_t max = width == 8 ? MaxUnsigned(8) >> 1 : MaxUnsigned(width);
    EXPECT_EQ(max, static_cast<uint64_t>(IntOf(vector.expect, "max")));
  }
}

TEST(UidTest, EveryWidthHoldsItsLargestUidAndNoMore) {
  for (size_t width = 1; width <= 8; ++width) {
    SCOPED_TRACE(width);
    const auto bytes = UidToBytes(MaxUnsigned(width), width);
    ASSERT_OK(bytes);
    EXPECT_EQ(*bytes, std::string(width, '\xFF'));
    EXPECT_THAT(UidFromBytes(*bytes, width), IsOkAndHolds(MaxUnsigned(width)));
    if (width < 8) {
      EXPECT_THAT(UidToBytes(MaxUnsigned(width) + 1, width),
                  StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("does not fit")));
    }
  }
}

}  // namespace
}  // namespace hourcell::uid_test
