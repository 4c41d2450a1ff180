#include "server/histograms/histogram_handler.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/histograms/sent_histogram.h"
#include "tests/server/api_fixture.h"

namespace hourcell::histogram_handler_test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kGood =
    R"({"metric":"latency","timestamp":1356998400,"overflow":1,"buckets":{"0,1":42,"1,5":24},)"
    R"("tags":{"host":"web01"}})";
constexpr std::string_view kBad =
    R"({"metric":"latency","timestamp":1356998460,"id":42,"value":"AAIA","tags":{"host":"web01"}})";

class HistogramHandlerTest : public ApiTest {
 protected:
  void Enable() { ASSERT_OK(config().Set("tsd.core.histograms.config", R"({"simple": 42})")); }
};

TEST_F(HistogramHandlerTest, WithoutACodecHistogramsAreOff) {
  const HttpResponse response = Send("POST /api/histogram", "not JSON");
  EXPECT_EQ(response.status, 503);
  EXPECT_THAT(response.body, HasSubstr("Histogram storage has not been enabled"));
}

TEST_F(HistogramHandlerTest, GoodHistogramsOfABodyAreStored) {
  Enable();
  const std::string body = "[" + std::string(kGood) + "," + std::string(kBad) + "]";
  EXPECT_EQ(Send("POST /api/histogram", body).status, 400);
  const HttpResponse summary = Send("POST /api/histogram?details", body);
  EXPECT_EQ(summary.status, 400);
  EXPECT_THAT(summary.body, HasSubstr(R"("success":1,"failed":1)"));
  EXPECT_THAT(summary.body, HasSubstr("cut short"));

  const HttpResponse stored = Send(
      "GET /api/query?start=1356998400&end=1356998500&m=sum:percentiles[50,99]:latency{host=*}");
  EXPECT_EQ(stored.status, 200);
  EXPECT_THAT(stored.body, HasSubstr(R"("metric":"latency_pct_50.0","tags":{"host":"web01"})"));
  EXPECT_THAT(stored.body, HasSubstr(R"("dps":{"1356998400":0.5})"));
  EXPECT_THAT(stored.body, HasSubstr(R"("metric":"latency_pct_99.0")"));
}

TEST_F(HistogramHandlerTest, ExponentialOnesNeedNoCodec) {
  const ExponentialHistogram histogram{.count = 3, .positive = {{0, 3}}};
  const std::string exponential =
      fmt::format(R"({{"metric":"latency","timestamp":1356998400,"id":254,"value":"{}",)"
                  R"("tags":{{"host":"web01"}}}})",
                  EncodeSentValue({.point = {}, .exponential = &histogram}));
  EXPECT_EQ(Send("POST /api/histogram", exponential).status, 204);
  EXPECT_EQ(Send("POST /api/histogram", "[" + exponential + "," + std::string(kGood) + "]").status,
            503);

  const HttpResponse stored =
      Send("GET /api/query?start=1356998400&end=1356998500&m=sum:show-histogram-buckets:latency");
  EXPECT_THAT(stored.body, HasSubstr(R"("metric":"latency_1.0_2.0")"));
}

TEST_F(HistogramHandlerTest, AnswersAsAPut) {
  Enable();
  EXPECT_EQ(Send("POST /api/histogram", std::string(kGood)).status, 204);
  EXPECT_EQ(Send("POST /api/histogram?summary", std::string(kGood)).status, 200);
  EXPECT_EQ(Send("POST /api/histogram", "{").status, 400);
  EXPECT_EQ(Send("GET /api/histogram").status, 405);
}

TEST_F(HistogramHandlerTest, AJsonQueryGroupsAndDownsamples) {
  Enable();
  for (const std::string_view host : {"web01", "web02"}) {
    for (int i = 0; i < 2; ++i) {
      const std::string body =
          fmt::format(R"({{"metric":"latency","timestamp":{},"buckets":{{"0,2":{},"2,4":{}}},)"
                      R"("tags":{{"host":"{}","dc":"lga"}}}})",
                      kStartS + 30 * i, host == "web01" ? 9 : 1, i + 1, host);
      ASSERT_EQ(Send("POST /api/histogram", body).status, 204);
    }
  }
  const auto ask = [&](std::string_view filter) {
    return Send("POST /api/query",
                fmt::format(R"({{"start":1356998400,"end":1356998459,"queries":[)"
                            R"({{"aggregator":"sum","metric":"latency","downsample":"1m-sum",)"
                            R"("percentiles":[99,50],"filters":[{}]}}]}})",
                            filter))
        .body;
  };
  // web01: 18 and 3 values; web02: 2 and 3.
  const std::string by_host =
      ask(R"({"type":"wildcard","tagk":"host","filter":"*","groupBy":true})");
  EXPECT_THAT(by_host, HasSubstr(R"({"metric":"latency_pct_50.0",)"
                                 R"("tags":{"host":"web01","dc":"lga"},"aggregateTags":[],)"
                                 R"("dps":{"1356998400":1.0}})"));
  EXPECT_THAT(by_host, HasSubstr(R"({"metric":"latency_pct_50.0",)"
                                 R"("tags":{"host":"web02","dc":"lga"},"aggregateTags":[],)"
                                 R"("dps":{"1356998400":3.0}})"));
  // Together 20 and 6.
  const std::string all = ask("");
  EXPECT_THAT(all, HasSubstr(R"("metric":"latency_pct_50.0","tags":{"dc":"lga"},)"
                             R"("aggregateTags":["host"],"dps":{"1356998400":1.0})"));
  EXPECT_THAT(all, HasSubstr(R"("metric":"latency_pct_99.0","tags":{"dc":"lga"},)"
                             R"("aggregateTags":["host"],"dps":{"1356998400":3.0})"));
}

TEST_F(HistogramHandlerTest, BucketsAreSeriesOfTheirOwn) {
  Enable();
  ASSERT_EQ(Send("POST /api/histogram", std::string(kGood)).status, 204);
  const HttpResponse stored =
      Send("GET /api/query?start=1356998400&end=1356998500&m=sum:show-histogram-buckets:latency");
  for (const std::string_view name :
       {"latency_UNDERFLOW", "latency_0.0_1.0", "latency_1.0_5.0", "latency_OVERFLOW"}) {
    EXPECT_THAT(stored.body, HasSubstr(std::string(name)));
  }
}

}  // namespace
}  // namespace hourcell::histogram_handler_test
