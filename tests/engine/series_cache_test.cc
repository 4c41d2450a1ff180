#include "engine/series_cache.h"

#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell {
namespace {

std::string KeyOf(std::string_view tags) {
  OwnedPoint point("m", tags, 0, 0);
  std::string key;
  SeriesCache::MakeKey(point.view(), &key);
  return key;
}

TEST(SeriesCacheTest, KeysTellPointsApart) {
  EXPECT_NE(KeyOf("a=b c=d"), KeyOf("a=bc d=e"));
  EXPECT_NE(KeyOf("a=b c=d"), KeyOf("c=d a=b"));
  EXPECT_EQ(KeyOf("a=b"), KeyOf("a=b"));
}

TEST(SeriesCacheTest, FindsWhatWasInserted) {
  SeriesCache cache(/*series_max=*/10);
  cache.Insert("k", {.number = 5, .tsuid = "t"}, cache.epoch());

  SeriesRef ref;
  EXPECT_TRUE(cache.Find("k", &ref));
  EXPECT_EQ(ref, (SeriesRef{.number = 5, .tsuid = "t"}));
  EXPECT_FALSE(cache.Find("other", &ref));
  EXPECT_EQ(cache.hits(), 1u);
  EXPECT_EQ(cache.misses(), 1u);
}

TEST(SeriesCacheTest, StaysBoundedAndKeepsWhatIsUsed) {
  SeriesCache cache(/*series_max=*/10);
  SeriesRef ref;
  cache.Insert("used", {.number = 1, .tsuid = "t"}, cache.epoch());

  for (int i = 0; i < 100; ++i) {
    cache.Insert(std::to_string(i), {.number = 2, .tsuid = "t"}, cache.epoch());
    EXPECT_TRUE(cache.Find("used", &ref)) << i;
  }

  EXPECT_LE(cache.size(), 12u);
  EXPECT_FALSE(cache.Find("0", &ref));
}

TEST(SeriesCacheTest, DropsInsertsOfAnOlderEpoch) {
  SeriesCache cache(/*series_max=*/10);
  const uint64_t before = cache.epoch();

  cache.Clear();
  cache.Insert("stale", {.number = 1, .tsuid = "t"}, before);

  SeriesRef ref;
  EXPECT_FALSE(cache.Find("stale", &ref));
}

}  // namespace
}  // namespace hourcell
