#include "server/promql/value_writer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "promql/histograms/histogram_values.h"
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

// ["0","1","2","7"]: bounds, and how many values are between them.
void AppendBucket(const promql::ValueRange& bucket, std::string* out) {
  const char bounds =
      bucket.has_lower ? (bucket.has_upper ? '3' : '1') : (bucket.has_upper ? '0' : '2');
  *out += '[';
  *out += bounds;
  for (const double number : {bucket.lower, bucket.upper, bucket.count}) {
    *out += ",\"";
    promql::AppendPointValue(number, out);
    *out += '"';
  }
  *out += ']';
}

// [1435781430.781,{"count":"7","sum":"9.5","buckets":[...]}], without buckets if all are empty.
void AppendHistogram(int64_t ms, const promql::NativeHistogram& histogram, std::string* out) {
  *out += '[';
  promql::AppendSeconds(ms, out);
  *out += R"(,{"count":")";
  promql::AppendPointValue(histogram.count, out);
  *out += R"(","sum":")";
  promql::AppendPointValue(histogram.sum, out);
  *out += '"';
  bool is_any = false;
  promql::VisitBuckets(histogram, [&](const promql::ValueRange& bucket) {
    if (bucket.count == 0) return true;
    *out += is_any ? "," : R"(,"buckets":[)";
    is_any = true;
    AppendBucket(bucket, out);
    return true;
  });
  *out += is_any ? "]}]" : "}]";
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
    HOURCELL_RETURN_IF_ERROR(PrintColumn({.labels = {}, .values = scalar.values}, &all));
    all.End();
    return absl::OkStatus();
  }

  absl::Status operator()(const promql::VectorResult& vector) {
    Begin(is_instant_ ? "vector" : "matrix");
    Elements all(&body_.buffer());
    for (const promql::SeriesColumn& series : vector.series)
      HOURCELL_RETURN_IF_ERROR(PrintColumn(series, &all));
    all.End();
    return absl::OkStatus();
  }

  absl::Status operator()(const promql::MatrixResult& matrix) {
    Begin("matrix");
    Elements all(&body_.buffer());
    for (const promql::SeriesPoints& series : matrix.series) {
      std::string* const out = all.Next();
      BeginSeries(series.labels, out);
      const auto time_of = [&series](size_t i) { return series.times[i]; };
      HOURCELL_RETURN_IF_ERROR(PrintElements(series.values, series.histograms, time_of, out));
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

  static void BeginSeries(const promql::Labels& labels, std::string* out) {
    *out += R"({"metric":)";
    AppendPromLabels(labels, out);
  }

  // ,"values":[...],"histograms":[...], each only if it has elements. `time_of(i)`: of an element.
  template <typename TimeOf>
  absl::Status PrintElements(std::span<const double> values,
                             std::span<const promql::HistogramPointer> histograms,
                             TimeOf time_of,
                             std::string* out) {
    const auto is_number = [](double value) {
      return !promql::IsNoValue(value) && !promql::IsHistogram(value);
    };
    if (histograms.empty() || std::ranges::any_of(values, is_number)) {
      *out += R"(,"values":)";
      Elements points(out);
      for (size_t i = 0; i < values.size(); ++i) {
        if (!is_number(values[i])) continue;
        AppendPoint(time_of(i), values[i], points.Next());
        HOURCELL_RETURN_IF_ERROR(body_.Offer());
      }
      points.End();
    }
    if (histograms.empty() || std::ranges::none_of(values, promql::IsHistogram)) {
      return absl::OkStatus();
    }
    *out += R"(,"histograms":)";
    Elements points(out);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!promql::IsHistogram(values[i])) continue;
      AppendHistogram(time_of(i), *histograms[i], points.Next());
      HOURCELL_RETURN_IF_ERROR(body_.Offer());
    }
    points.End();
    return absl::OkStatus();
  }

  // A series without a value at any step is left out.
  absl::Status PrintColumn(const promql::SeriesColumn& series, Elements* all) {
    const std::vector<double>& values = series.values;
    if (std::ranges::all_of(values, promql::IsNoValue)) return absl::OkStatus();
    std::string* const out = all->Next();
    BeginSeries(series.labels, out);
    if (!is_instant_) {
      const auto time_of = [this](size_t i) { return steps_.at(i); };
      HOURCELL_RETURN_IF_ERROR(PrintElements(values, series.histograms, time_of, out));
    } else if (promql::IsHistogram(values.front())) {
      *out += R"(,"histogram":)";
      AppendHistogram(steps_.start_ms, *series.histograms.front(), out);
    } else {
      *out += R"(,"value":)";
      AppendPoint(steps_.start_ms, values.front(), out);
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
