#include "engine/series/series_lookup.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::series_lookup_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr int64_t kHour = 1356998400;

class SeriesLookupTest : public testing::Test {
 protected:
  void SetUp() override { Open(); }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  void Put(const std::string& metric, const std::string& tags, int64_t time_s = kHour) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint(metric, tags, time_s, 1).view()));
  }

  // As Find, of series with points on the days of these times, in seconds.
  std::vector<std::string> FindOf(LookupQuery query, int64_t start_s, int64_t end_s) {
    query.with_points = {.start_ms = start_s * 1000, .end_ms = end_s * 1000};
    return Find(query);
  }

  // "metric tagk=tagv ..." of each series found; the result of Visit is in total_.
  std::vector<std::string> Find(const LookupQuery& query) {
    std::vector<std::string> found;
    const auto total = tsdb_->queries().LookupSeries(query, [&](const FoundSeries& series) {
      std::string& line = found.emplace_back(series.metric);
      for (const TagView& tag : series.tags)
        line += fmt::format(" {}={}", tag.key, tag.value);
      return true;
    });
    EXPECT_OK(total);
    total_ = total.value_or(0);
    return found;
  }

  void PutSome() {
    Put("cpu", "host=a");
    Put("cpu", "host=a dc=x");
    Put("cpu", "host=b dc=y");
    Put("cpu", "host=c rack=y");
    Put("mem", "host=a dc=y");
  }

  TempDir directory_;
  ManualClock clock_{kHour * 1000};
  Options options_ = TinyOptions(directory_.path());
  std::unique_ptr<Tsdb> tsdb_;
  uint64_t total_ = 0;
};

TEST_F(SeriesLookupTest, FindsAllOfAMetric) {
  PutSome();

  EXPECT_THAT(Find({.metric = "cpu"}),
              ElementsAre("cpu host=a", "cpu host=a dc=x", "cpu host=b dc=y", "cpu host=c rack=y"));
  EXPECT_EQ(total_, 4u);
}

TEST_F(SeriesLookupTest, FindsAllThereAre) {
  PutSome();

  const auto all = ElementsAre("cpu host=a", "cpu host=a dc=x", "cpu host=b dc=y",
                               "cpu host=c rack=y", "mem host=a dc=y");
  EXPECT_THAT(Find({.metric = "*"}), all);
  EXPECT_THAT(Find({.metric = ""}), all);
  EXPECT_THAT(Find({.metric = "*", .tags = {{"*", ""}, {"", "*"}}}), all);
}

TEST_F(SeriesLookupTest, EitherSideOfATagMayBeAnything) {
  PutSome();

  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"host", "a"}}}),
              ElementsAre("cpu host=a", "cpu host=a dc=x"));
  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"dc", "*"}}}),
              ElementsAre("cpu host=a dc=x", "cpu host=b dc=y"));
  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"*", "y"}}}),
              ElementsAre("cpu host=b dc=y", "cpu host=c rack=y"));
  EXPECT_THAT(Find({.metric = "*", .tags = {{"dc", "y"}}}),
              ElementsAre("cpu host=b dc=y", "mem host=a dc=y"));
}

TEST_F(SeriesLookupTest, OneKeyAgainIsOrAnotherKeyIsAnd) {
  PutSome();

  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"host", "a"}, {"host", "c"}}}),
              ElementsAre("cpu host=a", "cpu host=a dc=x", "cpu host=c rack=y"));
  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"host", "a"}, {"host", "b"}, {"dc", "*"}}}),
              ElementsAre("cpu host=a dc=x", "cpu host=b dc=y"));
  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"host", "a"}, {"dc", "x"}}}),
              ElementsAre("cpu host=a dc=x"));
  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"host", "a"}, {"dc", "y"}}}), IsEmpty());
  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"host", "a"}, {"host", "*"}}}), SizeIs(4));
}

TEST_F(SeriesLookupTest, CountsBeyondTheLimitAndBeforeTheStart) {
  PutSome();

  EXPECT_THAT(Find({.metric = "cpu", .start_index = 1, .limit = 2}),
              ElementsAre("cpu host=a dc=x", "cpu host=b dc=y"));
  EXPECT_EQ(total_, 4u);
  EXPECT_THAT(Find({.metric = "*", .tags = {{"host", "a"}}, .start_index = 2, .limit = 5}),
              ElementsAre("mem host=a dc=y"));
  EXPECT_EQ(total_, 3u);
  EXPECT_THAT(Find({.metric = "cpu", .start_index = 9}), IsEmpty());
  EXPECT_EQ(total_, 4u);
}

TEST_F(SeriesLookupTest, AnUnknownNameIsToldByItsKind) {
  PutSome();
  const auto fault_of = [this](const LookupQuery& query) {
    return tsdb_->queries().LookupSeries(query, [](const FoundSeries&) { return true; }).status();
  };

  EXPECT_THAT(fault_of({.metric = "disk"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("No such name for 'metrics'")));
  EXPECT_THAT(fault_of({.metric = "*", .tags = {{"x", "*"}}}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("No such name for 'tagk'")));
  EXPECT_THAT(fault_of({.metric = "cpu", .tags = {{"host", "z"}}}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("No such name for 'tagv'")));
}

// Series that wait for their index rows, those that have them, and those of a log row after a
// reopen are all found once.
TEST_F(SeriesLookupTest, FindsThousandsInMemoryAndInTheTableOnceEach) {
  static constexpr int kHosts = 1000;
  for (int i = 0; i < kHosts; ++i) {
    Put("m", fmt::format("host=h{} dc=d{}", i, i % 3));
    if (i == kHosts / 2) {
      ASSERT_OK(tsdb_->maintenance().Flush());
    }
  }
  const auto check = [this] {
    EXPECT_THAT(Find({.metric = "m"}), SizeIs(kHosts));
    EXPECT_THAT(Find({.metric = "*"}), SizeIs(kHosts));
    EXPECT_THAT(Find({.metric = "m", .tags = {{"dc", "d1"}}}), SizeIs(333));
    EXPECT_THAT(Find({.metric = "", .tags = {{"*", "d1"}}}), SizeIs(333));
    EXPECT_THAT(Find({.metric = "m", .tags = {{"host", "h7"}}}), ElementsAre("m host=h7 dc=d1"));
  };
  check();
  Open();
  check();
}

// After 256 series of a metric the rest is looked up by its tags.
TEST_F(SeriesLookupTest, ATagOfAnyMetricIsFoundInMetricsOfAnySize) {
  const std::vector<int> sizes = {1, 255, 256, 257, 258, 600, 3};
  const auto put = [this](int metric, int i) {
    Put(fmt::format("m{}", metric), fmt::format("host=h{} dc=d{}", i, i % 3));
  };
  std::vector<std::string> wanted;   // with host=h256 or h1
  std::vector<std::string> of_last;  // with host=h599
  size_t with_dc = 0;
  for (int metric = 0; metric < static_cast<int>(sizes.size()); ++metric) {
    const int size = sizes[static_cast<size_t>(metric)];
    for (int i = 0; i < size; ++i) {
      put(metric, i);
      if (i == size / 2 && metric % 2 == 1) {
        ASSERT_OK(tsdb_->maintenance().Flush());
      }
      if (i % 3 == 1) ++with_dc;
      if (i == 1 || i == 256) wanted.push_back(fmt::format("m{} host=h{} dc=d1", metric, i));
      if (i == 599) of_last.push_back(fmt::format("m{} host=h599 dc=d2", metric));
    }
  }
  const auto check = [&] {
    EXPECT_EQ(Find({.metric = "*", .tags = {{"host", "h1"}, {"host", "h256"}}}), wanted);
    EXPECT_EQ(Find({.metric = "*", .tags = {{"host", "h1"}, {"host", "h256"}, {"dc", "d1"}}}),
              wanted);
    EXPECT_EQ(Find({.metric = "*", .tags = {{"host", "h599"}}}), of_last);
    EXPECT_THAT(Find({.metric = "*", .tags = {{"host", "h599"}, {"dc", "d1"}}}), IsEmpty());
    EXPECT_THAT(Find({.metric = "*", .tags = {{"dc", "d1"}}}), SizeIs(with_dc));
    EXPECT_THAT(Find({.metric = "*", .tags = {{"dc", "d1"}}, .start_index = 300, .limit = 10}),
                SizeIs(10));
    EXPECT_EQ(total_, with_dc);
  };
  check();
  Open();
  check();
}

TEST_F(SeriesLookupTest, FindsOnlySeriesWithPointsOnTheDaysIfOnlyTheyAreWanted) {
  constexpr int64_t kDay = 86'400;
  Put("cpu", "host=a", kHour);
  Put("cpu", "host=b", kHour + kDay);
  Put("cpu", "host=b", kHour + 50 * kDay);
  Put("mem", "host=a", kHour + 50 * kDay);
  for (const bool is_sealed : {false, true}) {
    if (is_sealed) {
      ASSERT_OK(tsdb_->maintenance().Seal());
      Open();
    }
    EXPECT_THAT(FindOf({.metric = "cpu"}, kHour, kHour + 1), ElementsAre("cpu host=a"));
    EXPECT_EQ(total_, 1u);
    EXPECT_THAT(FindOf({.metric = "cpu"}, kHour, kHour + kDay),
                ElementsAre("cpu host=a", "cpu host=b"));
    // Sets of 31 days are read at once.
    EXPECT_THAT(FindOf({.metric = "cpu"}, kHour + 2 * kDay, kHour + 50 * kDay),
                ElementsAre("cpu host=b"));
    EXPECT_THAT(FindOf({.metric = "cpu"}, kHour + 2 * kDay, kHour + 49 * kDay), IsEmpty());
    EXPECT_THAT(FindOf({.metric = "cpu", .tags = {{"host", "b"}}}, kHour, kHour + 1), IsEmpty());
    EXPECT_THAT(FindOf({.metric = "*"}, kHour + 50 * kDay, kHour + 50 * kDay),
                ElementsAre("cpu host=b", "mem host=a"));
    EXPECT_THAT(FindOf({.metric = "", .tags = {{"host", "a"}}}, kHour + kDay, kHour + 50 * kDay),
                ElementsAre("mem host=a"));
    EXPECT_THAT(FindOf({.metric = "cpu"}, -5, -1), IsEmpty());
    EXPECT_THAT(FindOf({.metric = "cpu"}, kHour + 1, kHour), IsEmpty());
    EXPECT_THAT(FindOf({.metric = "cpu"}, kHour - kLookupDaysMax * kDay, kHour - 1), SizeIs(0));
    // Of too many days: all series.
    EXPECT_THAT(FindOf({.metric = "cpu"}, kHour - (kLookupDaysMax + 1) * kDay, kHour - 1),
                SizeIs(2));
  }
}

TEST_F(SeriesLookupTest, FindsEachSeriesThatHasAPointInTheTimes) {
  constexpr int kSeries = 300;
  constexpr int64_t kStep = 5000;
  const auto time_of = [](int series) { return kHour + (series * 7 % kSeries) * kStep; };
  for (int i = 0; i < kSeries; ++i)
    Put(fmt::format("m{}", i % 3), fmt::format("host=h{}", i), time_of(i));

  for (int64_t start = kHour - 50'000; start < kHour + kSeries * kStep; start += 37'000) {
    const int64_t end = start + 60'000;
    const std::vector<std::string> found = FindOf({.metric = ""}, start, end);
    for (int i = 0; i < kSeries; ++i) {
      const std::string series = fmt::format("m{} host=h{}", i % 3, i);
      const bool is_found = std::ranges::find(found, series) != found.end();
      const bool has_point = time_of(i) >= start && time_of(i) <= end;
      const bool is_far = time_of(i) < start - 86'400 || time_of(i) > end + 86'400;
      EXPECT_TRUE(is_found || !has_point) << series << " at " << start;
      EXPECT_FALSE(is_found && is_far) << series << " at " << start;
    }
  }
}

TEST_F(SeriesLookupTest, EndsWhenItsVisitorOrItsControlSays) {
  PutSome();
  int visited = 0;
  const auto stop = [&](const FoundSeries&) { return ++visited < 2; };
  EXPECT_OK(tsdb_->queries().LookupSeries({.metric = "*"}, stop));
  EXPECT_EQ(visited, 2);

  QueryControl control;
  control.Cancel();
  EXPECT_THAT(
      tsdb_->queries().LookupSeries({.metric = "cpu", .tags = {{"host", "a"}}}, stop, &control),
      StatusIs(absl::StatusCode::kCancelled, HasSubstr("cancelled")));
}

TEST_F(SeriesLookupTest, ADeletedNameIsShownInHex) {
  PutSome();
  ASSERT_OK(tsdb_->names().DeleteUid(UidKind::kTagv, "c"));

  EXPECT_THAT(Find({.metric = "cpu", .tags = {{"rack", "*"}}}),
              ElementsAre("cpu host=000005 rack=y"));
}

}  // namespace
}  // namespace hourcell::series_lookup_test
