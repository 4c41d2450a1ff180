#include "server/inputs/otlp/otlp_json.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/number.h"
#include "server/text/json_cursor.h"

// Why a cursor instead of a tree: simdjson's tree takes up to 22 times the size of the body.
// Members that apply to all data points of a resource or metric may follow these; then the data
// points are skipped, which also validates them, and read later. Nearly all exporters send resource
// and name first. Each byte is read at most four times.

namespace hourcell {
namespace {

constexpr uint64_t kNoValueBit = 1;  // in a data point's flags

// Longer texts of names or values are refused whatever they contain; their escapes are left in
// place.
constexpr size_t kRawBytesMax = 6 * kNameBytesMax;  // of escapes as \u0041

// By their numbers.
constexpr std::array<std::string_view, 3> kTemporalityNames = {
    "AGGREGATION_TEMPORALITY_UNSPECIFIED", "AGGREGATION_TEMPORALITY_DELTA",
    "AGGREGATION_TEMPORALITY_CUMULATIVE"};

// The size of the escape that `raw` begins with; surrogates are pairs.
size_t EscapeBytes(std::string_view raw) {
  constexpr std::string_view kOfHighSurrogates = "89abAB";
  if (raw[1] != 'u') return 2;
  const bool is_pair =
      (raw[2] == 'd' || raw[2] == 'D') && kOfHighSurrogates.find(raw[3]) != raw.npos;
  return is_pair ? 12 : 6;
}

// The first `bytes_min` bytes of a checked string, and the rest of the last escape.
std::string_view CutEscaped(std::string_view raw, size_t bytes_min) {
  size_t end = 0;
  while (end < std::min(raw.size(), bytes_min))
    end += raw[end] == '\\' ? EscapeBytes(raw.substr(end)) : 1;
  return raw.substr(0, end);
}

// Thrown to leave the nested objects.
class JsonFault : public std::exception {
 public:
  JsonFault(std::string_view member, std::string_view want)
      : text_(fmt::format("{}: expected {}", member, want)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

// Thrown when the sink wants no more.
class EnoughRead : public std::exception {};

class JsonReader {
 public:
  JsonReader(std::string_view body, OtlpSink* sink) : json_(body), sink_(sink) {}

  void ReadRequest() {
    ReadObject([this](std::string_view key, unsigned* seen) {
      if (!IsFirst(key, "resourceMetrics", 0, seen)) return json_.Skip();
      ReadObjects("resourceMetrics", [this] { ReadResourceMetrics(); });
    });
    json_.End();
  }

  bool BeginsWithObject() { return json_.Peek() == '{'; }

 private:
  // The position of a skipped value, to be read later; null: none.
  using Later = const char*;

  // Refuses a value of another type. Skips it first, so that malformed JSON is reported instead.
  [[noreturn]] void Refuse(std::string_view name, std::string_view want) {
    json_.Skip();
    throw JsonFault(name, want);
  }

  void Step() {
    if (!sink_->Step()) throw EnoughRead();
  }

  // Reads the members of an object: calls `member` with each key and with bits that record members
  // already seen.
  template <typename Member>
  void ReadObject(const Member& member) {
    unsigned seen = 0;
    json_.Object([&](std::string_view key) { member(key, &seen); });
  }

  // True if the member is `name` and occurs for the first time: later duplicates are ignored.
  static bool IsFirst(std::string_view key, std::string_view name, unsigned bit, unsigned* seen) {
    if (key != name || (*seen >> bit & 1) != 0) return false;
    *seen |= 1U << bit;
    return true;
  }

  // null means that the member is absent.
  bool TakesNull() {
    if (json_.Peek() != 'n') return false;
    json_.Scalar();
    return true;
  }

  template <typename Item>
  void ReadItems(std::string_view name, const Item& item) {
    if (TakesNull()) return;
    if (json_.Peek() != '[') Refuse(name, "an array");
    json_.Array([&] {
      Step();
      item();
    });
  }

  void WantObject(std::string_view name) {
    if (json_.Peek() != '{') Refuse(name, "an object");
  }

  template <typename Item>
  void ReadObjects(std::string_view name, const Item& item) {
    ReadItems(name, [&] {
      WantObject(name);
      item();
    });
  }

  Later SkipForLater() {
    const Later begin = json_.at();
    json_.Skip();
    return begin;
  }

  // Reads a skipped value, then returns to the current position.
  template <typename Read>
  void ReadLater(Later later, const Read& read) {
    if (later == nullptr) return;
    const char* const here = json_.at();
    json_.set_at(later);
    read();
    json_.set_at(here);
  }

  // If it has escapes, the text is valid only until the next one is read.
  std::string_view ReadText(std::string_view name, std::string* buffer) {
    if (json_.Peek() != '"') Refuse(name, "a string");
    const std::string_view raw = json_.RawString();
    return raw.size() > kRawBytesMax ? raw : JsonCursor::Unescaped(raw, buffer);
  }

  // Of a long text only the beginning, with at least kMetadataHelpMax bytes.
  std::string_view ReadLongText(std::string_view name, std::string* buffer) {
    if (json_.Peek() != '"') Refuse(name, "a string");
    return JsonCursor::Unescaped(CutEscaped(json_.RawString(), kRawBytesMax), buffer);
  }

  // The text of a number or of a string, because protobuf also writes numbers as strings.
  std::string_view ReadNumberText() {
    const char first = json_.Peek();
    if (first == '"') return json_.String(&number_text_);
    const bool is_number = first == '-' || (first >= '0' && first <= '9');
    if (is_number) return json_.Scalar();
    json_.Skip();
    return "";
  }

  uint64_t ReadUnsigned(std::string_view name) {
    const std::string_view text = ReadNumberText();
    if (const std::optional<uint64_t> parsed = ParseUnsigned(text)) return *parsed;
    throw JsonFault(name, "an integer from 0 to 2^64-1");
  }

  // OTLP writes enums as numbers; generic protobuf printers and people write names. Unknown text
  // gives a temporality that is refused only for its own metric.
  uint64_t ReadTemporality() {
    const std::string_view text = ReadNumberText();
    for (size_t i = 0; i < kTemporalityNames.size(); ++i) {
      if (text == kTemporalityNames[i]) return i;
    }
    return ParseUnsigned(text).value_or(0);
  }

  int64_t ReadSigned(std::string_view name) {
    const std::string_view text = ReadNumberText();
    if (const Parsed<int64_t> parsed = ParseInteger(text); parsed.ok()) return *parsed;
    throw JsonFault(name, "an integer from -2^63 to 2^63-1");
  }

  int32_t ReadInt32(std::string_view name) {
    const int64_t value = ReadSigned(name);
    if (value >= std::numeric_limits<int32_t>::min() &&
        value <= std::numeric_limits<int32_t>::max()) {
      return static_cast<int32_t>(value);
    }
    throw JsonFault(name, "an integer of 32 bits");
  }

  double ReadDouble(std::string_view name) {
    const std::string_view text = ReadNumberText();
    if (const Parsed<double> parsed = ParseDouble(text); parsed.ok()) return *parsed;
    throw JsonFault(name, "a number");
  }

  bool ReadBool(std::string_view name) {
    const char first = json_.Peek();
    if (first != 't' && first != 'f') Refuse(name, "true or false");
    return json_.Scalar() == "true";
  }

  void ReadResourceMetrics();
  void ReadScopeMetrics();
  void ReadMetric();
  void ReadData(OtlpMetric* metric);
  void ReadPoints(const OtlpMetric& metric);
  enum class Member : uint8_t {
    kAttributes,
    kTime,
    kFlags,
    kExemplars,
    kDouble,
    kInteger,
    kCount,
    kSum,
    kCounts,
    kBounds,
    kScale,
    kZeroCount,
    kZeroThreshold,
    kPositive,
    kNegative,
    kQuantiles,
    kMin,
    kMax,
  };
  void ReadPointMember(std::string_view key, unsigned* seen);
  void ReadPointValue(Member member, std::string_view name);
  void ReadAttributes(OtlpAttributes* attributes);
  void ReadAttribute(OtlpAttributes* attributes);
  struct AttributeKey {
    std::string_view text;
    bool is_own = false;  // the text has escapes and was copied
  };
  void ReadAttributeValue(const AttributeKey& given, OtlpAttributes* attributes);
  void ReadCounts(std::vector<uint64_t>* counts);
  void ReadBounds();
  void ReadExponentialBuckets(std::string_view name, OtlpBuckets* buckets);
  void ReadQuantiles();
  void CountExemplars();

  JsonCursor json_;
  OtlpSink* const sink_;
  OtlpAttributes resource_;  // of the current resource; reused to keep its capacity
  OtlpPoint point_;
  std::string number_text_;
};

void JsonReader::ReadResourceMetrics() {
  resource_.Clear();
  bool has_resource = false;
  Later scopes = nullptr;
  const auto read_scopes = [this] { ReadObjects("scopeMetrics", [this] { ReadScopeMetrics(); }); };
  ReadObject([&](std::string_view key, unsigned* seen) {
    if (IsFirst(key, "resource", 0, seen)) {
      if (!TakesNull()) {
        WantObject("resource");
        ReadObject([&](std::string_view name, unsigned* seen_inside) {
          if (!IsFirst(name, "attributes", 0, seen_inside)) return json_.Skip();
          ReadAttributes(&resource_);
        });
      }
      has_resource = true;
      sink_->TakeResource(resource_);
    } else if (IsFirst(key, "scopeMetrics", 1, seen)) {
      if (!has_resource) {
        scopes = SkipForLater();
      } else {
        read_scopes();
      }
    } else {
      json_.Skip();
    }
  });
  if (!has_resource) sink_->TakeResource(resource_);
  ReadLater(scopes, read_scopes);
}

void JsonReader::ReadScopeMetrics() {
  ReadObject([this](std::string_view key, unsigned* seen) {
    if (!IsFirst(key, "metrics", 0, seen)) return json_.Skip();
    ReadObjects("metrics", [this] { ReadMetric(); });
  });
}

// The metric kinds, by data member.
struct KindMember {
  std::string_view name;
  OtlpMetric::Kind kind;
  bool has_temporality;
};
constexpr std::array kKindMembers = {
    KindMember{"gauge", OtlpMetric::Kind::kGauge, false},
    KindMember{"sum", OtlpMetric::Kind::kSum, true},
    KindMember{"histogram", OtlpMetric::Kind::kHistogram, true},
    KindMember{"exponentialHistogram", OtlpMetric::Kind::kExponentialHistogram, true},
    KindMember{"summary", OtlpMetric::Kind::kSummary, false},
};

const KindMember* FindKind(std::string_view key) {
  for (const KindMember& row : kKindMembers)
    if (row.name == key) return &row;
  return nullptr;
}

// The first kind member counts.
void JsonReader::ReadMetric() {
  std::array<std::string, 3> texts;  // only if they have escapes
  OtlpMetric metric;
  bool has_name = false;
  bool has_data = false;
  Later data = nullptr;
  const KindMember* kind = nullptr;
  const auto read_data = [&] {
    metric.kind = kind->kind;
    WantObject(kind->name);
    ReadData(&metric);
  };
  ReadObject([&](std::string_view key, unsigned* seen) {
    if (IsFirst(key, "name", 0, seen)) {
      if (!TakesNull()) metric.name = ReadText("name", &texts[0]);
      has_name = true;
      return;
    }
    if (IsFirst(key, "unit", 1, seen)) {
      if (!TakesNull()) metric.unit = ReadLongText("unit", &texts[1]);
      return;
    }
    if (IsFirst(key, "description", 2, seen)) {
      if (!TakesNull()) metric.description = ReadLongText("description", &texts[2]);
      return;
    }
    const KindMember* const row = has_data ? nullptr : FindKind(key);
    if (row == nullptr) return json_.Skip();
    if (TakesNull()) return;
    has_data = true;
    kind = row;
    if (!has_name) {
      data = SkipForLater();
    } else {
      read_data();
    }
  });
  ReadLater(data, read_data);
  if (kind != nullptr) sink_->TakeMetric(metric);
}

void JsonReader::ReadData(OtlpMetric* metric) {
  const bool has_temporality = kKindMembers[static_cast<size_t>(metric->kind)].has_temporality;
  bool is_known = !has_temporality;
  Later points = nullptr;
  ReadObject([&](std::string_view key, unsigned* seen) {
    if (IsFirst(key, "aggregationTemporality", 0, seen)) {
      if (!TakesNull()) metric->temporality = ReadTemporality();
      is_known = true;
    } else if (IsFirst(key, "dataPoints", 1, seen)) {
      if (is_known) {
        ReadPoints(*metric);
      } else {
        points = SkipForLater();
      }
    } else if (IsFirst(key, "isMonotonic", 2, seen)) {
      if (!TakesNull()) metric->is_monotonic = ReadBool("isMonotonic");
    } else {
      json_.Skip();
    }
  });
  ReadLater(points, [&] { ReadPoints(*metric); });
}

void JsonReader::ReadPoints(const OtlpMetric& metric) {
  ReadObjects("dataPoints", [&] {
    point_.Clear();
    ReadObject([this](std::string_view key, unsigned* seen) { ReadPointMember(key, seen); });
    if (!sink_->TakePoint(metric, point_)) throw EnoughRead();
  });
}

// Reads the members of data points of all kinds; an object has those of one kind.
void JsonReader::ReadPointMember(std::string_view key, unsigned* seen) {
  static constexpr std::array<std::string_view, 18> kNames = {
      "attributes",    "timeUnixNano", "flags",        "exemplars",      "asDouble", "asInt",
      "count",         "sum",          "bucketCounts", "explicitBounds", "scale",    "zeroCount",
      "zeroThreshold", "positive",     "negative",     "quantileValues", "min",      "max"};
  unsigned bit = 0;
  while (bit < kNames.size() && kNames[bit] != key)
    ++bit;
  if (bit == kNames.size() || !IsFirst(key, kNames[bit], bit, seen)) return json_.Skip();
  if (TakesNull()) return;
  ReadPointValue(static_cast<Member>(bit), kNames[bit]);
}

void JsonReader::ReadPointValue(Member member, std::string_view name) {
  switch (member) {
    case Member::kAttributes:
      return ReadAttributes(&point_.attributes);
    case Member::kTime:
      point_.time_ns = ReadUnsigned(name);
      return;
    case Member::kFlags:
      point_.has_no_value = (ReadUnsigned(name) & kNoValueBit) != 0;
      return;
    case Member::kExemplars:
      return CountExemplars();
    case Member::kDouble:  // an integer takes precedence
      if (const double value = ReadDouble(name); !point_.value || !point_.value->is_integer())
        point_.value = Value::Float(value);
      return;
    case Member::kInteger:
      point_.value = Value::Integer(ReadSigned(name));
      return;
    case Member::kCount:
      point_.count = ReadUnsigned(name);
      return;
    case Member::kSum:
      point_.sum = ReadDouble(name);
      return;
    case Member::kCounts:
      return ReadCounts(&point_.counts);
    case Member::kBounds:
      return ReadBounds();
    case Member::kScale:
      point_.scale = ReadInt32(name);
      return;
    case Member::kZeroCount:
      point_.zero_count = ReadUnsigned(name);
      return;
    case Member::kZeroThreshold:
      point_.zero_threshold = ReadDouble(name);
      return;
    case Member::kPositive:
      return ReadExponentialBuckets(name, &point_.positive);
    case Member::kNegative:
      return ReadExponentialBuckets(name, &point_.negative);
    case Member::kQuantiles:
      return ReadQuantiles();
    case Member::kMin:
      point_.min = ReadDouble(name);
      return;
    case Member::kMax:
      point_.max = ReadDouble(name);
      return;
  }
}

void JsonReader::ReadAttributes(OtlpAttributes* attributes) {
  ReadObjects("attributes", [&] { ReadAttribute(attributes); });
}

void JsonReader::ReadAttribute(OtlpAttributes* attributes) {
  std::string buffer;
  std::string_view key;
  bool has_key = false;
  Later value = nullptr;
  const auto read_value = [&] {
    if (TakesNull()) return;
    WantObject("value");
    ReadAttributeValue({.text = key, .is_own = key.data() == buffer.data()}, attributes);
  };
  ReadObject([&](std::string_view member, unsigned* seen) {
    if (IsFirst(member, "key", 0, seen)) {
      if (!TakesNull()) key = ReadText("key", &buffer);
      has_key = true;
    } else if (IsFirst(member, "value", 1, seen)) {
      if (has_key) {
        read_value();
      } else {
        value = SkipForLater();
      }
    } else {
      json_.Skip();
    }
  });
  ReadLater(value, read_value);
}

// The first value member counts.
void JsonReader::ReadAttributeValue(const AttributeKey& given, OtlpAttributes* attributes) {
  bool has_value = false;
  const auto key = [&] {
    return given.is_own ? attributes->Own(std::string(given.text)) : given.text;
  };
  ReadObject([&](std::string_view member, unsigned* /*seen*/) {
    if (has_value) return json_.Skip();
    if (json_.Peek() == 'n') return json_.Skip();
    has_value = true;
    if (member == "stringValue") {
      std::string buffer;
      const std::string_view text = ReadText("stringValue", &buffer);
      if (text.empty()) return;
      if (text.data() != buffer.data()) return attributes->Add(key(), text);
      attributes->AddOwned(key(), std::move(buffer));
    } else if (member == "boolValue") {
      attributes->Add(key(), ReadBool("boolValue") ? "true" : "false");
    } else if (member == "intValue") {
      attributes->AddOwned(key(), std::to_string(ReadSigned("intValue")));
    } else if (member == "doubleValue") {
      attributes->AddOwned(key(), OtlpNumberText(ReadDouble("doubleValue")));
    } else {
      has_value = member == "arrayValue" || member == "kvlistValue" || member == "bytesValue";
      if (has_value) attributes->Drop();
      json_.Skip();
    }
  });
}

// Counts over the limit are validated but not kept.
void JsonReader::ReadCounts(std::vector<uint64_t>* counts) {
  ReadItems("bucketCounts", [&] {
    const uint64_t count = ReadUnsigned("bucketCounts");
    point_.too_many_buckets |= counts->size() == kOtlpBucketsMax;
    if (counts->size() < kOtlpBucketsMax) counts->push_back(count);
  });
}

void JsonReader::ReadBounds() {
  ReadItems("explicitBounds", [&] {
    const double bound = ReadDouble("explicitBounds");
    point_.too_many_buckets |= point_.bounds.size() == kOtlpBucketsMax;
    if (point_.bounds.size() < kOtlpBucketsMax) point_.bounds.push_back(bound);
  });
}

void JsonReader::ReadExponentialBuckets(std::string_view name, OtlpBuckets* buckets) {
  WantObject(name);
  ReadObject([&](std::string_view key, unsigned* seen) {
    if (IsFirst(key, "offset", 0, seen)) {
      if (!TakesNull()) buckets->offset = ReadInt32("offset");
    } else if (IsFirst(key, "bucketCounts", 1, seen)) {
      ReadCounts(&buckets->counts);
    } else {
      json_.Skip();
    }
  });
}

void JsonReader::ReadQuantiles() {
  ReadObjects("quantileValues", [this] {
    OtlpQuantile quantile;
    ReadObject([&](std::string_view key, unsigned* seen) {
      if (IsFirst(key, "quantile", 0, seen)) {
        if (!TakesNull()) quantile.quantile = ReadDouble("quantile");
      } else if (IsFirst(key, "value", 1, seen)) {
        if (!TakesNull()) quantile.value = ReadDouble("value");
      } else {
        json_.Skip();
      }
    });
    point_.too_many_buckets |= point_.quantiles.size() == kOtlpBucketsMax;
    if (point_.quantiles.size() < kOtlpBucketsMax) point_.quantiles.push_back(quantile);
  });
}

void JsonReader::CountExemplars() {
  ReadItems("exemplars", [this] {
    ++point_.exemplars;
    json_.Skip();
  });
}

}  // namespace

absl::Status ReadOtlpJson(std::string_view body, OtlpSink* sink) {
  constexpr std::string_view kExpected = "expected an object of JSON";
  if (!simdjson::validate_utf8(body.data(), body.size()))
    return absl::InvalidArgumentError(fmt::format("{}, got invalid UTF-8", kExpected));
  JsonReader reader(body, sink);
  if (!reader.BeginsWithObject())
    return absl::InvalidArgumentError(fmt::format("{}, got none", kExpected));
  try {
    reader.ReadRequest();
  } catch (const EnoughRead&) {
    return absl::OkStatus();
  } catch (const JsonFault& fault) {
    return absl::InvalidArgumentError(fault.what());
  } catch (const JsonSyntaxFault& fault) {
    return absl::InvalidArgumentError(fmt::format("{}, got {}", kExpected, fault.what()));
  }
  return absl::OkStatus();
}

}  // namespace hourcell
