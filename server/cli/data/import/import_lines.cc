#include "server/cli/data/import/import_lines.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/text/point_text.h"
#include "server/cli/data/import/csv_lines.h"
#include "server/cli/data/import/graphite_lines.h"
#include "server/cli/data/import/influx_file_lines.h"
#include "server/cli/data/import/vm_lines.h"
#include "server/histograms/histogram_line.h"
#include "server/inputs/name_rule.h"

namespace hourcell {
namespace {

// An integer up to this limit is in seconds in an import line.
constexpr uint64_t kSecondsMax = 0xFFFFFFFF;

bool HasBlank(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
}

// Appends a name by the store's rule, or by a UTF-8 store's rule. A store that allows fewer
// characters refuses the rest.
void AppendLegalName(std::string_view foreign, bool any_names, std::string* out) {
  static const NameRule rule(NameEncoding::kUtf8, "");
  static const NameRule any_rule(NameEncoding::kAny, "");
  if (any_names) return AppendLineName(any_rule.Apply(foreign), out);
  const size_t begin = out->size();
  out->resize(begin + foreign.size() + kNameSuffixBytes);
  const char* const end = rule.Write(foreign, out->data() + begin);
  out->resize(static_cast<size_t>(end - out->data()));
}

}  // namespace

void ForeignSeries::Clear() {
  metric.clear();
  tags.clear();
}

void ForeignSeries::SetMetric(std::string_view foreign) {
  metric.clear();
  AppendLegalName(foreign, any_names, &metric);
}

void ForeignSeries::AddTag(std::string_view foreign_key, std::string_view foreign_value) {
  if (foreign_value.empty()) return;
  tags.push_back(' ');
  AppendLegalName(foreign_key, any_names, &tags);
  tags.push_back('=');
  AppendLegalName(foreign_value, any_names, &tags);
}

void ImportLines::Clear() {
  text_.clear();
  units_.clear();
  faults_.clear();
}

void ImportLines::AddPoint(const ForeignSeries& series,
                           std::string_view time,
                           std::string_view value) {
  if (HasBlank(time) || HasBlank(value)) {
    return AddFault({.kind = PointErrorKind::kInvalidValue,
                     .text = fmt::format("time {} or value {} has a blank", QuoteForMessage(time),
                                         QuoteForMessage(value))});
  }
  const size_t begin = text_.size();
  fmt::format_to(std::back_inserter(text_), "{} {} {}{}", series.metric, time, value, series.tags);
  units_.push_back({.begin = begin, .size = text_.size() - begin, .line = line_, .fault = {}});
}

void ImportLines::AddPointAtMs(const ForeignSeries& series,
                               std::string_view time_ms,
                               std::string_view value) {
  const std::optional<uint64_t> ms = ParseUnsigned(time_ms);
  if (!ms.has_value()) {
    return AddFault({.text = fmt::format("invalid timestamp: {}", QuoteForMessage(time_ms))});
  }
  if (*ms % 1000 == 0) return AddPoint(series, fmt::format("{}", *ms / 1000), value);
  if (*ms > kSecondsMax) return AddPoint(series, time_ms, value);
  AddFault({.text = fmt::format("timestamp {} ms: before {} ms, only whole seconds can be imported",
                                *ms, kSecondsMax + 1)});
}

void ImportLines::AddFault(PointError error) {
  units_.push_back({.begin = text_.size(),
                    .size = 0,
                    .line = line_,
                    .fault = static_cast<uint32_t>(faults_.size())});
  faults_.push_back(std::move(error));
}

std::unique_ptr<LineTranslator> MakeLineTranslator(const ForeignRules& rules) {
  switch (rules.format) {
    case ImportFormat::kOpenTsdb:
      return nullptr;
    case ImportFormat::kVm:
      return std::make_unique<VmLines>(rules);
    case ImportFormat::kGraphite:
    case ImportFormat::kWhisper:
      return std::make_unique<GraphiteLines>(rules);
    case ImportFormat::kCsv:
      return std::make_unique<CsvLines>(rules);
    case ImportFormat::kInflux:
      return std::make_unique<InfluxFileLines>(rules);
  }
  return nullptr;
}

size_t LineBytesMaxOf(ImportFormat format) {
  // A line has a whole series.
  constexpr size_t kVmLineBytesMax = size_t{16} << 20;
  // A line may have strings and many fields.
  constexpr size_t kInfluxLineBytesMax = size_t{1} << 20;
  if (format == ImportFormat::kInflux) return kInfluxLineBytesMax;
  if (format == ImportFormat::kOpenTsdb) return kHistogramLineBytesMax;
  return format == ImportFormat::kVm ? kVmLineBytesMax : kLineBytesMax;
}

bool CompleteSeries(const ForeignRules& rules, ForeignSeries* series, ImportLines* out) {
  if (series->metric.empty()) {
    out->AddFault({.text = "the series lacks a name"});
    return false;
  }
  if (series->tags.empty()) series->tags = rules.default_tag;
  if (!series->tags.empty()) return true;
  out->AddFault({.text = "the series lacks tags; --default-tag KEY=VALUE adds one"});
  return false;
}

}  // namespace hourcell
