#include "server/inputs/prometheus/prom_write_handler.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <protozero/pbf_writer.hpp>

#include "tests/server/api_fixture.h"
#include "tests/server/inputs/prometheus/prom_messages.h"

namespace hourcell::prom_write_handler_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int64_t kMs = 1'356'998'400'000;
constexpr std::string_view kType1 = "application/x-protobuf";
constexpr std::string_view kType2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";
constexpr std::string_view kSamplesWritten = "X-Prometheus-Remote-Write-Samples-Written";
constexpr std::string_view kHistogramsWritten = "X-Prometheus-Remote-Write-Histograms-Written";
constexpr std::string_view kExemplarsWritten = "X-Prometheus-Remote-Write-Exemplars-Written";
constexpr uint64_t kStale = 0x7ff0000000000002;  // the NaN that ends a series

// Messages of native histograms, by Prometheus' definition of types.proto.
void AddNativeSpan(protozero::pbf_writer* message,
                   uint32_t field,
                   int32_t offset,
                   uint32_t length) {
  protozero::pbf_writer span(*message, field);
  span.add_sint32(1, offset);
  span.add_uint32(2, length);
}

// Buckets 0, 1 and 4 with 1, 3 and 4 values, and negative bucket 6 with 5.
std::string IntegerNative(int64_t ms) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_uint64(1, 15);
  message.add_double(3, 18.4);
  message.add_sint32(4, 3);
  message.add_double(5, 0x1p-128);
  message.add_uint64(6, 2);
  AddNativeSpan(&message, 8, 6, 1);
  const std::vector<int64_t> negative = {5};
  message.add_packed_sint64(9, negative.begin(), negative.end());
  AddNativeSpan(&message, 11, 0, 2);
  AddNativeSpan(&message, 11, 1, 2);
  const std::vector<int64_t> positive = {1, 2, -3, 4};  // 1, 3, 0, 4
  message.add_packed_sint64(12, positive.begin(), positive.end());
  message.add_int64(15, ms);
  return bytes;
}

// A gauge whose bucket 2 has 2.5 values.
std::string FloatNative(int64_t ms) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_double(2, 2.5);
  message.add_double(3, 7);
  message.add_sint32(4, -1);
  AddNativeSpan(&message, 11, 2, 1);
  const std::vector<double> positive = {2.5};
  message.add_packed_double(13, positive.begin(), positive.end());
  message.add_enum(14, 3);
  message.add_int64(15, ms);
  return bytes;
}

std::string StaleNative(int64_t ms) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_double(3, std::bit_cast<double>(kStale));
  message.add_int64(15, ms);
  return bytes;
}

// A span of two buckets with one count.
std::string WrongNative(int64_t ms) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  AddNativeSpan(&message, 11, 0, 2);
  message.add_sint64(12, 1);
  message.add_int64(15, ms);
  return bytes;
}

std::string CustomNative(int64_t ms) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_sint32(4, -53);
  message.add_int64(15, ms);
  return bytes;
}

class PromWriteHandlerTest : public ApiTest {
 protected:
  HttpResponse Write(const std::string& message, std::string_view type = kType1) {
    return Send("POST /api/v1/write", message, {{"content-type", std::string(type)}});
  }
  HttpResponse Write(const std::vector<PromTestSeries>& series) {
    return Write(PromMessage(PromWriteVersion::k1, series));
  }

  // On a thread that may wait, with histograms whole.
  HttpResponse WriteWhole(PromWriteVersion version, const std::vector<PromTestSeries>& series) {
    const NameRule names(tsdb().layout().names, "");
    const PromWriteHandler handler({.tsdb = &tsdb(), .names = &names}, *InputSettingsOf(Config()));
    HttpRequest request;
    request.may_wait = true;
    request.headers = {
        {"content-type", std::string(version == PromWriteVersion::k2 ? kType2 : kType1)}};
    request.body = PromMessage(version, series);
    return handler.Write(request);
  }

  std::vector<ExponentialHistogram> Histograms() {
    std::vector<ExponentialHistogram> stored;
    EXPECT_OK(tsdb().queries().VisitHistograms({}, [&](std::span<const HistogramPoint> some) {
      for (const HistogramPoint& one : some)
        stored.push_back(*one.exponential);
      return absl::OkStatus();
    }));
    return stored;
  }

  std::string Stored(std::string_view metric) {
    return Send(fmt::format("GET /api/query?start=1356990000&end=1357310000&ms=true&m=none:{}",
                            metric))
        .body;
  }

  uint64_t Dropped(const std::string& reason) {
    return tsdb()
        .stats()
        .counter("rpc.inputs.dropped", {{"type", "prometheus"}, {"reason", reason}})
        ->value();
  }
};

TEST_F(PromWriteHandlerTest, NamesAreMetricsAndLabelsAreTags) {
  const HttpResponse response =
      Write({{.labels = {{"__name__", "job:up"}, {"instance", "a:9090"}, {"job", "prom"}},
              .samples = {{1, kMs}, {0.5, kMs + 1500}}},
             {.labels = {{"__name__", "bare"}}, .samples = {{2, kMs}}}});

  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(Header(response, kSamplesWritten), "");
  EXPECT_THAT(Stored("job_up"),
              HasSubstr(R"("tags":{"instance":"a_9090","job":"prom"},"aggregateTags":[],)"
                        R"("dps":{"1356998400000":1.0,"1356998401500":0.5})"));
  EXPECT_THAT(Stored("bare"), HasSubstr(R"("tags":{"host":"unknown"})"));
}

TEST_F(PromWriteHandlerTest, KeepsColonsWhereTheyAreAllowed) {
  ASSERT_OK(config().Set("tsd.core.tag.allow_specialchars", ":"));
  options().extra_name_chars = ":";

  EXPECT_EQ(
      Write({{.labels = {{"__name__", "a:b"}, {"instance", "a:9090"}}, .samples = {{1, kMs}}}})
          .status,
      204);
  EXPECT_EQ(tsdb().names().Suggest(UidKind::kMetric, "a:b", 5)->size(), 1U);
  EXPECT_EQ(tsdb().names().Suggest(UidKind::kTagv, "a:9090", 5)->size(), 1U);
}

TEST_F(PromWriteHandlerTest, Version2CountsAsWrittenWhatIsLeftOutByDesign) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const HttpResponse response = Write(
      PromMessage(PromWriteVersion::k2,
                  {{.labels = {{"__name__", "up"}, {"job", "p"}},
                    .samples = {{1, kMs}, {std::bit_cast<double>(kStale), kMs + 1000}},
                    .exemplars = 4},
                   {.labels = {{"__name__", "s"}, {"quantile", "1"}}, .samples = {{kNan, kMs}}}}),
      kType2);

  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(Header(response, kSamplesWritten), "3");
  EXPECT_EQ(Header(response, kHistogramsWritten), "0");
  EXPECT_EQ(Header(response, kExemplarsWritten), "4");
  EXPECT_EQ(Dropped("exemplar"), 4U);
}

TEST_F(PromWriteHandlerTest, NativeHistogramsAreAnsweredAsAFaultOfTheirSeries) {
  ASSERT_OK(config().Set("tsd.inputs.exponential_histograms", "buckets"));
  for (const PromWriteVersion version : {PromWriteVersion::k1, PromWriteVersion::k2}) {
    const bool is_2 = version == PromWriteVersion::k2;
    const HttpResponse response =
        Write(PromMessage(version, {{.labels = {{"__name__", "h"}, {"job", "p"}}, .histograms = 3},
                                    {.labels = {{"__name__", "up"}, {"job", "p"}},
                                     .samples = {{1, kMs}, {2, kMs + 1000}},
                                     .histograms = 1}}),
              is_2 ? kType2 : kType1);

    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(
        response.body,
        "series 1: expected classic histograms, which are series with the label le, got 3 native "
        "histograms\nseries 2: expected classic histograms, which are series with the label le, "
        "got 1 native histogram\n2 series refused, 0 points refused, 2 points written");
    EXPECT_EQ(Header(response, kSamplesWritten), is_2 ? "2" : "");
    EXPECT_EQ(Header(response, kHistogramsWritten), is_2 ? "0" : "");
  }
  EXPECT_THAT(Stored("up"), HasSubstr(R"("dps":{"1356998400000":1.0,"1356998401000":2.0})"));
  EXPECT_EQ(Dropped("histogram"), 8U);
}

TEST_F(PromWriteHandlerTest, NativeHistogramsOfBothVersionsAreStoredWhole) {
  const std::vector<PromTestSeries> series = {
      {.labels = {{"__name__", "h"}, {"job", "p"}},
       .native = {IntegerNative(kMs), FloatNative(kMs + 1000), StaleNative(kMs + 2000)}},
      {.labels = {{"__name__", "up"}, {"job", "p"}},
       .samples = {{1, kMs}},
       .native = {WrongNative(kMs)}}};
  for (const PromWriteVersion version : {PromWriteVersion::k1, PromWriteVersion::k2}) {
    const HttpResponse response = WriteWhole(version, series);

    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.body,
              "series 2: expected 2 counts for the spans, got 1\n"
              "1 series refused, 0 points refused, 2 points written, 2 histograms written");
    const bool is_2 = version == PromWriteVersion::k2;
    EXPECT_EQ(Header(response, kSamplesWritten), is_2 ? "1" : "");
    EXPECT_EQ(Header(response, kHistogramsWritten), is_2 ? "3" : "") << "with the stale marker";
  }
  EXPECT_EQ(Dropped("histogram"), 0U);
  const ExponentialHistogram integer{.scale = 3,
                                     .is_cumulative = true,
                                     .zero_threshold = 0x1p-128,
                                     .zero_count = 2,
                                     .count = 15,
                                     .sum = 18.4,
                                     .positive = {{-1, 1}, {0, 3}, {3, 4}},
                                     .negative = {{5, 5}}};
  const ExponentialHistogram floating{
      .scale = -1, .has_float_counts = true, .count = 2.5, .sum = 7, .positive = {{1, 2.5}}};
  EXPECT_EQ(Histograms(), (std::vector{integer, floating}));
}

TEST_F(PromWriteHandlerTest, ANativeHistogramThatIsRefusedLeavesItsNeighborsStored) {
  const HttpResponse response =
      WriteWhole(PromWriteVersion::k1,
                 {{.labels = {{"__name__", "h"}, {"job", "p"}},
                   .native = {IntegerNative(0), IntegerNative(kMs), CustomNative(kMs + 1)}}});
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body,
              HasSubstr("series 1: native histogram: expected 1 to 4294967295999 ms, got 0 ms"));
  EXPECT_THAT(response.body, HasSubstr("got custom ones (schema -53)"));
  EXPECT_EQ(Histograms().size(), 1U);
}

TEST_F(PromWriteHandlerTest, AStoreOfAnyNamesKeepsThem) {
  options().layout.names = NameEncoding::kAny;

  EXPECT_EQ(Write({{.labels = {{"__name__", "job:up"},
                               {"instance", "a:9090"},
                               {"le", "+Inf"},
                               {"path", "C:\\a b={x|y}"}},
                    .samples = {{1, kMs}}}})
                .status,
            204);
  EXPECT_THAT(*tsdb().names().Suggest(UidKind::kMetric, "", 5), ElementsAre("job:up"));
  EXPECT_THAT(*tsdb().names().Suggest(UidKind::kTagv, "", 5),
              ElementsAre("+Inf", "C:\\a b={x|y}", "a:9090"));
}

TEST_F(PromWriteHandlerTest, SpecialValuesAreWrittenAndQueriesLeaveThemOut) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const HttpResponse response = Write({{.labels = {{"__name__", "m"}, {"a", "b"}},
                                        .samples = {{std::numeric_limits<double>::quiet_NaN(), kMs},
                                                    {kInfinity, kMs + 1},
                                                    {-kInfinity, kMs + 2},
                                                    {7, kMs + 3}}}});

  EXPECT_EQ(response.status, 204);
  EXPECT_THAT(Stored("m"), HasSubstr(R"("dps":{"1356998400003":7.0})"));
  QuerySpec spec;
  spec.start_ms = kMs;
  spec.end_ms = kMs + 3;
  spec.special_values = true;
  spec.queries.resize(1);
  spec.queries[0].aggregator = Aggregator::kNone;
  spec.queries[0].metric = "m";
  const absl::StatusOr<QueryResult> result = tsdb().queries().Query(spec);
  ASSERT_OK(result);
  ASSERT_EQ(result->series[0].points.size(), 4U);
  EXPECT_EQ(result->series[0].points[0].value, Value::NotANumber());
  EXPECT_EQ(result->series[0].points[1].value, Value::Float(kInfinity));
  EXPECT_EQ(result->series[0].points[2].value, Value::Float(-kInfinity));
}

TEST_F(PromWriteHandlerTest, StaleMarkersAreWrittenAndQueriesLeaveThemOut) {
  const double stale = Value::StaleMarker().floating();
  const HttpResponse response =
      Write(PromMessage(PromWriteVersion::k2, {{.labels = {{"__name__", "m"}, {"a", "b"}},
                                                .samples = {{7, kMs}, {stale, kMs + 1000}}}}),
            kType2);

  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(Header(response, kSamplesWritten), "2");
  EXPECT_THAT(Stored("m"), HasSubstr(R"("dps":{"1356998400000":7.0})"));
}

TEST_F(PromWriteHandlerTest, ABadSeriesIsNamedAndTheOthersAreStored) {
  const std::string message = PromMessage(
      PromWriteVersion::k2,
      {{.labels = {{"__name__", "good"}, {"a", "b"}}, .samples = {{1, kMs}}},
       {.labels = {{"a", "b"}}, .samples = {{1, kMs}}},
       {.labels = {{"__name__", "m"}, {"a b", "1"}, {"a_b", "2"}}, .samples = {{1, kMs}}},
       {.labels = {{"__name__", "m"}, {"a", "b"}}, .samples = {{1, -5}}}});
  const HttpResponse response = Write(message, kType2);

  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(Header(response, kSamplesWritten), "1");
  EXPECT_EQ(response.content_type, "text/plain; charset=UTF-8");
  EXPECT_EQ(response.body,
            "series 2: expected the name of the metric, got no label __name__\nseries 3: duplicate "
            "tag: a_b=2, tags={a_b=1}\nseries 4: bad timestamp=-5: expected 0 to 4294967295999 ms, "
            "got -5 ms\n1 series refused, 2 points refused, 1 point written");
  EXPECT_THAT(Stored("good"), HasSubstr("dps"));
}

// An export of it could not be imported.
TEST_F(PromWriteHandlerTest, ASampleAtTimeZeroIsRefused) {
  const std::string message =
      PromMessage(PromWriteVersion::k2,
                  {{.labels = {{"__name__", "m"}, {"a", "b"}}, .samples = {{1, 0}, {2, kMs}}}});
  const HttpResponse response = Write(message, kType2);

  EXPECT_EQ(response.status, 400);
  EXPECT_EQ(Header(response, kSamplesWritten), "1");
  EXPECT_THAT(response.body,
              HasSubstr("series 1: bad timestamp=0: expected 1 to 4294967295999 ms, got 0 ms"));
  EXPECT_THAT(Stored("m"), HasSubstr(R"("dps":{"1356998400000":2.0})"));
}

// One label under two names that become one tag.
TEST_F(PromWriteHandlerTest, EqualTagsAreOneTag) {
  const std::string message = PromMessage(
      PromWriteVersion::k2,
      {{.labels = {{"__name__", "m"}, {"a b", "1"}, {"a_b", "1"}}, .samples = {{2, kMs}}}});
  EXPECT_EQ(Write(message, kType2).status, 204);
  EXPECT_THAT(Stored("m"), HasSubstr(R"("tags":{"a_b":"1"})"));
}

TEST_F(PromWriteHandlerTest, NothingOfABrokenMessageIsStored) {
  std::string message = PromMessage(
      PromWriteVersion::k1, {{.labels = {{"__name__", "m"}, {"a", "b"}}, .samples = {{1, kMs}}}});
  message += "\x0a\x7f";  // a series of 127 bytes, of which none is there

  const HttpResponse response = Write(message);

  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("at series 2; nothing of it"));
  EXPECT_THAT(Stored("m"), HasSubstr("No such name"));
  const HttpResponse of_2 = Write("\x2a\x7f", kType2);
  EXPECT_EQ(of_2.status, 400);
  EXPECT_EQ(Header(of_2, kSamplesWritten), "0");
}

TEST_F(PromWriteHandlerTest, TakesTheContentTypesOfTheSpecification) {
  const std::string of_1 = PromMessage(PromWriteVersion::k1, {});
  for (const std::string_view type :
       {"", "application/x-protobuf", "application/x-protobuf;proto=prometheus.WriteRequest",
        "Application/X-Protobuf ; proto=\"prometheus.WriteRequest\"",
        "application/x-protobuf; charset=x; proto=io.prometheus.write.v2.Request"}) {
    EXPECT_EQ(Write(of_1, type).status, 204) << type;
  }
  for (const std::string_view type :
       {"application/json", "text/plain;proto=prometheus.WriteRequest",
        "application/x-protobuf;proto=io.prometheus.write.v3.Request"}) {
    EXPECT_EQ(Write(of_1, type).status, 415) << type;
  }
}

TEST_F(PromWriteHandlerTest, OtherEncodingsThanSnappyAreRefusedByTheHead) {
  HttpRequest head;
  for (const std::string_view encoding : {"", "snappy", "Snappy"}) {
    head.headers = {{"content-encoding", std::string(encoding)}};
    EXPECT_FALSE(PromWriteHandler::RefuseHead(head).has_value()) << encoding;
  }
  for (const std::string_view encoding : {"gzip", "deflate", "zstd", "identity", "snappy, gzip"}) {
    head.headers = {{"content-encoding", std::string(encoding)}};
    const std::optional<HttpResponse> refusal = PromWriteHandler::RefuseHead(head);
    ASSERT_TRUE(refusal.has_value()) << encoding;
    EXPECT_EQ(refusal->status, 415) << encoding;
    EXPECT_EQ(refusal->body,
              fmt::format("Content-Encoding: expected snappy, got \"{}\"", encoding));
  }
}

TEST_F(PromWriteHandlerTest, NothingOfALongMessageIsStoredThatIsBrokenInItsEnd) {
  const NameRule names(tsdb().layout().names, "");
  const PromWriteHandler handler({.tsdb = &tsdb(), .names = &names},
                                 {.default_tag = "\1host\1unknown", .influx_separator = "_"});
  PromTestSeries series{.labels = {{"__name__", "m"}, {"a", "b"}}};
  for (size_t i = 0; i <= kBatchPoints; ++i)
    series.samples.push_back({1, kMs + static_cast<int64_t>(i)});
  HttpRequest request;
  request.may_wait = true;
  request.body = PromMessage(PromWriteVersion::k1, {series, series});
  const std::string whole = request.body;
  request.body.pop_back();

  const HttpResponse broken = handler.Write(request);
  EXPECT_EQ(broken.status, 400);
  EXPECT_THAT(broken.body, HasSubstr("nothing of it is stored"));
  EXPECT_THAT(Stored("m"), HasSubstr("No such name"));
  request.body = whole;
  EXPECT_EQ(handler.Write(request).status, 204);
}

TEST_F(PromWriteHandlerTest, AFullStoreIsAskedAgainLater) {
  const NameRule names(tsdb().layout().names, "");
  absl::Status failure = absl::UnavailableError("disk full");
  const PromWriteHandler handler(
      {.tsdb = &tsdb(),
       .names = &names,
       .append = [&](size_t, std::vector<RefusedPoint>*,
                     const AppendOptions&) { return CommitTicket(failure); }},
      {.default_tag = "\1host\1unknown", .influx_separator = "_"});
  HttpRequest request;
  request.body = PromMessage(PromWriteVersion::k1,
                             {{.labels = {{"__name__", "m"}, {"a", "b"}}, .samples = {{1, kMs}}}});

  const HttpResponse full = handler.Write(request);
  EXPECT_EQ(full.status, 503);
  EXPECT_EQ(Header(full, "Retry-After"), "1");
  EXPECT_THAT(full.body, HasSubstr("disk full"));
  failure = absl::AbortedError("new series");
  EXPECT_TRUE(handler.Write(request).must_wait);
  failure = absl::DataLossError("broken");
  EXPECT_EQ(handler.Write(request).status, 500);

  request.headers = {{"content-type", std::string(kType2)}};
  request.body = PromMessage(PromWriteVersion::k2,
                             {{.labels = {{"__name__", "m"}, {"a", "b"}},
                               .samples = {{1, kMs}, {std::bit_cast<double>(kStale), kMs + 1}},
                               .exemplars = 1}});
  const HttpResponse of_2 = handler.Write(request);
  EXPECT_EQ(of_2.status, 500);
  EXPECT_EQ(Header(of_2, kSamplesWritten), "0") << "all of it is sent again";
  EXPECT_EQ(Header(of_2, kExemplarsWritten), "0");
}

}  // namespace
}  // namespace hourcell::prom_write_handler_test
