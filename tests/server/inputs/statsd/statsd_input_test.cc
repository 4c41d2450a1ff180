#include "server/inputs/statsd/statsd_input.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/inputs/point_batch.h"
#include "tests/engine/live_bytes.h"
#include "tests/server/api_fixture.h"

namespace hourcell::statsd_input_test {
namespace {

using testing::HasSubstr;

class StatsdInputTest : public ApiTest {
 protected:
  StatsdInput Input(AppendInPlace append = {}) {
    return StatsdInput(
        {.tsdb = &tsdb(), .names = &names_, .clock = &clock_, .append = std::move(append)},
        *InputSettingsOf(Config()), *StatsdSettingsOf(config()));
  }
  std::string Stored(std::string_view metric) {
    return Send(fmt::format("GET /api/query?start=1356990000&end=1357310000&ms=true&m=none:{}",
                            metric))
        .body;
  }
  uint64_t Count(const std::string& name) {
    return tsdb().stats().counter(name, {{"type", "statsd"}})->value();
  }
  uint64_t Dropped(const std::string& reason) {
    return tsdb()
        .stats()
        .counter("rpc.inputs.dropped", {{"type", "statsd"}, {"reason", reason}})
        ->value();
  }

 private:
  const NameRule names_{NameEncoding::kLatin1, ""};
};

TEST_F(StatsdInputTest, AFlushTakesEachSampleOnce) {
  StatsdInput input = Input();
  input.Take("hits:1|c|#host:web01\nhits:2|c|#host:web01\r\n\nload:1.5|g");
  EXPECT_EQ(Count("rpc.inputs.points"), 0U);
  input.Flush();
  clock_.Advance(10'500);
  input.Take("hits:4|c|#host:web01");
  input.Flush();
  clock_.Advance(10'000);
  input.Flush();

  EXPECT_THAT(Stored("hits"), HasSubstr(R"("tags":{"host":"web01"},"aggregateTags":[],)"
                                        R"("dps":{"1357300800000":3,"1357300810000":4})"));
  EXPECT_THAT(Stored("load"), HasSubstr(R"("tags":{"host":"unknown"},"aggregateTags":[],)"
                                        R"("dps":{"1357300800000":1.5})"));
  EXPECT_EQ(Count("rpc.inputs.points"), 3U);
  EXPECT_EQ(Count("rpc.inputs.refused"), 0U);
}

TEST_F(StatsdInputTest, WhatIsWrongIsCountedAndTheOthersAreTaken) {
  ASSERT_OK(config().Set("tsd.statsd.series", "1"));
  StatsdInput input = Input();
  input.Take("bad\na:x|c\na:1|c\n_sc|redis|0\nb:1|c");
  input.Refuse("a datagram of a stranger");
  input.Flush();

  EXPECT_THAT(Stored("a"), HasSubstr(R"("dps":{"1357300800000":1})"));
  EXPECT_EQ(Count("rpc.inputs.refused"), 3U);
  EXPECT_EQ(Dropped("event"), 1U);
  EXPECT_EQ(Dropped("series"), 1U);
}

TEST_F(StatsdInputTest, ATimerIsStoredWholeOrNotAtAll) {
  options().auto_create_metrics = false;
  for (const std::string_view metric : {"t.count", "hits"})
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, metric));
  StatsdInput input = Input();
  input.Take("t:5|ms\nhits:1|c");
  input.Flush();

  EXPECT_EQ(Stored("t.count"), "[]");
  EXPECT_THAT(Stored("hits"), HasSubstr(R"("dps":{"1357300800000":1})"));
  EXPECT_EQ(Count("rpc.inputs.refused"), 1U);
}

TEST_F(StatsdInputTest, WhatAFullStoreDoesNotTakeIsLost) {
  int batches = 0;
  StatsdInput input = Input([&batches](size_t, std::vector<RefusedPoint>*, const AppendOptions&) {
    ++batches;
    return CommitTicket(absl::UnavailableError("full"));
  });
  input.Take("a:1|c");
  input.Flush();
  input.Flush();
  EXPECT_EQ(batches, 1) << "the sample is gone";
  EXPECT_EQ(Count("rpc.inputs.points"), 0U);
}

TEST_F(StatsdInputTest, ASecondTypeOfAMetricIsRefusedAndCounted) {
  StatsdInput input = Input();
  input.Take("x:5|c\nx:100|g");
  input.Flush();

  EXPECT_THAT(Stored("x"), HasSubstr(R"("dps":{"1357300800000":5})"));
  EXPECT_EQ(Count("rpc.inputs.refused"), 1U);
}

// A server that stops right after a flush, and a clock that is set back.
TEST_F(StatsdInputTest, NoFlushWritesTheSecondOfOneBefore) {
  StatsdInput input = Input();
  input.Take("hits:100|c");
  EXPECT_EQ(input.Flush(), 0);
  clock_.Advance(900);
  input.Take("hits:1|c");
  EXPECT_EQ(input.Flush(), 100) << "milliseconds to that second";
  clock_.StepWall(-60'000);
  input.Take("hits:2|c");
  EXPECT_GT(input.Flush(), 60'000);
  EXPECT_EQ(input.Flush(), 0) << "nothing to write";

  EXPECT_THAT(Stored("hits"),
              HasSubstr(R"("dps":{"1357300800000":100,"1357300801000":1,"1357300802000":2})"));
}

TEST_F(StatsdInputTest, AClockThatWasFarAheadIsFollowed) {
  StatsdInput input = Input();
  input.Take("hits:1|c");
  input.Flush();
  clock_.StepWall(-3'600'000);
  input.Take("hits:2|c");
  EXPECT_EQ(input.Flush(), 0);

  EXPECT_THAT(Stored("hits"), HasSubstr(R"("dps":{"1357297200000":2,"1357300800000":1})"));
}

// More than a batch: none of them is taken, and each point is counted once.
TEST_F(StatsdInputTest, EveryPointThatAFullStoreDoesNotTakeIsCounted) {
  StatsdInput input = Input([](size_t, std::vector<RefusedPoint>*, const AppendOptions&) {
    return CommitTicket(absl::UnavailableError("full"));
  });
  for (size_t i = 0; i < 2 * kBatchPoints + 100; ++i)
    input.Take(fmt::format("c{}:1|c", i));
  input.Take("t:1|ms");
  input.Flush();

  const uint64_t of_a_timer = 8;
  EXPECT_EQ(tsdb().stats().counter("rpc.put.errors", {{"reason", "throttled"}})->value(),
            2 * kBatchPoints + 100 + of_a_timer);
  EXPECT_EQ(Count("rpc.inputs.points"), 0U);
}

TEST_F(StatsdInputTest, AStoreThatBreaksInAFlushCountsTheRestAlone) {
  size_t taken = 0;
  StatsdInput input =
      Input([&taken](size_t points, std::vector<RefusedPoint>*, const AppendOptions&) {
        if (taken > 0) return CommitTicket(absl::InternalError("broken"));
        taken = points;
        return CommitTicket();
      });
  for (size_t i = 0; i < 3 * kBatchPoints; ++i)
    input.Take(fmt::format("c{}:1|c", i));
  input.Flush();

  EXPECT_EQ(Count("rpc.inputs.points"), taken);
  EXPECT_EQ(tsdb().stats().counter("rpc.put.errors", {{"reason", "storage"}})->value(),
            3 * kBatchPoints - taken);
}

// Names are not copied, and a series is freed when its points are handed on.
TEST_F(StatsdInputTest, AFlushNeedsLittleMoreThanWhatIsHeld) {
  if (!kCountsLiveBytes) GTEST_SKIP() << "the sanitizers bring their own operator new";
  ASSERT_OK(config().Set("tsd.statsd.series", "20000"));
  size_t points = 0;
  StatsdInput input =
      Input([&points](size_t batch, std::vector<RefusedPoint>*, const AppendOptions&) {
        points += batch;
        return CommitTicket();
      });
  const size_t before = LiveBytes();
  const std::string tag(900, 't');
  for (size_t i = 0; i < 20'000; ++i)
    input.Take(fmt::format("{:0>900}:{}|ms|#host:{}", i, i, tag));
  const size_t held = LiveBytes() - before;
  ResetLiveBytesPeak();
  input.Flush();

  EXPECT_EQ(points, 8U * 20'000);
  EXPECT_GT(held, 20'000U * 1'800);
  EXPECT_LT(LiveBytesPeak() - before - held, 6U << 20) << "a batch, whatever is held";
  EXPECT_LT(LiveBytes() - before, 6U << 20) << "the room of a batch stays";
}

}  // namespace
}  // namespace hourcell::statsd_input_test
