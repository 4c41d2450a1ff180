#include "engine/regions/presplit/presplit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/rows/salt.h"
#include "engine/regions/presplit/split_algorithm.h"
#include "tests/support/status_matchers.h"

namespace hourcell::presplit_test {
namespace {

using Kind = PresplitSpec::Kind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::string_view kAllWays[] = {
    "hex:16", "decimal:7", "uniform:10", "keys:a,b,c", "file:some/where:x", "salt", "partition:20"};

Layout Salted() {
  Layout layout;
  layout.salt_width = 1;
  layout.salt_buckets = 4;
  return layout;
}

std::string MessageOf(std::string_view spec) {
  return std::string(ParsePresplit(spec).status().message());
}

TEST(PresplitTest, SpecificationsAreReadBackTheSame) {
  for (const std::string_view text : kAllWays) {
    const auto spec = ParsePresplit(text);
    ASSERT_TRUE(spec.ok()) << spec.status();
    EXPECT_EQ(FormatPresplit(*spec), text);
  }
  EXPECT_EQ(ParsePresplit("keys:c,a,b")->keys, ParsePresplit("keys:a,b,c")->keys);
  EXPECT_EQ(ParsePresplit("file:some/where:x")->path, "some/where:x");
  EXPECT_EQ(FormatPresplit(*ParsePresplit("keys:a\\x2cb,\\xff\\x5C")), "keys:a\\x2Cb,\\xFF\\x5C");
}

TEST(PresplitTest, EveryWayGivesItsKeys) {
  const auto count = [](std::string_view text) {
    const auto keys = PresplitKeys(*ParsePresplit(text), Salted(), "k1\nk2\n");
    EXPECT_TRUE(keys.ok()) << keys.status();
    return keys->size();
  };
  std::vector<size_t> counts;
  for (const std::string_view text : kAllWays)
    counts.push_back(count(text));

  EXPECT_THAT(counts, ElementsAre(15u, 6u, 9u, 3u, 2u, 3u, 19u));
}

TEST(PresplitTest, SaysWhatIsWanted) {
  EXPECT_THAT(MessageOf("hexx:16"), HasSubstr("expected hex:N, decimal:N"));
  EXPECT_THAT(MessageOf(""), HasSubstr("expected hex:N"));
  for (const std::string_view text : {"hex", "hex:", "hex:-1", "hex:0", "hex:1x", "hex:65537"})
    EXPECT_THAT(MessageOf(text), HasSubstr("expected a number of regions from 1 to 65536"));
  EXPECT_THAT(MessageOf("uniform:1"), HasSubstr("from 2 to 65536"));
  EXPECT_THAT(MessageOf("partition:1"), HasSubstr("from 2 to 65536"));
  EXPECT_THAT(MessageOf("salt:4"), HasSubstr("expected nothing after the word"));
  EXPECT_THAT(MessageOf("file:"), HasSubstr("expected a path"));
  EXPECT_THAT(MessageOf("keys:a,,b"), HasSubstr("got an empty one"));
  EXPECT_THAT(MessageOf("keys:"), HasSubstr("got an empty one"));
  EXPECT_THAT(MessageOf("keys:a,b,a"), HasSubstr("\"a\": expected each once, got it twice"));
  EXPECT_THAT(MessageOf("keys:a\\y"), HasSubstr("\\x"));
}

TEST(PresplitTest, KeysAreSortedAsUnsignedBytes) {
  EXPECT_THAT(*SortSplitKeys({"b", "\xff", "a"}), ElementsAre("a", "b", "\xff"));
  EXPECT_THAT(*SortSplitKeys({}), SizeIs(0));
  EXPECT_THAT(SortSplitKeys({std::string(kSplitKeyBytesMax + 1, 'k')}).status().message(),
              HasSubstr("expected at most 32767 bytes, got 32768"));
  EXPECT_FALSE(SortSplitKeys(std::vector<std::string>(kPresplitRegionsMax, "k")).ok());
}

TEST(PresplitTest, FilesHaveAKeyALine) {
  EXPECT_THAT(*ParseSplitsFile("b\r\na\n\\x00\\xff"),
              ElementsAre(std::string("\0\xff", 2), "a", "b"));
  EXPECT_THAT(*ParseSplitsFile(""), SizeIs(0));
  EXPECT_THAT(ParseSplitsFile("a\n\nb").status().message(),
              HasSubstr("line 2: expected one key a line, got nothing"));
  EXPECT_THAT(ParseSplitsFile("a\nb\\x4").status().message(), HasSubstr("line 2: "));
  EXPECT_THAT(ParseSplitsFile("a\nb\na\n").status().message(), HasSubstr("got it twice"));
}

TEST(PresplitTest, FilesAreBounded) {
  std::string text;
  for (uint32_t i = 0; i < kPresplitRegionsMax; ++i)
    text += ToHex(std::to_string(i)) + "\n";

  EXPECT_THAT(ParseSplitsFile(text).status().message(), HasSubstr("expected at most 65535"));
  EXPECT_THAT(ParseSplitsFile(std::string(kSplitTextBytesMax + 1, 'k')).status().message(),
              HasSubstr("expected at most 16777216 bytes, got 16777217"));
}

TEST(PresplitTest, TablesAreCreatedBetweenTwoKeys) {
  EXPECT_THAT(*CreateTableKeys("aaaaaaa", "zzzzzzz", 3), ElementsAre("aaaaaaa", "zzzzzzz"));
  EXPECT_THAT(*CreateTableKeys("a", "c", 4), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*CreateTableKeys("a", "z", 100), SizeIs(99));
  EXPECT_THAT(CreateTableKeys("a", "z", 2).status().message(), HasSubstr("expected 3 to"));
  EXPECT_THAT(CreateTableKeys("z", "a", 3).status().message(), HasSubstr("an end above it"));
  EXPECT_FALSE(CreateTableKeys("", "z", 4).ok());
}

TEST(PresplitTest, ARegionForEachSaltBucket) {
  Layout wide = Salted();
  wide.salt_width = 2;

  EXPECT_THAT(*SaltKeys(Salted()), ElementsAre("\x01", "\x02", "\x03"));
  EXPECT_EQ(ToHex((*SaltKeys(wide))[2]), "0003");
  EXPECT_THAT(SaltKeys(Layout()).status().message(), HasSubstr("begin with a salt"));
  wide.fields = {RowField::kMetric, RowField::kSalt, RowField::kBaseTime, RowField::kTags};
  EXPECT_FALSE(SaltKeys(wide).ok());
}

TEST(PresplitTest, RowsOfABucketAreInItsRegion) {
  const Layout layout = Salted();
  const auto keys = SaltKeys(layout);
  ASSERT_TRUE(keys.ok());
  for (uint32_t bucket = 0; bucket < layout.salt_buckets; ++bucket) {
    std::string row;
    AppendSalt(layout, bucket, &row);

    EXPECT_EQ(RegionIndexOf(*keys, row), bucket);
    EXPECT_EQ(RegionIndexOf(*keys, row + "\xff\xff"), bucket);
  }
}

}  // namespace
}  // namespace hourcell::presplit_test
