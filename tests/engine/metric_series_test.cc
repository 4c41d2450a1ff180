#include "engine/metric_series.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class MetricSeriesTest : public testing::Test {
 protected:
  MetricSeriesTest() {
    uids_ = *UidDirectory::Open({.layout = layout_}, &uid_store_);
    table_ = *SeriesTable::Open(
        layout_, {.tables = &tables_, .uid_store = &uid_store_, .uids = uids_.get()}, false);
  }

  void Create(const std::string& metric, const std::string& tags) {
    OwnedPoint point(metric, tags, 1356998400, 1);
    const PointView* view = &point.view();
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate({&view, 1}, &results);
  }
  Uid Metric(const std::string& name) { return *uids_->Get(UidKind::kMetric, name); }
  TagUids Tag(const std::string& tagk, const std::string& tagv) {
    return {.tagk = *uids_->Get(UidKind::kTagk, tagk), .tagv = *uids_->Get(UidKind::kTagv, tagv)};
  }

  const Layout layout_;
  MemTableStore tables_;
  TableUidStore uid_store_{layout_, &tables_};
  std::unique_ptr<UidDirectory> uids_;
  std::unique_ptr<SeriesTable> table_;
};

TEST_F(MetricSeriesTest, FindsSeriesByTag) {
  Create("m", "host=a dc=x");
  Create("m", "host=b dc=x");
  Create("n", "host=b dc=x");
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20});

  const auto found = *cache.Find(Metric("m"), /*wants_all=*/true);

  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->list.size(), 2u);
  EXPECT_THAT(found->WithTag(Tag("dc", "x")), ElementsAre(0, 1));
  EXPECT_THAT(found->WithTag(Tag("host", "b")), ElementsAre(1));
  EXPECT_THAT(found->WithTag({.tagk = 99, .tagv = 1}), IsEmpty());
}

TEST_F(MetricSeriesTest, NeverServesAListThatLacksASeries) {
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20});
  for (uint32_t i = 0; i < 50; ++i) {
    Create("m", fmt::format("host=h{}", i));
    const auto found = *cache.Find(Metric("m"), /*wants_all=*/true);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->list.size(), i + 1);
    EXPECT_EQ(cache.Find(Metric("m"), /*wants_all=*/false).value(), found);
  }
}

TEST_F(MetricSeriesTest, OneLookupForAFewIsNotWorthLoading) {
  Create("m", "host=a");
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20});

  EXPECT_EQ(*cache.Find(Metric("m"), /*wants_all=*/false), nullptr);
  EXPECT_NE(*cache.Find(Metric("m"), /*wants_all=*/false), nullptr);
  Create("m", "host=b");
  EXPECT_EQ(*cache.Find(Metric("m"), /*wants_all=*/false), nullptr);
}

TEST_F(MetricSeriesTest, KeepsALongListWithoutPostings) {
  for (int i = 0; i < 11; ++i)
    Create("m", fmt::format("host=h{}", i));
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20, .postings = 10});

  const auto found = *cache.Find(Metric("m"), /*wants_all=*/true);

  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->list.size(), 11u);
  EXPECT_FALSE(found->has_postings);
  EXPECT_EQ(*cache.Find(Metric("m"), /*wants_all=*/true), found);
  EXPECT_EQ(*cache.Find(Metric("m"), /*wants_all=*/false), nullptr);
  EXPECT_EQ(*cache.Find(Metric("m"), /*wants_all=*/false), nullptr);

  Create("m", "host=another");
  EXPECT_EQ((*cache.Find(Metric("m"), /*wants_all=*/true))->list.size(), 12u);
}

TEST_F(MetricSeriesTest, DoesNotKeepALongListOfOverHalfItsSize) {
  for (int i = 0; i < 100; ++i)
    Create("m", fmt::format("host=h{}", i));
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 2000, .postings = 10});

  const auto found = *cache.Find(Metric("m"), /*wants_all=*/true);

  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->list.size(), 100u);
  EXPECT_LT(cache.bytes(), 1000u);
  EXPECT_NE(*cache.Find(Metric("m"), /*wants_all=*/true), found);
}

TEST_F(MetricSeriesTest, StaysNearItsSize) {
  for (int metric = 0; metric < 50; ++metric) {
    for (int i = 0; i < 20; ++i)
      Create(fmt::format("m{}", metric), fmt::format("host=h{}", i));
  }
  constexpr size_t kBytes = 50'000;
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = kBytes});

  for (int metric = 0; metric < 50; ++metric) {
    EXPECT_NE(*cache.Find(Metric(fmt::format("m{}", metric)), /*wants_all=*/true), nullptr);
    EXPECT_LE(cache.bytes(), kBytes);
  }
  EXPECT_GT(cache.bytes(), kBytes / 4);
  cache.Clear();
  EXPECT_EQ(cache.bytes(), 0u);
}

}  // namespace
}  // namespace hourcell
