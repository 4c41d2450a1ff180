#include "codec/rows/salt.h"

#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/codec/codec_testing.h"
#include "tests/support/vectors.h"

namespace hourcell::salt_test {
namespace {

TEST(SaltTest, HashIsJavasOfSignedBytes) {
  EXPECT_EQ(JavaBytesHash(""), 1);
  EXPECT_EQ(JavaBytesHash(Hex("01")), 32);
  EXPECT_EQ(JavaBytesHash(Hex("ff")), 30);                      // 31 * 1 - 1
  EXPECT_EQ(JavaBytesHash(Hex("0102")), 994);                   // 31 * 32 + 2
  EXPECT_EQ(JavaBytesHash(std::string(7, '\0')), 1742810335);   // 31^7 wraps in 32 bits
  EXPECT_EQ(JavaBytesHash(std::string(8, '\0')), -1807454463);  // 31^8 into the negative
}

TEST(SaltTest, VectorsBytes) {
  for (const TestVector& vector : LoadVectors("storage.json", "salt.bytes")) {
    SCOPED_TRACE(vector.from);
    std::string salt;
    AppendSalt(LayoutOf(vector.given), static_cast<uint32_t>(IntOf(vector.given, "bucket")), &salt);
    EXPECT_EQ(ToHex(salt), TextOf(vector.expect, "salt"));
  }
}

// Vectors of keys that are no rows of points (cut short, a width of -1) have no place here.
TEST(SaltTest, VectorsPrefix) {
  size_t checked = 0;
  for (const TestVector& vector : LoadVectors("storage.json", "salt.prefix")) {
    SCOPED_TRACE(vector.from);
    const std::string key = BytesOf(vector.given, "row_key");
    const int64_t salt_width = IntOf(vector.given, "salt_width");
    if (salt_width < 0 || key.size() < static_cast<size_t>(salt_width) + 7) continue;
    const Layout layout = LayoutOf(vector.given);

    const std::string unsalted = key.substr(layout.salt_width);
    const std::string tsuid = unsalted.substr(0, 3) + unsalted.substr(7);
    std::string salted;
    AppendSalt(layout, SaltBucket(layout, tsuid), &salted);
    salted += unsalted;

    EXPECT_EQ(ToHex(salted), TextOf(vector.expect, "row_key"));
    ++checked;
  }
  EXPECT_GE(checked, 13U);
}

TEST(SaltTest, BucketsStayBelowTheirCountForEveryHash) {
  for (const uint32_t buckets : {1U, 2U, 20U, 255U, 256U}) {
    const Layout layout{.salt_width = 1, .salt_buckets = buckets};
    for (uint32_t tag = 0; tag < 5000; ++tag) {
      std::string tsuid = Hex("ff0001");
      AppendBigEndian(uint64_t{tag} * 2654435761U, 6, &tsuid);
      ASSERT_LT(SaltBucket(layout, tsuid), buckets) << ToHex(tsuid);
    }
  }
}

TEST(SaltTest, BucketIsZeroWithoutASalt) {
  EXPECT_EQ(SaltBucket(Layout{}, Hex("000001000001000001")), 0U);
}

}  // namespace
}  // namespace hourcell::salt_test
