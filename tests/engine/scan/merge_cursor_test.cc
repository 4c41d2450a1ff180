#include "engine/scan/merge_cursor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/random.h"

namespace hourcell::merge_cursor_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

// Rows in a vector. Next() overwrites the bytes of the key before, as an iterator over blocks does.
class ListSource {
 public:
  explicit ListSource(std::vector<std::string> keys) : keys_(std::move(keys)) { Load(); }
  bool Valid() const { return at_ < keys_.size(); }
  std::string_view key() const { return key_; }
  void Next() {
    std::fill(key_.begin(), key_.end(), '#');
    ++at_;
    Load();
  }

 private:
  void Load() {
    if (Valid()) key_ = keys_[at_];
  }
  std::vector<std::string> keys_;
  std::string key_;
  size_t at_ = 0;
};

using Rows = std::vector<std::pair<std::string, size_t>>;

Rows Merged(const std::vector<std::vector<std::string>>& buckets,
            const MergeOptions& options = {}) {
  std::vector<ListSource> sources(buckets.begin(), buckets.end());
  Rows rows;
  for (MergeCursor<ListSource> cursor(sources, options); cursor.Valid(); cursor.Next())
    rows.emplace_back(cursor.key(), cursor.bucket());
  return rows;
}

// The expected result: everything sorted, the lower bucket first.
Rows Sorted(const std::vector<std::vector<std::string>>& buckets) {
  Rows rows;
  for (size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    for (const std::string& key : buckets[bucket])
      rows.emplace_back(key, bucket);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(MergeCursorTest, EqualKeysComeLowerBucketFirst) {
  EXPECT_THAT(Merged({{"a", "b"}, {"a", "c"}, {}}),
              ElementsAre(Pair("a", 0), Pair("a", 1), Pair("b", 0), Pair("c", 1)));
  EXPECT_THAT(Merged({{"b"}, {"a", "a"}, {"a"}}),
              ElementsAre(Pair("a", 1), Pair("a", 1), Pair("a", 2), Pair("b", 0)));
}

TEST(MergeCursorTest, NothingIsNothing) {
  EXPECT_THAT(Merged({}), IsEmpty());
  EXPECT_THAT(Merged({{}, {}, {}}), IsEmpty());
  EXPECT_THAT(Merged({{""}, {}, {""}}), ElementsAre(Pair("", 0), Pair("", 2)));
}

TEST(MergeCursorTest, APrefixIsNotCompared) {
  const std::vector<std::vector<std::string>> buckets = {
      {"\x09z", "\x09zz"}, {}, {"\x02y", "\x02zy"}};

  EXPECT_THAT(Merged(buckets, {.prefix_bytes = 1}),
              ElementsAre(Pair("y", 2), Pair("z", 0), Pair("zy", 2), Pair("zz", 0)));
}

TEST(MergeCursorTest, EndsAtItsLimit) {
  EXPECT_THAT(Merged({{"a", "c"}, {"b"}}, {.rows_max = 2}),
              ElementsAre(Pair("a", 0), Pair("b", 1)));
  EXPECT_THAT(Merged({{"a", "c"}, {"b"}}, {.rows_max = 0}), IsEmpty());
}

TEST(MergeCursorTest, SaysWhereItStands) {
  std::vector<ListSource> sources = {ListSource({"b"}), ListSource({"a"})};
  MergeCursor<ListSource> cursor(sources, {});

  EXPECT_EQ(&cursor.source(), &sources[1]);
  EXPECT_EQ(cursor.rows(), 0u);
  cursor.Next();
  EXPECT_EQ(&cursor.source(), &sources[0]);
  EXPECT_EQ(cursor.rows(), 1u);
  cursor.Next();
  EXPECT_FALSE(cursor.Valid());
}

// Keys of few different bytes and any length: prefixes of each other, zero bytes, long common
// parts, many equal ones.
TEST(MergeCursorTest, MergesAsSortingDoes) {
  for (uint64_t seed = 1; seed <= 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const char alphabet[] = {'\0', '\x01', '\xff', 'a'};
    const uint64_t letters = 1 + random.Below(4);
    const std::string common(random.Below(20), 'c');
    std::vector<std::vector<std::string>> buckets(random.Below(24));
    for (std::vector<std::string>& keys : buckets) {
      keys.resize(random.Below(20));
      for (std::string& key : keys) {
        key = common;
        for (uint64_t i = random.Below(12); i > 0; --i)
          key.push_back(alphabet[random.Below(letters)]);
      }
      std::sort(keys.begin(), keys.end());
    }

    ASSERT_EQ(Merged(buckets), Sorted(buckets));
  }
}

// Row keys as they are: one metric, ascending hours, series of 20 buckets.
TEST(MergeCursorTest, MergesSaltedRows) {
  Random random(1);
  std::vector<std::vector<std::string>> buckets(20);
  for (int hour = 0; hour < 24; ++hour) {
    for (int series = 0; series < 200; ++series)
      buckets[random.Below(20)].push_back(fmt::format("metric{:08}tags{:06}", hour, series));
  }

  EXPECT_EQ(Merged(buckets), Sorted(buckets));
}

TEST(SharedBytesTest, CountsFromEveryOffset) {
  for (size_t size = 0; size < 40; ++size) {
    const std::string a(size, 'k');
    EXPECT_EQ(SharedBytes(a, a), size);
    EXPECT_EQ(SharedBytes(a, a + "x"), size);
    for (size_t at = 0; at < size; ++at) {
      std::string b = a;
      b[at] = '\xff';
      EXPECT_EQ(SharedBytes(a, b), at);
      EXPECT_EQ(SharedBytes(b + "tail", a), at);
    }
  }
}

}  // namespace
}  // namespace hourcell::merge_cursor_test
