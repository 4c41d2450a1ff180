#include "server/promql/metadata_handler.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <protozero/pbf_writer.hpp>

#include "tests/server/promql/promql_fixture.h"

namespace hourcell::metadata_handler_test {
namespace {

using protozero::pbf_writer;
using testing::HasSubstr;

// By Prometheus' definition of types.proto.
struct SentMetadata {
  uint64_t type = 0;
  std::string metric = {};
  std::string help = {};
  std::string unit = {};
};

std::string MessageOf1(const std::vector<SentMetadata>& all) {
  std::string bytes;
  pbf_writer message(bytes);
  for (const SentMetadata& one : all) {
    pbf_writer metadata(message, 3);
    metadata.add_enum(1, static_cast<int32_t>(one.type));
    metadata.add_string(2, one.metric);
    metadata.add_string(4, one.help);
    metadata.add_string(5, one.unit);
  }
  return bytes;
}

class MetadataHandlerTest : public PromqlTest {
 protected:
  int Send1(const std::vector<SentMetadata>& all, const std::string& before = {}) {
    return Send("POST /api/v1/write", before + MessageOf1(all),
                {{"content-type", "application/x-protobuf"}})
        .status;
  }

  // The data of the answer.
  std::string Metadata(std::string_view params = {}) {
    const HttpResponse response = Send(fmt::format("GET /api/v1/metadata{}", params));
    EXPECT_EQ(response.status, 200) << response.body;
    constexpr std::string_view kBefore = R"({"status":"success","data":)";
    EXPECT_THAT(response.body, testing::StartsWith(kBefore));
    return response.body.substr(kBefore.size(), response.body.size() - kBefore.size() - 1);
  }
};

TEST_F(MetadataHandlerTest, WhatPrometheusSendsIsAnswered) {
  EXPECT_EQ(Metadata(), "{}");

  // Prometheus sends it without series, and the name of a histogram without _bucket.
  EXPECT_EQ(Send1({{1, "requests_total", "Requests served", ""},
                   {2, "load", "", "percent"},
                   {3, "latency_seconds", "Says \"how long\"", "seconds"},
                   {99, "odd", "", ""}}),
            204);

  EXPECT_EQ(Metadata(),
            R"({"latency_seconds":[{"type":"histogram","help":"Says \"how long\"",)"
            R"("unit":"seconds"}],"load":[{"type":"gauge","help":"","unit":"percent"}],)"
            R"("odd":[{"type":"unknown","help":"","unit":""}],)"
            R"("requests_total":[{"type":"counter","help":"Requests served","unit":""}]})");
}

TEST_F(MetadataHandlerTest, SeriesAndMetadataOfAMessageAreBothStored) {
  const std::string series =
      PromMessage(PromWriteVersion::k1, {{.labels = {{"__name__", "up"}}, .samples = {{1, kMs}}}});

  EXPECT_EQ(Send1({{2, "up", "Whether it is up", ""}}, series), 204);

  EXPECT_THAT(Metadata(), HasSubstr("Whether it is up"));
  EXPECT_THAT(Send("GET /api/v1/series?match[]=up").body, HasSubstr("__name__"));
}

// By the definition of io.prometheus.write.v2.
TEST_F(MetadataHandlerTest, Version2HasMetadataInItsSeries) {
  std::string bytes;
  pbf_writer message(bytes);
  for (const char* const symbol : {"", "__name__", "lag_seconds_bucket", "le", "1", "The lag", "s"})
    message.add_string(4, symbol);
  {
    pbf_writer series(message, 5);
    const std::vector<uint32_t> labels = {1, 2, 3, 4};
    series.add_packed_uint32(1, labels.begin(), labels.end());
    pbf_writer sample(series, 2);
    sample.add_double(1, 3);
    sample.add_int64(2, kMs);
  }
  std::string with_metadata = bytes;
  {
    pbf_writer series_message(with_metadata);
    pbf_writer series(series_message, 5);
    const std::vector<uint32_t> labels = {1, 2, 3, 4};
    series.add_packed_uint32(1, labels.begin(), labels.end());
    pbf_writer metadata(series, 5);
    metadata.add_enum(1, 3);
    metadata.add_uint32(3, 5);
    metadata.add_uint32(4, 6);
  }

  const HttpResponse response =
      Send("POST /api/v1/write", with_metadata,
           {{"content-type", "application/x-protobuf;proto=io.prometheus.write.v2.Request"}});

  EXPECT_EQ(response.status, 204) << response.body;
  EXPECT_EQ(Metadata(), R"({"lag_seconds":[{"type":"histogram","help":"The lag","unit":"s"}]})");
}

TEST_F(MetadataHandlerTest, ChangedMetadataReplacesTheEarlierOne) {
  Send1({{1, "m", "old", ""}});
  Send1({{2, "m", "new", "bytes"}});

  EXPECT_EQ(Metadata(), R"({"m":[{"type":"gauge","help":"new","unit":"bytes"}]})");
}

TEST_F(MetadataHandlerTest, MetadataSurvivesARestart) {
  Send1({{1, "m", "text", ""}});

  Reopen();

  EXPECT_EQ(Metadata(), R"({"m":[{"type":"counter","help":"text","unit":""}]})");
  Send1({{1, "m", "later", ""}});
  EXPECT_EQ(Metadata(), R"({"m":[{"type":"counter","help":"later","unit":""}]})");
}

TEST_F(MetadataHandlerTest, MetadataThatIsNotUtf8IsLeftOutAndPointsAreStored) {
  const std::string series =
      PromMessage(PromWriteVersion::k1, {{.labels = {{"__name__", "up"}}, .samples = {{1, kMs}}}});

  EXPECT_EQ(
      Send1({{1, "a", "\xff", ""}, {1, "b", "", "\xc3"}, {1, "", "c", ""}, {2, "up"}}, series),
      204);

  EXPECT_EQ(Metadata(), R"({"up":[{"type":"gauge","help":"","unit":""}]})");
  EXPECT_THAT(Send("GET /api/v1/series?match[]=up").body, HasSubstr("__name__"));
}

TEST_F(MetadataHandlerTest, ParametersSelectMetrics) {
  Send1({{1, "a", "1", ""}, {1, "b", "2", ""}, {1, "c", "3", ""}});
  const std::string a = R"("a":[{"type":"counter","help":"1","unit":""}])";
  const std::string b = R"("b":[{"type":"counter","help":"2","unit":""}])";

  EXPECT_EQ(Metadata("?metric=b"), fmt::format("{{{}}}", b));
  EXPECT_EQ(Metadata("?metric=nosuch"), "{}");
  EXPECT_EQ(Metadata("?limit=2"), fmt::format("{{{},{}}}", a, b));
  EXPECT_EQ(Metadata("?limit=0"), "{}");
  EXPECT_EQ(Metadata("?limit=%2B1"), fmt::format("{{{}}}", a));
  EXPECT_EQ(Metadata("?limit=-1"), Metadata());
  EXPECT_EQ(Metadata("?limit=&limit_per_metric=-1"), Metadata());
  EXPECT_EQ(Metadata("?metric=a&limit_per_metric=1"), fmt::format("{{{}}}", a));
  for (const char* const limit : {"x", "-", "1.5", "1e3"}) {
    const HttpResponse bad = Send(fmt::format("GET /api/v1/metadata?limit={}", limit));
    EXPECT_EQ(bad.status, 400) << limit;
    EXPECT_THAT(bad.body, HasSubstr(R"("errorType":"bad_data","error":"limit must be a number")"));
  }
}

TEST_F(MetadataHandlerTest, AMetricWithoutMetadataIsLeftOut) {
  WriteHosts();

  EXPECT_EQ(Metadata(), "{}");
  EXPECT_EQ(Metadata("?metric=up"), "{}");
}

TEST_F(MetadataHandlerTest, MetadataOfABrokenMessageIsNotStored) {
  EXPECT_EQ(Send1({{1, "m", "text", ""}}, "\x1a\x7f"), 400);
  EXPECT_EQ(Send("POST /api/v1/write", MessageOf1({{1, "m", "text", ""}}) + "\x1a\x7f",
                 {{"content-type", "application/x-protobuf"}})
                .status,
            400);

  EXPECT_EQ(Metadata(), "{}");
}

// Kinds as Prometheus maps them; a sum of increases is not a counter.
TEST_F(MetadataHandlerTest, WhatOpentelemetrySendsIsAnswered) {
  const auto metric = [](std::string_view name, std::string_view more) {
    return fmt::format(R"({{"name":"{}",{}}})", name, more);
  };
  const std::string metrics = fmt::format(
      R"({{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{}]}}]}}]}})",
      fmt::join(
          std::vector<std::string>{
              metric("http.server.duration",
                     R"("histogram":{"aggregationTemporality":2,"dataPoints":[]},"unit":"ms",)"
                     R"("description":"Says \"how long\"")"),
              metric("load", R"("unit":"1","gauge":{"dataPoints":[]})"),
              metric("requests", R"("sum":{"isMonotonic":true,"aggregationTemporality":2})"),
              metric("queue", R"("sum":{"aggregationTemporality":2})"),
              metric("size", R"("exponentialHistogram":{"aggregationTemporality":1})"),
              metric("rpc", R"("summary":{})"),
              metric("new", R"("unit":"By","sum":{"isMonotonic":true,"aggregationTemporality":1})"),
              metric("silent", R"("sum":{"aggregationTemporality":1})"),
              metric("no_kind", R"("unit":"By")")},
          ","));

  const HttpResponse response =
      Send("POST /v1/metrics", metrics, {{"content-type", "application/json"}});

  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Metadata(),
            R"({"http_server_duration":[{"type":"histogram","help":"Says \"how long\"",)"
            R"("unit":"ms"}],"load":[{"type":"gauge","help":"","unit":"1"}],)"
            R"("new":[{"type":"unknown","help":"","unit":"By"}],)"
            R"("queue":[{"type":"gauge","help":"","unit":""}],)"
            R"("requests":[{"type":"counter","help":"","unit":""}],)"
            R"("rpc":[{"type":"summary","help":"","unit":""}],)"
            R"("size":[{"type":"histogram","help":"","unit":""}]})");
  EXPECT_EQ(Metadata("?metric=http.server.duration"), Metadata("?metric=http_server_duration"));
}

TEST_F(MetadataHandlerTest, NamesThatPromqlShowsAlikeAreOneMetric) {
  Send1({{1, "a.b", "1", ""}, {2, "a_b", "2", ""}});

  EXPECT_EQ(Metadata(), R"({"a_b":[{"type":"counter","help":"1","unit":""},)"
                        R"({"type":"gauge","help":"2","unit":""}]})");
  EXPECT_EQ(Metadata("?limit_per_metric=1"),
            R"({"a_b":[{"type":"counter","help":"1","unit":""}]})");
}

}  // namespace
}  // namespace hourcell::metadata_handler_test
