#include "tests/server/inputs/otlp/otlp_messages.h"

#include <array>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <protozero/pbf_writer.hpp>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

using protozero::pbf_writer;

constexpr uint64_t kTimeNs = 1'356'998'400'500'000'000;

void WriteAttribute(pbf_writer* parent, uint32_t field, const char* key, const char* text) {
  pbf_writer pair(*parent, field);
  pair.add_string(1, key);
  pbf_writer value(pair, 2);
  value.add_string(1, text);
}

// Attributes of every kind that a value may have.
void WriteResource(pbf_writer* parent) {
  pbf_writer resource(*parent, 1);
  WriteAttribute(&resource, 1, "service.name", "shop");
  WriteAttribute(&resource, 1, "empty", "");
  const auto attribute = [&](const char* key, auto write) {
    pbf_writer pair(resource, 1);
    pair.add_string(1, key);
    pbf_writer value(pair, 2);
    write(&value);
  };
  attribute("canary", [](pbf_writer* value) { value->add_bool(2, true); });
  attribute("shard", [](pbf_writer* value) { value->add_int64(3, -7); });
  attribute("weight", [](pbf_writer* value) { value->add_double(4, 0.25); });
  attribute("list", [](pbf_writer* value) { value->add_message(5, std::string()); });
}

template <typename Write>
void WriteMetric(pbf_writer* scope, const char* name, uint32_t kind, int temporality, Write write) {
  pbf_writer metric(*scope, 2);
  metric.add_string(1, name);
  if (kind == 5) metric.add_string(3, "1");
  pbf_writer data(metric, kind);
  {
    pbf_writer point(data, 1);
    point.add_fixed64(3, kTimeNs);
    write(&point);
  }
  if (temporality > 0) data.add_enum(2, temporality);
  if (kind == 7) data.add_bool(3, true);
}

void WriteHistograms(pbf_writer* scope) {
  WriteMetric(scope, "latency", 9, 2, [](pbf_writer* point) {
    constexpr std::array<uint64_t, 3> kCounts = {1, 2, 3};
    constexpr std::array<double, 2> kBounds = {0.5, 10};
    point->add_fixed64(4, 6);
    point->add_double(5, 12.5);
    point->add_packed_fixed64(6, kCounts.begin(), kCounts.end());
    point->add_packed_double(7, kBounds.begin(), kBounds.end());
    WriteAttribute(point, 9, "method", "GET");
  });
  WriteMetric(scope, "size", 10, 1, [](pbf_writer* point) {
    constexpr std::array<uint64_t, 4> kCounts = {1, 0, 2, 3};
    WriteAttribute(point, 1, "method", "GET");
    point->add_fixed64(4, 9);
    point->add_double(5, 100);
    point->add_sint32(6, 1);
    point->add_fixed64(7, 2);
    {
      pbf_writer positive(*point, 8);
      positive.add_sint32(1, -1);
      positive.add_packed_uint64(2, kCounts.begin(), kCounts.end());
    }
    pbf_writer negative(*point, 9);
    negative.add_uint64(2, 1);
  });
}

std::string TextOf(const OtlpAttributes& attributes) {
  std::string text;
  for (const TagView& tag : attributes.tags())
    fmt::format_to(std::back_inserter(text), " {}={}", tag.key, tag.value);
  if (attributes.dropped() > 0) text += fmt::format(" dropped={}", attributes.dropped());
  return text;
}

std::string_view NameOf(OtlpMetric::Kind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"gauge", "sum", "histogram", "exponential",
                                                      "summary"};
  return kNames.at(static_cast<size_t>(kind));
}

class LineSink : public OtlpSink {
 public:
  explicit LineSink(std::vector<std::string>* lines) : lines_(lines) {}

  void TakeResource(const OtlpAttributes& attributes) override {
    lines_->push_back("resource" + TextOf(attributes));
  }
  bool TakePoint(const OtlpMetric& metric, const OtlpPoint& point) override {
    std::string line = fmt::format("{} {} {} @{}{}", metric.name, NameOf(metric.kind),
                                   metric.temporality, point.time_ns, TextOf(point.attributes));
    const auto out = std::back_inserter(line);
    if (point.has_no_value) fmt::format_to(out, " none");
    if (point.exemplars > 0) fmt::format_to(out, " exemplars={}", point.exemplars);
    if (point.value) {
      fmt::format_to(out, " {}={}", point.value->is_integer() ? "integer" : "value",
                     point.value->ToDouble());
    }
    if (point.count > 0) fmt::format_to(out, " count={}", point.count);
    if (point.sum) fmt::format_to(out, " sum={}", *point.sum);
    if (!point.counts.empty())
      fmt::format_to(out, " buckets={}:{}", fmt::join(point.counts, ","),
                     fmt::join(point.bounds, ","));
    if (metric.kind == OtlpMetric::Kind::kExponentialHistogram) {
      fmt::format_to(out, " scale={} zero={}<{} +{}:{} -{}:{}", point.scale, point.zero_count,
                     point.zero_threshold, point.positive.offset,
                     fmt::join(point.positive.counts, ","), point.negative.offset,
                     fmt::join(point.negative.counts, ","));
    }
    for (const OtlpQuantile& quantile : point.quantiles)
      fmt::format_to(out, " q{}={}", quantile.quantile, quantile.value);
    lines_->push_back(std::move(line));
    return true;
  }
  void TakeMetric(const OtlpMetric& metric) override {
    const bool says_more =
        metric.is_monotonic || !metric.unit.empty() || !metric.description.empty();
    if (!says_more) return;
    lines_->push_back(fmt::format("{} unit={} description={}{}", metric.name, metric.unit,
                                  metric.description, metric.is_monotonic ? " monotonic" : ""));
  }

 private:
  std::vector<std::string>* const lines_;
};

}  // namespace

std::string OtlpSampleProtobuf() {
  std::string bytes;
  pbf_writer request(bytes);
  pbf_writer resource_metrics(request, 1);
  {
    pbf_writer scope(resource_metrics, 2);
    WriteMetric(&scope, "temperature", 5, 0, [](pbf_writer* point) { point->add_double(4, 21.5); });
    WriteMetric(&scope, "requests", 7, 2, [](pbf_writer* point) {
      pbf_writer(*point, 5).add_double(3, 1);  // an exemplar
      point->add_sfixed64(6, 42);
      WriteAttribute(point, 7, "method", "GET");
    });
    WriteHistograms(&scope);
    WriteMetric(&scope, "rpc", 11, 0, [](pbf_writer* point) {
      point->add_fixed64(4, 5);
      point->add_double(5, 2.5);
      pbf_writer quantile(*point, 6);
      quantile.add_double(1, 0.99);
      quantile.add_double(2, 1.25);
    });
    WriteMetric(&scope, "gone", 5, 0, [](pbf_writer* point) { point->add_uint32(8, 1); });
  }
  WriteResource(&resource_metrics);  // after what is of it, as protobuf allows
  return bytes;
}

std::string_view OtlpSampleJson() {
  return R"({"resourceMetrics":[{"scopeMetrics":[{"scope":{"name":"x"},"metrics":[
    {"name":"temperature","unit":"1","gauge":{"dataPoints":[
      {"timeUnixNano":"1356998400500000000","asDouble":21.5}]}},
    {"name":"requests","sum":{"isMonotonic":true,"dataPoints":[
      {"timeUnixNano":1356998400500000000,"asInt":"42","exemplars":[{"asDouble":1}],
       "attributes":[{"key":"method","value":{"stringValue":"GET"}}]}],
      "aggregationTemporality":2}},
    {"name":"latency","histogram":{"aggregationTemporality":2,"dataPoints":[
      {"timeUnixNano":"1356998400500000000","count":"6","sum":12.5,
       "bucketCounts":["1","2",3],"explicitBounds":[0.5,10],
       "attributes":[{"key":"method","value":{"stringValue":"GET"}}]}]}},
    {"name":"size","exponentialHistogram":{"aggregationTemporality":1,"dataPoints":[
      {"timeUnixNano":"1356998400500000000","count":9,"sum":100,"scale":1,"zeroCount":"2",
       "positive":{"offset":-1,"bucketCounts":[1,"0",2,3]},"negative":{"bucketCounts":["1"]},
       "attributes":[{"key":"method","value":{"stringValue":"GET"}}]}]}},
    {"name":"rpc","summary":{"dataPoints":[
      {"timeUnixNano":"1356998400500000000","count":"5","sum":2.5,
       "quantileValues":[{"quantile":0.99,"value":1.25}]}]}},
    {"name":"gone","gauge":{"dataPoints":[
      {"timeUnixNano":"1356998400500000000","flags":1}]},"unit":"1"}]}],
   "resource":{"attributes":[
    {"key":"service.name","value":{"stringValue":"shop"}},
    {"key":"empty","value":{"stringValue":""}},
    {"key":"canary","value":{"boolValue":true}},
    {"key":"shard","value":{"intValue":"-7"}},
    {"key":"weight","value":{"doubleValue":0.25}},
    {"key":"list","value":{"arrayValue":{"values":[]}}}]}}]})";
}

std::string OtlpGaugeJson(std::string_view name, std::string_view points) {
  return fmt::format(R"({{"resourceMetrics":[{{"scopeMetrics":[{{"metrics":[{{"name":"{}","gauge":)"
                     R"({{"dataPoints":[{}]}}}}]}}]}}]}})",
                     name, points);
}

std::vector<std::string> OtlpSampleLines() {
  return {
      "resource service.name=shop canary=true shard=-7 weight=0.25 dropped=1",
      "temperature gauge 0 @1356998400500000000 value=21.5",
      "temperature unit=1 description=",
      "requests sum 2 @1356998400500000000 method=GET exemplars=1 integer=42",
      "requests unit= description= monotonic",
      "latency histogram 2 @1356998400500000000 method=GET count=6 sum=12.5 buckets=1,2,3:0.5,10",
      "size exponential 1 @1356998400500000000 method=GET count=9 sum=100 scale=1 zero=2<0 "
      "+-1:1,0,2,3 -0:1",
      "rpc summary 0 @1356998400500000000 count=5 sum=2.5 q0.99=1.25",
      "gone gauge 0 @1356998400500000000 none",
      "gone unit=1 description=",
  };
}

std::vector<std::string> OtlpLines(absl::Status (*read)(std::string_view, OtlpSink*),
                                   std::string_view body) {
  std::vector<std::string> lines;
  LineSink sink(&lines);
  const absl::Status status = read(body, &sink);
  if (!status.ok()) lines.push_back(fmt::format("! {}", MessageOf(status)));
  return lines;
}

}  // namespace hourcell
