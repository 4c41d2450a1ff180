#include "server/inputs/otlp/otlp_json.h"

#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/strings.h"
#include "codec/text/number.h"

// Why a tree of the whole body: what is of all data points of a resource or a metric may stand
// after them.

namespace hourcell {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr uint64_t kNoValueBit = 1;  // of a data point's flags

// One way out of the nested objects, as protozero has it.
class JsonFault : public std::exception {
 public:
  JsonFault(std::string_view member, std::string_view want)
      : text_(fmt::format("{}: want {}", member, want)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// Nothing where it is absent or null.
std::optional<element> MemberOf(const object& parent, std::string_view name) {
  element member;
  if (parent.at_key(name).get(member) != simdjson::SUCCESS || member.is_null()) return {};
  return member;
}

// The items of an array; none where it is absent.
std::vector<element> ArrayOf(const object& parent, std::string_view name) {
  const auto member = MemberOf(parent, name);
  if (!member) return {};
  array items;
  if (member->get(items) != simdjson::SUCCESS) throw JsonFault(name, "an array");
  return {items.begin(), items.end()};
}

object ObjectOf(element item, std::string_view name) {
  object members;
  if (item.get(members) != simdjson::SUCCESS) throw JsonFault(name, "an object");
  return members;
}

std::string_view StringOf(const object& parent, std::string_view name) {
  std::string_view text;
  if (const auto member = MemberOf(parent, name)) {
    if (member->get(text) != simdjson::SUCCESS) throw JsonFault(name, "a string");
  }
  return text;
}

bool BoolOf(const object& parent, std::string_view name) {
  bool flag = false;
  if (const auto member = MemberOf(parent, name)) {
    if (member->get(flag) != simdjson::SUCCESS) throw JsonFault(name, "true or false");
  }
  return flag;
}

uint64_t UnsignedFrom(element number, std::string_view name) {
  uint64_t value = 0;
  if (number.get(value) == simdjson::SUCCESS) return value;
  std::string_view text;
  if (number.get(text) == simdjson::SUCCESS) {
    if (const std::optional<uint64_t> parsed = ParseUnsigned(text)) return *parsed;
  }
  throw JsonFault(name, "an integer from 0 to 2^64-1");
}

uint64_t UnsignedOf(const object& parent, std::string_view name) {
  const auto member = MemberOf(parent, name);
  return member ? UnsignedFrom(*member, name) : 0;
}

int64_t SignedFrom(element number, std::string_view name) {
  int64_t value = 0;
  if (number.get(value) == simdjson::SUCCESS) return value;
  std::string_view text;
  if (number.get(text) == simdjson::SUCCESS) {
    if (const Parsed<int64_t> parsed = ParseInteger(text); parsed.ok()) return *parsed;
  }
  throw JsonFault(name, "an integer from -2^63 to 2^63-1");
}

int32_t Int32Of(const object& parent, std::string_view name) {
  const auto member = MemberOf(parent, name);
  if (!member) return 0;
  const int64_t value = SignedFrom(*member, name);
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    throw JsonFault(name, "an integer of 32 bits");
  }
  return static_cast<int32_t>(value);
}

// protobuf writes those that are no numbers of JSON as strings.
double DoubleFrom(element number, std::string_view name) {
  double value = 0;
  if (number.get(value) == simdjson::SUCCESS) return value;
  std::string_view text;
  if (number.get(text) == simdjson::SUCCESS) {
    if (const Parsed<double> parsed = ParseDouble(text); parsed.ok()) return *parsed;
  }
  throw JsonFault(name, "a number");
}

double DoubleOf(const object& parent, std::string_view name) {
  const auto member = MemberOf(parent, name);
  return member ? DoubleFrom(*member, name) : 0;
}

void AddAttributeMember(std::string_view key, const object& value, OtlpAttributes* attributes) {
  if (const auto text = MemberOf(value, "stringValue")) {
    return attributes->Add(key, StringOf(value, "stringValue"));
  }
  if (MemberOf(value, "boolValue")) {
    return attributes->Add(key, BoolOf(value, "boolValue") ? "true" : "false");
  }
  if (const auto number = MemberOf(value, "intValue")) {
    return attributes->AddOwned(key, std::to_string(SignedFrom(*number, "intValue")));
  }
  if (const auto number = MemberOf(value, "doubleValue")) {
    return attributes->AddOwned(key, OtlpNumberText(DoubleFrom(*number, "doubleValue")));
  }
  for (const std::string_view name : {"arrayValue", "kvlistValue", "bytesValue"}) {
    if (MemberOf(value, name)) return attributes->Drop();
  }
}

void AddAttributes(const object& parent, OtlpAttributes* attributes) {
  for (const element item : ArrayOf(parent, "attributes")) {
    const object pair = ObjectOf(item, "attributes");
    const std::string_view key = StringOf(pair, "key");
    if (const auto value = MemberOf(pair, "value")) {
      AddAttributeMember(key, ObjectOf(*value, "value"), attributes);
    }
  }
}

void AddCounts(const object& parent, std::vector<uint64_t>* counts, OtlpPoint* point) {
  constexpr std::string_view kName = "bucketCounts";
  for (const element number : ArrayOf(parent, kName)) {
    const uint64_t count = UnsignedFrom(number, kName);
    point->too_many_buckets |= counts->size() == kOtlpBucketsMax;
    if (counts->size() < kOtlpBucketsMax) counts->push_back(count);
  }
}

void AddBounds(const object& parent, OtlpPoint* point) {
  constexpr std::string_view kName = "explicitBounds";
  for (const element number : ArrayOf(parent, kName)) {
    const double bound = DoubleFrom(number, kName);
    point->too_many_buckets |= point->bounds.size() == kOtlpBucketsMax;
    if (point->bounds.size() < kOtlpBucketsMax) point->bounds.push_back(bound);
  }
}

void AddExponentialBuckets(const object& parent,
                           std::string_view name,
                           OtlpBuckets* buckets,
                           OtlpPoint* point) {
  const auto member = MemberOf(parent, name);
  if (!member) return;
  const object part = ObjectOf(*member, name);
  buckets->offset = Int32Of(part, "offset");
  AddCounts(part, &buckets->counts, point);
}

void AddQuantiles(const object& parent, OtlpPoint* point) {
  constexpr std::string_view kName = "quantileValues";
  for (const element item : ArrayOf(parent, kName)) {
    const object pair = ObjectOf(item, kName);
    const OtlpQuantile quantile = {.quantile = DoubleOf(pair, "quantile"),
                                   .value = DoubleOf(pair, "value")};
    point->too_many_buckets |= point->quantiles.size() == kOtlpBucketsMax;
    if (point->quantiles.size() < kOtlpBucketsMax) point->quantiles.push_back(quantile);
  }
}

// What a data point says of whatever kind it is: an object has the members of one.
void ReadJsonPoint(const object& members, OtlpPoint* point) {
  point->Clear();
  AddAttributes(members, &point->attributes);
  point->time_ns = UnsignedOf(members, "timeUnixNano");
  point->has_no_value = (UnsignedOf(members, "flags") & kNoValueBit) != 0;
  point->exemplars = ArrayOf(members, "exemplars").size();
  if (const auto number = MemberOf(members, "asDouble")) {
    point->value = Value::Float(DoubleFrom(*number, "asDouble"));
  }
  if (const auto number = MemberOf(members, "asInt")) {
    point->value = Value::Integer(SignedFrom(*number, "asInt"));
  }
  point->count = UnsignedOf(members, "count");
  if (const auto number = MemberOf(members, "sum")) point->sum = DoubleFrom(*number, "sum");
  AddCounts(members, &point->counts, point);
  AddBounds(members, point);
  point->scale = Int32Of(members, "scale");
  point->zero_count = UnsignedOf(members, "zeroCount");
  point->zero_threshold = DoubleOf(members, "zeroThreshold");
  AddExponentialBuckets(members, "positive", &point->positive, point);
  AddExponentialBuckets(members, "negative", &point->negative, point);
  AddQuantiles(members, point);
}

// The kinds of a metric, by the member of its data.
struct KindMember {
  std::string_view name;
  OtlpMetric::Kind kind;
};
constexpr std::array kKindMembers = {
    KindMember{"gauge", OtlpMetric::Kind::kGauge},
    KindMember{"sum", OtlpMetric::Kind::kSum},
    KindMember{"histogram", OtlpMetric::Kind::kHistogram},
    KindMember{"exponentialHistogram", OtlpMetric::Kind::kExponentialHistogram},
    KindMember{"summary", OtlpMetric::Kind::kSummary},
};

class JsonReader {
 public:
  explicit JsonReader(OtlpSink* sink) : sink_(sink) {}

  void ReadRequest(const object& request) {
    for (const element item : ArrayOf(request, "resourceMetrics")) {
      if (wants_more_) ReadResourceMetrics(ObjectOf(item, "resourceMetrics"));
    }
  }

 private:
  void ReadResourceMetrics(const object& members) {
    OtlpAttributes attributes;
    if (const auto resource = MemberOf(members, "resource")) {
      AddAttributes(ObjectOf(*resource, "resource"), &attributes);
    }
    sink_->TakeResource(attributes);
    for (const element scope : ArrayOf(members, "scopeMetrics")) {
      for (const element metric : ArrayOf(ObjectOf(scope, "scopeMetrics"), "metrics")) {
        if (wants_more_) ReadMetric(ObjectOf(metric, "metrics"));
      }
    }
  }

  void ReadMetric(const object& members) {
    OtlpMetric metric{.name = StringOf(members, "name")};
    for (const KindMember& row : kKindMembers) {
      const auto data = MemberOf(members, row.name);
      if (!data) continue;
      metric.kind = row.kind;
      return ReadData(ObjectOf(*data, row.name), &metric);
    }
  }

  void ReadData(const object& data, OtlpMetric* metric) {
    metric->temporality = UnsignedOf(data, "aggregationTemporality");
    for (const element item : ArrayOf(data, "dataPoints")) {
      if (!wants_more_) return;
      ReadJsonPoint(ObjectOf(item, "dataPoints"), &point_);
      wants_more_ = sink_->TakePoint(*metric, point_);
    }
  }

  OtlpSink* const sink_;
  OtlpPoint point_;
  bool wants_more_ = true;
};

}  // namespace

absl::Status ReadOtlpJson(std::string_view body, OtlpSink* sink) {
  simdjson::dom::parser parser;
  object request;
  if (const auto error = parser.parse(body.data(), body.size()).get(request)) {
    return absl::InvalidArgumentError(
        fmt::format("got {}; want an object of JSON", simdjson::error_message(error)));
  }
  try {
    JsonReader(sink).ReadRequest(request);
  } catch (const JsonFault& fault) {
    return absl::InvalidArgumentError(fault.what());
  }
  return absl::OkStatus();
}

}  // namespace hourcell
