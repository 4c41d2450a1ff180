#include "server/config/rollup_settings.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/aggregator.h"

namespace hourcell {
namespace {

// Bytes of a wrong configuration in its error.
constexpr size_t kShownOfConfig = 80;

absl::Status WrongRollupField(std::string_view field, std::string_view want) {
  return absl::InvalidArgumentError(fmt::format("{}: expected {}", field, want));
}

absl::StatusOr<std::vector<RollupAggregate>> ReadAggregates(simdjson::dom::element value) {
  simdjson::dom::object object;
  if (value.get(object)) return WrongRollupField("aggregationIds", "an object");
  std::vector<RollupAggregate> aggregates;
  for (const auto [name, id] : object) {
    RollupAggregate one{.name = LowerCase(name), .id = 0};
    if (id.get(one.id)) return WrongRollupField("aggregationIds", "integers");
    HOURCELL_RETURN_IF_ERROR(ParseAggregator(one.name).status());
    aggregates.push_back(std::move(one));
  }
  return aggregates;
}

absl::StatusOr<RollupIntervalFields> ReadInterval(simdjson::dom::element value) {
  simdjson::dom::object object;
  if (value.get(object)) return WrongRollupField("intervals", "an array of objects");
  RollupIntervalFields fields;
  for (const auto [key, field] : object) {
    if (key == "defaultInterval") {
      if (field.get(fields.is_default)) return WrongRollupField(key, "true or false");
      continue;
    }
    std::string* text = nullptr;
    if (key == "interval") text = &fields.interval;
    if (key == "rowSpan") text = &fields.row_span;
    if (key == "table") text = &fields.table;
    if (key == "preAggregationTable") text = &fields.pre_aggregation_table;
    if (key == "delaySla") text = &fields.delay_sla;
    if (text == nullptr || field.is_null()) continue;
    std::string_view view;
    if (field.get(view)) return WrongRollupField(key, "a text");
    *text = view;
  }
  return fields;
}

}  // namespace

absl::StatusOr<RollupConfig> ParseRollupConfig(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(simdjson::padded_string(text)).get(object)) {
    return absl::InvalidArgumentError(fmt::format(
        "expected a JSON object, or the path of a file ending in .json that has one, such as "
        R"({{"aggregationIds":{{"sum":0,"count":1}},)"
        R"("intervals":[{{"interval":"1h","rowSpan":"1d"}}]}})"
        ", got {}",
        text.empty() ? "none" : QuoteForMessage(text.substr(0, kShownOfConfig))));
  }
  std::vector<RollupAggregate> aggregates;
  std::vector<RollupIntervalFields> intervals;
  for (const auto [key, field] : object) {
    if (key == "aggregationIds") {
      HOURCELL_ASSIGN_OR_RETURN(aggregates, ReadAggregates(field));
    } else if (key == "intervals") {
      simdjson::dom::array array;
      if (field.get(array)) return WrongRollupField(key, "an array of objects");
      for (const simdjson::dom::element one : array) {
        HOURCELL_ASSIGN_OR_RETURN(RollupIntervalFields fields, ReadInterval(one));
        intervals.push_back(std::move(fields));
      }
    }
  }
  return RollupConfig::Make(std::move(aggregates), intervals);
}

absl::StatusOr<RollupConfig> LoadRollupConfig(const std::string& value) {
  std::string text = value;
  if (value.ends_with(".json")) {
    std::ifstream file(value, std::ios::binary);
    if (!file) {
      return absl::NotFoundError(fmt::format("tsd.rollups.config: {} cannot be read: {}", value,
                                             std::generic_category().message(errno)));
    }
    text.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  absl::StatusOr<RollupConfig> config = ParseRollupConfig(text);
  if (config.ok()) return config;
  return absl::InvalidArgumentError(
      fmt::format("tsd.rollups.config: {}", std::string(config.status().message())));
}

absl::StatusOr<std::optional<MetricRules>> ReadMetricRules(std::string_view value) {
  if (value.empty()) return std::optional<MetricRules>();
  absl::StatusOr<MetricRules> rules = MetricRules::Parse(value);
  if (rules.ok()) return std::optional<MetricRules>(*std::move(rules));
  return absl::InvalidArgumentError(
      fmt::format("tsd.rollups.rules: {}", MessageOf(rules.status())));
}

}  // namespace hourcell
