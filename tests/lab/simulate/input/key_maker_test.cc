#include "bench/lab/simulate/input/key_maker.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "engine/regions/keys/distributor_spec.h"
#include "engine/regions/keys/key_template.h"
#include "tests/support/status_matchers.h"

namespace hourcell::key_maker_test {
namespace {

using testing::ElementsAre;
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

// However many are made at once: as the template and the distributor make each by itself.
TEST(KeyMakerTest, KeysOfManyPutsAreThoseOfEach) {
  for (const std::string_view layout : {"id", "hash:4+id", "hex:8+id", "text:a+id"}) {
    for (const std::string_view spec :
         {"none", "md5-4hex", "md5-8hex", "xxh3:300", "simple-hash:16", "round-robin:7"}) {
      auto maker = KeyMaker::Make(layout, spec);
      ASSERT_OK(maker);
      const KeyTemplate keys = *KeyTemplate::Parse(layout);
      const auto distributor = *MakeKeyDistributor(spec, maker->layout());
      for (const size_t count : {size_t{0}, size_t{1}, size_t{8}, size_t{100}}) {
        std::vector<std::string> ids(count);
        std::vector<SourcePut> puts;
        for (size_t i = 0; i < count; ++i)
          puts.push_back(PutOfId(i * 977, &ids[i]));
        std::vector<std::string_view> made;
        ASSERT_OK(maker->KeysOf(puts, &made));
        ASSERT_EQ(made.size(), count);
        for (size_t i = 0; i < count; ++i) {
          std::string original;
          keys.Append(puts[i].parts, &original);
          std::string want;
          ASSERT_OK(distributor->Encode(original, &want));
          EXPECT_EQ(ToHex(made[i]), ToHex(want)) << layout << ' ' << spec << ' ' << i;
        }
      }
    }
  }
}

TEST(KeyMakerTest, AnErrorComesWithTheKeysBeforeIt) {
  std::vector<std::string_view> made;
  auto stored = KeyMaker::Make("stored", "none");
  const SourcePut rows[] = {{.row_key = "a"}, {.row_key = "b"}, {}, {.row_key = "d"}};
  EXPECT_THAT(stored->KeysOf(rows, &made), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(made, ElementsAre("a", "b"));

  auto partition = KeyMaker::Make("stored", "partition:4");
  const SourcePut keys[] = {{.key = "12345678"}, {.key = "short"}};
  EXPECT_THAT(partition->KeysOf(keys, &made), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_EQ(made.size(), 1U);
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
}  // namespace hourcell::key_maker_test
