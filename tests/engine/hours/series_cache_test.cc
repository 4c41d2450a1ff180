#include "engine/hours/series_cache.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::series_cache_test {
namespace {

// A cache and the strings its test's spellings borrow.
class SeriesCacheTest : public testing::Test {
 protected:
  static Spelling Line(std::string_view metric, std::string_view tags) {
    return SpellingOf(LinePoint{.metric = metric, .tags = tags, .timestamp = {}, .value = {}});
  }

  CachedSeries Find(const Spelling& spelling) {
    CachedSeries found;
    cache_.FindAll({&spelling, 1}, {&found, 1});
    return found;
  }

  void Insert(const Spelling& spelling, SeriesNumber number) {
    cache_.Insert(spelling, {.number = number, .slot = 3}, cache_.epoch());
  }

  SeriesCache cache_{64 << 10};
};

TEST_F(SeriesCacheTest, FindsWhatWasInserted) {
  Insert(Line("cpu", "host=a dc=b"), 5);

  EXPECT_EQ(Find(Line("cpu", "host=a dc=b")), (CachedSeries{.number = 5, .slot = 3}));
  EXPECT_EQ(Find(Line("cpu", "dc=b host=a")).number, 0u);
  EXPECT_EQ(Find(Line("cpu ", "host=a dc=b")).number, 0u);
  EXPECT_EQ(Find(Line("cp", "uhost=a dc=b")).number, 0u);
  EXPECT_EQ(cache_.hits(), 1u);
  EXPECT_EQ(cache_.misses(), 3u);
}

TEST_F(SeriesCacheTest, TellsPointsInPartsApart) {
  std::deque<OwnedPoint> points;  // the spellings borrow from these
  const auto spell = [&points](std::string_view tags, std::string* bytes) {
    bytes->reserve(100);
    return SpellingOf(points.emplace_back("m", tags, 0, 0).view(), bytes);
  };
  std::string a;
  std::string b;
  Insert(spell("a=b c=d", &a), 1);
  EXPECT_EQ(Find(spell("a=b c=d", &b)).number, 1u);
  for (const char* other : {"a=bc d=e", "c=d a=b", "a=b"}) {
    std::string bytes;
    EXPECT_EQ(Find(spell(other, &bytes)).number, 0u) << other;
  }
}

TEST_F(SeriesCacheTest, ALineIsNeverAPointInParts) {
  OwnedPoint point("m", "a=b", 0, 0);
  std::string bytes;
  bytes.reserve(100);
  const Spelling parts = SpellingOf(point.view(), &bytes);
  Insert(parts, 1);
  // The same bytes, from a line that has zero bytes in it.
  EXPECT_EQ(Find(Line("m", parts.tail)).number, 0u);
  EXPECT_EQ(Find(Line("", std::string("m").append(parts.tail))).number, 0u);
}

TEST_F(SeriesCacheTest, AnotherInsertReplaces) {
  Insert(Line("m", "a=b"), 1);
  Insert(Line("m", "a=b"), 2);
  EXPECT_EQ(Find(Line("m", "a=b")).number, 2u);
  EXPECT_EQ(cache_.size(), 1u);
}

TEST_F(SeriesCacheTest, StaysBoundedAndKeepsWhatIsUsed) {
  Insert(Line("used", "a=b"), 1);
  for (int i = 0; i < 5000; ++i) {
    const std::string tags = "host=" + std::to_string(i);
    Insert(Line("m", tags), static_cast<SeriesNumber>(2 + i));
    ASSERT_EQ(Find(Line("used", "a=b")).number, 1u) << i;
    ASSERT_LE(cache_.bytes(), 65u << 10) << i;
  }
  EXPECT_GT(cache_.evictions(), 0u);
  EXPECT_EQ(Find(Line("m", "host=0")).number, 0u);
  EXPECT_EQ(Find(Line("m", "host=4999")).number, 5001u);
}

// Look-ups of other series wait meanwhile.
TEST_F(SeriesCacheTest, AnInsertIntoAFullCacheGoesAFewCellsOnly) {
  SeriesCache cache(2 << 20);
  uint64_t evictions_max = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string tags = "host=" + std::to_string(i);
    const Spelling spelling = Line("m", tags);
    const uint64_t before = cache.evictions();
    cache.Insert(spelling, {.number = 1 + static_cast<SeriesNumber>(i), .slot = 0}, cache.epoch());
    evictions_max = std::max(evictions_max, cache.evictions() - before);
    CachedSeries found;
    cache.FindAll({&spelling, 1}, {&found, 1});         // so the hand spares it once
    ASSERT_LE(cache.bytes(), (2u << 20) / 8 * 9) << i;  // its tables may just have doubled
  }
  EXPECT_LE(cache.bytes(), 2u << 20);
  EXPECT_GT(cache.evictions(), 1000u);
  EXPECT_LE(evictions_max, 64u);
  EXPECT_LE(cache.longest_turn(), 64u);
}

TEST_F(SeriesCacheTest, StaysBoundedWhereAllIsFoundAgain) {
  std::vector<std::string> tags;
  tags.reserve(2000);
  std::vector<Spelling> spellings;
  for (size_t i = 0; i < 2000; ++i) {
    spellings.push_back(Line("m", tags.emplace_back("host=" + std::to_string(i))));
    Insert(spellings.back(), i + 1);
    std::vector<CachedSeries> found(spellings.size());
    cache_.FindAll(spellings, found);
    ASSERT_LE(cache_.bytes(), 65u << 10) << i;
  }
  EXPECT_GT(cache_.size(), 500u);
}

// A sender sends many metrics with the same tags.
TEST_F(SeriesCacheTest, MetricsOfAHostKeepItsTagsOnce) {
  const std::string tags = "host=" + std::string(500, 'a');
  Insert(Line("cpu.user", tags), 1);
  const size_t bytes_of_one = cache_.bytes();
  Insert(Line("cpu.system", tags), 2);
  EXPECT_LE(cache_.bytes(), bytes_of_one + 250);
  EXPECT_EQ(Find(Line("cpu.user", tags)).number, 1u);
  EXPECT_EQ(Find(Line("cpu.system", tags)).number, 2u);

  cache_.Forget([](SeriesNumber number) { return number == 1; });
  EXPECT_EQ(Find(Line("cpu.user", tags)).number, 0u);
  EXPECT_EQ(Find(Line("cpu.system", tags)).number, 2u);
}

TEST_F(SeriesCacheTest, InsertsManyAtOnce) {
  std::vector<std::string> tags;
  tags.reserve(200);
  std::vector<Spelling> spellings;
  std::vector<CachedSeries> series;
  for (uint32_t i = 0; i < 200; ++i) {
    spellings.push_back(Line("m", tags.emplace_back("host=" + std::to_string(i))));
    series.push_back({.number = i + 1, .slot = i});
  }
  cache_.InsertAll(spellings, series, cache_.epoch());
  std::vector<CachedSeries> found(spellings.size());
  cache_.FindAll(spellings, found);
  EXPECT_EQ(found, series);
  cache_.Clear();
  cache_.InsertAll(spellings, series, cache_.epoch() - 1);
  EXPECT_EQ(cache_.size(), 0u);
}

TEST_F(SeriesCacheTest, EveryEntryIsFoundWhileItGrows) {
  SeriesCache cache(64 << 20);
  std::vector<std::string> tags;
  for (int i = 0; i < 20'000; ++i)
    tags.push_back("host=" + std::to_string(i));
  std::vector<Spelling> spellings;
  for (size_t i = 0; i < tags.size(); ++i) {
    spellings.push_back(Line("m", tags[i]));
    cache.Insert(spellings[i], {.number = i + 1, .slot = 0}, cache.epoch());
  }
  std::vector<CachedSeries> found(spellings.size());
  cache.FindAll(spellings, found);
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_EQ(found[i].number, i + 1);
}

TEST_F(SeriesCacheTest, ClearForgetsAndDropsInsertsOfAnOlderEpoch) {
  const uint64_t before = cache_.epoch();
  Insert(Line("m", "a=b"), 1);

  cache_.Clear();
  EXPECT_EQ(Find(Line("m", "a=b")).number, 0u);
  EXPECT_EQ(cache_.bytes(), 0u);

  cache_.Insert(Line("stale", "a=b"), {.number = 1, .slot = 0}, before);
  EXPECT_EQ(Find(Line("stale", "a=b")).number, 0u);
}

// Chains that wrap around, and gaps that others move into.
TEST_F(SeriesCacheTest, ForgetsThoseSeriesAndNoOthers) {
  std::vector<std::string> tags;
  for (int i = 0; i < 600; ++i)
    tags.push_back("host=" + std::to_string(i));
  for (size_t i = 0; i < tags.size(); ++i)
    Insert(Line("cpu", tags[i]), i + 1);
  const uint64_t epoch = cache_.epoch();

  cache_.Forget([](SeriesNumber number) { return number % 3 != 0; });

  EXPECT_EQ(cache_.size(), 200u);
  for (size_t i = 0; i < tags.size(); ++i)
    EXPECT_EQ(Find(Line("cpu", tags[i])).number, (i + 1) % 3 == 0 ? i + 1 : 0);
  cache_.Insert(Line("cpu", tags[0]), {.number = 1, .slot = 3}, epoch);
  EXPECT_EQ(Find(Line("cpu", tags[0])).number, 0u) << "was looked up before";
}

}  // namespace
}  // namespace hourcell::series_cache_test
