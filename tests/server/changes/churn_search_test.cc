#include "server/changes/churn_search.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/query/query_registry.h"
#include "tests/engine/query/functions/counted_memory.h"
#include "tests/server/api_fixture.h"

namespace hourcell::churn_search_test {
namespace {

using testing::ElementsAre;
using testing::Pair;

class ChurnSearchTest : public ApiTest {
 protected:
  ChurnSearchTest() {
    request_.times = ChangeTimesOf(kStartS * 1000 + 1'800'000, kStartS * 1000 + 3'600'000);
    request_.metric = "cpu";
    request_.limit = 60;
  }

  // A point each minute of [from, to), in minutes of the two half hours.
  void PutMinutes(std::string_view tags, int64_t from, int64_t to) {
    for (int64_t minute = from; minute < to; ++minute)
      Put(OwnedPoint("cpu", tags, kStartS + minute * 60, 1));
  }

  absl::StatusOr<ChurnReport> Find() {
    const QueryService service{.tsdb = &tsdb(), .clock = &clock_, .registry = &registry_};
    return FindChurn(request_, service, 0, &control_, &memory_);
  }

  QueryRegistry registry_{&clock_};
  QueryControl control_;
  CountedMemory memory_;
  ChurnRequest request_;
};

TEST_F(ChurnSearchTest, FindsSeriesThatStartOrEnd) {
  PutMinutes("host=stays", 0, 60);
  PutMinutes("host=new", 40, 60);
  PutMinutes("host=gone", 0, 35);
  PutMinutes("host=silent", 0, 20);

  const auto report = Find();

  ASSERT_OK(report);
  EXPECT_EQ(report->series, 4u);
  EXPECT_EQ(report->started, 1u);
  EXPECT_EQ(report->ended, 2u);
  ASSERT_EQ(report->list.size(), 3u);
  EXPECT_THAT(report->list[0].tags, ElementsAre(Pair("host", "new")));
  EXPECT_EQ(report->list[0].type, ChangeType::kStarted);
  EXPECT_EQ(report->list[0].first_ms, kStartS * 1000 + 40 * 60'000);
  EXPECT_EQ(report->list[0].last_ms, kStartS * 1000 + 59 * 60'000);
  EXPECT_THAT(report->list[1].tags, ElementsAre(Pair("host", "gone")));
  EXPECT_EQ(report->list[1].type, ChangeType::kEnded);
  EXPECT_EQ(report->list[1].last_ms, kStartS * 1000 + 34 * 60'000);
  EXPECT_THAT(report->list[2].tags, ElementsAre(Pair("host", "silent")));
}

TEST_F(ChurnSearchTest, CountsAllSeriesAndListsTheLatest) {
  for (int64_t i = 0; i < 20; ++i)
    PutMinutes(fmt::format("host=h{:02}", i), 30 + (i * 7) % 20, 60);
  request_.limit = 3;

  const auto report = Find();

  ASSERT_OK(report);
  EXPECT_EQ(report->started, 20u);
  ASSERT_EQ(report->list.size(), 3u);
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(report->list[static_cast<size_t>(i)].first_ms, kStartS * 1000 + (49 - i) * 60'000);
}

TEST_F(ChurnSearchTest, ItsMemoryIsCountedAndGivenBack) {
  for (int i = 0; i < 20; ++i)
    PutMinutes(fmt::format("host=h{:02}", i), 30 + i, 60);
  request_.limit = 3;
  ASSERT_OK(Find());
  EXPECT_GT(memory_.peak, 0u);
  EXPECT_LT(memory_.peak, 5 * 200u);
  EXPECT_EQ(memory_.held, 0u);
}

TEST_F(ChurnSearchTest, ACancelledSearchEnds) {
  PutMinutes("host=a", 0, 60);
  control_.Cancel();
  EXPECT_THAT(Find(), StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace hourcell::churn_search_test
