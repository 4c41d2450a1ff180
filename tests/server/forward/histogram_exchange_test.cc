#include "server/forward/histogram_exchange.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/histograms/histogram_json.h"
#include "server/histograms/sent_histogram.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::histogram_exchange_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(HistogramExchangeTest, AServerReadsTheBody) {
  const SimpleHistogram simple{.buckets = {{0, 1, 42}}, .overflow = 1};
  const ExponentialHistogram exponential{.count = 3, .positive = {{0, 3}}};
  OwnedPoint first("latency", "host=a dc=\"x\"", 1356998400, 0);
  OwnedPoint second("latency", "host=b", {.ms = 1356998400001, .is_ms = true}, Value::Integer(0));
  const HistogramPoint sent[] = {
      {.point = first.view(), .histogram = &simple, .codec = 42},
      {.point = second.view(), .exponential = &exponential},
  };

  const auto body = ParseHistogramBody({.simple = 42}, HistogramsBody(sent));

  ASSERT_OK(body);
  EXPECT_THAT(body->faults, IsEmpty());
  ASSERT_EQ(body->good.size(), 2u);
  EXPECT_EQ(body->good[0].metric, "latency");
  EXPECT_EQ(body->good[0].tags[1].second, "\"x\"");
  EXPECT_EQ(std::get<SimpleHistogram>(body->good[0].histogram), simple);
  EXPECT_EQ(body->good[1].timestamp.ms, 1356998400001);
  EXPECT_EQ(std::get<ExponentialHistogram>(body->good[1].histogram), exponential);
}

TEST(HistogramExchangeTest, HistogramsOfASpoolHaveTheSameBody) {
  const SimpleHistogram simple{.buckets = {{0, 1, 42}}, .overflow = 1};
  const ExponentialHistogram exponential{.count = 3, .positive = {{0, 3}}};
  OwnedPoint point("latency", "host=a", 1356998400, 0);
  const HistogramPoint sent[] = {{.point = point.view(), .histogram = &simple, .codec = 200},
                                 {.point = point.view(), .exponential = &exponential}};
  std::string cells[] = {"\xc8", "\xfe"};
  AppendSimpleHistogram(simple, &cells[0]);
  AppendExponentialHistogram(exponential, &cells[1]);
  const PointView points[] = {point.view(), point.view()};
  const std::string_view views[] = {cells[0], cells[1]};

  EXPECT_EQ(HistogramsBody(points, views), HistogramsBody(sent));
}

TEST(HistogramExchangeTest, RefusedHistogramsAreThoseOfTheIndices) {
  std::vector<RefusedPoint> refused;

  ASSERT_OK(ParseHistogramReply(
      R"({"success":1,"failed":1,"errors":[{"error":"No codec found mapped to ID 7","index":1}]})",
      2, &refused));

  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].index, 1u);
  EXPECT_EQ(refused[0].error.text, "No codec found mapped to ID 7");
}

TEST(HistogramExchangeTest, AnAnswerOfAnotherFormIsDataLoss) {
  std::vector<RefusedPoint> refused;
  for (const std::string body :
       {"", "{}", R"({"errors":[{"error":"x"}]})", R"({"errors":[{"error":"x","index":2}]})"}) {
    SCOPED_TRACE(body);
    EXPECT_THAT(ParseHistogramReply(body, 2, &refused), StatusIs(absl::StatusCode::kDataLoss));
  }
  EXPECT_THAT(ParseHistogramReply(R"({"errors":[{"error":"Please throttle writes","index":0}]})", 2,
                                  &refused),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("throttle")));
}

TEST(HistogramExchangeTest, AServerWithoutACodecIsKnown) {
  EXPECT_TRUE(AreHistogramsOff(std::string(kHistogramsAreOff)));
  EXPECT_FALSE(AreHistogramsOff("Service Unavailable"));
}

}  // namespace
}  // namespace hourcell::histogram_exchange_test
