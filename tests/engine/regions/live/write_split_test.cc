#include "engine/regions/live/write_split.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/rows/row_key.h"

namespace hourcell::write_split_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint32_t kHour = 1'357'000'000 / 3'600 * 3'600;
constexpr uint32_t kDayS = 24 * 3'600;

std::string Uid(int i) {
  return {'\0', '\0', static_cast<char>(i)};
}

// Series `host` of a metric.
std::string Key(const RowKeyCodec& row_keys, int metric, int host, uint32_t base_s = kHour) {
  std::string key;
  row_keys.Append(Uid(metric) + Uid(1) + Uid(host), base_s, &key);
  return key;
}

std::vector<SampledWrite> Sorted(const std::set<std::string>& keys) {
  std::vector<SampledWrite> writes;
  for (const std::string& key : keys)
    writes.push_back({.key = key});
  return writes;
}

Layout SaltedLayout() {
  Layout layout;
  layout.salt_width = 1;
  layout.salt_buckets = 8;
  return layout;
}

Layout TimeFirstLayout() {
  Layout layout;
  layout.fields = {RowField::kSalt, RowField::kBaseTime, RowField::kMetric, RowField::kTags};
  return layout;
}

class WriteSplitTest : public testing::Test {
 protected:
  WriteSplit Find(const std::vector<SampledWrite>& writes, const RowKeyCodec& row_keys) {
    return FindWriteSplit(range_, restriction_, row_keys, writes,
                          ADayLater(row_keys, range_, writes));
  }

  RegionRange range_;
  SplitRestriction restriction_;
  const RowKeyCodec plain_{Layout()};
};

TEST_F(WriteSplitTest, CutsBetweenTheMetricsThatHalveTheWrites) {
  std::set<std::string> keys;
  for (int metric = 1; metric <= 4; ++metric)
    for (int host = 1; host <= 5; ++host)
      keys.insert(Key(plain_, metric, host));
  // Without the time: it holds for all hours.
  EXPECT_EQ(ToHex(Find(Sorted(keys), plain_).key), "000003");
}

TEST_F(WriteSplitTest, WeighsTheWrites) {
  std::vector<SampledWrite> writes;
  for (int metric = 1; metric <= 4; ++metric)
    writes.push_back({.key = Key(plain_, metric, 1), .weight = metric == 1 ? 3.0 : 1.0});
  EXPECT_EQ(ToHex(Find(writes, plain_).key), "000002");
  const std::vector<SampledWrite> later = ADayLater(plain_, range_, writes);
  EXPECT_DOUBLE_EQ(ShareIn({.start = "", .end = Uid(2)}, later), 0.5);
  EXPECT_DOUBLE_EQ(ShareIn({.start = Uid(4), .end = ""}, later), 1.0 / 6);
  EXPECT_DOUBLE_EQ(ShareIn({}, {}), 0);
}

TEST_F(WriteSplitTest, ASaltDividesOneMetric) {
  const RowKeyCodec salted(SaltedLayout());
  std::set<std::string> keys;
  for (int host = 1; host <= 100; ++host)
    keys.insert(Key(salted, 1, host));
  const std::string key = Find(Sorted(keys), salted).key;
  ASSERT_THAT(key, SizeIs(1)) << ToHex(key);  // a bucket
  const double share = ShareIn({.start = key, .end = ""}, ADayLater(salted, range_, Sorted(keys)));
  EXPECT_GT(share, 0.3);
  EXPECT_LT(share, 0.7);
}

TEST_F(WriteSplitTest, OneMetricIsNotDividedByThePlacesOfOneHour) {
  std::set<std::string> keys;
  for (int host = 1; host <= 100; ++host)
    keys.insert(Key(plain_, 1, host, kHour + (host % 2 == 0 ? 3'600 : 0)));
  const WriteSplit split = Find(Sorted(keys), plain_);
  EXPECT_THAT(split.key, IsEmpty());
  EXPECT_THAT(split.reason, HasSubstr("a salt would divide them"));
}

TEST_F(WriteSplitTest, NoKeyDividesWhereTimeIsFirst) {
  const RowKeyCodec time_first(TimeFirstLayout());
  std::set<std::string> keys;
  for (int metric = 1; metric <= 50; ++metric)
    keys.insert(Key(time_first, metric, 1));
  EXPECT_THAT(Find(Sorted(keys), time_first).reason, HasSubstr("a salt would divide them"));
}

TEST_F(WriteSplitTest, OneBucketWithOneMetricNeedsMoreBuckets) {
  const RowKeyCodec salted(SaltedLayout());
  std::set<std::string> keys;
  for (int host = 1; host <= 200; ++host) {
    const std::string key = Key(salted, 1, host);
    if (key[0] == '\3') keys.insert(key);
  }
  ASSERT_GT(keys.size(), 5u);
  EXPECT_THAT(Find(Sorted(keys), salted).reason, HasSubstr("more buckets would divide them"));
}

TEST_F(WriteSplitTest, NothingDividesOneSeries) {
  const RowKeyCodec salted(SaltedLayout());
  std::vector<SampledWrite> writes = {{.key = Key(salted, 1, 1), .weight = 95},
                                      {.key = Key(salted, 2, 2), .weight = 5}};
  std::ranges::sort(writes, {}, &SampledWrite::key);
  EXPECT_THAT(Find(writes, salted).reason, HasSubstr("neither a key nor a salt divides it"));
  writes = {{.key = Key(plain_, 1, 1)}};
  EXPECT_THAT(Find(writes, plain_).reason, HasSubstr("neither a key nor a salt divides it"));
}

TEST_F(WriteSplitTest, SaysThatNothingWasSampled) {
  EXPECT_THAT(Find({}, plain_).reason, HasSubstr("no writes to the region were sampled"));
}

TEST_F(WriteSplitTest, LeavesOutWritesThatGoToOtherRegions) {
  range_.end = Key(plain_, 1, 1, kHour + 3'600);
  const auto writes =
      std::vector<SampledWrite>{{.key = Key(plain_, 1, 1)}, {.key = Key(plain_, 1, 2)}};
  EXPECT_THAT(ADayLater(plain_, range_, writes), IsEmpty());
  EXPECT_THAT(Find(writes, plain_).reason, HasSubstr("go to other regions"));
}

TEST_F(WriteSplitTest, MovesEachWriteByADay) {
  const std::vector<SampledWrite> writes = {{.key = "short"},
                                            {.key = Key(plain_, 1, 1), .weight = 2},
                                            {.key = Key(plain_, 2, 1, UINT32_MAX / 3'600 * 3'600)}};
  EXPECT_THAT(ADayLater(plain_, range_, writes),
              ElementsAre(SampledWrite{Key(plain_, 1, 1, kHour + kDayS), 2}));
}

TEST_F(WriteSplitTest, ObeysTheRestriction) {
  std::set<std::string> keys;
  for (int metric = 1; metric <= 4; ++metric)
    keys.insert(Key(plain_, metric, 1));
  restriction_ = {.kind = RestrictionKind::kKeyPrefix, .prefix_length = 2};
  const WriteSplit split = Find(Sorted(keys), plain_);
  EXPECT_THAT(split.key, IsEmpty());
  EXPECT_THAT(split.reason, HasSubstr("split.restriction allows no key"));
}

TEST_F(WriteSplitTest, NeverCutsAtTheStart) {
  // Both metrics are in the region, one of them from its start on.
  range_.start = Uid(2);
  std::set<std::string> keys = {Key(plain_, 2, 1), Key(plain_, 3, 1)};
  EXPECT_EQ(Find(Sorted(keys), plain_).key, Uid(3));
}

}  // namespace
}  // namespace hourcell::write_split_test
