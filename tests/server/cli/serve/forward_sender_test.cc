#include "server/cli/serve/forward_sender.h"

#include <cstdint>
#include <deque>
#include <memory>
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
        .post = [this](std::string_view body) { return Answer(body); },
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
  static HttpReply Reply(int status, std::string body = {}, int64_t retry_after_s = 0) {
    return {.status = status, .body = std::move(body), .retry_after_s = retry_after_s};
  }
  // The entry of an answer with details for a point of Put.
  static std::string ErrorOf(int64_t value, std::string_view text) {
    return fmt::format(R"({{"error":"{}","datapoint":{{"metric":"m","timestamp":{},)"
                       R"("value":"{}","tags":{{"host":"a"}}}}}})",
                       text, kTime + value, value);
  }
  uint64_t Points(std::string type) {
    return stats_.counter("forward.points", {{"type", std::move(type)}})->value();
  }

  TempDir directory_;
  ManualClock clock_{1'000'000};
  Stats stats_;
  PointSpool spool_{{.directory = directory_.file("spool"), .clock = &clock_}};
  std::deque<absl::StatusOr<HttpReply>> answers_;  // none left: 204
  std::vector<std::string> requests_;              // the values in each
  std::vector<std::string> warnings_;
  std::unique_ptr<ForwardSender> sender_;

 private:
  absl::StatusOr<HttpReply> Answer(std::string_view body) {
    const std::string text = Inflate(body, Compression::kGzip, 1 << 20).value_or("");
    std::string values;
    constexpr std::string_view kValue = "\"value\":";
    for (size_t at = text.find(kValue); at != std::string::npos; at = text.find(kValue, at + 1)) {
      const size_t begin = at + kValue.size();
      values += (values.empty() ? "" : " ") + text.substr(begin, text.find(',', begin) - begin);
    }
    requests_.push_back(values);
    if (answers_.empty()) return Reply(204);
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
    answers_.push_back(Reply(500));
  Put({1});
  int64_t wait_ms = 0;
  for (int i = 0; i < 12; ++i)
    wait_ms = sender_->Step();
  EXPECT_EQ(wait_ms, kForwardRetryMaxMs);
  EXPECT_EQ(sender_->Step(), 0);

  Put({2});
  answers_.push_back(Reply(500));
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

TEST_F(ForwardSenderTest, ATooLargeRequestIsHalvedAndStaysSmall) {
  Put({1, 2, 3, 4});
  answers_ = {Reply(413), Reply(204), Reply(204), Reply(204)};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(sender_->Step(), 0);
  Put({5, 6, 7});
  EXPECT_EQ(sender_->Step(), 0);

  EXPECT_THAT(requests_, ElementsAre("1 2 3 4", "1 2", "3 4", "5 6"));
}

TEST_F(ForwardSenderTest, APointThatCannotBeReadAloneIsRefusedAlone) {
  Put({1, 2, 3, 4});
  // 3 is what the other server stumbles over.
  answers_ = {Reply(400, "bad"), Reply(204), Reply(400, "bad"), Reply(400, "bad")};
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(sender_->Step(), 0);

  EXPECT_THAT(requests_, ElementsAre("1 2 3 4", "1 2", "3 4", "3", "4"));
  EXPECT_EQ(Points("sent"), 3u);
  EXPECT_EQ(Points("refused"), 1u);
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
