#include "engine/simulate/key_maker.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell {
namespace {

using testing::HasSubstr;

SourcePut PutOfId(uint64_t id, std::string* bytes) {
  bytes->clear();
  AppendBigEndian(id, 8, bytes);
  return {.parts = {.tsuid = *bytes, .number = id}};
}

TEST(KeyMakerTest, TemplateThenDistributor) {
  auto maker = KeyMaker::Make("id", "partition:20");
  ASSERT_OK(maker);
  std::string bytes;
  const auto key = maker->KeyOf(PutOfId(45, &bytes));
  ASSERT_OK(key);

  EXPECT_EQ(ToHex(*key), "0000000000000005000000000000002d");
  EXPECT_EQ(maker->scan_ranges(), 0U);
}

TEST(KeyMakerTest, AKeyOfTheSourceStaysAsItIs) {
  auto maker = KeyMaker::Make("opentsdb", "none");
  ASSERT_OK(maker);

  EXPECT_THAT(maker->KeyOf({.key = "abc"}), IsOkAndHolds("abc"));
}

TEST(KeyMakerTest, StoredKeysAreOfSourcesThatHaveThem) {
  auto maker = KeyMaker::Make("stored", "none");
  ASSERT_OK(maker);

  EXPECT_THAT(maker->KeyOf({.row_key = "row"}), IsOkAndHolds("row"));
  EXPECT_THAT(maker->KeyOf({}),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("layout stored")));
}

TEST(KeyMakerTest, TheSaltIsThePreSplits) {
  const auto maker = KeyMaker::Make("salted:32", "none");
  ASSERT_OK(maker);

  EXPECT_EQ(maker->layout().salt_buckets, 32U);
  EXPECT_EQ(maker->scan_ranges(), 32U);
}

TEST(KeyMakerTest, TimeStaysFirstUnlessItIsSpread) {
  EXPECT_TRUE(KeyMaker::Make("time-first", "none")->begins_with_time());
  EXPECT_FALSE(KeyMaker::Make("time-first", "xxh3:16")->begins_with_time());
  EXPECT_EQ(KeyMaker::Make("opentsdb", "xxh3:16")->scan_ranges(), 16U);
}

TEST(KeyMakerTest, RefusesWhatTheParsersRefuse) {
  EXPECT_THAT(KeyMaker::Make("metrics", "none"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(KeyMaker::Make("opentsdb", "salty"), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace hourcell
