#include "server/promql/value_writer.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "promql/values/number_text.h"

namespace hourcell {
namespace {

// [1435781430.781,"1"]
void AppendPoint(int64_t ms, double value, std::string* out) {
  *out += '[';
  promql::AppendSeconds(ms, out);
  *out += ",\"";
  promql::AppendPointValue(value, out);
  *out += "\"]";
}

// Prometheus prints the times of scalars and strings in another form than those of points: without
// zeros at the end, 1435781430.78.
std::string ShortSeconds(int64_t ms) {
  return fmt::format("{}", static_cast<double>(ms) / 1000);
}

// The elements of an array, separated.
class Elements {
 public:
  explicit Elements(std::string* out) : out_(*out) { out_ += '['; }
  std::string* Next() {
    if (!is_first_) out_ += ',';
    is_first_ = false;
    return &out_;
  }
  void End() { out_ += ']'; }

 private:
  std::string& out_;
  bool is_first_ = true;
};

class ResultPrinter {
 public:
  ResultPrinter(const promql::Steps& steps, bool is_instant, BodyWriter* body)
      : steps_(steps), is_instant_(is_instant), body_(*body) {}

  absl::Status operator()(const promql::ScalarResult& scalar) {
    if (is_instant_) {
      Begin("scalar");
      body_.buffer() += fmt::format("[{},\"{}\"]", ShortSeconds(steps_.start_ms),
                                    promql::NumberText(scalar.values.front()));
      return absl::OkStatus();
    }
    Begin("matrix");
    Elements all(&body_.buffer());
    HOURCELL_RETURN_IF_ERROR(PrintColumn({}, scalar.values, &all));
    all.End();
    return absl::OkStatus();
  }

  absl::Status operator()(const promql::VectorResult& vector) {
    Begin(is_instant_ ? "vector" : "matrix");
    Elements all(&body_.buffer());
    for (const promql::SeriesColumn& series : vector.series)
      HOURCELL_RETURN_IF_ERROR(PrintColumn(series.labels, series.values, &all));
    all.End();
    return absl::OkStatus();
  }

  absl::Status operator()(const promql::MatrixResult& matrix) {
    Begin("matrix");
    Elements all(&body_.buffer());
    for (const promql::SeriesPoints& series : matrix.series) {
      std::string* const out = all.Next();
      BeginSeries(series.labels, "values", out);
      Elements points(out);
      for (size_t i = 0; i < series.times.size(); ++i) {
        AppendPoint(series.times[i], series.values[i], points.Next());
        HOURCELL_RETURN_IF_ERROR(body_.Offer());
      }
      points.End();
      *out += '}';
    }
    all.End();
    return absl::OkStatus();
  }

  absl::Status operator()(const promql::StringResult& text) {
    Begin("string");
    std::string& out = body_.buffer();
    out += fmt::format("[{},", ShortSeconds(steps_.start_ms));
    AppendJsonString(text.value, &out);
    out += ']';
    return absl::OkStatus();
  }

 private:
  void Begin(std::string_view type) {
    body_.buffer().append(R"({"resultType":")").append(type).append(R"(","result":)");
  }

  static void BeginSeries(const promql::Labels& labels, std::string_view key, std::string* out) {
    *out += R"({"metric":)";
    AppendPromLabels(labels, out);
    out->append(",\"").append(key).append("\":");
  }

  // A series without a value at any step is left out.
  absl::Status PrintColumn(const promql::Labels& labels,
                           std::span<const double> values,
                           Elements* all) {
    size_t i = 0;
    while (i < values.size() && promql::IsNoValue(values[i]))
      ++i;
    if (i == values.size()) return absl::OkStatus();
    std::string* const out = all->Next();
    BeginSeries(labels, is_instant_ ? "value" : "values", out);
    if (is_instant_) {
      AppendPoint(steps_.at(i), values[i], out);
    } else {
      Elements points(out);
      for (; i < values.size(); ++i) {
        if (promql::IsNoValue(values[i])) continue;
        AppendPoint(steps_.at(i), values[i], points.Next());
      }
      points.End();
    }
    *out += '}';
    return body_.Offer();
  }

  const promql::Steps& steps_;
  const bool is_instant_;
  BodyWriter& body_;
};

}  // namespace

void AppendPromLabels(const promql::Labels& labels, std::string* out) {
  JsonWriter json(out);
  json.OpenObject();
  for (const auto& [name, value] : labels.pairs())
    json.Field(name, value);
  json.CloseObject();
}

absl::Status WriteEvaluation(const promql::Evaluation& evaluation,
                             const promql::Steps& steps,
                             bool is_instant,
                             BodyWriter* body) {
  body->buffer() += R"({"status":"success","data":)";
  HOURCELL_RETURN_IF_ERROR(std::visit(ResultPrinter(steps, is_instant, body), evaluation.value));
  body->buffer() += '}';
  if (!evaluation.warnings.empty()) {
    JsonWriter warnings(&(body->buffer() += R"(,"warnings":)"));
    warnings.OpenArray();
    for (const std::string& warning : evaluation.warnings)
      warnings.Value(warning);
    warnings.CloseArray();
  }
  body->buffer() += '}';
  return absl::OkStatus();
}

}  // namespace hourcell
