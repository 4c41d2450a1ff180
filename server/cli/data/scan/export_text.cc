#include "server/cli/data/scan/export_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "codec/text/point_text.h"

namespace hourcell {
namespace {

void AppendValueText(const Value& value, std::string* out) {
  if (value.is_integer()) {
    fmt::format_to(std::back_inserter(*out), "{}", value.integer());
  } else if (value.is_special()) {
    out->append(SpecialValueWord(value));
  } else {
    AppendJavaDouble(value.floating(), out);
  }
}

class OpenTsdbWriter : public RowWriter {
 public:
  explicit OpenTsdbWriter(const ExportRange& range) : RowWriter(range) {}

  absl::Status Append(const ScannedRow& row, std::string* out) override {
    for (size_t i = 0; i < row.times.size(); ++i) {
      if (!IsWanted(row.times[i])) continue;
      AppendImportLine({.metric = row.metric,
                        .tags = row.tags,
                        .timestamp = row.times[i],
                        .value = row.point_values[i]},
                       out);
      out->push_back('\n');
      ++points_;
    }
    return absl::OkStatus();
  }
};

class VmWriter : public RowWriter {
 public:
  explicit VmWriter(const ExportRange& range) : RowWriter(range) {}

  absl::Status Append(const ScannedRow& row, std::string* out) override {
    if (std::ranges::none_of(row.times, [this](const Timestamp& t) { return IsWanted(t); })) {
      return absl::OkStatus();
    }
    JsonWriter json(out);
    json.OpenObject();
    json.Key("metric");
    json.OpenObject();
    json.Field("__name__", row.metric);
    for (const TagView& tag : row.tags)
      json.Field(tag.key, tag.value);
    json.CloseObject();
    json.Key("values");
    json.OpenArray();
    ForWanted(row, [&](size_t i) { AppendJsonValue(row.point_values[i], json.RawValue()); });
    json.CloseArray();
    json.Key("timestamps");
    json.OpenArray();
    ForWanted(row, [&](size_t i) { json.Value(row.times[i].ms); });
    json.CloseArray();
    json.CloseObject();
    out->push_back('\n');
    return absl::OkStatus();
  }

 private:
  template <typename Visit>
  void ForWanted(const ScannedRow& row, Visit&& visit) {
    for (size_t i = 0; i < row.times.size(); ++i) {
      if (IsWanted(row.times[i])) visit(i);
    }
  }

  // As VictoriaMetrics writes the values that JSON numbers cannot express.
  void AppendJsonValue(const Value& value, std::string* out) {
    ++points_;
    if (value.is_integer() || std::isfinite(value.floating())) return AppendValueText(value, out);
    if (std::isnan(value.floating())) {
      out->append("null");
    } else {
      out->append(value.floating() > 0 ? "\"Infinity\"" : "\"-Infinity\"");
    }
  }
};

class CsvWriter : public RowWriter {
 public:
  CsvWriter(const ExportRange& range, std::vector<CsvField> fields)
      : RowWriter(range), fields_(std::move(fields)) {}

  absl::Status Append(const ScannedRow& row, std::string* out) override {
    if (absl::Status fits = CheckTags(row); !fits.ok()) return fits;
    for (size_t i = 0; i < row.times.size(); ++i) {
      if (!IsWanted(row.times[i])) continue;
      for (size_t field = 0; field < fields_.size(); ++field) {
        if (field > 0) out->push_back(',');
        AppendCell(row, i, fields_[field], out);
      }
      out->push_back('\n');
      ++points_;
    }
    return absl::OkStatus();
  }

 private:
  using Kind = CsvField::Kind;

  // Without this check, two series that differ only in such a tag would become one.
  absl::Status CheckTags(const ScannedRow& row) const {
    for (const TagView& tag : row.tags) {
      const bool has_field = std::ranges::any_of(fields_, [&tag](const CsvField& field) {
        return field.kind == Kind::kTag && field.name == tag.key;
      });
      if (has_field) continue;
      return absl::InvalidArgumentError(
          fmt::format("a series of {} has the tag {}; add tag:{} to --csv-columns",
                      QuoteForMessage(row.metric), QuoteForMessage(tag.key), tag.key));
    }
    return absl::OkStatus();
  }

  static void AppendCell(const ScannedRow& row,
                         size_t point,
                         const CsvField& field,
                         std::string* out) {
    switch (field.kind) {
      case Kind::kTime:
        return AppendTimestamp(row.times[point], out);
      case Kind::kMetric:
        return AppendCsvField(row.metric, out);
      case Kind::kValue:
        return AppendValueText(row.point_values[point], out);
      case Kind::kTag:
        for (const TagView& tag : row.tags) {
          if (tag.key == field.name) AppendCsvField(tag.value, out);
        }
        return;
      case Kind::kSkipped:
        return;
    }
  }

  const std::vector<CsvField> fields_;
};

}  // namespace

std::unique_ptr<RowWriter> MakeRowWriter(ExportFormat format,
                                         const ExportRange& range,
                                         std::vector<CsvField> fields) {
  if (format == ExportFormat::kVm) return std::make_unique<VmWriter>(range);
  if (format == ExportFormat::kCsv) {
    return std::make_unique<CsvWriter>(range, std::move(fields));
  }
  return std::make_unique<OpenTsdbWriter>(range);
}

void AppendCsvField(std::string_view text, std::string* out) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out->append(text);
    return;
  }
  out->push_back('"');
  for (const char c : text) {
    if (c == '"') out->push_back('"');
    out->push_back(c);
  }
  out->push_back('"');
}

}  // namespace hourcell
