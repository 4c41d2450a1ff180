#include "server/forward/forwarding.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/tsdb.h"
#include "server/http/http_client.h"
#include "tests/server/running_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"

namespace hourcell::forwarding_test {
namespace {

using testing::HasSubstr;
using testing::IsNull;

// The running server is the other one.
class TsdForwardTest : public RunningServerTest {
 protected:
  void SetUp() override {
    RunningServerTest::SetUp();
    Start();
    source_.path = dir_.file("source");
    SetSource("tsd.forward", fmt::format("http://127.0.0.1:{}", port()));
  }
  void SetSource(std::string_view key, std::string_view value) {
    ASSERT_OK(source_config_.Set(key, value));
  }
  static int64_t Stat(Tsdb& tsdb, std::string_view name, std::string_view type = {}) {
    for (const StatSample& sample : tsdb.stats().Snapshot()) {
      if (sample.name != name) continue;
      if (type.empty() || sample.tags == StatTags{{"type", std::string(type)}}) return sample.value;
    }
    return -1;
  }

  Config source_config_;
  Options source_;
};

TEST_F(TsdForwardTest, AcknowledgedPutsArriveWithTheirExactValues) {
  auto forwarding = Forwarding::Create(source_config_, &source_);
  ASSERT_OK(forwarding);
  auto source = Tsdb::Open(source_);
  ASSERT_OK(source);
  ASSERT_OK((*forwarding)->Start(&(*source)->stats()));
  const LinePoint lines[] = {
      {"i", "host=a", {.ms = kStartS * 1000}, Value::Integer(INT64_MAX)},
      {"f", "host=a", {.ms = kStartS * 1000 + 7, .is_ms = true}, Value::Float(4.2)},
      {"f", "host=a", {.ms = kStartS * 1000 + 8, .is_ms = true}, Value::Float(3.0)},
  };

  ASSERT_OK((*source)->points().Append(lines, nullptr).Wait());

  EXPECT_TRUE(Eventually([&] { return Stat(**source, "forward.points", "sent") == 3; }));
  EXPECT_EQ(Stat(**source, "forward.points", "dropped"), 0);
  EXPECT_EQ(Stat(**source, "forward.lag"), 0);
  ASSERT_OK((*source)->Close());
  ASSERT_OK((*forwarding)->Stop());
  HttpClient client({.host = "127.0.0.1", .port = fmt::to_string(port())});
  const auto answer = client.Get("/api/query?start=1356998400&ms=true&m=none:i&m=none:f");
  ASSERT_OK(answer);
  EXPECT_THAT(answer->body, HasSubstr(R"({"1356998400000":9223372036854775807})"));
  EXPECT_THAT(answer->body, HasSubstr(R"({"1356998400007":4.2,"1356998400008":3.0})"));
}

// The other server lacks a codec, which only exponential histograms do without.
TEST_F(TsdForwardTest, HistogramsArriveAndThoseThatTheServerDoesNotTakeAreCounted) {
  auto forwarding = Forwarding::Create(source_config_, &source_);
  ASSERT_OK(forwarding);
  auto source = Tsdb::Open(source_);
  ASSERT_OK(source);
  ASSERT_OK((*forwarding)->Start(&(*source)->stats()));
  const ExponentialHistogram exponential{.scale = 3, .count = 5, .positive = {{-2, 5}}};
  const SimpleHistogram simple{.overflow = 1};
  OwnedPoint point("latency", "host=a", kStartS, 0);
  const HistogramPoint first{.point = point.view(), .exponential = &exponential};
  const HistogramPoint second{.point = point.view(), .histogram = &simple, .codec = 42};

  ASSERT_OK((*source)->points().AppendHistograms({&first, 1}, nullptr));
  EXPECT_TRUE(Eventually([&] { return Stat(**source, "forward.points", "sent") == 1; }));
  ASSERT_OK((*source)->points().AppendHistograms({&second, 1}, nullptr));
  EXPECT_TRUE(Eventually([&] { return Stat(**source, "forward.points", "refused") == 1; }));

  ASSERT_OK((*source)->Close());
  ASSERT_OK((*forwarding)->Stop());
  std::vector<ExponentialHistogram> arrived;
  ASSERT_OK(tsdb_->queries().VisitHistograms({}, [&](std::span<const HistogramPoint> some) {
    for (const HistogramPoint& one : some)
      if (one.exponential != nullptr) arrived.push_back(*one.exponential);
    return absl::OkStatus();
  }));
  EXPECT_THAT(arrived, testing::ElementsAre(exponential));
}

TEST_F(TsdForwardTest, WhatWaitsWhenTheServerStopsIsSentByTheNext) {
  SetSource("tsd.forward", "http://127.0.0.1:1");  // nobody there
  {
    auto forwarding = Forwarding::Create(source_config_, &source_);
    ASSERT_OK(forwarding);
    auto source = Tsdb::Open(source_);
    ASSERT_OK(source);
    ASSERT_OK((*forwarding)->Start(&(*source)->stats()));
    OwnedPoint point("m", "host=a", kStartS, 1);
    ASSERT_OK((*source)->points().Put(point.view()));
    ASSERT_OK((*source)->Close());
    ASSERT_OK((*forwarding)->Stop());
  }
  SetSource("tsd.forward", fmt::format("http://127.0.0.1:{}", port()));
  source_.observers.clear();
  auto forwarding = Forwarding::Create(source_config_, &source_);
  ASSERT_OK(forwarding);
  auto source = Tsdb::Open(source_);
  ASSERT_OK(source);
  ASSERT_OK((*forwarding)->Start(&(*source)->stats()));

  EXPECT_TRUE(Eventually([&] { return Stat(**source, "forward.points", "sent") == 1; }));
  ASSERT_OK((*source)->Close());
  ASSERT_OK((*forwarding)->Stop());
}

TEST_F(TsdForwardTest, OffCostsNothingAndMakesNothing) {
  SetSource("tsd.forward", "");
  auto forwarding = Forwarding::Create(source_config_, &source_);
  EXPECT_THAT(forwarding, IsOkAndHolds(IsNull()));
  EXPECT_TRUE(source_.observers.empty());
}

TEST_F(TsdForwardTest, AnAddressThatIsNoneIsRefused) {
  SetSource("tsd.forward", "ftp://x");
  EXPECT_THAT(Forwarding::Create(source_config_, &source_),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("tsd.forward: ")));
}

}  // namespace
}  // namespace hourcell::forwarding_test
