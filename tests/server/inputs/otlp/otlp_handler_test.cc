#include "server/inputs/otlp/otlp_handler.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <protozero/pbf_reader.hpp>

#include "codec/base/bytes.h"
#include "tests/server/api_fixture.h"
#include "tests/server/inputs/otlp/otlp_messages.h"

namespace hourcell::otlp_handler_test {
namespace {

using testing::HasSubstr;

constexpr std::string_view kProtobuf = "application/x-protobuf";
constexpr std::string_view kJson = "application/json";

class OtlpHandlerTest : public ApiTest {
 protected:
  HttpResponse Write(std::string body, std::string_view type = kJson) {
    return Send("POST /v1/metrics", std::move(body), {{"content-type", std::string(type)}});
  }
  std::string Stored(std::string_view metric) {
    return Send(fmt::format("GET /api/query?start=1356998000&end=1356999000&ms=true&m=none:{}",
                            metric))
        .body;
  }
  // The exponential histograms of a metric.
  std::vector<ExponentialHistogram> Histograms(std::string_view metric) {
    std::vector<ExponentialHistogram> stored;
    EXPECT_OK(tsdb().queries().VisitHistograms({}, [&](std::span<const HistogramPoint> some) {
      for (const HistogramPoint& one : some)
        if (one.point.metric == metric) stored.push_back(*one.exponential);
      return absl::OkStatus();
    }));
    return stored;
  }
  uint64_t Count(const std::string& name, StatTags tags) {
    return tsdb().stats().counter(name, std::move(tags))->value();
  }
};

TEST_F(OtlpHandlerTest, BothFormsStoreTheSame) {
  ASSERT_OK(config().Set("tsd.inputs.exponential_histograms", "buckets"));
  const HttpResponse json = Write(std::string(OtlpSampleJson()));
  EXPECT_EQ(json.status, 200);
  EXPECT_EQ(json.content_type, kJson);
  EXPECT_EQ(json.body, "{}");
  EXPECT_EQ(Count("rpc.inputs.points", {{"type", "otlp"}}), 18U);
  const HttpResponse protobuf = Write(OtlpSampleProtobuf(), kProtobuf);
  EXPECT_EQ(protobuf.status, 200);
  EXPECT_EQ(protobuf.content_type, kProtobuf);
  EXPECT_EQ(protobuf.body, "");
  EXPECT_EQ(Count("rpc.inputs.points", {{"type", "otlp"}}), 36U);

  EXPECT_THAT(Stored("requests"),
              HasSubstr(R"("tags":{"service.name":"shop","method":"GET"},"aggregateTags":[],)"
                        R"("dps":{"1356998400500":42})"));
  EXPECT_THAT(Stored("latency_bucket{le=_Inf}"), HasSubstr(R"("1356998400500":6)"));
  EXPECT_EQ(Count("rpc.inputs.dropped", {{"type", "otlp"}, {"reason", "no_value"}}), 2U);
  EXPECT_EQ(Count("rpc.inputs.dropped", {{"type", "otlp"}, {"reason", "exemplar"}}), 2U);
}

TEST_F(OtlpHandlerTest, ExponentialHistogramsOfBothFormsAreStoredWhole) {
  const NameRule names(tsdb().layout().names, "");
  const OtlpHandler handler({.tsdb = &tsdb(), .names = &names}, *InputSettingsOf(Config()));
  HttpRequest request;
  request.headers = {{"content-type", std::string(kJson)}};
  request.body = OtlpSampleJson();
  EXPECT_TRUE(handler.Write(request).must_wait) << "a histogram is written at once";
  EXPECT_EQ(Count("rpc.inputs.points", {{"type", "otlp"}}), 0U);
  request.may_wait = true;
  EXPECT_EQ(handler.Write(request).body, "{}");
  const std::vector<ExponentialHistogram> of_json = Histograms("size");
  request.headers = {{"content-type", std::string(kProtobuf)}};
  request.body = OtlpSampleProtobuf();
  EXPECT_EQ(handler.Write(request).body, "");

  EXPECT_EQ(Count("rpc.inputs.points", {{"type", "otlp"}}), 22U);
  const std::vector<ExponentialHistogram> stored = Histograms("size");
  EXPECT_EQ(stored, of_json);
  ASSERT_EQ(stored.size(), 1U);
  EXPECT_EQ(stored[0].scale, 1);
  EXPECT_EQ(stored[0].zero_count, 2);
  EXPECT_EQ(stored[0].count, 9);
  EXPECT_EQ(stored[0].sum, 100);
  EXPECT_FALSE(stored[0].is_cumulative);
  EXPECT_EQ(Send("GET /api/suggest?type=metrics&q=size").body, R"(["size"])");
}

TEST_F(OtlpHandlerTest, AnExponentialHistogramIsAskedForItsPercentiles) {
  const NameRule names(tsdb().layout().names, "");
  const OtlpHandler handler({.tsdb = &tsdb(), .names = &names}, *InputSettingsOf(Config()));
  HttpRequest request;
  request.may_wait = true;
  request.headers = {{"content-type", std::string(kJson)}};
  request.body =
      R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"lat","exponentialHistogram":{)"
      R"("aggregationTemporality":2,"dataPoints":[{"timeUnixNano":"1356998400000000000",)"
      R"("count":"4","sum":9,"scale":0,"min":1.5,"max":6,"zeroThreshold":0.001,)"
      R"("positive":{"offset":0,"bucketCounts":["3","0","1"]}},)"
      R"({"timeUnixNano":"1356998400000000000","scale":-12}]}}]}]}]})";
  EXPECT_EQ(handler.Write(request).body,
            R"({"partialSuccess":{"rejectedDataPoints":"1","errorMessage":"data point 2: )"
            R"(exponential histogram: expected a scale of -11 to 20, got -12\n)"
            R"(1 data point refused, 0 points refused, 0 points written, 1 histogram written"}})");

  EXPECT_EQ(Histograms("lat"), std::vector{(ExponentialHistogram{.scale = 0,
                                                                 .is_cumulative = true,
                                                                 .zero_threshold = 0.001,
                                                                 .count = 4,
                                                                 .sum = 9,
                                                                 .min = 1.5,
                                                                 .max = 6,
                                                                 .positive = {{0, 3}, {2, 1}}})});
  EXPECT_THAT(
      Send("GET /api/query?start=1356998000&end=1356999000&m=sum:percentiles[50,100]:lat").body,
      AllOf(HasSubstr(R"("metric":"lat_pct_50.0")"), HasSubstr(R"("dps":{"1356998400":1.5})"),
            HasSubstr(R"("metric":"lat_pct_100.0")"), HasSubstr("5.33333")));
  EXPECT_THAT(
      Send("GET /api/query?start=1356998000&end=1356999000&m=sum:show-histogram-buckets:lat").body,
      AllOf(HasSubstr(R"("metric":"lat_1.0_2.0")"), HasSubstr(R"("metric":"lat_4.0_8.0")"),
            HasSubstr(R"("metric":"lat_COUNT")"), HasSubstr(R"("metric":"lat_SUM")")));
}

// The bytes of OpenTelemetry's client for JavaScript (sdk-metrics 2.12.1, otlp-transformer 0.223.1)
// for ten values, at most 20 buckets.
TEST_F(OtlpHandlerTest, TheHistogramOfAClientAnswersWithinItsError) {
  const NameRule names(tsdb().layout().names, "");
  const OtlpHandler handler({.tsdb = &tsdb(), .names = &names}, *InputSettingsOf(Config()));
  HttpRequest request;
  request.may_wait = true;
  request.headers = {{"content-type", std::string(kProtobuf)}};
  request.body =
      FromHex(
          "0a9f010a1a0a160a0c736572766963652e6e616d6512060a0473686f7010001280010a030a016d12"
          "790a076c6174656e6379526e0a6a0a0f0a066d6574686f6412050a034745541100184fa0c306d512"
          "1900659306db06d512210a00000000000000290000000000f4794030023901000000000000004214"
          "08021210020001000200010000020000000000014a00610000000000000000690000000000c07240"
          "1002")
          .value();
  EXPECT_EQ(handler.Write(request).status, 200);

  const std::vector<ExponentialHistogram> stored = Histograms("latency");
  ASSERT_EQ(stored.size(), 1U);
  const ExponentialHistogram expected{
      .scale = 1,
      .is_cumulative = true,
      .zero_count = 1,
      .count = 10,
      .sum = 415.25,
      .min = 0,
      .max = 300,
      .positive = {{1, 2}, {3, 1}, {5, 2}, {7, 1}, {10, 2}, {16, 1}}};
  EXPECT_EQ(stored[0], expected);
  const std::vector<double> values = {0, 1.5, 2, 3.25, 7, 8, 12.5, 40, 41, 300};
  for (size_t i = 0; i < values.size(); ++i) {
    const double got = ExponentialPercentile(stored[0], 10.0 * static_cast<double>(i + 1));
    EXPECT_NEAR(got, values[i], values[i] * ExponentialErrorOf(1) * (1 + 1e-9)) << i;
  }
}

TEST_F(OtlpHandlerTest, NothingOfABrokenBodyIsStored) {
  std::string cut = OtlpSampleProtobuf();
  cut.pop_back();
  const HttpResponse protobuf = Write(cut, kProtobuf);
  EXPECT_EQ(protobuf.status, 400);
  protozero::pbf_reader status(protobuf.body);
  ASSERT_TRUE(status.next(1));
  EXPECT_EQ(status.get_int32(), 3);
  ASSERT_TRUE(status.next(2));
  EXPECT_THAT(status.get_string(), HasSubstr("nothing of it is stored"));

  const HttpResponse json =
      Write(OtlpGaugeJson("m", R"({"timeUnixNano":"1356998400000000000","asInt":1},{"asInt":{}})"));
  EXPECT_EQ(json.status, 400);
  EXPECT_EQ(json.body,
            R"({"code":3,"message":"body: asInt: expected an integer from -2^63 to 2^63-1; )"
            R"(nothing of it is stored"})");
  EXPECT_EQ(Count("rpc.inputs.points", {{"type", "otlp"}}), 0U);
}

TEST_F(OtlpHandlerTest, NothingOfALongBodyIsStoredThatIsBrokenInItsEnd) {
  const NameRule names(NameEncoding::kLatin1, "");
  const OtlpHandler handler({.tsdb = &tsdb(), .names = &names}, *InputSettingsOf(Config()));
  std::string points;
  for (size_t i = 0; i <= kBatchPoints; ++i)
    points += fmt::format(R"({{"timeUnixNano":"{}000000","asInt":1}},)", kStartS * 1000 + 1 + i);
  HttpRequest request;
  request.may_wait = true;
  request.headers = {{"content-type", std::string(kJson)}};
  request.body = OtlpGaugeJson("m", points + R"({"asInt":{}})");

  EXPECT_EQ(handler.Write(request).status, 400);
  EXPECT_EQ(Count("rpc.inputs.points", {{"type", "otlp"}}), 0U);
  request.body = OtlpGaugeJson("m", points + R"({"timeUnixNano":"1356998400000000000","asInt":1})");
  EXPECT_EQ(handler.Write(request).status, 200);
  EXPECT_EQ(Count("rpc.inputs.points", {{"type", "otlp"}}), kBatchPoints + 2);
}

TEST_F(OtlpHandlerTest, BadDataPointsAreCountedAndTheOthersAreStored) {
  const std::string body = OtlpGaugeJson("m", R"({"asInt":1},
      {"timeUnixNano":"1356998400000000000","asInt":7},
      {"timeUnixNano":"1356998400000000000","asInt":8,"attributes":[
        {"key":"a b","value":{"intValue":1}},{"key":"a_b","value":{"intValue":2}}]})");
  const HttpResponse json = Write(body);

  EXPECT_EQ(json.status, 200);
  EXPECT_THAT(json.body,
              HasSubstr(R"({"partialSuccess":{"rejectedDataPoints":"2",)"
                        R"("errorMessage":"data point 1: metric \"m\": expected 1 ms to )"
                        R"(4294967295999 ms after 1970, got the time 0)"));
  EXPECT_THAT(json.body, HasSubstr("data point 3: duplicate tag"));
  EXPECT_THAT(Stored("m"), HasSubstr(R"("dps":{"1356998400000":7})"));
}

TEST_F(OtlpHandlerTest, AHistogramIsStoredWholeOrNotAtAll) {
  options().auto_create_metrics = false;
  for (const std::string_view metric : {"lat_bucket", "lat_count", "up"})
    ASSERT_OK(tsdb().names().AssignUid(UidKind::kMetric, metric));
  const HttpResponse response = Write(
      R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"lat","histogram":{)"
      R"("aggregationTemporality":2,"dataPoints":[{"timeUnixNano":"1356998400000000000",)"
      R"("count":"3","sum":1.5,"bucketCounts":["1","2"],"explicitBounds":[0.5]}]}},)"
      R"({"name":"up","gauge":{"dataPoints":[{"timeUnixNano":"1356998400000000000","asInt":1}]}})"
      R"(]}]}]})");

  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body,
            R"({"partialSuccess":{"rejectedDataPoints":"1","errorMessage":)"
            R"("data point 1: Unknown metric\n1 data point refused, 0 points refused, )"
            R"(1 point written"}})");
  EXPECT_EQ(Stored("lat_bucket"), "[]");
  EXPECT_EQ(Stored("lat_count"), "[]");
  EXPECT_THAT(Stored("up"), HasSubstr(R"("dps":{"1356998400000":1})"));
  EXPECT_EQ(Count("rpc.inputs.refused", {{"type", "otlp"}}), 1U);
}

TEST_F(OtlpHandlerTest, PartialSuccessAsProtobuf) {
  const HttpResponse response = Write(
      // A gauge without a time: resource_metrics, scope_metrics, metrics, name, gauge, data_points.
      std::string("\x0a\x0d\x12\x0b\x12\x09\x0a\x01m\x2a\x04\x0a\x02\x48\x00", 15), kProtobuf);

  EXPECT_EQ(response.status, 200);
  protozero::pbf_reader message(response.body);
  ASSERT_TRUE(message.next(1));
  protozero::pbf_reader partial = message.get_message();
  ASSERT_TRUE(partial.next(1));
  EXPECT_EQ(partial.get_int64(), 1);
  ASSERT_TRUE(partial.next(2));
  EXPECT_THAT(partial.get_string(), HasSubstr("1 data point refused"));
}

TEST_F(OtlpHandlerTest, OtherTypesAreRefused) {
  EXPECT_EQ(Write("{}", "text/plain").status, 415);
  EXPECT_EQ(Write("{}", "Application/JSON; charset=utf-8").status, 200);
  EXPECT_EQ(Write("", kProtobuf).status, 200) << "a request without data points is one";
}

TEST_F(OtlpHandlerTest, WhoMayNotWriteIsRefused) {
  rights_ = AccessRights::Read();
  EXPECT_EQ(Write("{}").status, 403);
}

TEST_F(OtlpHandlerTest, AFullStoreIsAnsweredWithWhenToComeAgain) {
  const NameRule names(NameEncoding::kLatin1, "");
  const OtlpHandler handler({.tsdb = &tsdb(),
                             .names = &names,
                             .append =
                                 [](size_t, std::vector<RefusedPoint>*, const AppendOptions&) {
                                   return CommitTicket(absl::UnavailableError("the store is full"));
                                 }},
                            *InputSettingsOf(Config()));
  HttpRequest request;
  request.may_wait = true;
  request.headers = {{"content-type", std::string(kJson)}};
  request.body = OtlpSampleJson();
  const HttpResponse response = handler.Write(request);

  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(Header(response, "Retry-After"), "1");
  EXPECT_THAT(response.body, HasSubstr(R"({"code":14,"message":"the store is full)"));
}

}  // namespace
}  // namespace hourcell::otlp_handler_test
