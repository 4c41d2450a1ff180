#include "server/forward/histogram_exchange.h"

#include <cstdint>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "codec/base/json_writer.h"
#include "codec/text/point_error.h"
#include "server/histograms/sent_histogram.h"

namespace hourcell {

namespace {

void AddHistogram(const PointView& point, int id, std::string_view base64, JsonWriter* json) {
  json->OpenObject();
  json->Field("metric", point.metric);
  json->Field("timestamp", point.timestamp.is_ms ? point.timestamp.ms : point.timestamp.ms / 1000);
  json->Field("id", id);
  json->Field("value", base64);
  json->Key("tags");
  json->OpenObject();
  for (const TagView& tag : point.tags)
    json->Field(tag.key, tag.value);
  json->CloseObject();
  json->CloseObject();
}

}  // namespace

std::string HistogramsBody(std::span<const HistogramPoint> histograms) {
  std::string body;
  JsonWriter json(&body);
  json.OpenArray();
  for (const HistogramPoint& histogram : histograms) {
    const int id = histogram.exponential != nullptr ? kExponentialHistogramId : histogram.codec;
    AddHistogram(histogram.point, id, EncodeSentValue(histogram), &json);
  }
  json.CloseArray();
  return body;
}

std::string HistogramsBody(std::span<const PointView> points,
                           std::span<const std::string_view> cells) {
  HOURCELL_DCHECK(points.size() == cells.size());
  std::string body;
  JsonWriter json(&body);
  json.OpenArray();
  for (size_t i = 0; i < points.size(); ++i) {
    AddHistogram(points[i], static_cast<uint8_t>(cells[i].front()),
                 EncodeSentBytes(cells[i].substr(1)), &json);
  }
  json.CloseArray();
  return body;
}

bool AreHistogramsOff(std::string_view body) {
  return body.find("Histogram storage has not been enabled") != std::string_view::npos;
}

absl::Status ParseHistogramReply(std::string_view body,
                                 size_t count,
                                 std::vector<RefusedPoint>* refused) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array errors;
  if (parser.parse(body.data(), body.size()).get(document) != simdjson::SUCCESS ||
      document["errors"].get(errors) != simdjson::SUCCESS) {
    return absl::DataLossError("/api/histogram: expected \"errors\" in the answer, a list");
  }
  for (const simdjson::dom::element entry : errors) {
    std::string_view text;
    uint64_t index = 0;
    if (entry["error"].get(text) != simdjson::SUCCESS ||
        entry["index"].get(index) != simdjson::SUCCESS || index >= count) {
      return absl::DataLossError("/api/histogram: an error in the answer has no text or no index");
    }
    if (text.starts_with("Storage exception") || text.starts_with("Please throttle")) {
      return absl::UnavailableError(fmt::format("/api/histogram: {}", text));
    }
    refused->push_back(
        {.index = static_cast<size_t>(index),
         .error = {.kind = PointErrorKind::kIllegalArgument, .text = std::string(text)}});
  }
  return absl::OkStatus();
}

}  // namespace hourcell
