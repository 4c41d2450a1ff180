#include "server/names/metrics_handler.h"

#include <string>

#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::metrics_handler_test {
namespace {

using testing::HasSubstr;

class RankMetricsTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    Put({"sys.cpu", "host=a", kStartS, 1});
    Put({"net.bytes", "host=a", kStartS, 1});
    for (const char* host : {"host=a", "host=b", "host=c"}) {
      Put({"zz.biggest", host, kStartS, 1});
    }
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, "sys.dead"));
  }
  std::string Get(const std::string& query) { return Send("GET /api/metrics" + query).body; }
};

TEST_F(RankMetricsTest, ListsMetricsWithSeriesByName) {
  EXPECT_EQ(Get(""), R"({"total":3,"metrics":[{"metric":"net.bytes","uid":"000002","series":1},)"
                     R"({"metric":"sys.cpu","uid":"000001","series":1},)"
                     R"({"metric":"zz.biggest","uid":"000003","series":3}]})");
}

TEST_F(RankMetricsTest, FindsAPartOfANameInAnyCase) {
  EXPECT_EQ(Get("?find=BIG"),
            R"({"total":1,"metrics":[{"metric":"zz.biggest","uid":"000003","series":3}]})");
  EXPECT_EQ(Get("?find=s.d"), R"({"total":0,"metrics":[]})");
}

TEST_F(RankMetricsTest, TheTotalsAreOfAllMetricsAndTheListOfTheFirst) {
  EXPECT_EQ(
      Get("?order=series&limit=1"),
      R"({"total":3,"series":5,"metrics":[{"metric":"zz.biggest","uid":"000003","series":3}]})");
  EXPECT_EQ(Get("?order=newest&limit=2"),
            R"({"total":3,"metrics":[{"metric":"zz.biggest","uid":"000003","series":3},)"
            R"({"metric":"net.bytes","uid":"000002","series":1}]})");
}

// Series in memory and series in the table are counted once.
TEST_F(RankMetricsTest, CountsSeriesBeforeAndAfterTheirIndexIsWritten) {
  const std::string before = Get("?order=series");
  ASSERT_OK(tsdb().maintenance().Flush());
  EXPECT_EQ(Get("?order=series"), before);
}

TEST_F(RankMetricsTest, SaysWhatIsExpected) {
  EXPECT_THAT(Get("?order=size"), HasSubstr("order: expected name, series or newest, got 'size'"));
  for (const char* limit : {"0", "10001", "-1", "x"}) {
    EXPECT_THAT(Get(std::string("?limit=") + limit), HasSubstr("limit: expected 1 to 10000, got"));
  }
  EXPECT_EQ(Send("POST /api/metrics").status, 405);
}

}  // namespace
}  // namespace hourcell::metrics_handler_test
