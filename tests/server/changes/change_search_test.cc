#include "server/changes/change_search.h"

#include <atomic>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/query/query_registry.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/server/api_fixture.h"

namespace hourcell::change_search_test {
namespace {

using testing::HasSubstr;

// A millisecond passes with each look at it.
class PassingClock : public Clock {
 public:
  int64_t NowMs() override { return 1'357'300'800'000; }
  int64_t MonotonicMs() override { return ++now_ms_; }

 private:
  std::atomic<int64_t> now_ms_ = 1'000'000;
};

class ChangeSearchTest : public ApiTest {
 protected:
  ChangeSearchTest() {
    request_.times = ChangeTimesOf(kStartS * 1000 + 1'800'000, kStartS * 1000 + 3'600'000);
    request_.tags = {{.tagk = "host", .tagv = "web07"}};
    request_.limit = 20;
    request_.series = 5'000;
    request_.seconds = 10;
  }

  // A point each minute of an hour: `before` in its first half, `now` in the other.
  void PutStep(const std::string& metric, std::string_view tags, int64_t before, int64_t now) {
    for (int64_t minute = 0; minute < 60; ++minute)
      Put(OwnedPoint(metric, tags, kStartS + minute * 60, minute < 30 ? before : now));
  }
  void PutMetrics(int count) {
    for (int i = 0; i < count; ++i)
      PutStep(fmt::format("m{:03}", i), "host=web07", 50, 50 + i);
  }

  absl::StatusOr<ChangeReport> Find(int64_t deadline_ms = 0) {
    tsdb();
    const QueryService service{.tsdb = &tsdb(), .clock = &passing_, .registry = &registry_};
    return FindChanges(request_, service, deadline_ms, &control_, &memory_);
  }

  // Not a member of the object: the store, which looks at it, outlives those.
  static inline PassingClock passing_;
  QueryRegistry registry_{&passing_};
  QueryControl control_;
  CountedMemory memory_;
  ChangeRequest request_;
};

TEST_F(ChangeSearchTest, FindsTheMetricsOfATagThatMovedMost) {
  PutStep("disk.busy", "host=web07 disk=sda", 2, 40);
  PutStep("disk.busy", "host=web07 disk=sdb", 2, 2);
  PutStep("disk.busy", "host=web08 disk=sda", 2, 90);
  PutStep("backup.running", "host=web07", 0, 1);
  PutStep("mem.used", "host=web07", 70, 70);

  const auto report = Find();

  ASSERT_OK(report);
  EXPECT_EQ(report->series, 4u);
  EXPECT_EQ(report->compared, 4u);
  EXPECT_EQ(report->metrics, 3u);
  EXPECT_FALSE(report->timed_out);
  ASSERT_EQ(report->changes.size(), 2u);
  EXPECT_EQ(report->changes[0].metric, "backup.running");
  EXPECT_EQ(report->changes[1].metric, "disk.busy");
  EXPECT_EQ(report->changes[1].series, 2u);
  EXPECT_EQ(report->changes[1].moved, 1u);
  EXPECT_THAT(
      report->changes[1].tags,
      testing::UnorderedElementsAre(testing::Pair("disk", "sda"), testing::Pair("host", "web07")));
  EXPECT_EQ(report->changes[1].score.now.mean, 40);
  EXPECT_EQ(report->changes[1].score.line.size(), 60u);
}

TEST_F(ChangeSearchTest, SummariesAnswerLongSteps) {
  for (int64_t hour = 0; hour < 48; ++hour) {
    for (int64_t minute = 0; minute < 60; ++minute)
      Put(OwnedPoint("m", "host=web07", kStartS + hour * 3600 + minute * 60, hour < 24 ? 1 : 2));
  }
  ASSERT_OK(tsdb().maintenance().Seal());
  request_.times = ChangeTimesOf((kStartS + 86'400) * 1000, (kStartS + 172'800) * 1000);

  const auto report = Find();

  ASSERT_OK(report);
  ASSERT_EQ(report->changes.size(), 1u);
  EXPECT_EQ(report->changes[0].score.before.mean, 1);
  EXPECT_LT(control_.cost().cells, 12u);  // of 48 hours
}

TEST_F(ChangeSearchTest, KeepsTheHighestScores) {
  PutMetrics(40);
  request_.limit = 3;

  const auto report = Find();

  ASSERT_OK(report);
  EXPECT_EQ(report->metrics, 40u);
  ASSERT_EQ(report->changes.size(), 3u);
  EXPECT_EQ(report->changes[0].metric, "m039");
  EXPECT_EQ(report->changes[2].metric, "m037");
}

TEST_F(ChangeSearchTest, ALargeMetricLeavesRoomForOthers) {
  for (int i = 0; i < 250; ++i)
    Put(OwnedPoint("a", fmt::format("host=web07 core={}", i), kStartS, 1));
  PutStep("b", "host=web07", 1, 2);

  const auto report = Find();

  ASSERT_OK(report);
  EXPECT_EQ(report->series, 251u);
  EXPECT_EQ(report->compared, kComparedOfMetricMax + 1);
  ASSERT_EQ(report->changes.size(), 2u);
  request_.series = 30;
  const auto few = Find();
  ASSERT_OK(few);
  EXPECT_EQ(few->series, 251u);
  EXPECT_EQ(few->compared, 30u);
}

TEST_F(ChangeSearchTest, OnlyMetricsWithTheBeginningOfAName) {
  PutMetrics(12);
  request_.metric = "m01";

  const auto report = Find();

  ASSERT_OK(report);
  EXPECT_EQ(report->series, 2u);
  EXPECT_EQ(report->changes.size(), 2u);
}

TEST_F(ChangeSearchTest, ASearchThatTakesTooLongAnswersWithItsPart) {
  options().clock = &passing_;
  PutMetrics(64);
  int parts = 0;
  uint64_t compared = 0;
  for (int64_t wait_ms = 1; compared < 64; wait_ms += 3) {
    const auto report = Find(passing_.MonotonicMs() + wait_ms);
    if (!report.ok()) {
      EXPECT_THAT(report, StatusIs(absl::StatusCode::kDeadlineExceeded));
      continue;
    }
    EXPECT_EQ(report->series, 64u);
    EXPECT_EQ(report->timed_out, report->compared < 64);
    EXPECT_LE(report->changes.size(), report->compared);
    parts += report->timed_out ? 1 : 0;
    compared = report->compared;
  }
  EXPECT_GT(parts, 0);
}

TEST_F(ChangeSearchTest, ACancelledSearchEnds) {
  PutMetrics(1);
  control_.Cancel();

  EXPECT_THAT(Find(), StatusIs(absl::StatusCode::kCancelled));
}

TEST_F(ChangeSearchTest, ItsMemoryIsCountedAndGivenBack) {
  PutMetrics(20);

  ASSERT_OK(Find());
  EXPECT_GT(memory_.peak, 20 * 2 * 9u);
  EXPECT_EQ(memory_.held, 0u);
  memory_.limit = memory_.peak - 1;
  EXPECT_THAT(Find(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(memory_.held, 0u);
}

TEST_F(ChangeSearchTest, AnUnknownTagIsNotFound) {
  PutMetrics(1);
  request_.tags = {{.tagk = "host", .tagv = "nosuch"}};

  EXPECT_THAT(Find(), StatusIs(absl::StatusCode::kNotFound, HasSubstr("nosuch")));
}

}  // namespace
}  // namespace hourcell::change_search_test
