#include "server/cli/lab/series_source.h"

#include <memory>
#include <set>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/cli/captured_terminal.h"
#include "tests/server/running_server.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::series_source_test {
namespace {

using absl::StatusCode;
using layouts::GivenFleet;
using layouts::WorkloadSeries;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

TEST(SeriesSourceTest, AFleetHasASeriesForEachCombination) {
  const auto fleet = SeriesOfFleet("metrics=3,tags=host:5/cpu:2,interval=60s", 1);
  ASSERT_OK(fleet);

  EXPECT_THAT(fleet->text, AllOf(HasSubstr("the fleet metrics=3,"), HasSubstr(", 30 series")));
  ASSERT_THAT(fleet->series, SizeIs(30));
  std::set<std::string> names;
  std::set<std::string> metrics;
  for (const WorkloadSeries& series : fleet->series) {
    EXPECT_EQ(series.metric.size() + series.tags.size(), 3U + 2 * 6);
    EXPECT_EQ(series.interval_s, 60u);
    names.insert(series.metric + series.tags);
    metrics.insert(series.metric);
  }
  EXPECT_THAT(names, SizeIs(30));
  EXPECT_THAT(metrics, SizeIs(3));
}

TEST(SeriesSourceTest, ALargeFleetIsSampledAndASkewedOneHasRareSeries) {
  const auto large = SeriesOfFleet("metrics=100,tags=host:10000,interval=10s", 1);
  ASSERT_OK(large);
  EXPECT_THAT(large->series, SizeIs(kGivenSeriesMax));

  const auto skewed = SeriesOfFleet("metrics=1,tags=host:100,interval=60s,skew=1", 1);
  ASSERT_OK(skewed);
  EXPECT_EQ(skewed->series[0].interval_s, 3u);  // 100 / (1 + 1/2 + ... + 1/100) = 19 times 1/60
  EXPECT_EQ(skewed->series[99].interval_s, 311u);
  EXPECT_THAT(SeriesOfFleet("metrics=x", 1), StatusIs(StatusCode::kInvalidArgument));
}

class SeriesOfFileTest : public testing::Test {
 protected:
  TempDir dir_;
  const std::string path_ = dir_.file("points");
};

TEST_F(SeriesOfFileTest, HasTheSeriesAndIntervalsOfItsPoints) {
  WriteGzipFile(path_,
                "cpu 1356998400 1 host=a dc=x\n"
                "put cpu 1356998400 0.5 host=b dc=x\n"
                "\n"
                "cpu 1356998430 2 dc=x host=a\n"
                "cpu 1356998460 3 host=a dc=x\n"
                "mem 1356998400 7 host=a\n"
                "put cpu 1357012800 1.5 host=b dc=x\n");

  const auto fleet = SeriesOfFile(path_);

  ASSERT_OK(fleet);
  EXPECT_EQ(fleet->text, "3 series of 2 metrics in 6 lines of " + path_);
  ASSERT_THAT(fleet->series, SizeIs(3));
  EXPECT_EQ(fleet->series[0].interval_s, 30u);
  EXPECT_FALSE(fleet->series[0].is_gauge);
  EXPECT_EQ(fleet->series[1].interval_s, 3'600u);  // four hours, which is over the limit
  EXPECT_TRUE(fleet->series[1].is_gauge);
  EXPECT_EQ(fleet->series[2].interval_s, 60u);  // one point
  EXPECT_EQ(fleet->series[0].metric, std::string("\0\0\1", 3));
  EXPECT_THAT(fleet->series[0].tags, SizeIs(12));
  EXPECT_THAT(fleet->series[2].metric, EndsWith("\2"));
}

TEST_F(SeriesOfFileTest, NamesTheLineThatIsWrong) {
  WriteFile(path_, "cpu 1356998400 1 host=a\ncpu yesterday 1 host=a\n");
  EXPECT_THAT(SeriesOfFile(path_),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr(path_ + ":2: "), HasSubstr("yesterday"))));
  WriteFile(path_, "\n");
  EXPECT_THAT(SeriesOfFile(path_), StatusIs(StatusCode::kInvalidArgument, HasSubstr("no points")));
  EXPECT_THAT(SeriesOfFile(dir_.file("none")), StatusIs(StatusCode::kNotFound));
}

class SeriesOfServerTest : public RunningServerTest {
 protected:
  RowSourceOptions server() const { return {.url = fmt::format("http://127.0.0.1:{}", port())}; }
};

TEST_F(SeriesOfServerTest, HasTheSeriesOfItsLastHours) {
  Start();
  const std::string tags = "host=a";
  for (int64_t second = 0; second < 600; second += 20) {
    ASSERT_OK(tsdb_->points().Put(
        OwnedPoint("cpu", tags, {.ms = (kStartS + second) * 1'000}, Value::Float(0.5)).view()));
  }
  ASSERT_OK(tsdb_->points().Put(
      OwnedPoint("mem", tags, {.ms = kStartS * 1'000}, Value::Integer(1)).view()));

  const auto fleet = SeriesOfServer(server(), (kStartS + 3'600) * 1'000);

  ASSERT_OK(fleet);
  EXPECT_THAT(fleet->text, HasSubstr("2 series of 2 metrics in 2 rows of http://127.0.0.1:"));
  ASSERT_THAT(fleet->series, SizeIs(2));
  EXPECT_EQ(fleet->series[0].interval_s, 20u);
  EXPECT_TRUE(fleet->series[0].is_gauge);
  EXPECT_THAT(SeriesOfServer(server(), (kStartS + 86'400) * 1'000),
              StatusIs(StatusCode::kNotFound, HasSubstr("no points in the last two hours")));
}

TEST(SeriesSourceTest, SaysWhichServerDoesNotAnswer) {
  EXPECT_THAT(SeriesOfServer({.url = "http://localhost:1"}, 1'356'998'400'000),
              StatusIs(StatusCode::kUnavailable, HasSubstr("localhost:1")));
}

}  // namespace
}  // namespace hourcell::series_source_test
