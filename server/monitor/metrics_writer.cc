#include "server/monitor/metrics_writer.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <iterator>
#include <utility>

#include <absl/strings/ascii.h>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "server/config/setting_list.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

std::string_view TypeName(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kHistogram:
      return "histogram";
    case MetricType::kGauge:
      break;
  }
  return "gauge";
}

// Both formats escape these in values of labels; in help texts, all but the quote.
void AppendEscaped(std::string_view text, bool with_quotes, std::string* out) {
  for (const char c : text) {
    if (c == '\n') {
      *out += "\\n";
    } else if (c == '\\' || (c == '"' && with_quotes)) {
      *out += '\\';
      *out += c;
    } else {
      *out += c;
    }
  }
}

// The name of a label has only letters, digits and _.
void AppendLabelName(std::string_view name, std::string* out) {
  for (const char c : name)
    *out += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? c : '_';
}

// A float in the form of OpenMetrics, 1.0, not 1; both formats accept it, and name a bucket alike.
std::string FloatText(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string_view TakeItem(char separator, std::string_view* rest) {
  const size_t end = rest->find(separator);
  const std::string_view item = rest->substr(0, end);
  rest->remove_prefix(end == std::string_view::npos ? rest->size() : end + 1);
  return StripBlanks(item);
}

// The weight in the parameters of a media range; 1 by default.
double WeightOf(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = TakeItem(';', &parameters);
    if (!parameter.starts_with("q=")) continue;
    double weight = 1;
    std::from_chars(parameter.data() + 2, parameter.data() + parameter.size(), weight);
    return weight;
  }
  return 1;
}

}  // namespace

std::string_view ContentTypeOf(MetricsFormat format) {
  return format == MetricsFormat::kOpenMetrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

MetricsFormat PreferredFormat(std::string_view accept) {
  double open_metrics = 0;
  double text = 0;
  while (!accept.empty()) {
    std::string_view item = TakeItem(',', &accept);
    const std::string_view type = TakeItem(';', &item);
    if (EqualsIgnoringCase(type, "application/openmetrics-text")) {
      open_metrics = std::max(open_metrics, WeightOf(item));
    } else if (EqualsIgnoringCase(type, "text/plain") || EqualsIgnoringCase(type, "text/*") ||
               type == "*/*") {
      text = std::max(text, WeightOf(item));
    }
  }
  return open_metrics > text ? MetricsFormat::kOpenMetrics : MetricsFormat::kPrometheus;
}

void MetricsWriter::Begin(MetricFamily family) {
  family_ = std::move(family);
  std::string name = family_.name;
  if (format_ == MetricsFormat::kPrometheus && family_.type == MetricType::kCounter) {
    name += "_total";
  }
  out_ += fmt::format("# HELP {} ", name);
  AppendEscaped(family_.help, format_ == MetricsFormat::kOpenMetrics, &out_);
  out_ += fmt::format("\n# TYPE {} {}\n", name, TypeName(family_.type));
}

void MetricsWriter::Add(const StatTags& labels, int64_t value) {
  HOURCELL_DCHECK(!family_.name.empty() && family_.type != MetricType::kHistogram);
  AppendLine(family_.type == MetricType::kCounter ? "_total" : "", labels, {},
             fmt::format("{}", value));
}

void MetricsWriter::AddFloat(const StatTags& labels, double value) {
  HOURCELL_DCHECK(!family_.name.empty() && family_.type != MetricType::kHistogram);
  AppendLine(family_.type == MetricType::kCounter ? "_total" : "", labels, {}, FloatText(value));
}

void MetricsWriter::AddHistogram(const HistogramSample& sample) {
  HOURCELL_DCHECK(!family_.name.empty() && family_.type == MetricType::kHistogram);
  uint64_t sum = 0;
  for (size_t i = 0; i < sample.buckets.size(); ++i) {
    sum += sample.buckets[i];
    const std::string le = i < kLatencyBoundsUs.size()
                               ? FloatText(static_cast<double>(kLatencyBoundsUs[i]) / 1e6)
                               : "+Inf";
    AppendLine("_bucket", sample.tags, le, fmt::format("{}", sum));
  }
  AppendLine("_sum", sample.tags, {}, FloatText(static_cast<double>(sample.sum_us) / 1e6));
  AppendLine("_count", sample.tags, {}, fmt::format("{}", sum));
}

std::string MetricsWriter::Finish() && {
  if (format_ == MetricsFormat::kOpenMetrics) out_ += "# EOF\n";
  return std::move(out_);
}

// `le`: the bucket's bound; empty for other lines.
void MetricsWriter::AppendLine(std::string_view suffix,
                               const StatTags& labels,
                               std::string_view le,
                               std::string_view value) {
  out_.append(family_.name).append(suffix);
  char before = '{';
  const auto append_label = [&](std::string_view name, std::string_view text) {
    out_ += before;
    before = ',';
    AppendLabelName(name, &out_);
    out_ += "=\"";
    AppendEscaped(text, /*with_quotes=*/true, &out_);
    out_ += '"';
  };
  for (const auto& [name, text] : labels)
    append_label(name, text);
  if (!le.empty()) append_label("le", le);
  if (before == ',') out_ += '}';
  out_.append(" ").append(value).append("\n");
}

}  // namespace hourcell
