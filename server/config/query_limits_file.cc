#include "server/config/query_limits_file.h"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/query_time.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

absl::Status BadField(std::string_view field, element value, std::string_view want) {
  return absl::InvalidArgumentError(fmt::format("{}: expected {}, got {}", field, want,
                                                QuoteForMessage(simdjson::to_string(value))));
}

absl::StatusOr<uint64_t> ParseCount(std::string_view field, element value) {
  if (value.is_null()) return 0;
  uint64_t count = 0;
  if (value.get(count) == simdjson::SUCCESS) return count;
  return BadField(field, value, "an integer from 0");
}

absl::StatusOr<int64_t> ParseRange(std::string_view field, element value) {
  if (value.is_null()) return 0;
  int64_t ms = 0;
  if (value.get(ms) == simdjson::SUCCESS && ms >= 0) return ms;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) {
    const absl::StatusOr<int64_t> duration = ParseDuration(text);
    if (duration.ok()) return *duration;
  }
  return BadField(field, value, "a duration such as \"30d\", or milliseconds");
}

absl::StatusOr<std::string> ParseMetric(std::string_view field, element value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS || text.empty()) {
    return BadField(field, value, "a regular expression");
  }
  return std::string(text);
}

absl::Status ParseField(std::string_view key, element value, MetricQueryLimits* entry) {
  QueryLimits& limits = entry->limits;
  if (key == "metric" || key == "regex") {
    HOURCELL_ASSIGN_OR_RETURN(entry->metric, ParseMetric(key, value));
  } else if (key == "dataPointsLimit") {
    HOURCELL_ASSIGN_OR_RETURN(limits.points, ParseCount(key, value));
  } else if (key == "byteLimit") {
    HOURCELL_ASSIGN_OR_RETURN(limits.bytes, ParseCount(key, value));
  } else if (key == "rowLimit") {
    HOURCELL_ASSIGN_OR_RETURN(limits.rows, ParseCount(key, value));
  } else if (key == "seriesLimit") {
    HOURCELL_ASSIGN_OR_RETURN(limits.series, ParseCount(key, value));
  } else if (key == "rangeLimit") {
    HOURCELL_ASSIGN_OR_RETURN(limits.range_ms, ParseRange(key, value));
  } else {
    return absl::InvalidArgumentError(
        fmt::format("{}: no such field; expected metric, dataPointsLimit, byteLimit, rowLimit, "
                    "seriesLimit or rangeLimit",
                    QuoteForMessage(key)));
  }
  return absl::OkStatus();
}

absl::StatusOr<MetricQueryLimits> ParseEntry(element value) {
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("not an object");
  }
  MetricQueryLimits entry;
  for (const auto [key, field] : object) {
    HOURCELL_RETURN_IF_ERROR(ParseField(key, field, &entry));
  }
  if (entry.metric.empty()) return absl::InvalidArgumentError("metric: missing");
  return entry;
}

}  // namespace

absl::StatusOr<std::vector<MetricQueryLimits>> ParseQueryLimits(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  if (const auto error = parser.parse(text.data(), text.size()).get(root)) {
    return absl::InvalidArgumentError(fmt::format("not JSON: {}", simdjson::error_message(error)));
  }
  simdjson::dom::array list;
  if (root.get(list) != simdjson::SUCCESS) {
    return absl::InvalidArgumentError("not a list; expected [{\"metric\":...}, ...]");
  }
  std::vector<MetricQueryLimits> entries;
  for (const element value : list) {
    absl::StatusOr<MetricQueryLimits> entry = ParseEntry(value);
    if (!entry.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("entry {}: {}", entries.size() + 1, std::string(entry.status().message())));
    }
    entries.push_back(*std::move(entry));
  }
  return entries;
}

absl::StatusOr<std::vector<MetricQueryLimits>> LoadQueryLimits(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::NotFoundError(
        fmt::format("{}: cannot be read: {}", path, std::generic_category().message(errno)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  absl::StatusOr<std::vector<MetricQueryLimits>> entries = ParseQueryLimits(text);
  if (entries.ok()) return entries;
  return absl::InvalidArgumentError(
      fmt::format("{}: {}", path, std::string(entries.status().message())));
}

}  // namespace hourcell
