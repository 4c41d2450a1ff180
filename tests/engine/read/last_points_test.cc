#include "engine/read/last_points.h"

#include <cstdio>
#include <map>
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
#include "tests/support/temp_dir.h"

namespace hourcell::last_points_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

constexpr int64_t kHour = 1356998400;

// "tagk=tagv ..." of a series -> second after kHour and value.
using Lasts = std::map<std::string, std::pair<double, double>>;

struct StoreKind {
  size_t salt_width;
  CellEncoding encoding;
  bool time_first;
};

class LastPointsTest : public testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override {
    options_.clock = &clock_;
    options_.seal_in_background = false;
    options_.cell_encoding = GetParam().encoding;
    options_.layout.salt_width = GetParam().salt_width;
    if (GetParam().time_first) {
      options_.layout.fields = {RowField::kSalt, RowField::kBaseTime, RowField::kMetric,
                                RowField::kTags};
    }
    auto opened = Tsdb::Open(options_);
    ASSERT_OK(opened);
    tsdb_ = *std::move(opened);
  }

  void Put(const std::string& metric, const std::string& tags, int64_t second, int64_t value) {
    ASSERT_OK(tsdb_->points().Put(OwnedPoint(metric, tags, kHour + second, value).view()));
  }

  Lasts Ask(LastQuery query) {
    query.resolve = true;
    Lasts found;
    EXPECT_OK(tsdb_->queries().LastPoints(
        query,
        [&](const LastPoint& last) {
          std::string name(last.series.metric);
          for (const TagView& tag : last.series.tags)
            name += fmt::format(" {}={}", tag.key, tag.value);
          const double second = static_cast<double>(last.ms - kHour * 1000) / 1000;
          const bool is_new = found.emplace(name, std::pair(second, last.value.ToDouble())).second;
          EXPECT_TRUE(is_new) << name;
        },
        &control_));
    return found;
  }
  Lasts Ask(const std::string& metric, std::vector<TagMatch> tags = {}) {
    return Ask({.queries = {{.metric = metric, .tags = std::move(tags)}}});
  }

  TempDir directory_;
  ManualClock clock_{(kHour + 1800) * 1000};
  Options options_ = TinyOptions(directory_.path());
  std::unique_ptr<Tsdb> tsdb_;
  QueryControl control_;
};

TEST_P(LastPointsTest, OfOpenAndOfSealedHours) {
  Put("m", "h=a", 10, 1);
  Put("m", "h=a", 20, 2);
  Put("m", "h=b", -7200, 3);
  Put("m", "h=b", -7100, 4);
  Put("m", "h=c", -720000, 5);
  const Lasts want = {{"m h=a", {20, 2}}, {"m h=b", {-7100, 4}}, {"m h=c", {-720000, 5}}};

  EXPECT_EQ(Ask("m"), want);
  ASSERT_OK(tsdb_->maintenance().Seal());
  EXPECT_EQ(Ask("m"), want);
  ASSERT_OK(tsdb_->maintenance().Flush());
  EXPECT_EQ(Ask("m"), want);
  EXPECT_THAT(Ask("m", {{"h", "b"}}), ElementsAre(Pair("m h=b", Pair(-7100, 4))));
}

TEST_P(LastPointsTest, TheLaterOfOpenAndStoredCountsAndTheOpenOneOfEqual) {
  Put("m", "h=stored", 100, 1);
  Put("m", "h=open", 100, 1);
  Put("m", "h=equal", 100, 1);
  Put("m", "h=older", 100, 1);
  ASSERT_OK(tsdb_->maintenance().Seal());
  Put("m", "h=stored", 50, 2);
  Put("m", "h=open", 150, 2);
  Put("m", "h=equal", 100, 2);
  Put("m", "h=older", -7200, 2);  // an open hour before the stored row

  EXPECT_EQ(Ask("m"), (Lasts{{"m h=stored", {100, 1}},
                             {"m h=open", {150, 2}},
                             {"m h=equal", {100, 2}},
                             {"m h=older", {100, 1}}}));
}

// The clock shows half past.
TEST_P(LastPointsTest, PointsCountUpToTheEndOfThePresentHour) {
  const auto put = [this] {
    Put("m", "h=a", 1000, 1);
    Put("m", "h=a", 3600, 2);
    Put("m", "h=b", 1801, 3);
    Put("m", "h=b", 7200, 4);
    Put("m", "h=c", 3600, 5);
    Put("m", "h=d", 3700, 6);
    Put("m", "h=d", -5000, 7);
    Put("m", "h=ahead", 1200, 8);
    Put("m", "h=ahead", 3599, 9);
  };
  const Lasts want = {
      {"m h=a", {1000, 1}}, {"m h=b", {1801, 3}}, {"m h=d", {-5000, 7}}, {"m h=ahead", {3599, 9}}};
  put();
  EXPECT_EQ(Ask("m"), want);
  ASSERT_OK(tsdb_->maintenance().Flush());
  EXPECT_EQ(Ask("m"), want);
}

TEST_P(LastPointsTest, BackHoursAreRowsBeforeThePresentOne) {
  Put("m", "h=a", 10, 1);
  Put("m", "h=b", -10, 2);
  Put("m", "h=c", -3610, 3);
  const auto ask = [this](uint32_t hours) {
    return Ask({.queries = {{.metric = "m"}}, .back_hours = hours});
  };
  for (int round = 0; round < 2; ++round) {
    EXPECT_THAT(ask(0), SizeIs(3));
    EXPECT_THAT(ask(1), SizeIs(2));
    EXPECT_THAT(ask(2), SizeIs(3));
    EXPECT_THAT(ask(UINT32_MAX), SizeIs(3));
    ASSERT_OK(tsdb_->maintenance().Seal());
  }
}

TEST_P(LastPointsTest, ExpiredPointsAreNotShown) {
  Put("m", "h=a", -1800, 1);
  Put("m", "h=a", -7200, 2);
  Put("m", "h=b", -7200, 3);
  const Lasts want = {{"m h=a", {-1800, 1}}};

  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3601));
  EXPECT_EQ(Ask("m"), want);
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 0));
  ASSERT_OK(tsdb_->maintenance().Seal());
  ASSERT_OK(tsdb_->retention().SetMetricTtl("m", 3601));
  EXPECT_EQ(Ask("m"), want);
  clock_.Advance(2000);
  EXPECT_THAT(Ask("m"), IsEmpty());
}

TEST_P(LastPointsTest, SubQueriesAreAnsweredTogetherAndEachSeriesOnce) {
  Put("m", "h=a", 1, 1);
  Put("m", "h=b", 2, 2);
  Put("n", "h=a dc=x", 3, 3);
  std::string tsuid;
  ASSERT_OK(tsdb_->queries().LastPoints({.queries = {{.metric = "n"}}}, [&](const LastPoint& last) {
    tsuid = ToUpperHex(last.series.tsuid);
    EXPECT_THAT(last.series.tags, IsEmpty()) << "names were not asked for";
  }));

  const LastQuery query = {
      .queries = {{.metric = "n"},
                  {.metric = "m", .tags = {{"h", "b"}}},
                  {.metric = "m"},
                  {.metric = {}, .tsuids = {tsuid, tsuid, "00000F000001000001"}}}};
  EXPECT_EQ(Ask(query), (Lasts{{"m h=a", {1, 1}}, {"m h=b", {2, 2}}, {"n h=a dc=x", {3, 3}}}));
  EXPECT_EQ(Ask({.queries = {{.metric = {}, .tsuids = {tsuid}}}}), (Lasts{{"n h=a dc=x", {3, 3}}}));
}

TEST_P(LastPointsTest, UnknownTagValuesAreSkippedWhereTheOptionSaysSo) {
  Put("m", "h=a dc=x", 1, 1);
  const std::vector<TagMatch> a_or_unknown = {{"h", "a"}, {"h", "z"}};
  const auto fault = [this](std::vector<TagMatch> tags) {
    return tsdb_->queries().LastPoints({.queries = {{.metric = "m", .tags = std::move(tags)}}},
                                       [](const LastPoint&) {});
  };
  EXPECT_THAT(fault(a_or_unknown), StatusIs(absl::StatusCode::kNotFound));

  tsdb_.reset();
  options_.skip_unresolved_tagvs = true;
  auto opened = Tsdb::Open(options_);
  ASSERT_OK(opened);
  tsdb_ = *std::move(opened);

  EXPECT_EQ(Ask("m", a_or_unknown), (Lasts{{"m h=a dc=x", {1, 1}}}));
  EXPECT_EQ(Ask("m", {{"h", "z"}}), Lasts());
  EXPECT_EQ(Ask("m", {{"", "z"}}), Lasts());
  EXPECT_EQ(Ask("m", {{"h", "z"}, {"h", "*"}}), (Lasts{{"m h=a dc=x", {1, 1}}}));
  EXPECT_EQ(Ask("m", {{"dc", "x"}, {"h", "z"}}), Lasts());
  EXPECT_THAT(fault({{"z", "a"}}), StatusIs(absl::StatusCode::kNotFound)) << "a key";
}

TEST_P(LastPointsTest, SaysWhatIsWrong) {
  Put("m", "h=a", 1, 1);
  const auto fault_of = [this](const LastSubQuery& query) {
    return tsdb_->queries().LastPoints({.queries = {query}}, [](const LastPoint&) {});
  };
  EXPECT_THAT(fault_of({.metric = "x"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("'metrics': 'x'")));
  EXPECT_THAT(fault_of({.metric = "m", .tags = {{"h", "z"}}}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("'tagv': 'z'")));
  EXPECT_THAT(fault_of({.metric = {}, .tsuids = {"0000"}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsuid \"0000\"")));
}

TEST_P(LastPointsTest, GivesUpWhenItIsToldTo) {
  Put("m", "h=a", 1, 1);
  control_.Cancel();
  EXPECT_THAT(tsdb_->queries().LastPoints(
                  {.queries = {{.metric = "m"}}}, [](const LastPoint&) {}, &control_),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(tsdb_->queries().LastPoints({.queries = {{.metric = "m"}}, .deadline_ms = 1},
                                          [](const LastPoint&) {}),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

// Series with rows here and there, some open; each answer is compared with a search through all
// points that were put.
TEST_P(LastPointsTest, FindsWhatASearchThroughAllPointsFinds) {
  const uint64_t seed = 20130101;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  Random random(seed);
  std::map<std::string, std::map<int64_t, int64_t>> points;  // of a series: second -> value
  const int64_t now_s = 1800;
  const int64_t until_s = 3599;  // the end of its hour
  const auto put = [&] {
    const std::string metric = fmt::format("m{}", random.Below(3));
    const std::string tags = fmt::format("h=h{} dc=d{}", random.Below(60), random.Below(2));
    // Mostly of the last hours, some of the far past, a few still to come.
    const auto back_s = static_cast<int64_t>(random.Below(random.Below(4) == 0 ? 720'000 : 9000));
    const int64_t second = now_s + 2400 - back_s;
    const auto value = static_cast<int64_t>(random.Below(1'000'000));
    points[metric + " " + tags][second] = value;
    Put(metric, tags, second, value);
  };
  const auto check = [&](const std::string& metric, std::vector<TagMatch> tags,
                         const std::string& suffix) {
    Lasts want;
    for (const auto& [name, of_series] : points) {
      if (!name.starts_with(metric + " ") || name.find(suffix) == std::string::npos) continue;
      const auto after = of_series.upper_bound(until_s);
      if (after == of_series.begin()) continue;
      const auto last = std::prev(after);
      want[name] = {static_cast<double>(last->first), static_cast<double>(last->second)};
    }
    EXPECT_EQ(Ask(metric, std::move(tags)), want) << metric << " " << suffix;
  };
  for (const char* const metric : {"m0", "m1", "m2"}) {  // all requested names
    points[std::string(metric) + " h=h7 dc=d1"][-900'000] = 1;
    Put(metric, "h=h7 dc=d1", -900'000, 1);
  }
  for (int round = 0; round < 12 && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    const uint64_t count = 1 + random.Below(120);
    for (uint64_t i = 0; i < count; ++i)
      put();
    check("m0", {}, "");
    check("m1", {}, "");
    check("m0", {{"dc", "d1"}}, "dc=d1");
    check("m0", {{"h", "h7"}}, "h=h7 ");
    if (random.Below(2) == 0) {
      ASSERT_OK(tsdb_->maintenance().Seal());
    }
    if (random.Below(4) == 0) {
      ASSERT_OK(tsdb_->maintenance().Flush());
    }
    check("m2", {}, "");
  }
}

// One series among many: the look-up reads its row and no other.
TEST_P(LastPointsTest, ReadsNoRowsOfOtherSeries) {
  for (int i = 0; i < 500; ++i)
    Put("m", fmt::format("h=h{}", i), 10, i);
  ASSERT_OK(tsdb_->maintenance().Flush());

  EXPECT_THAT(Ask("m", {{"h", "h77"}}), ElementsAre(Pair("m h=h77", Pair(10, 77))));
  EXPECT_EQ(control_.rows, 1u);
  EXPECT_EQ(control_.series, 1u);
  EXPECT_THAT(Ask("m"), SizeIs(500));
  EXPECT_EQ(control_.rows, 501u);
}

INSTANTIATE_TEST_SUITE_P(Stores,
                         LastPointsTest,
                         testing::Values(StoreKind{0, CellEncoding::kPacked, false},
                                         StoreKind{0, CellEncoding::kOpenTsdb, false},
                                         StoreKind{1, CellEncoding::kPacked, false},
                                         StoreKind{1, CellEncoding::kOpenTsdb, false},
                                         StoreKind{1, CellEncoding::kPacked, true}),
                         [](const testing::TestParamInfo<StoreKind>& param_info) {
                           return fmt::format(
                               "{}Salt{}{}", param_info.param.salt_width == 0 ? "No" : "",
                               param_info.param.encoding == CellEncoding::kPacked ? "Packed"
                                                                                  : "OpenTsdb",
                               param_info.param.time_first ? "TimeFirst" : "");
                         });

}  // namespace
}  // namespace hourcell::last_points_test
