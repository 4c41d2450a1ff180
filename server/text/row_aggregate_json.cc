#include "server/text/row_aggregate_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::array<std::pair<std::string_view, RowAggregate>, 11> kRowAggregateNames = {{
    {"rows", RowAggregate::kRows},
    {"points", RowAggregate::kPoints},
    {"min", RowAggregate::kMin},
    {"max", RowAggregate::kMax},
    {"sum", RowAggregate::kSum},
    {"avg", RowAggregate::kAvg},
    {"dev", RowAggregate::kDev},
    {"first", RowAggregate::kFirst},
    {"last", RowAggregate::kLast},
    {"key_bytes", RowAggregate::kKeyBytes},
    {"cell_bytes", RowAggregate::kCellBytes},
}};

constexpr double kUsOfMs = 1000;

absl::Status UnknownRowAggregate(std::string_view name) {
  std::string known;
  for (const auto& [text, aggregate] : kRowAggregateNames)
    known.append(text).append(", ");
  return absl::InvalidArgumentError(
      fmt::format("aggregate: expected {}or all, got {}", known, QuoteForMessage(name)));
}

absl::StatusOr<std::vector<RowAggregate>> ParseWanted(std::string_view text) {
  std::vector<RowAggregate> wanted;
  if (text == "all") {
    for (const auto& [name, aggregate] : kRowAggregateNames)
      wanted.push_back(aggregate);
    return wanted;
  }
  for (bool has_more = true; has_more;) {
    const std::string_view name = text.substr(0, text.find(','));
    has_more = name.size() < text.size();
    text.remove_prefix(name.size() + (has_more ? 1 : 0));
    const auto found =
        std::ranges::find(kRowAggregateNames, name, [](const auto& known) { return known.first; });
    if (found == kRowAggregateNames.end()) return UnknownRowAggregate(name);
    if (std::ranges::find(wanted, found->second) != wanted.end()) {
      return absl::InvalidArgumentError(
          fmt::format("aggregate: expected each once, got {} again", QuoteForMessage(name)));
    }
    wanted.push_back(found->second);
  }
  return wanted;
}

// JSON does not have infinities, which sums of large numbers may be.
std::string TotalRealText(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

std::string TotalValueText(std::optional<Value> value) {
  if (!value.has_value()) return "null";
  return value->is_integer() ? fmt::format("{}", value->integer())
                             : TotalRealText(value->floating());
}

template <typename T>
std::string TotalNumberText(std::optional<T> number) {
  return number.has_value() ? fmt::format("{}", *number) : "null";
}

std::string TotalText(const RowTotals& totals, RowAggregate aggregate) {
  switch (aggregate) {
    case RowAggregate::kRows:
      return fmt::format("{}", totals.rows());
    case RowAggregate::kPoints:
      return fmt::format("{}", totals.points());
    case RowAggregate::kMin:
      return TotalValueText(totals.min());
    case RowAggregate::kMax:
      return TotalValueText(totals.max());
    case RowAggregate::kSum:
      return TotalValueText(totals.sum());
    case RowAggregate::kAvg:
      return totals.avg().has_value() ? TotalRealText(*totals.avg()) : "null";
    case RowAggregate::kDev:
      return totals.dev().has_value() ? TotalRealText(*totals.dev()) : "null";
    case RowAggregate::kFirst:
      return TotalNumberText(totals.first_ms());
    case RowAggregate::kLast:
      return TotalNumberText(totals.last_ms());
    case RowAggregate::kKeyBytes:
      return fmt::format("{}", totals.key_bytes());
    case RowAggregate::kCellBytes:
      return fmt::format("{}", totals.cell_bytes());
  }
  return "null";
}

void AppendRowTotals(const RowTotals& totals,
                     const std::vector<RowAggregate>& wanted,
                     JsonWriter* json) {
  for (const auto& [name, aggregate] : kRowAggregateNames) {
    if (std::ranges::find(wanted, aggregate) == wanted.end()) continue;
    json->Key(name);
    json->RawValue()->append(TotalText(totals, aggregate));
  }
}

void AppendGroup(const RowGroup& group, const RowAggregateRequest& request, JsonWriter* json) {
  json->OpenObject();
  json->Key("by");
  json->OpenObject();
  for (size_t i = 0; i < group.by.size(); ++i) {
    const RowGrouping& grouping = request.spec.group_by[i];
    json->Key(RowGroupingText(grouping));
    if (!group.by[i].has_value()) {
      json->RawValue()->append("null");
    } else if (grouping.by == RowGroupBy::kHour) {
      json->RawValue()->append(*group.by[i]);
    } else {
      json->Value(*group.by[i]);
    }
  }
  json->CloseObject();
  AppendRowTotals(group.totals, request.wanted, json);
  json->CloseObject();
}

void AppendScannedRegion(const ScannedRegion& region, JsonWriter* json) {
  json->OpenObject();
  json->Field("id", region.id);
  json->Field("name", region.name);
  json->Field("start", region.start);
  json->Field("end", region.end);
  json->Field("rows", region.rows);
  json->Field("points", region.points);
  json->Key("ms");
  json->RawValue()->append(fmt::format("{:.3f}", static_cast<double>(region.us) / kUsOfMs));
  json->CloseObject();
}

}  // namespace

bool RowAggregateTexts::is_empty() const {
  return aggregate.empty() && by.empty() && values.empty() && groups.empty();
}

absl::StatusOr<RowAggregateRequest> ParseRowAggregates(const RowAggregateTexts& texts) {
  RowAggregateRequest request;
  HOURCELL_ASSIGN_OR_RETURN(request.wanted, ParseWanted(texts.aggregate));
  for (const std::string& text : texts.by) {
    HOURCELL_ASSIGN_OR_RETURN(RowGrouping grouping, ParseRowGrouping(text));
    if (std::ranges::find(request.spec.group_by, grouping) != request.spec.group_by.end()) {
      return absl::InvalidArgumentError(
          fmt::format("by: expected each once, got {} again", QuoteForMessage(text)));
    }
    request.spec.group_by.push_back(std::move(grouping));
  }
  for (const std::string& text : texts.values) {
    HOURCELL_ASSIGN_OR_RETURN(request.spec.values.emplace_back(), ParseValueTest(text));
  }
  if (!texts.groups.empty()) {
    const std::optional<uint64_t> groups = ParseUnsigned(texts.groups);
    if (!groups.has_value()) {
      return absl::InvalidArgumentError(
          fmt::format("groups: expected a number, got {}", QuoteForMessage(texts.groups)));
    }
    request.spec.groups_max = *groups;
  }
  HOURCELL_RETURN_IF_ERROR(request.spec.Validate());
  return request;
}

void AppendRowAggregates(const RowAggregates& result,
                         const RowAggregateRequest& request,
                         std::string* out) {
  JsonWriter json(out);
  json.OpenObject();
  json.Key("total");
  json.OpenObject();
  AppendRowTotals(result.total, request.wanted, &json);
  json.CloseObject();
  json.Key("groups");
  json.OpenArray();
  for (const RowGroup& group : result.groups)
    AppendGroup(group, request, &json);
  json.CloseArray();
  json.Key("regions");
  json.OpenArray();
  for (const ScannedRegion& region : result.regions)
    AppendScannedRegion(region, &json);
  json.CloseArray();
  json.Field("workers", result.workers);
  json.CloseObject();
}

}  // namespace hourcell
