#include "server/cli/data/scan/row_text.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/point.h"
#include "codec/qualifier.h"
#include "codec/text/point_text.h"
#include "engine/tsdb.h"
#include "server/cli/data/java_text.h"

namespace hourcell {
namespace {

// The bytes of one point of a cell.
struct PointBytes {
  Qualifier qualifier;
  std::string_view qualifier_bytes;
  std::string_view value_bytes;
};

// Splits a cell into its points, ascending by offset, as OpenTSDB prints it.
absl::StatusOr<std::vector<PointBytes>> SplitCell(std::string_view qualifiers,
                                                  std::string_view values) {
  std::vector<PointBytes> points;
  while (!qualifiers.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const Qualifier qualifier, ParseQualifier(qualifiers));
    if (qualifier.value_size() > values.size()) {
      return absl::DataLossError(fmt::format(
          "row: {0} bytes of value left; qualifier {2} needs {1}", values.size(),
          qualifier.value_size(), ToHex(qualifiers.substr(0, qualifier.encoded_size()))));
    }
    points.push_back({.qualifier = qualifier,
                      .qualifier_bytes = qualifiers.substr(0, qualifier.encoded_size()),
                      .value_bytes = values.substr(0, qualifier.value_size())});
    qualifiers.remove_prefix(qualifier.encoded_size());
    values.remove_prefix(qualifier.value_size());
  }
  std::ranges::stable_sort(points, {}, [](const PointBytes& p) { return p.qualifier.offset_ms; });
  return points;
}

void AppendPointLine(const PointBytes& point, uint32_t base_time_s, std::string* out) {
  const Qualifier& qualifier = point.qualifier;
  const int64_t time_ms = int64_t{base_time_s} * 1000 + qualifier.offset_ms;
  const int64_t unit_ms = qualifier.is_ms ? 1 : 1000;
  AppendJavaBytes(point.qualifier_bytes, out);
  out->push_back('\t');
  AppendJavaBytes(point.value_bytes, out);
  fmt::format_to(std::back_inserter(*out), "\t{}\t{}\t{}\t", qualifier.offset_ms / unit_ms,
                 qualifier.is_float() ? 'f' : 'l', time_ms / unit_ms);
  AppendUtcDate(time_ms, out);
  out->push_back('\n');
}

}  // namespace

void AppendImportLines(const ScannedRow& row, std::string* out) {
  for (size_t i = 0; i < row.times.size(); ++i) {
    AppendImportLine({.metric = row.metric,
                      .tags = row.tags,
                      .timestamp = row.times[i],
                      .value = row.point_values[i]},
                     out);
    out->push_back('\n');
  }
}

void AppendHexLine(const ScannedRow& row, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{}\t{}\t{}\n", ToHex(row.key), ToHex(row.qualifiers),
                 ToHex(row.values));
}

absl::Status AppendRawLines(const ScannedRow& row, std::string* out) {
  AppendJavaBytes(row.key, out);
  fmt::format_to(std::back_inserter(*out), " {} {} ", row.metric, row.base_time_s);
  AppendUtcDate(int64_t{row.base_time_s} * 1000, out);
  out->push_back(' ');
  AppendJavaTags(row.tags, out);
  out->push_back('\n');

  const absl::StatusOr<std::vector<PointBytes>> points = SplitCell(row.qualifiers, row.values);
  const bool is_one = points.ok() && points->size() == 1;
  if (!is_one) {
    out->append("  ");
    AppendJavaBytes(row.qualifiers, out);
    out->push_back('\t');
    AppendJavaBytes(row.values, out);
    if (!points.ok()) {
      out->append("\t[Not a data point]\n");
      return points.status();
    }
    fmt::format_to(std::back_inserter(*out), " = {} values:\n", points->size());
  }
  for (const PointBytes& point : *points) {
    out->append(is_one ? "  " : "    ");
    AppendPointLine(point, row.base_time_s, out);
  }
  return absl::OkStatus();
}

}  // namespace hourcell
