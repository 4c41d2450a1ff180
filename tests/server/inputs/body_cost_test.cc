// The cost of bodies that store few points or none: for each parser the shapes that cost most per
// byte. The test counts allocations, bytes at the peak, and looks at whether the client
// is still there.

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "server/http/http_target.h"
#include "server/inputs/influx/influx_handler.h"
#include "server/inputs/otlp/otlp_handler.h"
#include "server/inputs/prometheus/prom_write_handler.h"
#include "server/put/body_work.h"
#include "server/put/put_handler.h"
#include "tests/codec/allocation_count.h"
#include "tests/server/api_fixture.h"
#include "tests/support/sanitizers.h"

namespace hourcell::body_cost_test {
namespace {

// Of objects of three bytes a body of /api/put has not more.
constexpr size_t kBodyBytes = 3 * (size_t{1} << 20) - 2;

// `begin`, as many `unit`s as there is room for, `end`.
std::string Repeat(std::string_view unit, std::string_view begin = "", std::string_view end = "") {
  std::string body(begin);
  while (body.size() + unit.size() + end.size() <= kBodyBytes)
    body += unit;
  return body.append(end);
}

// A field of a protobuf message that has bytes.
std::string Field(int number, const std::string& bytes) {
  std::string field(1, static_cast<char>((number << 3) | 2));
  size_t size = bytes.size();
  for (; size > 127; size >>= 7)
    field += static_cast<char>((size & 127) | 128);
  field += static_cast<char>(size);
  return field + bytes;
}

// The bytes around the data of a metric in OTLP; field 5 is a gauge.
std::string OtlpOf(int kind, const std::string& data) {
  return Field(1, Field(2, Field(2, Field(1, "m") + Field(kind, data))));
}
std::string OtlpJsonOf(std::string_view data, std::string_view end) {
  return Repeat(data,
                R"({"resourceMetrics":[{"resource":{},"scopeMetrics":[{"metrics":[{"name":"m",)"
                R"("gauge":{"dataPoints":[)",
                std::string(end) + "]}}]}]}]}");
}

struct Shape {
  std::string_view name;
  std::string_view path;
  std::string_view type;
  std::string body;
  int status = 400;
  // At most, of the whole body, of a million items. The store's own threads are counted, too.
  size_t allocations = 1'000;
  // At the peak, in addition to the body and to the batches of each thread.
  size_t bytes_per_byte = 0;
};
void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.name;
}

constexpr std::string_view kProtobuf = "application/x-protobuf";
constexpr std::string_view kJson = "application/json";

std::vector<Shape> Shapes() {
  const std::string zeros = Repeat(std::string(1, '\0'));
  const std::string empty_points = Repeat(std::string("\x0a\x00", 2));
  const std::string long_labels = Field(1, Field(1, "__name__") + Field(2, "m")) +
                                  Field(1, Field(1, "a") + Field(2, std::string(1'000, 'b')));
  const std::string infinite_point("\x12\x0b\x09\x00\x00\x00\x00\x00\x00\xf0\x7f\x10\x01", 13);
  return {
      {"influx: bad lines", "/write", "", Repeat("x\n")},
      {"influx: bad times", "/write", "", Repeat("m v=1 -1\n")},
      {"influx: bad values", "/write", "", Repeat("m v=x\n")},
      {"influx: empty lines", "/write", "", Repeat("\n"), 204},
      {"influx: comments", "/write", "", Repeat("#\n"), 204},
      {"influx: one string", "/write", "", Repeat("x", "m s=\"", "\""), 204},
      {"influx: a string without an end", "/write", "", Repeat("\\\"", "m s=\"")},
      {"influx: strings", "/write", "", Repeat("m s=\"\"\n"), 204},
      {"influx: one name", "/write", "", Repeat("\\,")},
      {"remote write: empty series", "/api/v1/write", kProtobuf, empty_points},
      {"remote write: empty labels", "/api/v1/write", kProtobuf, Field(1, empty_points)},
      {"remote write: series without points", "/api/v1/write", kProtobuf,
       Repeat(Field(1, long_labels)), 204},
      // The store's batch of one thread has copies of their labels.
      {"remote write: series of a point", "/api/v1/write", kProtobuf,
       Repeat(Field(1, long_labels + infinite_point)), 204, 1'000, 1},
      {"remote write: unknown fields", "/api/v1/write", kProtobuf,
       Repeat(std::string("\x78\x00", 2)), 204},
      {"remote write 2: symbols", "/api/v1/write",
       "application/x-protobuf;proto=io.prometheus.write.v2.Request",
       Repeat("\x22\x01z", std::string_view("\x22\x00", 2)), 204, 1'000, 16},
      {"otlp: empty resources", "/v1/metrics", kProtobuf, empty_points, 200},
      {"otlp: empty points", "/v1/metrics", kProtobuf, OtlpOf(5, empty_points), 200},
      {"otlp: buckets", "/v1/metrics", kProtobuf, OtlpOf(10, Field(1, Field(8, Field(2, zeros)))),
       200},
      {"otlp: attributes", "/v1/metrics", kProtobuf,
       OtlpOf(5, Field(1, Repeat(std::string("\x3a\x00", 2)))), 200},
      {"otlp json: points", "/v1/metrics", kJson, OtlpJsonOf("{},", "{}"), 200},
      {"otlp json: points without a value", "/v1/metrics", kJson,
       OtlpJsonOf(R"({"timeUnixNano":1000000},)", "{}"), 200},
      {"otlp json: buckets", "/v1/metrics", kJson, OtlpJsonOf("1,", "1]}"), 400},
      {"otlp json: no objects", "/v1/metrics", kJson,
       Repeat("1,", R"({"resourceMetrics":[)", "1]}")},
      {"otlp json: bucket counts", "/v1/metrics", kJson,
       Repeat("1,",
              R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"histogram":{"dataPoints":[)"
              R"({"bucketCounts":[)",
              "1]}]}}]}]}]}"),
       200},
      {"otlp json: escaped attributes", "/v1/metrics", kJson,
       Repeat(R"({"key":"\n"},)",
              R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","gauge":)"
              R"({"dataPoints":[{"attributes":[)",
              "{}]}]}}]}]}]}"),
       200},
      {"otlp json: an escaped name", "/v1/metrics", kJson,
       Repeat("\\n", R"({"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":")",
              R"(","gauge":{"dataPoints":[{}]}}]}]}]})"),
       200},
      {"otlp json: resources after their points", "/v1/metrics", kJson,
       Repeat(R"({"scopeMetrics":[],"resource":{}},)", R"({"resourceMetrics":[)", "{}]}"), 200},
      {"otlp json: unknown members", "/v1/metrics", kJson, Repeat(R"("":1,)", "{", R"("":1})"),
       200},
      {"otlp json: nested", "/v1/metrics", kJson, Repeat("[", "{\"a\":"), 400},
      {"put: empty objects", "/api/put", kJson, Repeat("{},", "[", "{}]"), 400, 1'000, 120},
      {"put: nulls", "/api/put", kJson, Repeat("null,", "[", "null]"), 400, 1'000, 80},
      {"put: unknown fields", "/api/put", kJson, Repeat(R"("":1,)", "{", R"("":1})"), 400, 1'000,
       12},
      {"put: no objects", "/api/put", kJson, Repeat("1,", "[", "1]"), 400, 1'000, 12},
  };
}

class BodyCostTest : public ApiTest, public testing::WithParamInterface<Shape> {
 protected:
  HttpResponse Store(const Shape& shape, BodyWork* work) {
    HttpRequest request;
    request.method = "POST";
    request.target = shape.path;
    request.headers = {{"content-type", std::string(shape.type)}};
    request.body = shape.body;
    request.may_wait = true;
    HOURCELL_CHECK(ParseTarget(&request).ok());
    const InputSettings settings = *InputSettingsOf(Config());
    if (shape.path == "/write") {
      return InfluxHandler({.tsdb = &tsdb(), .names = &names_, .clock = &clock_}, settings)
          .Write(request, work);
    }
    if (shape.path == "/api/v1/write")
      return PromWriteHandler({.tsdb = &tsdb(), .names = &names_}, settings).Write(request, work);
    if (shape.path == "/v1/metrics")
      return OtlpHandler({.tsdb = &tsdb(), .names = &names_}, settings).Write(request, work);
    return PutHandler(&tsdb(), {.tags_max = kTagsMaxDefault, .tag_header = ""})
        .Handle(request, work);
  }

 private:
  const NameRule names_{NameEncoding::kLatin1, ""};
};

std::string NameOf(const testing::TestParamInfo<Shape>& shape) {
  std::string name;
  for (const char c : shape.param.name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_letter || c == ' ') name += is_letter ? c : '_';
  }
  return name;
}

TEST_P(BodyCostTest, IsBounded) {
  if (kIsSanitized) GTEST_SKIP() << "the sanitizers bring their own operator new";
  // The batches of threads, and the answer.
  constexpr size_t kFixedBytes = size_t{3} << 19;
  const Shape shape = GetParam();
  Store({"first", shape.path, shape.type, ""}, nullptr);  // opens the store, makes counters
  BodyWork work;
  const size_t copy_of_body = shape.body.size();
  const size_t count = AllocationCount();
  const size_t bytes = AllocatedBytes();
  ResetAllocatedBytesPeak();

  const HttpResponse response = Store(shape, &work);

  EXPECT_EQ(response.status, shape.status) << response.body;
  EXPECT_LE(AllocationCount() - count, shape.allocations);
  EXPECT_LE(AllocatedBytesPeak() - bytes, copy_of_body * (1 + shape.bytes_per_byte) + kFixedBytes);
  EXPECT_LE(work.steps(), 2 * shape.body.size());
}

INSTANTIATE_TEST_SUITE_P(Bodies, BodyCostTest, testing::ValuesIn(Shapes()), &NameOf);

}  // namespace
}  // namespace hourcell::body_cost_test
