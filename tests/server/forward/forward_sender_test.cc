#include "server/forward/forward_sender.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/base/clock.h"
#include "engine/spool/point_spool.h"
#include "engine/stats.h"
#include "server/http/http_inflate.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::forward_sender_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr int64_t kTime = 1'356'998'400;

// Sends to a function of the test, which sees the values of each request.
class ForwardSenderTest : public testing::Test {
 protected:
  ForwardSenderTest() {
    EXPECT_OK(spool_.Open());
    sender_ = std::make_unique<ForwardSender>(ForwardSender::Parts{
        .spool = &spool_,
        .stats = &stats_,
        .clock = &clock_,
        .post =
            [this](std::string_view target, std::string_view body, std::string_view via) {
              targets_.emplace_back(target);
              vias_.emplace_back(via);
              return Answer(body);
            },
        .set_aside = [this](const PointView& point,
                            std::string_view cell) { return SetAside(point, cell); },
        .warn = [this](std::string_view message) { warnings_.emplace_back(message); }});
  }

  void Put(const std::vector<int64_t>& values) {
    std::vector<OwnedPoint> points;
    for (const int64_t value : values)
      points.emplace_back("m", "host=a", kTime + value, value);
    std::vector<PointView> views;
    for (OwnedPoint& point : points)
      views.push_back(point.view());
    spool_.BeforeStore({.number = 1, .points = views});
    spool_.AfterPut(1, views.size());
  }
  void PutHistograms(size_t count) {
    OwnedPoint point("m", "host=a", kTime, 0);
    const StoredHistogram one{.point = point.view(), .cell = std::string_view("\x2a\0\0\0\1", 5)};
    spool_.AfterHistograms(std::vector<StoredHistogram>(count, one), "");
  }
  static HttpReply Reply(int status, std::string body = {}, int64_t retry_after_s = 0) {
    return {.status = status, .body = std::move(body), .retry_after_s = retry_after_s};
  }
  // The entry of an answer with details for a point of Put.
  static std::string ErrorOf(int64_t value, std::string_view text) {
    return fmt::format(R"({{"error":"{}","datapoint":{{"metric":"m","timestamp":{},)"
                       R"("value":"{}","tags":{{"host":"a"}}}}}})",
                       text, kTime + value, value);
  }
  // An error of a whole request.
  static HttpReply ErrorReply(int status, std::string_view text) {
    return Reply(status, fmt::format(R"({{"error":{{"code":{},"message":"{}"}}}})", status, text));
  }
  // Steps until there is nothing to send, or `most` times. Returns how many were waits.
  int StepAll(int most) {
    int waits = 0;
    for (int i = 0; i < most; ++i) {
      const int64_t wait_ms = sender_->Step();
      if (wait_ms == kForwardIdleMs) break;
      if (wait_ms > 0) ++waits;
    }
    return waits;
  }
  uint64_t Points(std::string type) {
    return stats_.counter("forward.points", {{"type", std::move(type)}})->value();
  }

  TempDir directory_;
  ManualClock clock_{1'000'000};
  Stats stats_;
  PointSpool spool_{{.directory = directory_.file("spool"), .clock = &clock_}};
  std::deque<absl::StatusOr<HttpReply>> answers_;  // none left: decide_, or 204
  std::function<HttpReply(const std::string& values)> decide_;
  absl::Status keeps_;                 // what set_aside returns
  std::vector<int64_t> set_aside_;     // the values
  std::vector<std::string> cells_;     // of the histograms among these
  std::vector<std::string> targets_;   // of each request
  std::vector<std::string> vias_;      // the same
  std::vector<std::string> requests_;  // the values in each
  std::vector<std::string> warnings_;
  std::unique_ptr<ForwardSender> sender_;

 private:
  absl::Status SetAside(const PointView& point, std::string_view cell) {
    if (keeps_.ok()) set_aside_.push_back(point.value.integer());
    if (keeps_.ok() && !cell.empty()) cells_.emplace_back(cell);
    return absl::Status(keeps_.code(), std::string(keeps_.message()));
  }
  absl::StatusOr<HttpReply> Answer(std::string_view body) {
    const std::string text = Inflate(body, Compression::kGzip, 1 << 23).value_or("");
    std::string values;
    constexpr std::string_view kValue = "\"value\":";
    for (size_t at = text.find(kValue); at != std::string::npos; at = text.find(kValue, at + 1)) {
      const size_t begin = at + kValue.size();
      values += (values.empty() ? "" : " ") + text.substr(begin, text.find(',', begin) - begin);
    }
    requests_.push_back(values);
    if (answers_.empty()) return decide_ ? decide_(values) : Reply(204);
    absl::StatusOr<HttpReply> answer = std::move(answers_.front());
    answers_.pop_front();
    return answer;
  }
};

TEST_F(ForwardSenderTest, WhatIsPutIsSentInOneRequest) {
  EXPECT_EQ(sender_->Step(), kForwardIdleMs);
  Put({1, 2});
  Put({3});

  EXPECT_EQ(sender_->Step(), 0);
  EXPECT_EQ(sender_->Step(), kForwardIdleMs);

  EXPECT_THAT(requests_, ElementsAre("1 2 3"));
  EXPECT_EQ(Points("sent"), 3u);
  EXPECT_EQ(spool_.LagMs(), 0);
}

TEST_F(ForwardSenderTest, WhatFailsIsSentAgainInOrder) {
  answers_ = {absl::UnavailableError("no connection"), Reply(503, "", 2), Reply(500, "oops"),
              Reply(401), Reply(204)};
  Put({1});
  EXPECT_EQ(sender_->Step(), kForwardRetryMs);
  Put({2});
  EXPECT_EQ(sender_->Step(), 2000);
  EXPECT_EQ(sender_->Step(), 4 * kForwardRetryMs);
  EXPECT_EQ(sender_->Step(), 8 * kForwardRetryMs);
  EXPECT_EQ(sender_->Step(), 0);
  EXPECT_EQ(sender_->Step(), 0);

  EXPECT_THAT(requests_, ElementsAre("1", "1", "1", "1", "1", "2"));
  EXPECT_EQ(Points("sent"), 2u);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("no connection")));  // not one each
}

TEST_F(ForwardSenderTest, WaitsGrowToALimitAndBeginAnewAfterASuccess) {
  for (int i = 0; i < 12; ++i)
    answers_.push_back(Reply(503));
  Put({1});
  int64_t wait_ms = 0;
  for (int i = 0; i < 12; ++i)
    wait_ms = sender_->Step();
  EXPECT_EQ(wait_ms, kForwardRetryMaxMs);
  EXPECT_EQ(sender_->Step(), 0);

  Put({2});
  answers_.push_back(Reply(503));
  EXPECT_EQ(sender_->Step(), kForwardRetryMs);
}

TEST_F(ForwardSenderTest, APointThatIsRefusedIsCountedAndNotSentAgain) {
  Put({1, 2, 3});
  answers_ = {Reply(400, R"({"errors":[)" + ErrorOf(2, "Unknown metric") + "]}")};

  EXPECT_EQ(sender_->Step(), 0);
  EXPECT_EQ(sender_->Step(), kForwardIdleMs);

  EXPECT_EQ(Points("sent"), 2u);
  EXPECT_EQ(Points("refused"), 1u);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr(
                             "1 of 3 points were refused, among them m host=a at 1356998402000 ms: "
                             "Unknown metric")));
}

TEST_F(ForwardSenderTest, AStorageExceptionSendsAllAgain) {
  Put({1, 2});
  answers_ = {Reply(400, R"({"errors":[)" + ErrorOf(2, "Storage exception: HBase") + "]}")};

  EXPECT_EQ(sender_->Step(), kForwardRetryMs);
  EXPECT_EQ(sender_->Step(), 0);

  EXPECT_THAT(requests_, ElementsAre("1 2", "1 2"));
  EXPECT_EQ(Points("sent"), 2u);
  EXPECT_EQ(Points("refused"), 0u);
}

TEST_F(ForwardSenderTest, ATooLargeRequestIsHalvedAndGrowsAgain) {
  Put({1, 2, 3, 4, 5, 6, 7, 8, 9});
  answers_ = {Reply(413)};
  EXPECT_EQ(StepAll(10), 0);

  EXPECT_THAT(requests_, ElementsAre("1 2 3 4 5 6 7 8 9", "1 2 3 4 5", "6 7 8 9"));
}

// A proxy that is being set up answers for some time with 400 to everything.
TEST_F(ForwardSenderTest, AfterABlipRequestsGrowAsLargeAsTheyWere) {
  std::vector<int64_t> values(kForwardPointsMax);
  std::iota(values.begin(), values.end(), 1);
  for (int i = 0; i < 9; ++i)
    answers_.push_back(ErrorReply(400, "no"));
  std::vector<int64_t> waits;
  Put(values);
  for (int i = 0; i < 9; ++i)
    waits.push_back(sender_->Step());
  EXPECT_THAT(waits, ElementsAre(0, 200, 400, 800, 1600, 3200, 6400, 12800, 25600))
      << "it does not shrink to nothing at once";
  StepAll(30);
  Put(values);
  Put(values);
  requests_.clear();
  StepAll(10);

  ASSERT_THAT(requests_, SizeIs(3));
  EXPECT_EQ(static_cast<size_t>(std::ranges::count(requests_[1], ' ')), kForwardPointsMax - 1);
  EXPECT_EQ(Points("sent"), 3 * kForwardPointsMax);
}

// As an OpenTSDB that takes no bodies above 8 KiB.
TEST_F(ForwardSenderTest, AServerThatTakesNoLargerRequestsIsAskedMoreRarely) {
  decide_ = [](const std::string& values) {
    return std::ranges::count(values, ' ') < 4 ? Reply(204) : ErrorReply(400, "chunked");
  };
  std::vector<int64_t> values(1'000);
  std::iota(values.begin(), values.end(), 1);
  Put(values);
  const int waits = StepAll(2'000);

  EXPECT_EQ(Points("sent"), 1'000u);
  EXPECT_EQ(Points("refused"), 0u);
  EXPECT_LT(requests_.size(), 1'000u / 4 + 50);
  EXPECT_LT(waits, 20);
}

TEST_F(ForwardSenderTest, AnErrorThatIsNotTheServersOwnIsNoFaultOfThePoints) {
  Put({1, 2});
  answers_ = {Reply(400, "<html>Bad Request"), Reply(200, "<html>Welcome"), Reply(202),
              Reply(200, "{}"), Reply(204)};
  EXPECT_EQ(StepAll(10), 4);

  EXPECT_THAT(requests_, ElementsAre("1 2", "1 2", "1 2", "1 2", "1 2"));
  EXPECT_EQ(Points("sent"), 2u);
}

TEST_F(ForwardSenderTest, APointThatCannotBeReadAloneIsRefusedAlone) {
  Put({1, 2, 3, 4});
  // 3 is what the other server stumbles over.
  decide_ = [](const std::string& values) {
    return values.find('3') == std::string::npos ? Reply(204) : ErrorReply(400, "bad");
  };
  StepAll(20);

  EXPECT_THAT(requests_, ElementsAre("1 2 3 4", "1 2", "3 4", "3", "4"));
  EXPECT_EQ(Points("sent"), 3u);
  EXPECT_EQ(Points("refused"), 1u);
}

TEST_F(ForwardSenderTest, APointThatTheServerFailsAtIsSetAside) {
  std::vector<int64_t> values(100);
  std::iota(values.begin(), values.end(), 100);
  Put(values);
  decide_ = [](const std::string& sent) {
    const bool is_poisoned =
        sent.find("100") != std::string::npos || sent.find("177") != std::string::npos;
    return is_poisoned ? ErrorReply(500, "java.lang.NullPointerException") : Reply(204);
  };
  StepAll(200);

  EXPECT_THAT(set_aside_, ElementsAre(100, 177));
  EXPECT_EQ(Points("set_aside"), 2u);
  EXPECT_EQ(Points("sent"), 98u);
  EXPECT_EQ(Points("refused"), 0u);
  EXPECT_EQ(spool_.LagMs(), 0);
}

TEST_F(ForwardSenderTest, AStorageExceptionOfOnePointSetsItAside) {
  Put({1, 2, 3});
  decide_ = [](const std::string& sent) {
    if (sent.find('2') == std::string::npos) return Reply(204);
    return Reply(400, R"({"errors":[)" + ErrorOf(2, "Storage exception: cell too large") + "]}");
  };
  StepAll(50);

  EXPECT_THAT(set_aside_, ElementsAre(2));
  EXPECT_EQ(Points("sent"), 2u);
}

TEST_F(ForwardSenderTest, HistogramsGoToTheirEndpointInOrder) {
  Put({1, 2});
  PutHistograms(2);
  Put({3});
  answers_ = {Reply(204),
              Reply(400, R"({"success":1,"failed":1,"errors":[{"error":"bad","index":1}]})"),
              Reply(204)};
  StepAll(10);

  EXPECT_THAT(targets_,
              ElementsAre("/api/put?details", "/api/histogram?details", "/api/put?details"));
  EXPECT_THAT(requests_, ElementsAre("1 2", "\"AAAAAQ==\" \"AAAAAQ==\"", "3"));
  EXPECT_EQ(Points("sent"), 4u);
  EXPECT_EQ(Points("refused"), 1u);
}

TEST_F(ForwardSenderTest, AServerThatTakesNoHistogramsGetsThePoints) {
  for (const HttpReply& answer : {ErrorReply(503, "Histogram storage has not been enabled."),
                                  ErrorReply(404, "not found"), ErrorReply(405, "not allowed")}) {
    PutHistograms(3);
    Put({1});
    answers_ = {answer, Reply(204)};
    EXPECT_EQ(StepAll(10), 0);
  }
  EXPECT_EQ(Points("refused"), 9u);
  EXPECT_EQ(Points("sent"), 3u);
}

TEST_F(ForwardSenderTest, AHistogramThatTheServerFailsAtIsSetAside) {
  PutHistograms(1);
  Put({1});
  decide_ = [](const std::string& sent) {
    return Reply(sent.find('A') == std::string::npos ? 204 : 500);
  };
  StepAll(30);

  EXPECT_THAT(cells_, SizeIs(1));
  EXPECT_EQ(Points("set_aside"), 1u);
  EXPECT_EQ(Points("sent"), 1u);
}

TEST_F(ForwardSenderTest, ManyHistogramsAreSentInSeveralRequests) {
  const std::string large(kForwardHistogramBytesMax / 2 + 1, '\0');
  OwnedPoint point("m", "host=a", kTime, 0);
  const StoredHistogram one{.point = point.view(), .cell = large};
  spool_.AfterHistograms(std::vector<StoredHistogram>(3, one), "");
  StepAll(10);

  EXPECT_THAT(targets_, SizeIs(2));
  EXPECT_EQ(Points("sent"), 3u);
}

TEST_F(ForwardSenderTest, AServerThatFailsAtEverythingLosesNoPoint) {
  decide_ = [](const std::string&) { return Reply(500); };
  Put({1, 2, 3, 4});
  EXPECT_GT(StepAll(200), 90);
  EXPECT_THAT(set_aside_, IsEmpty());
  EXPECT_EQ(Points("sent"), 0u);

  decide_ = nullptr;
  StepAll(20);
  EXPECT_EQ(Points("sent"), 4u);
  EXPECT_THAT(set_aside_, IsEmpty());
}

// Nothing says that it is the point, until there is another one.
TEST_F(ForwardSenderTest, APoisonedPointThatIsAloneWaits) {
  decide_ = [](const std::string& sent) {
    return Reply(sent.find('1') == std::string::npos ? 204 : 500);
  };
  Put({1});
  StepAll(30);
  EXPECT_THAT(set_aside_, IsEmpty());

  Put({2});
  StepAll(30);
  EXPECT_THAT(set_aside_, ElementsAre(1));
  EXPECT_EQ(Points("sent"), 1u);
}

TEST_F(ForwardSenderTest, APointThatCannotBeSetAsideIsRefused) {
  keeps_ = absl::ResourceExhaustedError("full");
  decide_ = [](const std::string& sent) {
    return Reply(sent.find('1') == std::string::npos ? 204 : 500);
  };
  Put({1, 2});
  StepAll(30);
  EXPECT_EQ(Points("set_aside"), 0u);
  EXPECT_EQ(Points("refused"), 1u);
}

// /api/put takes 1500 for seconds.
TEST_F(ForwardSenderTest, AMillisecondWithoutAFormInAPutIsRefused) {
  Put({1});
  OwnedPoint point("m", "host=a", Timestamp{.ms = 1500, .is_ms = true}, Value::Integer(2));
  const PointView view = point.view();
  spool_.BeforeStore({.number = 1, .points = {&view, 1}});
  spool_.AfterPut(1, 1);
  Put({3});
  StepAll(5);

  EXPECT_THAT(requests_, ElementsAre("1", "3"));
  EXPECT_EQ(Points("refused"), 1u);
  EXPECT_EQ(Points("sent"), 2u);
}

TEST_F(ForwardSenderTest, RequestsNameTheServersThatForwardedThePoints) {
  Put({1});
  OwnedPoint point("m", "host=a", kTime, 2);
  const PointView view = point.view();
  spool_.BeforeStore({.number = 1, .points = {&view, 1}, .via = "0123456789abcdef"});
  spool_.AfterPut(1, 1);
  StepAll(5);

  EXPECT_THAT(vias_, ElementsAre(spool_.id(), spool_.id() + ",0123456789abcdef"));
}

TEST_F(ForwardSenderTest, PointsThatCameFromThereAreReturned) {
  Put({1, 2});
  answers_ = {Reply(400, fmt::format(R"({{"error":{{"code":400,"message":"Points are refused",)"
                                     R"("details":"{}"}}}})",
                                     kOwnPointsText))};
  EXPECT_EQ(StepAll(5), 0);

  EXPECT_EQ(Points("returned"), 2u);
  EXPECT_EQ(Points("refused"), 0u);
  EXPECT_EQ(spool_.LagMs(), 0);
}

TEST_F(ForwardSenderTest, AnAnswerWithoutErrorsIsASuccess) {
  Put({1});
  answers_ = {Reply(200, R"({"success":1,"failed":0,"errors":[]})")};
  EXPECT_EQ(sender_->Step(), 0);
  EXPECT_EQ(Points("sent"), 1u);
  EXPECT_THAT(warnings_, IsEmpty());
}

}  // namespace
}  // namespace hourcell::forward_sender_test
