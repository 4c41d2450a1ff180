#include "server/expressions/exp_writer.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/text/number.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

void AppendValue(double value, bool nan_as_null, std::string* out) {
  if (std::isfinite(value)) {
    AppendJavaDouble(value, out);
  } else if (std::isnan(value) && nan_as_null) {
    *out += "null";
  } else {
    AppendJsonString(JavaDouble(value), out);
  }
}

void AppendTexts(const std::vector<std::string>& texts, std::string* out) {
  out->push_back('[');
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) out->push_back(',');
    AppendJsonString(texts[i], out);
  }
  out->push_back(']');
}

absl::Status AppendRows(const PrintedOutput& output, BodyWriter* body) {
  const std::vector<ExpressionSeries>& series = output.set->series;
  const size_t rows = series.empty() ? 0 : series[0].points.size();
  for (size_t row = 0; row < rows; ++row) {
    std::string& out = body->buffer();
    fmt::format_to(std::back_inserter(out), "{}[{}", row > 0 ? "," : "", series[0].points.t[row]);
    for (const ExpressionSeries& one : series) {
      out.push_back(',');
      AppendValue(one.points.ToDouble(row), output.nan_as_null, &out);
    }
    out.push_back(']');
    HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  return absl::OkStatus();
}

absl::Status AppendMeta(const std::vector<ExpressionSeries>& series, BodyWriter* body) {
  body->buffer() += R"(,"meta":[{"index":0,"metrics":["timestamp"]})";
  for (size_t i = 0; i < series.size(); ++i) {
    std::string& out = body->buffer();
    fmt::format_to(std::back_inserter(out), ",{{\"index\":{},\"metrics\":", i + 1);
    AppendTexts(series[i].metrics, &out);
    out += ",\"commonTags\":{";
    for (const auto& [tagk, tagv] : series[i].tags) {
      if (out.back() != '{') out.push_back(',');
      AppendJsonPair(tagk, tagv, &out);
    }
    out += "},\"aggregatedTags\":";
    AppendTexts(series[i].aggregate_tags, &out);
    out.push_back('}');
    HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  body->buffer().push_back(']');
  return absl::OkStatus();
}

}  // namespace

absl::Status AppendOutput(const PrintedOutput& output, BodyWriter* body) {
  std::string& out = body->buffer();
  out += "{\"id\":";
  AppendJsonString(output.id, &out);
  if (!output.alias.empty()) {
    out += ",\"alias\":";
    AppendJsonString(output.alias, &out);
  }
  out += ",\"dps\":[";
  HOURCELL_RETURN_IF_ERROR(AppendRows(output, body));
  const std::vector<ExpressionSeries>& series = output.set->series;
  const size_t rows = series.empty() ? 0 : series[0].points.size();
  const int64_t first_ms = rows > 0 ? series[0].points.t.front() : 0;
  const int64_t last_ms = rows > 0 ? series[0].points.t.back() : 0;
  fmt::format_to(
      std::back_inserter(body->buffer()),
      R"(],"dpsMeta":{{"firstTimestamp":{},"lastTimestamp":{},"setCount":{},"series":{}}})",
      first_ms, last_ms, rows, series.size());
  if (!series.empty()) HOURCELL_RETURN_IF_ERROR(AppendMeta(series, body));
  body->buffer().push_back('}');
  return body->Offer();
}

}  // namespace hourcell
