#include "server/forward/put_exchange.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/text/number.h"
#include "codec/text/point_error.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

void AppendPoint(const PointView& point, std::string* out) {
  out->append("{\"metric\":");
  AppendJsonString(point.metric, out);
  const int64_t time = point.timestamp.is_ms ? point.timestamp.ms : point.timestamp.ms / 1000;
  fmt::format_to(std::back_inserter(*out), ",\"timestamp\":{},\"value\":", time);
  if (point.value.is_integer()) {
    fmt::format_to(std::back_inserter(*out), "{}", point.value.integer());
  } else {
    AppendJavaDouble(point.value.floating(), out);
  }
  out->append(",\"tags\":{");
  for (size_t i = 0; i < point.tags.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonString(point.tags[i].key, out);
    out->push_back(':');
    AppendJsonString(point.tags[i].value, out);
  }
  out->append("}}");
}

// A number of the answer as text; the answer may also contain it as text.
std::string NumberText(simdjson::dom::element element) {
  std::string_view text;
  if (element.get(text) == simdjson::SUCCESS) return std::string(text);
  return simdjson::minify(element);
}

// Whether the answer's datapoint is this point. Ignores values, whose text may differ.
bool IsSamePoint(simdjson::dom::element datapoint, const PointView& point) {
  std::string_view metric;
  simdjson::dom::element timestamp;
  simdjson::dom::object tags;
  if (datapoint["metric"].get(metric) != simdjson::SUCCESS || metric != point.metric) return false;
  if (datapoint["timestamp"].get(timestamp) != simdjson::SUCCESS) return false;
  const int64_t time = point.timestamp.is_ms ? point.timestamp.ms : point.timestamp.ms / 1000;
  if (NumberText(timestamp) != fmt::to_string(time)) return false;
  if (datapoint["tags"].get(tags) != simdjson::SUCCESS) return false;
  return std::ranges::all_of(point.tags, [&](const TagView& tag) {
    std::string_view value;
    return tags.at_key(tag.key).get(value) == simdjson::SUCCESS && value == tag.value;
  });
}

PointErrorKind KindOf(std::string_view text) {
  if (text.starts_with("Unknown metric") || text.starts_with("No such name")) {
    return PointErrorKind::kUnknownName;
  }
  if (text.starts_with("Unable to parse")) return PointErrorKind::kInvalidValue;
  return PointErrorKind::kIllegalArgument;
}

}  // namespace

std::string PutBody(std::span<const PointView> points) {
  std::string body = "[";
  for (size_t i = 0; i < points.size(); ++i) {
    if (i > 0) body.append(",\n");
    AppendPoint(points[i], &body);
  }
  body.push_back(']');
  return body;
}

absl::Status ParsePutReply(std::string_view body,
                           std::span<const PointView> points,
                           std::vector<RefusedPoint>* refused) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array errors;
  if (parser.parse(body.data(), body.size()).get(document) != simdjson::SUCCESS ||
      document["errors"].get(errors) != simdjson::SUCCESS) {
    return absl::DataLossError("/api/put: the answer has no list of errors");
  }
  size_t at = 0;
  for (const simdjson::dom::element entry : errors) {
    std::string_view text;
    simdjson::dom::element datapoint;
    if (entry["error"].get(text) != simdjson::SUCCESS ||
        entry["datapoint"].get(datapoint) != simdjson::SUCCESS) {
      return absl::DataLossError("/api/put: an error in the answer has no text or no datapoint");
    }
    if (text.starts_with("Storage exception") || text.starts_with("Please throttle")) {
      return absl::UnavailableError(fmt::format("/api/put: {}", text));
    }
    while (at < points.size() && !IsSamePoint(datapoint, points[at]))
      ++at;
    if (at == points.size()) {
      return absl::DataLossError(fmt::format("/api/put: {}: for a point that was not sent: {}",
                                             text, simdjson::minify(datapoint)));
    }
    refused->push_back({.index = at, .error = {.kind = KindOf(text), .text = std::string(text)}});
    ++at;
  }
  return absl::OkStatus();
}

}  // namespace hourcell
