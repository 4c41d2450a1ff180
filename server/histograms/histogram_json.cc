#include "server/histograms/histogram_json.h"

#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/histograms/histogram_text.h"
#include "codec/text/point_text.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

PointError RefusedHistogram(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

// Reads an object of a body; the first fault, in OpenTSDB's order.
class HistogramObject {
 public:
  HistogramObject(const HistogramCodecs& codecs, element object)
      : codecs_(codecs), object_(object) {}

  Parsed<SentHistogram> Read() {
    if (auto fault = ReadSeries()) return *std::move(fault);
    std::string_view value;
    const bool has_value = !object_["value"].get(value) && !value.empty();
    if (auto fault = has_value ? ReadValue(value) : ReadBuckets()) return *std::move(fault);
    return std::move(sent_);
  }

 private:
  std::optional<PointError> ReadSeries() {
    std::string_view text;
    if (object_["metric"].get(text) || text.empty()) {
      return RefusedHistogram("Metric name was empty");
    }
    sent_.metric = text;
    int64_t time = 0;
    if (object_["timestamp"].get(time) || time <= 0) return RefusedHistogram("Invalid timestamp");
    const Parsed<Timestamp> timestamp = TimestampFromInteger(time);
    if (!timestamp.ok()) return timestamp.error();
    sent_.timestamp = *timestamp;
    simdjson::dom::object tags;
    if (object_["tags"].get(tags) || tags.size() == 0) return RefusedHistogram("Missing tags");
    for (const auto [key, value] : tags) {
      if (value.get(text)) return RefusedHistogram("Missing tags");
      sent_.tags.emplace_back(key, text);
    }
    return std::nullopt;
  }

  std::optional<PointError> ReadValue(std::string_view base64) {
    int64_t id = 0;
    if (!object_["id"].is_null() && object_["id"].error() == simdjson::SUCCESS &&
        object_["id"].get(id)) {
      return RefusedHistogram("Invalid type. Must be from 0 to 255.");
    }
    Parsed<HistogramValue> histogram = DecodeSentValue(codecs_, id, base64);
    if (!histogram.ok()) return histogram.error();
    sent_.codec = static_cast<uint8_t>(id);
    sent_.histogram = *std::move(histogram);
    return std::nullopt;
  }

  std::optional<PointError> ReadBuckets() {
    if (!codecs_.is_enabled()) return RefusedHistogram(std::string(kHistogramsAreOff));
    sent_.codec = *codecs_.simple;
    SimpleHistogram& histogram = sent_.histogram.emplace<SimpleHistogram>();
    simdjson::dom::object buckets;
    if (object_["buckets"].get(buckets) || buckets.size() == 0) {
      return RefusedHistogram("Histogram buckets cannot be null or empty if 'value' is empty.");
    }
    for (const auto [bounds, value] : buckets) {
      int64_t count = 0;
      if (value.get(count)) return RefusedHistogram("Unable to parse value to a number");
      const Parsed<HistogramBucket> bucket = ParseBucketText(bounds, count);
      if (!bucket.ok()) return bucket.error();
      histogram.buckets.push_back(*bucket);
    }
    SortBuckets(&histogram.buckets);
    for (const auto& [name, flow] : {std::pair{"underflow", &histogram.underflow},
                                     std::pair{"overflow", &histogram.overflow}}) {
      element number;
      if (object_[name].get(number) || number.is_null()) continue;
      if (number.get(*flow)) return RefusedHistogram("Unable to parse value to a number");
    }
    return std::nullopt;
  }

  const HistogramCodecs& codecs_;
  const element object_;
  SentHistogram sent_;
};

void AddHistogramObject(const HistogramCodecs& codecs, element object, HistogramBody* body) {
  const size_t index = body->size++;
  if (!object.is_object()) {
    body->faults.push_back(
        {.index = index,
         .error = RefusedHistogram("Unexpected null datapoint encountered in set.")});
    return;
  }
  Parsed<SentHistogram> sent = HistogramObject(codecs, object).Read();
  if (!sent.ok()) {
    body->faults.push_back({.index = index, .error = sent.error()});
    return;
  }
  body->good.push_back(*sent);
  body->index_of.push_back(index);
}

}  // namespace

absl::StatusOr<HistogramBody> ParseHistogramBody(const HistogramCodecs& codecs,
                                                 const std::string& text) {
  if (text.empty()) return absl::InvalidArgumentError("Missing request content");
  simdjson::dom::parser parser;
  element root;
  if (parser.parse(text).get(root) || !(root.is_object() || root.is_array())) {
    return absl::InvalidArgumentError("Unable to parse the given JSON");
  }
  HistogramBody body;
  if (root.is_object()) {
    AddHistogramObject(codecs, root, &body);
    return body;
  }
  const simdjson::dom::array objects = root.get_array();
  for (const element object : objects)
    AddHistogramObject(codecs, object, &body);
  if (body.size == 0) return absl::InvalidArgumentError("No datapoints found in content");
  return body;
}

}  // namespace hourcell
