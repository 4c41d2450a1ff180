#include "engine/regions/keys/prefix_distributor.h"

#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/lab/simulate/region_report.h"
#include "codec/base/bytes.h"
#include "codec/base/random.h"
#include "codec/rows/salt.h"
#include "engine/regions/presplit/presplit.h"
#include "tests/support/status_matchers.h"

namespace hourcell::prefix_distributor_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Long(uint64_t number) {
  std::string key;
  AppendBigEndian(number, 8, &key);
  return key;
}

std::string Encoded(const KeyDistributor& distributor, std::string_view key) {
  std::string stored;
  EXPECT_OK(distributor.Encode(key, &stored));
  return stored;
}

// "iwimanrr" has the Java hash -2^31. HBaseWD writes it to f8, which is outside of its 15 buckets.
TEST(SimpleHashTest, TheHashWithoutAbsoluteValueHasABucket) {
  const auto hash = MakeSimpleHash(15);
  ASSERT_OK(hash);
  ASSERT_EQ(JavaBytesHash("iwimanrr"), INT32_MIN);

  EXPECT_THAT((*hash)->BucketOf("iwimanrr"), IsOkAndHolds(8u));
  EXPECT_EQ(Encoded(**hash, "iwimanrr"), "\x08iwimanrr");
}

TEST(SimpleHashTest, BucketsAreThoseOfAByte) {
  EXPECT_OK(MakeSimpleHash(256));
  EXPECT_THAT(MakeSimpleHash(257).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("buckets, got 257")));
  EXPECT_FALSE(MakeSimpleHash(0).ok());
  EXPECT_FALSE(MakeXxh3(65'537).ok());
  EXPECT_FALSE(MakeTimeHash(257).ok());
  EXPECT_FALSE(MakeRoundRobin(0).ok());
  EXPECT_FALSE(MakePartition(1).ok());
}

TEST(PrefixDistributorTest, DecodeRefusesWhatNoBucketWrites) {
  std::string scratch;
  const auto hash = MakeSimpleHash(15);
  const auto md5 = MakeMd5FourHex();

  EXPECT_THAT((*hash)->Decode("", &scratch), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT((*hash)->Decode("\x0f", &scratch), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_THAT((*hash)->Decode("\x0ek", &scratch), IsOkAndHolds(std::string_view("k")));
  EXPECT_THAT(md5->Decode("9bf0-abc001", &scratch), IsOkAndHolds(std::string_view("abc001")));
  for (const char* stored : {"9bf0", "9bf0abc001", "9BF0-abc001", "9bg0-abc001"})
    EXPECT_THAT(md5->Decode(stored, &scratch), StatusIs(absl::StatusCode::kDataLoss)) << stored;
}

TEST(PrefixDistributorTest, AnOpenStopEndsAtTheNextBucket) {
  const auto range = (*MakeSimpleHash(3))->Intervals("k", "");

  ASSERT_OK(range);
  EXPECT_TRUE(range->is_exact);
  EXPECT_THAT(range->intervals,
              ElementsAre(BucketInterval{0, std::string("\0k", 2), "\x01"},
                          BucketInterval{1, "\x01k", "\x02"}, BucketInterval{2, "\x02k", ""}));
}

TEST(SeriesSaltTest, IsThatOfTheCodec) {
  Layout layout;
  layout.salt_width = 2;
  layout.salt_buckets = 300;
  const auto salt = MakeSeriesSalt(layout);
  ASSERT_OK(salt);
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    std::string metric;
    std::string base_time;
    std::string tags;
    AppendBigEndian(random.Below(5), 3, &metric);
    AppendBigEndian(random.Next(), 4, &base_time);
    AppendBigEndian(random.Next(), 6, &tags);
    std::string want;
    AppendSalt(layout, SaltBucket(layout, metric + tags), &want);

    EXPECT_EQ(Encoded(**salt, metric + base_time + tags), want + metric + base_time + tags);
  }
}

TEST(SeriesSaltTest, HoursOfASeriesShareABucketAndMetricZeroHasTheFirst) {
  Layout layout;
  layout.salt_width = 1;
  const auto salt = MakeSeriesSalt(layout);
  const std::string series_a("\0\0\1\x50\xe2\x27\0\0\0\1\0\0\1", 13);
  const std::string series_b("\0\0\1\x50\xe2\x35\x10\0\0\1\0\0\1", 13);

  EXPECT_EQ(*(*salt)->BucketOf(series_a), *(*salt)->BucketOf(series_b));
  EXPECT_THAT((*salt)->BucketOf(std::string("\0\0\0\x50\xe2\x27\0", 7)), IsOkAndHolds(0u));
  EXPECT_FALSE(MakeSeriesSalt(Layout()).ok());
  layout.fields = {RowField::kSalt, RowField::kBaseTime, RowField::kMetric, RowField::kTags};
  EXPECT_THAT(MakeSeriesSalt(layout).status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("salt, metric, base")));
}

TEST(Xxh3Test, TwoBytesFrom257BucketsOn) {
  EXPECT_EQ(Encoded(**MakeXxh3(256), "k").size(), 2u);
  EXPECT_EQ(Encoded(**MakeXxh3(257), "k").size(), 3u);
}

// Each bucket has its part of sequential keys, within 4 standard deviations of a fair die.
TEST(Xxh3Test, SpreadsSequentialKeys) {
  constexpr uint64_t kBuckets = 64;
  constexpr uint64_t kKeys = 64'000;
  const auto hash = MakeXxh3(kBuckets);
  std::vector<uint64_t> counts(kBuckets);
  for (uint64_t i = 0; i < kKeys; ++i)
    ++counts[*(*hash)->BucketOf(Long(i))];

  const double want = static_cast<double>(kKeys) / kBuckets;
  const double sigma = std::sqrt(want * (1 - 1.0 / kBuckets));
  for (const uint64_t count : counts)
    EXPECT_NEAR(static_cast<double>(count), want, 4 * sigma);
}

TEST(RoundRobinTest, TakesTurnsFromBucketZero) {
  const auto turns = MakeRoundRobin(3);

  EXPECT_EQ(Encoded(**turns, "a")[0], '\0');
  EXPECT_EQ(Encoded(**turns, "a")[0], '\1');
  EXPECT_EQ(Encoded(**turns, "a")[0], '\2');
  EXPECT_EQ(Encoded(**turns, "a")[0], '\0');
  EXPECT_THAT((*turns)->BucketOf("a"), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ((*turns)->Probes("a")->size(), 3u);
}

// Threads share the counter: no turn is lost, so the buckets are even to the row.
TEST(RoundRobinTest, ThreadsLoseNoTurn) {
  constexpr int kThreads = 4;
  constexpr int kWrites = 5000;
  const auto turns = MakeRoundRobin(8);
  std::vector<std::vector<uint64_t>> counts(kThreads, std::vector<uint64_t>(8));
  std::vector<std::thread> threads;
  for (std::vector<uint64_t>& own : counts) {
    threads.emplace_back([&turns, &own] {
      std::string stored;
      for (int i = 0; i < kWrites; ++i) {
        HOURCELL_CHECK((*turns)->Encode("k", &stored).ok());
        ++own[static_cast<size_t>(stored[0])];
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();

  for (size_t bucket = 0; bucket < 8; ++bucket) {
    uint64_t writes = 0;
    for (const std::vector<uint64_t>& own : counts)
      writes += own[bucket];
    EXPECT_EQ(writes, uint64_t{kThreads} * kWrites / 8);
  }
}

TEST(PartitionTest, RowsAreInTheRegionOfTheirPartition) {
  const auto partition = MakePartition(20);
  const auto keys = PartitionKeys(20);
  ASSERT_OK(keys);
  for (uint64_t id = 0; id < 100; ++id)
    EXPECT_EQ(RegionIndexOf(*keys, Encoded(**partition, Long(id))), id % 20);

  EXPECT_THAT((*partition)->BucketOf("short"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got a key of 5 bytes")));
  std::string stored;
  EXPECT_FALSE((*partition)->Encode("", &stored).ok());
}

TEST(Md5EightHexTest, HasTooManyBucketsToVisit) {
  const auto md5 = MakeMd5EightHex();

  EXPECT_EQ(md5->buckets(), uint64_t{1} << 32);
  EXPECT_THAT(md5->Intervals("", "").status(), StatusIs(absl::StatusCode::kFailedPrecondition,
                                                        HasSubstr("scan of the whole table")));
  EXPECT_EQ(md5->Probes("k")->size(), 1u);
}

}  // namespace
}  // namespace hourcell::prefix_distributor_test
