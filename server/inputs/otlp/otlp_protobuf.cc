#include "server/inputs/otlp/otlp_protobuf.h"

#include <array>
#include <cstdint>
#include <exception>
#include <string>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include "server/inputs/protobuf_fields.h"

// Why resources and metrics are read twice: fields of a message may come in any order, and those
// that apply to all data points may follow these.

namespace hourcell {
namespace {

using protozero::pbf_reader;

constexpr uint32_t kNoValueFlag = 1;  // in a data point's flags

// Adds a value as text if it is a scalar.
void AddAttributeValue(std::string_view key, pbf_reader value, OtlpAttributes* attributes) {
  while (value.next()) {
    switch (value.tag_and_type()) {
      case BytesField(1):
        return attributes->Add(key, ViewOf(value.get_view()));
      case VarintField(2):
        return attributes->Add(key, value.get_bool() ? "true" : "false");
      case VarintField(3):
        return attributes->AddOwned(key, std::to_string(value.get_int64()));
      case Fixed64Field(4):
        return attributes->AddOwned(key, OtlpNumberText(value.get_double()));
      case BytesField(5):
      case BytesField(6):
      case BytesField(7):
        return attributes->Drop();
      default:
        value.skip();
    }
  }
}

void AddOneAttribute(pbf_reader pair, OtlpAttributes* attributes) {
  std::string_view key;
  std::string_view value;
  while (pair.next()) {
    switch (pair.tag_and_type()) {
      case BytesField(1):
        key = ViewOf(pair.get_view());
        break;
      case BytesField(2):
        value = ViewOf(pair.get_view());
        break;
      default:
        pair.skip();
    }
  }
  AddAttributeValue(key, pbf_reader(DataOf(value)), attributes);
}

template <typename Number>
void AddBucket(Number number, std::vector<Number>* numbers, OtlpPoint* point) {
  if (numbers->size() < kOtlpBucketsMax) {
    numbers->push_back(number);
  } else {
    point->too_many_buckets = true;
  }
}

// Reads 64-bit numbers, packed or one by one.
void AddFixed(pbf_reader* field, std::vector<uint64_t>* numbers, OtlpPoint* point) {
  if (field->wire_type() == protozero::pbf_wire_type::fixed64) {
    return AddBucket(field->get_fixed64(), numbers, point);
  }
  for (const uint64_t number : field->get_packed_fixed64())
    AddBucket(number, numbers, point);
}

void AddDoubles(pbf_reader* field, std::vector<double>* numbers, OtlpPoint* point) {
  if (field->wire_type() == protozero::pbf_wire_type::fixed64) {
    return AddBucket(field->get_double(), numbers, point);
  }
  for (const double number : field->get_packed_double())
    AddBucket(number, numbers, point);
}

void ReadBuckets(pbf_reader message, OtlpBuckets* buckets, OtlpPoint* point) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case VarintField(1):
        buckets->offset = message.get_sint32();
        break;
      case VarintField(2):
        AddBucket(message.get_uint64(), &buckets->counts, point);
        break;
      case BytesField(2):
        for (const uint64_t number : message.get_packed_uint64())
          AddBucket(number, &buckets->counts, point);
        break;
      default:
        message.skip();
    }
  }
}

OtlpQuantile ReadQuantile(pbf_reader message) {
  OtlpQuantile quantile;
  while (message.next()) {
    switch (message.tag_and_type()) {
      case Fixed64Field(1):
        quantile.quantile = message.get_double();
        break;
      case Fixed64Field(2):
        quantile.value = message.get_double();
        break;
      default:
        message.skip();
    }
  }
  return quantile;
}

void ReadNumberPoint(pbf_reader message, OtlpPoint* point) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case Fixed64Field(3):
        point->time_ns = message.get_fixed64();
        break;
      case Fixed64Field(4):
        point->value = Value::Float(message.get_double());
        break;
      case BytesField(5):
        ++point->exemplars;
        message.skip();
        break;
      case Fixed64Field(6):
        point->value = Value::Integer(message.get_sfixed64());
        break;
      case BytesField(7):
        AddOneAttribute(message.get_message(), &point->attributes);
        break;
      case VarintField(8):
        point->has_no_value = (message.get_uint32() & kNoValueFlag) != 0;
        break;
      default:
        message.skip();
    }
  }
}

void ReadHistogramPoint(pbf_reader message, OtlpPoint* point) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case Fixed64Field(3):
        point->time_ns = message.get_fixed64();
        break;
      case Fixed64Field(4):
        point->count = message.get_fixed64();
        break;
      case Fixed64Field(5):
        point->sum = message.get_double();
        break;
      case BytesField(6):
      case Fixed64Field(6):
        AddFixed(&message, &point->counts, point);
        break;
      case BytesField(7):
      case Fixed64Field(7):
        AddDoubles(&message, &point->bounds, point);
        break;
      case BytesField(8):
        ++point->exemplars;
        message.skip();
        break;
      case BytesField(9):
        AddOneAttribute(message.get_message(), &point->attributes);
        break;
      case VarintField(10):
        point->has_no_value = (message.get_uint32() & kNoValueFlag) != 0;
        break;
      default:
        message.skip();
    }
  }
}

// Reads a field that exponential histograms share with other kinds.
void ReadExponentialPointField(pbf_reader* message, OtlpPoint* point) {
  switch (message->tag_and_type()) {
    case BytesField(1):
      return AddOneAttribute(message->get_message(), &point->attributes);
    case Fixed64Field(3):
      point->time_ns = message->get_fixed64();
      return;
    case Fixed64Field(4):
      point->count = message->get_fixed64();
      return;
    case Fixed64Field(5):
      point->sum = message->get_double();
      return;
    case VarintField(10):
      point->has_no_value = (message->get_uint32() & kNoValueFlag) != 0;
      return;
    case BytesField(11):
      ++point->exemplars;
      message->skip();
      return;
    default:
      message->skip();
  }
}

void ReadExponentialPoint(pbf_reader message, OtlpPoint* point) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case VarintField(6):
        point->scale = message.get_sint32();
        break;
      case Fixed64Field(7):
        point->zero_count = message.get_fixed64();
        break;
      case BytesField(8):
        ReadBuckets(message.get_message(), &point->positive, point);
        break;
      case BytesField(9):
        ReadBuckets(message.get_message(), &point->negative, point);
        break;
      case Fixed64Field(12):
        point->min = message.get_double();
        break;
      case Fixed64Field(13):
        point->max = message.get_double();
        break;
      case Fixed64Field(14):
        point->zero_threshold = message.get_double();
        break;
      default:
        ReadExponentialPointField(&message, point);
    }
  }
}

void ReadSummaryPoint(pbf_reader message, OtlpPoint* point) {
  while (message.next()) {
    switch (message.tag_and_type()) {
      case Fixed64Field(3):
        point->time_ns = message.get_fixed64();
        break;
      case Fixed64Field(4):
        point->count = message.get_fixed64();
        break;
      case Fixed64Field(5):
        point->sum = message.get_double();
        break;
      case BytesField(6):
        AddBucket(ReadQuantile(message.get_message()), &point->quantiles, point);
        break;
      case BytesField(7):
        AddOneAttribute(message.get_message(), &point->attributes);
        break;
      case VarintField(8):
        point->has_no_value = (message.get_uint32() & kNoValueFlag) != 0;
        break;
      default:
        message.skip();
    }
  }
}

// The metric kinds: the field of the data, and the reader of a data point.
struct KindField {
  uint32_t field;
  OtlpMetric::Kind kind;
  void (*read)(pbf_reader, OtlpPoint*);
};
constexpr std::array kKindFields = {
    KindField{BytesField(5), OtlpMetric::Kind::kGauge, &ReadNumberPoint},
    KindField{BytesField(7), OtlpMetric::Kind::kSum, &ReadNumberPoint},
    KindField{BytesField(9), OtlpMetric::Kind::kHistogram, &ReadHistogramPoint},
    KindField{BytesField(10), OtlpMetric::Kind::kExponentialHistogram, &ReadExponentialPoint},
    KindField{BytesField(11), OtlpMetric::Kind::kSummary, &ReadSummaryPoint},
};

const KindField* FindKindField(uint32_t field) {
  for (const KindField& row : kKindFields) {
    if (row.field == field) return &row;
  }
  return nullptr;
}

// Reads the fields that apply to all data points.
void ReadDataFields(pbf_reader data, OtlpMetric* metric) {
  while (data.next()) {
    if (data.tag_and_type() == VarintField(2)) {
      metric->temporality = data.get_uint64();
    } else if (data.tag_and_type() == VarintField(3)) {
      metric->is_monotonic = data.get_bool();
    } else {
      data.skip();
    }
  }
}

class ProtobufReader {
 public:
  explicit ProtobufReader(OtlpSink* sink) : sink_(sink) {}

  void ReadRequest(pbf_reader message) {
    while (wants_more_ && message.next()) {
      if (message.tag_and_type() == BytesField(1)) {
        ReadResourceMetrics(ViewOf(message.get_view()));
      } else {
        message.skip();
      }
    }
  }

 private:
  // Counts an item, with or without data points.
  void Step() { wants_more_ = wants_more_ && sink_->Step(); }

  void ReadResourceMetrics(std::string_view message) {
    Step();
    resource_.Clear();
    for (pbf_reader reader(DataOf(message)); reader.next();) {
      if (reader.tag_and_type() == BytesField(1)) {
        ReadResource(reader.get_message(), &resource_);
      } else {
        reader.skip();
      }
    }
    sink_->TakeResource(resource_);
    for (pbf_reader reader(DataOf(message)); wants_more_ && reader.next();) {
      if (reader.tag_and_type() == BytesField(2)) {
        ReadScopeMetrics(reader.get_message());
      } else {
        reader.skip();
      }
    }
  }

  static void ReadResource(pbf_reader message, OtlpAttributes* attributes) {
    while (message.next()) {
      if (message.tag_and_type() == BytesField(1)) {
        AddOneAttribute(message.get_message(), attributes);
      } else {
        message.skip();
      }
    }
  }

  void ReadScopeMetrics(pbf_reader message) {
    Step();
    while (wants_more_ && message.next()) {
      if (message.tag_and_type() == BytesField(2)) {
        ReadMetric(message.get_message());
      } else {
        message.skip();
      }
    }
  }

  // The last kind counts, as protobuf defines for a oneof.
  void ReadMetric(pbf_reader message) {
    Step();
    OtlpMetric metric;
    const KindField* kind = nullptr;
    std::string_view data;
    while (message.next()) {
      if (message.tag_and_type() == BytesField(1)) {
        metric.name = ViewOf(message.get_view());
      } else if (message.tag_and_type() == BytesField(2)) {
        metric.description = ViewOf(message.get_view());
      } else if (message.tag_and_type() == BytesField(3)) {
        metric.unit = ViewOf(message.get_view());
      } else if (const KindField* const row = FindKindField(message.tag_and_type())) {
        kind = row;
        data = ViewOf(message.get_view());
      } else {
        message.skip();
      }
    }
    if (kind == nullptr) return;
    metric.kind = kind->kind;
    ReadDataFields(pbf_reader(DataOf(data)), &metric);
    for (pbf_reader reader(DataOf(data)); wants_more_ && reader.next();) {
      if (reader.tag_and_type() != BytesField(1)) {
        reader.skip();
        continue;
      }
      point_.Clear();
      kind->read(reader.get_message(), &point_);
      wants_more_ = sink_->TakePoint(metric, point_);
    }
    if (wants_more_) sink_->TakeMetric(metric);
  }

  OtlpSink* const sink_;
  OtlpAttributes resource_;  // of the current resource; reused to keep its capacity
  OtlpPoint point_;
  bool wants_more_ = true;
};

}  // namespace

absl::Status ReadOtlpProtobuf(std::string_view message, OtlpSink* sink) {
  try {
    ProtobufReader(sink).ReadRequest(pbf_reader(DataOf(message)));
  } catch (const std::exception& exception) {
    return absl::InvalidArgumentError(
        fmt::format("expected a whole protobuf message, got {}", exception.what()));
  }
  return absl::OkStatus();
}

}  // namespace hourcell
