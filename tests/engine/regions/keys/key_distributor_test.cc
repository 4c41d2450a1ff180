#include "engine/regions/keys/key_distributor.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/bytes.h"
#include "codec/base/check.h"
#include "codec/base/random.h"
#include "engine/regions/keys/distributor_spec.h"
#include "tests/support/status_matchers.h"

namespace hourcell::key_distributor_test {
namespace {

Layout Salted() {
  Layout layout;
  layout.salt_width = 1;
  layout.salt_buckets = 20;
  return layout;
}

// Every distributor, and some of the numbers it may have.
const std::vector<std::string> kSpecs = {
    "none",
    "series-salt",
    "simple-hash:15",
    "simple-hash:256",
    "xxh3:1",
    "xxh3:64",
    "xxh3:300",
    "md5-4hex",
    "md5-8hex",
    "time-hash:4",
    "round-robin:4",
    "partition:20",
    "reversed",
    "reversed-time:0",
    "reversed-time:3",
    "cyclic:period=44d,slot=1d,ttl=30d,major=7d",
    "cyclic:period=100s,slot=10s,ttl=10s,major=10s",
};

class KeyDistributorTest : public testing::TestWithParam<std::string> {
 protected:
  KeyDistributorTest() {
    auto made = MakeKeyDistributor(GetParam(), Salted());
    HOURCELL_CHECK(made.ok());
    distributor_ = *std::move(made);
  }

  // Distributors with a number or a time in the key want it whole.
  size_t KeyBytesMin() const {
    const std::string& spec = GetParam();
    if (spec == "reversed-time:3") return 11;
    const bool wants_number = spec.starts_with("time-hash") || spec.starts_with("partition") ||
                              spec.starts_with("reversed-time") || spec.starts_with("cyclic");
    return wants_number ? 8 : 0;
  }

  // Bytes of a small alphabet, so that keys share prefixes, are equal and sit at the edges of
  // bytes. Times are small, or around a common one.
  std::string RandomKey(Random* random) const {
    std::string key;
    if (KeyBytesMin() >= 8) {
      for (size_t i = KeyBytesMin(); i > 8; --i)
        key.push_back(static_cast<char>(random->Below(2)));
      AppendBigEndian(
          random->Below(2) == 0 ? random->Below(5) : 1'400'000'000'000 + random->Below(400'000'000),
          8, &key);
    }
    const char alphabet[] = {'\0', '\x01', 'a', '\x7f', '\x80', '\xff'};
    for (uint64_t i = random->Below(5); i > 0; --i)
      key.push_back(alphabet[random->Below(sizeof(alphabet))]);
    return key;
  }

  std::unique_ptr<KeyDistributor> distributor_;
};

INSTANTIATE_TEST_SUITE_P(All,
                         KeyDistributorTest,
                         testing::ValuesIn(kSpecs),
                         [](const testing::TestParamInfo<std::string>& row) {
                           std::string name = row.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST_P(KeyDistributorTest, SpecMakesTheSame) {
  const auto again = MakeKeyDistributor(distributor_->Spec(), Salted());

  ASSERT_OK(again);
  EXPECT_EQ((*again)->Spec(), distributor_->Spec());
  EXPECT_EQ((*again)->buckets(), distributor_->buckets());
}

TEST_P(KeyDistributorTest, DecodeGivesBackTheKey) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    // The first key is the shortest there is: empty, for most.
    const std::string key = seed == 1 ? std::string(KeyBytesMin(), '\0') : RandomKey(&random);
    std::string stored;
    std::string scratch;

    ASSERT_OK(distributor_->Encode(key, &stored));
    EXPECT_THAT(distributor_->Decode(stored, &scratch), IsOkAndHolds(std::string_view(key)));
  }
}

TEST_P(KeyDistributorTest, ADeterministicBucketIsThatOfTheStoredKey) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::string key = RandomKey(&random);
    const auto bucket = distributor_->BucketOf(key);
    ASSERT_EQ(bucket.ok(), distributor_->is_deterministic()) << bucket.status();
    std::string stored;
    ASSERT_OK(distributor_->Encode(key, &stored));
    const auto probes = distributor_->Probes(key);
    ASSERT_OK(probes);

    EXPECT_EQ(std::count(probes->begin(), probes->end(), stored), 1);
    EXPECT_EQ(probes->size(), distributor_->is_deterministic() ? 1 : distributor_->buckets());
    if (!bucket.ok() || distributor_->buckets() > 1000) continue;
    ASSERT_LT(*bucket, distributor_->buckets());
    const auto all = distributor_->AllKeys(key);
    ASSERT_OK(all);
    ASSERT_EQ(all->size(), distributor_->buckets());
    EXPECT_EQ((*all)[*bucket], stored);
  }
}

// How many of the intervals hold a stored key.
size_t HoldersOf(const DistributedRange& range, std::string_view stored) {
  return static_cast<size_t>(
      std::count_if(range.intervals.begin(), range.intervals.end(), [&](const auto& interval) {
        return stored >= interval.start && (interval.stop.empty() || stored < interval.stop);
      }));
}

// A stored key of the range is in one interval, any other key in none, or in one at most if the
// intervals are not exact.
TEST_P(KeyDistributorTest, IntervalsCoverEachKeyOfARangeOnce) {
  if (distributor_->buckets() > kBucketsVisitedMax) {
    EXPECT_THAT(distributor_->Intervals("", ""), StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(distributor_->AllKeys("k"), StatusIs(absl::StatusCode::kFailedPrecondition));
    return;
  }
  const uint64_t ranges = distributor_->buckets() > 1000 ? 4 : 400;
  for (uint64_t seed = 1; seed <= ranges; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    // Also bounds that are cut short, or open.
    std::string start = RandomKey(&random);
    std::string stop = RandomKey(&random);
    if (random.Below(2) == 0) start.resize(random.Below(start.size() + 1));
    if (random.Below(2) == 0) stop.resize(random.Below(stop.size() + 1));
    const auto range = distributor_->Intervals(start, stop);
    ASSERT_OK(range);

    for (int i = 0; i < 40; ++i) {
      const std::string key = i == 0 && start.size() >= KeyBytesMin() ? start : RandomKey(&random);
      std::string stored;
      ASSERT_OK(distributor_->Encode(key, &stored));
      const bool is_inside = key >= start && (stop.empty() || key < stop);
      const size_t holders = HoldersOf(*range, stored);
      if (is_inside) {
        EXPECT_EQ(holders, 1u) << ToHex(key) << " of " << ToHex(start) << " " << ToHex(stop);
      } else {
        EXPECT_LE(holders, range->is_exact ? 0u : 1u)
            << ToHex(key) << " of " << ToHex(start) << " " << ToHex(stop);
      }
    }
  }
}

// Inside an interval the original keys are in the order that is promised.
TEST_P(KeyDistributorTest, IntervalsKeepTheOrder) {
  if (distributor_->buckets() > 1000 || distributor_->order() == KeyOrder::kNone) return;
  Random random(1);
  std::set<std::string> stored_keys;
  for (int i = 0; i < 500; ++i) {
    std::string stored;
    ASSERT_OK(distributor_->Encode(RandomKey(&random), &stored));
    stored_keys.insert(stored);
  }
  const auto range = distributor_->Intervals("", "");
  ASSERT_OK(range);
  for (const BucketInterval& interval : range->intervals) {
    std::string before;
    bool is_first = true;
    for (auto it = stored_keys.lower_bound(interval.start);
         it != stored_keys.end() && (interval.stop.empty() || *it < interval.stop); ++it) {
      std::string scratch;
      const std::string key(*distributor_->Decode(*it, &scratch));
      if (!is_first && distributor_->order() == KeyOrder::kAscending) {
        EXPECT_LT(before, key);
      }
      if (!is_first && GetParam() == "reversed-time:0") {
        EXPECT_GE(before.substr(0, 8), key.substr(0, 8));
      }
      before = key;
      is_first = false;
    }
  }
}

TEST_P(KeyDistributorTest, AnEmptyRangeHasNoInterval) {
  if (distributor_->buckets() > kBucketsVisitedMax) return;
  const std::string key = "0123456789ab";

  EXPECT_TRUE(distributor_->Intervals(key, key)->intervals.empty());
  EXPECT_TRUE(distributor_->Intervals(key, "0")->intervals.empty());
}

TEST(IsEmptyRangeTest, AnOpenEndIsNone) {
  EXPECT_FALSE(IsEmptyRange("", ""));
  EXPECT_FALSE(IsEmptyRange("z", ""));
  EXPECT_TRUE(IsEmptyRange("z", "a"));
  EXPECT_TRUE(IsEmptyRange("a", "a"));
  EXPECT_FALSE(IsEmptyRange("", "a"));
}

}  // namespace
}  // namespace hourcell::key_distributor_test
