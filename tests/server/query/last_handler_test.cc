#include "server/query/last_handler.h"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/server/api_fixture.h"

namespace hourcell::last_handler_test {
namespace {

using testing::HasSubstr;

// The clock of the fixture is at 2013-01-04 12:00:00 UTC.
constexpr int64_t kNowS = 1'357'300'800;

class LastHandlerTest : public ApiTest {
 protected:
  void PutSome() {
    Put({"cpu", "host=a", kNowS - 60, 41});
    Put({"cpu", "host=a", kNowS - 30, 42});
    Put({"cpu", "host=b", Timestamp{.ms = (kNowS - 100'000) * 1000}, Value::Float(1.5)});
    Put({"mem", "host=a dc=x", kNowS - 7200, 7});
  }
};

TEST_F(LastHandlerTest, AnswersByMetricAndByTsuid) {
  PutSome();

  EXPECT_EQ(Send("GET /api/query/last?timeseries=cpu{host=a}").body,
            R"([{"timestamp":1357300770000,"value":"42","tsuid":"000001000001000001"}])");
  EXPECT_EQ(Send("GET /api/query/last?tsuids=000001000001000002&resolve").body,
            R"([{"metric":"cpu","timestamp":1357200800000,"value":"1.5","tags":{"host":"b"},)"
            R"("tsuid":"000001000001000002"}])");
  EXPECT_EQ(
      Send("GET /api/query/last?timeseries=mem&timeseries=cpu{host=b}&tsuids=000001000001000001,"
           "000001000001000002")
          .body,
      R"([{"timestamp":1357300770000,"value":"42","tsuid":"000001000001000001"},)"
      R"({"timestamp":1357200800000,"value":"1.5","tsuid":"000001000001000002"},)"
      R"({"timestamp":1357293600000,"value":"7","tsuid":"000002000001000001000002000003"}])");
}

TEST_F(LastHandlerTest, AnswersAPost) {
  PutSome();

  EXPECT_EQ(
      Send("POST /api/query/last",
           R"({"queries":[{"metric":"mem","tags":{"dc":"x"}}],"resolveNames":true,"backScan":2})")
          .body,
      R"([{"metric":"mem","timestamp":1357293600000,"value":"7","tags":{"host":"a","dc":"x"},)"
      R"("tsuid":"000002000001000001000002000003"}])");
}

// OpenTSDB requires all tags of a series, or for its meta table.
TEST_F(LastHandlerTest, TagsAreFiltersAndAnswerSeveralSeries) {
  PutSome();
  const auto count = [this](std::string_view series) {
    const std::string body = Send(fmt::format("GET /api/query/last?timeseries={}", series)).body;
    size_t points = 0;
    for (size_t at = body.find("tsuid"); at != std::string::npos; at = body.find("tsuid", at + 1))
      ++points;
    return points;
  };
  EXPECT_EQ(count("cpu"), 2u);
  EXPECT_EQ(count("cpu{host=*}"), 2u);
  EXPECT_EQ(count("cpu{host=a|b}"), 2u);
  EXPECT_EQ(count("mem{host=a}"), 1u);
}

TEST_F(LastHandlerTest, BackScanHidesNoPoint) {
  PutSome();

  EXPECT_THAT(Send("GET /api/query/last?timeseries=cpu{host=b}&back_scan=1").body,
              HasSubstr("\"value\":\"1.5\""));
  EXPECT_THAT(Send("POST /api/query/last", R"({"queries":[{"metric":"mem"}],"backScan":1})").body,
              HasSubstr("\"value\":\"7\""));
}

TEST_F(LastHandlerTest, AnUnknownTsuidHasNoPoint) {
  PutSome();
  EXPECT_EQ(Send("GET /api/query/last?tsuids=000009000001000002&resolve").body, "[]");
}

TEST_F(LastHandlerTest, SaysWhatIsWrong) {
  PutSome();
  const auto check = [this](std::string_view request, const std::string& want) {
    const HttpResponse response = Send(request);
    EXPECT_EQ(response.status, 400) << request;
    EXPECT_THAT(response.body, HasSubstr("\"message\":\"" + want)) << request;
  };
  check("GET /api/query/last", "Missing sub queries");
  check("GET /api/query/last?back_scan=x&timeseries=cpu", "Unable to parse back_scan parameter");
  check("GET /api/query/last?back_scan=&timeseries=cpu", "Unable to parse back_scan parameter");
  check("GET /api/query/last?back_scan=-1&timeseries=cpu", "Unable to parse back_scan parameter");
  check("GET /api/query/last?timeseries=cpu{host", "Missing '}' at the end of");
  check("GET /api/query/last?timeseries={host=a}", "Missing the metric or tsuids");
  check("GET /api/query/last?timeseries=disk", "No such name for 'metrics': 'disk'");
  check("GET /api/query/last?timeseries=cpu{rack=a}", "No such name for 'tagk': 'rack'");
  check("GET /api/query/last?timeseries=cpu{host=z}", "No such name for 'tagv': 'z'");
  check("GET /api/query/last?tsuids=xyz",
        "tsuid: expected an even number of hexadecimal digits, got");
  check("GET /api/query/last?tsuids=0001", "tsuid ");
  EXPECT_EQ(Send("PUT /api/query/last").status, 405);
  EXPECT_EQ(Send("DELETE /api/query/last").status, 405);
}

}  // namespace
}  // namespace hourcell::last_handler_test
