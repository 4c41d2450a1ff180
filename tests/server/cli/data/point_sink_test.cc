#include "server/cli/data/point_sink.h"

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/http/scripted_server.h"
#include "tests/support/builders.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace hourcell::point_sink_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A point as a line gives it.
LinePoint LineAt(int64_t time_s, std::string_view tags = "host=a", std::string_view metric = "m") {
  return {.metric = metric,
          .tags = tags,
          .timestamp = {.ms = time_s * 1000},
          .value = Value::Integer(1)};
}

// The answer's entry for such a point.
std::string ErrorEntry(std::string_view text, int64_t time, std::string_view tagv = "a") {
  return R"({"error":")" + std::string(text) + R"(","datapoint":{"metric":"m","timestamp":)" +
         std::to_string(time) + R"(,"value":"1","tags":{"host":")" + std::string(tagv) + R"("}}})";
}
std::string Answer(const std::string& entries) {
  return R"({"success":0,"failed":1,"errors":[)" + entries + "]}";
}

std::unique_ptr<PointSink> SinkTo(const ScriptedServer& server) {
  return MakeHttpSink(*ParseHttpUrl(server.url()));
}

TEST(HttpSinkTest, SendsGzipAndReadsWhatWasRefused) {
  ScriptedServer server({{HttpReplyText(400, Answer(ErrorEntry("bad", 2)))}});
  const LinePoint points[] = {LineAt(1), LineAt(2)};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(SinkTo(server)->Write(points, &refused));

  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].index, 1u);
  EXPECT_THAT(
      server.requests(),
      ElementsAre(AllOf(testing::StartsWith("POST /api/put?details HTTP/1.1"),
                        HasSubstr("Content-Encoding: gzip"), HasSubstr("\r\n\r\n\x1f\x8b"))));
}

TEST(HttpSinkTest, WantsASyncOfEachPiece) {
  ScriptedServer server({{HttpReplyText(204, "")}});
  const LinePoint points[] = {LineAt(1)};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(MakeHttpSink(*ParseHttpUrl(server.url()), SinkSync::kEach)->Write(points, &refused));

  EXPECT_THAT(server.requests(),
              ElementsAre(testing::StartsWith("POST /api/put?details&sync HTTP/1.1")));
}

TEST(HttpSinkTest, LargeBatchGoesInSeveralRequestsWithIndexesOfTheWhole) {
  ScriptedServer server(
      {{HttpReplyText(204, "")}, {HttpReplyText(400, Answer(ErrorEntry("bad", 10'003)))}});
  std::vector<LinePoint> points;
  for (int64_t i = 1; i <= 10'005; ++i)
    points.push_back(LineAt(i));
  std::vector<RefusedPoint> refused;

  ASSERT_OK(SinkTo(server)->Write(points, &refused));

  EXPECT_EQ(server.requests().size(), 2u);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].index, 10'002u);
}

TEST(HttpSinkTest, TagsThatAreNoneAreRefusedHereAndTheOthersSent) {
  ScriptedServer server({{HttpReplyText(400, Answer(ErrorEntry("bad", 3)))}});
  const LinePoint points[] = {LineAt(1), LineAt(2, "host"), LineAt(3),
                              LineAt(4, " host=a  host=b")};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(SinkTo(server)->Write(points, &refused));

  ASSERT_EQ(refused.size(), 3u);
  EXPECT_EQ(refused[0].index, 1u);
  EXPECT_EQ(refused[0].error.text, "invalid tag: host");
  EXPECT_EQ(refused[1].index, 2u);
  EXPECT_EQ(refused[1].error.text, "bad");
  EXPECT_EQ(refused[2].index, 3u);
}

// The server would store them at other times.
TEST(HttpSinkTest, TimesThatHaveNoNumberAreRefusedHere) {
  ScriptedServer server({{HttpReplyText(204, "")}});
  LinePoint points[] = {LineAt(0), LineAt(1), LineAt(0)};
  points[2].timestamp = {.ms = 1500, .is_ms = true};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(SinkTo(server)->Write(points, &refused));

  ASSERT_EQ(refused.size(), 2u);
  EXPECT_EQ(refused[0].index, 0u);
  EXPECT_THAT(refused[0].error.text, HasSubstr("bad timestamp=0s: "));
  EXPECT_EQ(refused[1].index, 2u);
  EXPECT_THAT(refused[1].error.text, HasSubstr("bad timestamp=1500ms: "));
}

TEST(HttpSinkTest, WaitsWhileTheServerIsBusy) {
  ScriptedServer server({{HttpReplyText(503, "{}")}, {HttpReplyText(204, "")}});
  const LinePoint points[] = {LineAt(1)};
  std::vector<RefusedPoint> refused;

  EXPECT_OK(SinkTo(server)->Write(points, &refused));

  EXPECT_EQ(server.requests().size(), 2u);
  EXPECT_THAT(refused, IsEmpty());
}

TEST(HttpSinkTest, RefusalOfTheWholeRequestEndsTheImport) {
  ScriptedServer server({{HttpReplyText(403, R"({"error":{"code":403,"message":"read only"}})")}});
  const LinePoint points[] = {LineAt(1)};
  std::vector<RefusedPoint> refused;

  EXPECT_THAT(SinkTo(server)->Write(points, &refused),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("403 read only")));
}

TEST(HttpSinkTest, HistogramsGoToTheirEndpoint) {
  const std::string answer =
      R"({"success":0,"failed":1,"errors":[{"error":"No codec found mapped to ID 7","index":0}]})";
  ScriptedServer server({{HttpReplyText(503, "{}")}, {HttpReplyText(400, answer)}});
  const SimpleHistogram histogram{.overflow = 1};
  OwnedPoint late("m", "host=a", 1356998400, 0);
  OwnedPoint early("m", "host=a", {.ms = 1500, .is_ms = true}, Value::Integer(0));
  const HistogramPoint histograms[] = {{.point = early.view(), .histogram = &histogram},
                                       {.point = late.view(), .histogram = &histogram, .codec = 7}};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(SinkTo(server)->WriteHistograms(histograms, &refused));

  ASSERT_EQ(refused.size(), 2u);
  EXPECT_THAT(refused[0].error.text, HasSubstr("bad timestamp=1500ms: /api/histogram cannot"));
  EXPECT_EQ(refused[1].index, 1u);
  EXPECT_THAT(refused[1].error.text, HasSubstr("mapped to ID 7"));
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_THAT(server.requests()[1], testing::StartsWith("POST /api/histogram?details HTTP/1.1"));
}

TEST(HttpSinkTest, AServerWithoutACodecIsAskedOnce) {
  ScriptedServer server({{HttpReplyText(503, "Histogram storage has not been enabled.")}});
  const SimpleHistogram histogram{.overflow = 1};
  OwnedPoint point("m", "host=a", 1356998400, 0);
  const HistogramPoint one{.point = point.view(), .histogram = &histogram};
  std::vector<RefusedPoint> refused;

  EXPECT_THAT(SinkTo(server)->WriteHistograms({&one, 1}, &refused),
              StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(StoreSinkTest, StoresGoodHistogramsAndSaysWhichAreBad) {
  TempDir dir;
  const auto tsdb = Tsdb::Open(TinyOptions(dir.file("store")));
  ASSERT_OK(tsdb.status());
  const SimpleHistogram histogram{.overflow = 1};
  OwnedPoint good("m", "host=a", 1356998400, 0);
  OwnedPoint bad("m", "", 1356998400, 0);
  const HistogramPoint histograms[] = {{.point = bad.view(), .histogram = &histogram},
                                       {.point = good.view(), .histogram = &histogram}};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(MakeStoreSink(tsdb->get())->WriteHistograms(histograms, &refused));

  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].index, 0u);
  size_t stored = 0;
  EXPECT_OK((*tsdb)->queries().VisitHistograms({}, [&](std::span<const HistogramPoint> some) {
    stored += some.size();
    return absl::OkStatus();
  }));
  EXPECT_EQ(stored, 1u);
}

TEST(StoreSinkTest, StoresGoodPointsAndSaysWhichAreBad) {
  TempDir dir;
  Options options;
  options.path = dir.file("store");
  const auto tsdb = Tsdb::Open(options);
  ASSERT_OK(tsdb.status());
  const LinePoint points[] = {LineAt(1), LineAt(2, "host=a", "not!legal"), LineAt(3)};
  std::vector<RefusedPoint> refused;

  ASSERT_OK(MakeStoreSink(tsdb->get())->Write(points, &refused));

  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].index, 1u);
  EXPECT_THAT(refused[0].error.text, HasSubstr("illegal character"));

  ASSERT_OK((*tsdb)->Close());
  EXPECT_THAT(MakeStoreSink(tsdb->get())->Write(points, &refused),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("closed")));
}

TEST(StoreSinkTest, SyncsEachBatchIfWanted) {
  TempDir dir;
  Options options;
  options.path = dir.file("store");
  options.sync = Durability::kNever;
  const auto tsdb = Tsdb::Open(options);
  ASSERT_OK(tsdb.status());
  const LinePoint points[] = {LineAt(1)};
  std::vector<RefusedPoint> refused;
  const auto syncs = [&] {
    const auto buckets = (*tsdb)->stats().histogram("journal.sync")->buckets();
    return std::accumulate(buckets.begin(), buckets.end(), uint64_t{0});
  };

  ASSERT_OK(MakeStoreSink(tsdb->get())->Write(points, &refused));
  EXPECT_EQ(syncs(), 0u);
  ASSERT_OK(MakeStoreSink(tsdb->get(), SinkSync::kEach)->Write(points, &refused));
  EXPECT_EQ(syncs(), 1u);
  ASSERT_OK((*tsdb)->Close());
}

}  // namespace
}  // namespace hourcell::point_sink_test
