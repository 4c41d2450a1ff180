#include "engine/regions/keys/time_distributor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "tests/support/status_matchers.h"

namespace hourcell::time_distributor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr uint64_t kDayS = 86'400;

std::string Time(uint64_t ms) {
  std::string key;
  AppendBigEndian(ms, 8, &key);
  return key;
}

std::string Encoded(const KeyDistributor& distributor, std::string_view key) {
  std::string stored;
  EXPECT_OK(distributor.Encode(key, &stored));
  return stored;
}

std::vector<uint64_t> BucketsOf(const DistributedRange& range) {
  std::vector<uint64_t> buckets;
  for (const BucketInterval& interval : range.intervals)
    buckets.push_back(interval.bucket);
  return buckets;
}

TEST(ReversedTest, RangesAreLost) {
  const auto reversed = MakeReversed();

  EXPECT_EQ(Encoded(*reversed, "15800000001"), "10000000851");
  EXPECT_FALSE(reversed->Intervals("a", "b")->is_exact);
  EXPECT_TRUE(reversed->Intervals("", "")->is_exact);
}

TEST(ReversedTimeTest, TheNewestComesFirst) {
  const auto reversed = MakeReversedTime(2);
  ASSERT_OK(reversed);
  const std::string older = Encoded(**reversed, "k1" + Time(1000) + "x");
  const std::string newer = Encoded(**reversed, "k1" + Time(1001) + "a");

  EXPECT_LT(newer, older);
  EXPECT_EQ(older.substr(0, 2), "k1");
  EXPECT_EQ(older.back(), 'x');
}

TEST(ReversedTimeTest, ARangeOfOneSeriesIsOneExactInterval) {
  const auto reversed = MakeReversedTime(1);
  const auto range = (*reversed)->Intervals("k" + Time(10), "k" + Time(20));

  ASSERT_OK(range);
  EXPECT_TRUE(range->is_exact);
  // From the last instant before 20 to 10, both included.
  EXPECT_THAT(range->intervals, ElementsAre(BucketInterval{0, "k" + Time(ReverseTime(19)),
                                                           "k" + Time(ReverseTime(10) + 1)}));
}

TEST(ReversedTimeTest, RefusesKeysWithoutATime) {
  const auto reversed = MakeReversedTime(3);
  std::string stored;

  EXPECT_THAT((*reversed)->Encode("abc1234567", &stored),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("after byte 3")));
  EXPECT_FALSE((*reversed)->Encode("abc" + Time(kReversedTimeMax + 1), &stored).ok());
  EXPECT_OK((*reversed)->Encode("abc" + Time(kReversedTimeMax), &stored));
  EXPECT_THAT((*reversed)->Decode("abc", &stored), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_FALSE(MakeReversedTime(40'000).ok());
}

TEST(CheckCycleTest, HoldsTheRule) {
  const CycleOptions just = {
      .period_s = 44 * kDayS, .slot_s = kDayS, .ttl_s = 30 * kDayS, .lsm_compaction_s = 7 * kDayS};
  CycleOptions short_one = just;
  short_one.period_s -= 1;
  CycleOptions huge = just;
  huge.ttl_s = UINT64_MAX;

  EXPECT_OK(CheckCycle(just));
  EXPECT_THAT(CheckCycle(short_one),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected at least 3801600 s, got a period of 3801599 s: TTL "
                                 "2592000 s + 2 x 604800 s")));
  EXPECT_FALSE(CheckCycle(huge).ok());
}

TEST(CyclicTest, RefusesAnUnsafePeriodAndOddSlots) {
  const CycleOptions good = {.period_s = 100, .slot_s = 10, .ttl_s = 60, .lsm_compaction_s = 20};
  EXPECT_OK(MakeCyclic(good));
  const auto message = [](CycleOptions options) {
    return std::string(MakeCyclic(options).status().message());
  };

  EXPECT_THAT(message({.period_s = 90, .slot_s = 10, .ttl_s = 60, .lsm_compaction_s = 20}),
              HasSubstr("expected at least 100 s"));
  EXPECT_THAT(message({.period_s = 100, .slot_s = 0}), HasSubstr("expected a divisor"));
  EXPECT_THAT(message({.period_s = 100, .slot_s = 30}), HasSubstr("expected a divisor"));
  EXPECT_THAT(message({.period_s = 100, .slot_s = 100}), HasSubstr("slots, got 1"));
  EXPECT_THAT(message({.period_s = 100'000, .slot_s = 1}), HasSubstr("expected 2 to 65536"));
}

TEST(CyclicTest, LapsShareASlotAndAreToldApart) {
  const auto cyclic =
      MakeCyclic({.period_s = 100, .slot_s = 10, .ttl_s = 60, .lsm_compaction_s = 20});
  const std::string lap_0 = Encoded(**cyclic, Time(25'000) + "k");
  const std::string lap_1 = Encoded(**cyclic, Time(125'000) + "k");
  const auto range = (*cyclic)->Intervals(Time(120'000), Time(130'000));

  EXPECT_EQ(ToHex(lap_0.substr(0, 2)), "0002");
  EXPECT_EQ(lap_0.substr(0, 2), lap_1.substr(0, 2));
  ASSERT_THAT(range->intervals, SizeIs(1));
  EXPECT_LT(lap_0, range->intervals[0].start);
  EXPECT_GE(lap_1, range->intervals[0].start);
  EXPECT_LT(lap_1, range->intervals[0].stop);
}

TEST(CyclicTest, ARangeVisitsItsSlotsInOrderOfTime) {
  const auto cyclic =
      MakeCyclic({.period_s = 100, .slot_s = 10, .ttl_s = 60, .lsm_compaction_s = 20});
  const auto buckets = [&](const std::string& start, const std::string& stop) {
    return BucketsOf(*(*cyclic)->Intervals(start, stop));
  };

  EXPECT_THAT(buckets(Time(80'000), Time(110'000)), ElementsAre(8u, 9u, 0u));
  EXPECT_THAT(buckets(Time(80'000), Time(110'000) + "k"), ElementsAre(8u, 9u, 0u, 1u));
  EXPECT_THAT(buckets(Time(85'000), Time(85'001)), ElementsAre(8u));
  EXPECT_THAT(buckets(Time(0), Time(1'000'000)), SizeIs(10));
  EXPECT_THAT(buckets(Time(85'000), ""), SizeIs(10));
  EXPECT_THAT(buckets("", Time(0)), IsEmpty());
}

TEST(CyclicTest, SpecSaysItInSeconds) {
  const auto cyclic =
      MakeCyclic({.period_s = 100, .slot_s = 10, .ttl_s = 60, .lsm_compaction_s = 20});

  EXPECT_EQ((*cyclic)->Spec(), "cyclic:period=100s,slot=10s,ttl=60s,major=20s");
}

}  // namespace
}  // namespace hourcell::time_distributor_test
