#include "server/cli/data/import/influx_file_lines.h"

#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/limits.h"
#include "codec/text/number.h"

namespace hourcell {
namespace {

// In a point of a measurement CREATE, the second word would contain a '='.
bool IsInfluxDdl(std::string_view line) {
  return line.starts_with("CREATE DATABASE ") || line.starts_with("CREATE RETENTION POLICY ");
}

const InfluxUnit& UnitOf(const ForeignRules& rules) {
  const InfluxUnit* const unit = FindInfluxUnit(rules.influx_precision);
  HOURCELL_CHECK(unit != nullptr);
  return *unit;
}

}  // namespace

InfluxFileLines::InfluxFileLines(const ForeignRules& rules) : rules_(rules), unit_(UnitOf(rules)) {}

void InfluxFileLines::Translate(std::string_view line, ImportLines* out) {
  if (IsInfluxDdl(line)) return;
  InfluxLines lines(line);
  while (lines.Next()) {
    if (lines.fault().empty()) {
      AddFields(lines.line(), out);
    } else {
      out->AddFault({.text = lines.fault()});
    }
  }
}

void InfluxFileLines::AddFields(const InfluxLine& line, ImportLines* out) {
  if (!line.timestamp.has_value()) return out->AddFault({.text = "the line lacks a timestamp"});
  const std::optional<int64_t> ms = InfluxTimeMs(*line.timestamp, unit_);
  if (!ms.has_value()) {
    return out->AddFault(
        {.text = fmt::format("timestamp {} in {}: expected 1 ms to {} ms after 1970",
                             *line.timestamp, unit_.name, kTimestampMsMax)});
  }
  series_.Clear();
  std::string buffer;
  std::string key_buffer;
  for (const TagView& tag : line.tags)
    series_.AddTag(InfluxName(tag.key, &key_buffer), InfluxName(tag.value, &buffer));
  const std::string time = fmt::format("{}", *ms);
  const std::string measurement(InfluxName(line.measurement, &buffer));
  std::string value;
  for (const InfluxField& field : line.fields) {
    series_.SetMetric(measurement + rules_.influx_separator +
                      std::string(InfluxName(field.key, &buffer)));
    if (!CompleteSeries(rules_, &series_, out)) return;
    value.clear();
    if (field.value.is_integer()) {
      value = fmt::format("{}", field.value.integer());
    } else {
      AppendJavaDouble(field.value.floating(), &value);
    }
    out->AddPointAtMs(series_, time, value);
  }
}

}  // namespace hourcell
