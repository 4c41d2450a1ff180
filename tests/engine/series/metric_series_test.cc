#include "engine/series/metric_series.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/mem_table_store.h"
#include "tests/support/status_matchers.h"

namespace hourcell::metric_series_test {
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
  void CreateMany(const std::string& metric, int count) {
    std::deque<OwnedPoint> points;
    std::vector<const PointView*> views;
    for (int i = 0; i < count; ++i)
      views.push_back(
          &points.emplace_back(metric, fmt::format("host=h{}", i), 1356998400, 1).view());
    std::vector<Parsed<SeriesRef>> results;
    table_->GetOrCreate(views, &results);
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

// Counts, and has no more than `left`.
TEST_F(MetricSeriesTest, WhatIsReadyIsWhatNeedsNoReading) {
  CreateMany("m", 12);
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20});
  EXPECT_EQ(cache.FindReady(Metric("m"), /*wants_all=*/true), nullptr) << "it was never loaded";
  const auto found = *cache.Find(Metric("m"), /*wants_all=*/true);
  EXPECT_EQ(cache.FindReady(Metric("m"), /*wants_all=*/true), found);
  EXPECT_EQ(cache.FindReady(Metric("m"), /*wants_all=*/false), found);

  Create("m", "host=new");
  EXPECT_EQ(cache.FindReady(Metric("m"), /*wants_all=*/true), nullptr) << "it lacks one";
  EXPECT_EQ((*cache.Find(Metric("m"), /*wants_all=*/true))->list.size(), 13u);
  EXPECT_NE(cache.FindReady(Metric("m"), /*wants_all=*/true), nullptr);
}

TEST_F(MetricSeriesTest, AListWithoutPostingsIsReadyForThoseWhoWantAll) {
  CreateMany("m", 12);
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20, .postings = 10});
  ASSERT_OK(cache.Find(Metric("m"), /*wants_all=*/true).status());

  EXPECT_NE(cache.FindReady(Metric("m"), /*wants_all=*/true), nullptr);
  EXPECT_EQ(cache.FindReady(Metric("m"), /*wants_all=*/false), nullptr);
}

class CountedMemory : public MemoryAccount {
 public:
  explicit CountedMemory(size_t left) : left_(left) {}
  absl::Status Take(size_t bytes) override {
    if (bytes > left_) return absl::ResourceExhaustedError("no more");
    left_ -= bytes;
    held += bytes;
    peak = std::max(peak, held);
    return absl::OkStatus();
  }
  void GiveBack(size_t bytes) override {
    left_ += bytes;
    held -= bytes;
  }
  size_t held = 0;
  size_t peak = 0;

 private:
  size_t left_;
};

TEST_F(MetricSeriesTest, AListIsCountedAsItIsLoaded) {
  CreateMany("m", 5000);  // more than between two looks
  MetricSeriesCache keeps(layout_, table_.get(), {.bytes = 10 << 20, .postings = 10});
  MetricSeriesCache keeps_none(layout_, table_.get(), {.bytes = 2000, .postings = 10});
  CountedMemory of_kept(SIZE_MAX);
  CountedMemory of_not_kept(SIZE_MAX);
  CountedMemory too_little(10'000);

  const auto kept = *keeps.Find(Metric("m"), /*wants_all=*/true, nullptr, &of_kept);
  const auto not_kept = *keeps_none.Find(Metric("m"), /*wants_all=*/true, nullptr, &of_not_kept);

  EXPECT_GT(of_kept.peak, 4096u * 20);
  EXPECT_EQ(of_kept.held, 0u);  // the cache has a separate limit
  EXPECT_GE(of_not_kept.held, not_kept->list.allocated_bytes());
  EXPECT_THAT(keeps_none.Find(Metric("m"), /*wants_all=*/true, nullptr, &too_little),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(too_little.held, 0u);
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

// The contents of a list, ascending by tsuid.
std::vector<SeriesNumber> NumbersOf(const SeriesList& list) {
  std::vector<SeriesNumber> numbers;
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0) {
      EXPECT_LT(list.tsuid(i - 1), list.tsuid(i));
    }
    numbers.push_back(list.number(i));
  }
  return numbers;
}

TEST_F(MetricSeriesTest, ANewSeriesDoesNotReadTheOthersAgain) {
  for (int i = 0; i < 300; ++i)
    Create("m", fmt::format("host=h{} dc=d{}", i, i % 3));
  ASSERT_OK(table_->WriteIndex());
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20});
  const Uid metric = Metric("m");
  ASSERT_EQ((*cache.Find(metric, /*wants_all=*/true))->list.size(), 300u);

  Create("m", "host=new dc=d1");
  uint64_t before = tables_.rows_read();
  const auto found = *cache.Find(metric, /*wants_all=*/true);

  EXPECT_EQ(tables_.rows_read(), before) << "it is in memory";
  EXPECT_THAT(NumbersOf(found->list), testing::SizeIs(301));
  EXPECT_THAT(found->WithTag(Tag("dc", "d1")), testing::SizeIs(101));
  EXPECT_THAT(found->WithTag(Tag("host", "new")), testing::SizeIs(1));

  // The same where its rows are in the table by now.
  Create("m", "host=newer dc=d2");
  for (int i = 0; i < 64; ++i)
    Create("other", fmt::format("host=h{}", i));
  ASSERT_OK(table_->WriteIndex());
  before = tables_.rows_read();
  EXPECT_EQ((*cache.Find(metric, /*wants_all=*/true))->list.size(), 302u);
  EXPECT_LE(tables_.rows_read() - before, 2u) << "a posting set and a block of tsuids";
}

TEST_F(MetricSeriesTest, NewSeriesOfOtherMetricsChangeNothing) {
  Create("m", "host=a");
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20});
  const Uid metric = Metric("m");
  const auto found = *cache.Find(metric, /*wants_all=*/true);

  std::vector<OwnedPoint> points;
  for (int i = 0; i < 1100; ++i)
    points.emplace_back(fmt::format("m{}", i), "host=a", 1356998400, 1);
  std::vector<const PointView*> views;
  for (OwnedPoint& point : points)
    views.push_back(&point.view());
  std::vector<Parsed<SeriesRef>> results;
  table_->GetOrCreate(views, &results);
  ASSERT_TRUE(results.back().ok());

  EXPECT_EQ(*cache.Find(metric, /*wants_all=*/true), found);
}

TEST_F(MetricSeriesTest, AListOutlivesNamesThatAreChanged) {
  Create("m", "host=a");
  Create("m", "host=b");
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20});
  const Uid metric = Metric("m");
  ASSERT_EQ((*cache.Find(metric, /*wants_all=*/true))->list.size(), 2u);

  ASSERT_OK(uids_->Rename(UidKind::kTagv, "a", "z"));
  Create("m", "host=z");  // as before, by another name
  Create("m", "host=a");  // another one
  EXPECT_THAT(NumbersOf((*cache.Find(metric, /*wants_all=*/true))->list), ElementsAre(1, 2, 3));

  ASSERT_OK(uids_->Delete(UidKind::kMetric, "m"));
  Create("m", "host=b");
  const Uid again = Metric("m");
  EXPECT_NE(again, metric);
  EXPECT_THAT(NumbersOf((*cache.Find(again, /*wants_all=*/true))->list), ElementsAre(4));
  EXPECT_THAT(NumbersOf((*cache.Find(metric, /*wants_all=*/true))->list), ElementsAre(1, 2, 3));
}

// Each query has all series that were there before it, despite concurrent creations, indexing and
// queries.
TEST_F(MetricSeriesTest, NoSeriesIsMissedWhileOthersAreCreated) {
  constexpr size_t kSeries = 200;
  Create("m", "host=first");
  const Uid metric = Metric("m");
  MetricSeriesCache cache(layout_, table_.get(), {.bytes = 1 << 20});
  std::atomic<size_t> created{1};
  std::atomic<bool> is_done{false};
  const auto create = [&](int thread) {
    for (size_t i = 0; i < kSeries; ++i) {
      Create("m", fmt::format("host=h{}-{}", thread, i));
      ++created;
    }
  };
  const auto query = [&] {
    while (!is_done) {
      const size_t want = created;
      const auto found = *cache.Find(metric, /*wants_all=*/true);
      EXPECT_GE(NumbersOf(found->list).size(), want);
      EXPECT_EQ(found->WithTag(Tag("host", "first")).size(), 1u);
      std::this_thread::yield();
    }
  };
  std::vector<std::jthread> helpers;
  for (int i = 0; i < 2; ++i)
    helpers.emplace_back(query);
  helpers.emplace_back([&] {
    while (!is_done) {
      EXPECT_OK(table_->WriteIndex());
      std::this_thread::yield();
    }
  });
  {
    std::jthread another(create, 1);
    create(2);
  }
  is_done = true;
  helpers.clear();
  EXPECT_EQ((*cache.Find(metric, /*wants_all=*/true))->list.size(), 2 * kSeries + 1);
}

}  // namespace
}  // namespace hourcell::metric_series_test
