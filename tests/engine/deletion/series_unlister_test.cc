#include "engine/deletion/series_unlister.h"

#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "codec/base/bytes.h"
#include "codec/base/clock.h"
#include "codec/base/random.h"
#include "engine/tsdb.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/store_copy.h"
#include "tests/support/temp_dir.h"

namespace hourcell::series_unlister_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kDay0 = 1'356'998'400;
constexpr int64_t kHour = 3600;
constexpr int64_t kDay = 86'400;

struct StoreKind {
  std::string name;
  size_t salt_width = 0;
  uint32_t day_row_points = 0;
  bool has_time_first = false;  // in row keys, before the metric
};

void PrintTo(const StoreKind& kind, std::ostream* out) {
  *out << kind.name;
}

class SeriesUnlisterTest : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.undo_s = 7 * kDay;
    options_.layout.salt_width = GetParam().salt_width;
    options_.day_row_points = GetParam().day_row_points;
    std::vector<RowField>& fields = options_.layout.fields;
    if (GetParam().has_time_first) std::swap(fields[1], fields[2]);
    Open();
  }

  void Open() {
    tsdb_.reset();
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  // As after kill -9.
  void Crash() {
    auto copy = std::make_unique<TempDir>();
    options_.path = CopyStore(options_.path, *copy);
    Open();
    directories_.push_back(std::move(copy));
  }

  void Put(const std::string& metric, const std::string& host, int64_t second) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint(metric, "h=" + host, kDay0 + second, 1).view()));
  }

  QuerySpec Of(const std::string& metric, const std::string& hosts, int64_t from, int64_t until) {
    const FilterType type = hosts == "*" ? FilterType::kWildcard : FilterType::kLiteralOr;
    return MakeQuery(Aggregator::kNone, metric, {{"h", type, hosts, false}}, kDay0 + from,
                     kDay0 + until);
  }

  // Of the points with from <= t <= until, in seconds after kDay0; returns the id.
  uint64_t Delete(const std::string& metric,
                  const std::string& hosts,
                  int64_t from,
                  int64_t until) {
    const auto deleted = tsdb_->points().DeletePoints(Of(metric, hosts, from, until));
    EXPECT_OK(deleted);
    return deleted.ok() ? deleted->undo_id : 0;
  }

  std::vector<std::string> Listed(const LookupQuery& query = {.metric = ""}) {
    std::vector<std::string> listed;
    const auto total = tsdb_->queries().LookupSeries(query, [&](const FoundSeries& series) {
      listed.push_back(std::string(series.metric) + " " + std::string(series.tags[0].value));
      return true;
    });
    EXPECT_THAT(total, IsOkAndHolds(listed.size()));
    std::ranges::sort(listed);
    return listed;
  }

  std::vector<std::string> Names(UidKind kind) {
    std::vector<std::string> names;
    EXPECT_OK(tsdb_->names().VisitNames({.kind = kind, .prefix = "", .only_with_series = true},
                                        [&](std::string_view name) {
                                          names.emplace_back(name);
                                          return true;
                                        }));
    return names;
  }

  // "metric number of series" of each, by both orders.
  std::vector<std::string> Ranked(MetricOrder order = MetricOrder::kName) {
    const auto ranking = tsdb_->names().RankMetrics({.order = order, .limit = 10});
    EXPECT_OK(ranking);
    std::vector<std::string> ranked;
    if (!ranking.ok()) return ranked;
    EXPECT_EQ(ranking->total, ranking->metrics.size());
    for (const RankedMetric& metric : ranking->metrics)
      ranked.push_back(fmt::format("{} {}", metric.name, metric.series));
    return ranked;
  }

  TempDir directory_;
  ManualClock clock_{(kDay0 + 10 * kDay) * 1000};
  Options options_ = TinyOptions(directory_.path() + "/store");
  std::vector<std::unique_ptr<TempDir>> directories_;
  std::unique_ptr<Tsdb> tsdb_;
};

TEST_P(SeriesUnlisterTest, ADeleteOfAllPointsTakesSeriesAndNamesOutOfLists) {
  Put("m", "a", 10);
  Put("m", "a", 3 * kDay);
  Put("m", "b", 20);
  Put("other", "c", 30);
  const uint64_t of_a = Delete("m", "a", 0, 5 * kDay);
  const auto check = [this] {
    EXPECT_THAT(Listed(), ElementsAre("m b", "other c"));
    EXPECT_THAT(Listed({.metric = "m"}), ElementsAre("m b"));
    EXPECT_THAT(Listed({.metric = "m", .tags = {{"h", "a"}}}), IsEmpty());
    EXPECT_THAT(Listed({.metric = "", .tags = {{"h", "*"}}}), ElementsAre("m b", "other c"));
    EXPECT_THAT(Names(UidKind::kMetric), ElementsAre("m", "other"));
    EXPECT_THAT(Names(UidKind::kTagv), ElementsAre("b", "c"));
    EXPECT_THAT(Ranked(), ElementsAre("m 1", "other 1"));
  };
  check();
  Crash();
  check();
  Delete("m", "b", 0, kDay);
  const auto check_both = [this] {
    EXPECT_THAT(Listed(), ElementsAre("other c"));
    EXPECT_THAT(Names(UidKind::kMetric), ElementsAre("other"));
    EXPECT_THAT(Ranked(), ElementsAre("other 1"));
    EXPECT_THAT(Ranked(MetricOrder::kSeries), ElementsAre("other 1"));
  };
  check_both();
  Open();
  check_both();

  ASSERT_OK(tsdb_->points().Undo(of_a));
  EXPECT_THAT(Listed(), ElementsAre("m a", "other c"));
  EXPECT_THAT(Names(UidKind::kTagv), ElementsAre("a", "c"));
  EXPECT_THAT(Ranked(MetricOrder::kSeries), ElementsAre("m 1", "other 1"));
  Crash();
  EXPECT_THAT(Listed(), ElementsAre("m a", "other c"));
}

TEST_P(SeriesUnlisterTest, AnyOtherPointKeepsASeriesInLists) {
  const std::map<std::string, int64_t> other_points = {{"same_hour_before", 3 * kHour + 10},
                                                       {"same_hour_after", 5 * kHour + 1800},
                                                       {"same_day_before", 0},
                                                       {"same_day_after", 23 * kHour},
                                                       {"day_before", -kDay},
                                                       {"day_after", 2 * kDay}};
  for (const auto& [host, second] : other_points) {
    Put("m", host, 4 * kHour);
    Put("m", host, second);
  }
  Put("m", "none", 4 * kHour);
  Delete("m", "*", 3 * kHour + 20, 5 * kHour + 10);
  EXPECT_THAT(Listed(), SizeIs(other_points.size()));
  Open();
  EXPECT_THAT(Listed(), SizeIs(other_points.size()));
  for (const auto& [host, second] : other_points) {
    EXPECT_THAT(Listed({.metric = "m", .tags = {{"h", host}}}), SizeIs(1)) << host;
    Delete("m", host, second, second);
    EXPECT_THAT(Listed({.metric = "m", .tags = {{"h", host}}}), IsEmpty()) << host;
  }
  Crash();
  EXPECT_THAT(Listed(), IsEmpty());
}

TEST_P(SeriesUnlisterTest, APutShowsASeriesAgain) {
  for (const int64_t second : {10, 20, 7 * 3600, 2 * 86'400}) {
    SCOPED_TRACE(second);
    for (const bool seals : {false, true}) {
      const std::string metric = fmt::format("m{}{}", second, seals);
      Put(metric, "a", 10);
      const uint64_t id = Delete(metric, "a", 0, kDay);
      EXPECT_THAT(Listed({.metric = metric}), IsEmpty());
      Put(metric, "a", second);
      EXPECT_THAT(Listed({.metric = metric}), SizeIs(1));
      if (seals) {
        ASSERT_OK(tsdb_->maintenance().Seal());
      }
      Crash();
      EXPECT_THAT(Listed({.metric = metric}), SizeIs(1));
      Delete(metric, "a", 0, 3 * kDay);
      EXPECT_THAT(Listed({.metric = metric}), IsEmpty());
      Open();
      EXPECT_THAT(Listed({.metric = metric}), IsEmpty());
      ASSERT_OK(tsdb_->points().Undo(id));
      EXPECT_THAT(Listed({.metric = metric}), IsEmpty()) << "the second delete hides all";
    }
  }
}

TEST_P(SeriesUnlisterTest, HistogramsAndAnnotationsKeepASeriesInLists) {
  const SimpleHistogram value{.buckets = {{0, 2, 1}}};
  const auto put_histogram = [&](const std::string& host) {
    OwnedPoint point("m", "h=" + host, kDay0 + 5 * kDay, 0);
    const HistogramPoint one{.point = point.view(), .histogram = &value, .codec = 0};
    ASSERT_OK(tsdb_->points().AppendHistograms({&one, 1}, nullptr));
  };
  std::map<std::string, std::string> tsuids;
  for (const std::string host : {"a", "b", "c", "d"})
    Put("m", host, 10);
  ASSERT_OK(tsdb_->queries()
                .LookupSeries({.metric = "m"},
                              [&](const FoundSeries& series) {
                                tsuids[std::string(series.tags[0].value)] =
                                    ToUpperHex(series.tsuid);
                                return true;
                              })
                .status());
  const auto annotate = [&](const std::string& host) {
    const AnnotationEdit edit{
        .tsuid = tsuids[host], .start_time = kDay0, .description = "restarted"};
    ASSERT_OK(tsdb_->annotations().Put({&edit, 1}, AnnotationWrite::kMerge).status());
  };
  put_histogram("a");
  annotate("b");
  Delete("m", "*", 0, kDay);
  EXPECT_THAT(Listed(), ElementsAre("m a", "m b"));
  Open();
  EXPECT_THAT(Listed(), ElementsAre("m a", "m b"));
  put_histogram("c");
  EXPECT_THAT(Listed(), ElementsAre("m a", "m b", "m c"));
  annotate("d");
  EXPECT_THAT(Listed(), ElementsAre("m a", "m b", "m c", "m d"));
}

TEST_P(SeriesUnlisterTest, HistogramsThatTheDeleteRemovesKeepNoSeriesInLists) {
  const SimpleHistogram value{.buckets = {{0, 2, 1}}};
  OwnedPoint point("m", "h=a", kDay0 + 20, 0);
  const HistogramPoint one{.point = point.view(), .histogram = &value, .codec = 0};
  ASSERT_OK(tsdb_->points().AppendHistograms({&one, 1}, nullptr));
  Put("m", "a", 10);
  Put("m", "b", 2 * kDay);
  Delete("m", "*", 0, kDay);
  EXPECT_THAT(Listed(), ElementsAre("m b"));
  Open();
  EXPECT_THAT(Listed(), ElementsAre("m b"));
}

TEST_P(SeriesUnlisterTest, RemovedPointsDoNotShowASeriesAgain) {
  for (int i = 0; i < 128; ++i)
    Put("m", fmt::format("h{}", i), 10);
  ASSERT_OK(tsdb_->maintenance().Flush());
  const uint64_t id = Delete("m", "h1|h2", 0, kDay);
  EXPECT_THAT(Listed(), SizeIs(126));
  ASSERT_OK(tsdb_->points().Forget(id));
  EXPECT_THAT(Listed(), SizeIs(126));
  for (int i = 0; i < 3; ++i)
    ASSERT_OK(tsdb_->retention().DropExpired());
  EXPECT_THAT(Listed(), SizeIs(126));
  Put("m", "h2", 20);
  EXPECT_THAT(Listed(), SizeIs(127));
  Open();
  EXPECT_THAT(Listed(), SizeIs(127));
}

TEST_P(SeriesUnlisterTest, ManySeriesAreLookedForByAScan) {
  constexpr int kSeries = 400;  // of 14 hours each: too many rows to read them one by one
  for (int i = 0; i < kSeries; ++i)
    Put("m", fmt::format("h{}", i), kHour);
  Put("m", "h7", 20 * kHour);
  Put("m", "h9", 10 * kHour + 1000);
  Put("n", "h8", 20 * kHour);
  Delete("m", "*", 0, 10 * kHour + 10);
  EXPECT_THAT(Listed(), ElementsAre("m h7", "m h9", "n h8"));
  Crash();
  EXPECT_THAT(Listed(), ElementsAre("m h7", "m h9", "n h8"));
}

TEST_P(SeriesUnlisterTest, AStoreThatKeepsEmptySeriesListsThem) {
  options_.drop_empty_series = false;
  Open();
  Put("m", "a", 10);
  Delete("m", "a", 0, kDay);
  EXPECT_THAT(Listed(), ElementsAre("m a"));
  Open();
  EXPECT_THAT(Listed(), ElementsAre("m a"));
}

TEST_P(SeriesUnlisterTest, ADirectoryThatIsOnlyReadLeavesThemOut) {
  Put("m", "a", 10);
  Put("m", "b", 10);
  Delete("m", "a", 0, kDay);
  ASSERT_OK(tsdb_->Close());
  options_.follow = true;
  Open();
  EXPECT_THAT(Listed(), ElementsAre("m b"));
}

// Puts, deletes and undos in any order: lists have the series with points.
TEST_P(SeriesUnlisterTest, ListsHaveTheSeriesWithPoints) {
  constexpr uint64_t kSeed = 20261127;
  SCOPED_TRACE(kSeed);
  Random random(kSeed);
  std::vector<uint64_t> ids;
  const std::vector<std::string> hosts = {"a", "b", "c", "d", "e"};
  const auto some_second = [&random] {
    return static_cast<int64_t>(random.Below(3 * 24 * 4)) * 900;
  };
  for (const std::string& host : hosts)
    Put("m", host, some_second());
  for (int step = 0; step < 400; ++step) {
    const std::string& host = hosts[random.Below(hosts.size())];
    const uint64_t choice = random.Below(12);
    if (choice < 4) {
      Put("m", host, some_second());
    } else if (choice < 5) {
      ASSERT_OK(tsdb_->maintenance().Seal());
    } else if (choice < 9) {
      const int64_t from = random.Below(2) == 0 ? 0 : some_second();
      const int64_t until = random.Below(2) == 0 ? 3 * kDay : from + some_second();
      const uint64_t id = Delete("m", random.Below(3) == 0 ? "*" : host, from, until);
      if (id != 0) ids.push_back(id);
    } else if (choice < 11) {
      if (ids.empty()) continue;
      const auto one = ids.begin() + static_cast<ptrdiff_t>(random.Below(ids.size()));
      ASSERT_OK(tsdb_->points().Undo(*one));
      ids.erase(one);
    } else if (random.Below(3) == 0) {
      random.Below(2) == 0 ? Open() : Crash();
    }
    const auto result = tsdb_->queries().Query(Of("m", "*", 0, 8 * kDay));
    ASSERT_OK(result);
    std::set<std::string> with_points;
    for (const ResultSeries& series : result->series)
      with_points.insert("m " + series.tags.front().second);
    ASSERT_THAT(Listed({.metric = "m"}), testing::ElementsAreArray(with_points)) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Stores,
    SeriesUnlisterTest,
    testing::Values(StoreKind{.name = "Hours"},
                    StoreKind{.name = "Days", .day_row_points = 20},
                    StoreKind{.name = "SaltedDays", .salt_width = 1, .day_row_points = 20},
                    StoreKind{.name = "TimeFirst", .day_row_points = 20, .has_time_first = true}),
    [](const auto& param_info) { return param_info.param.name; });

}  // namespace
}  // namespace hourcell::series_unlister_test
