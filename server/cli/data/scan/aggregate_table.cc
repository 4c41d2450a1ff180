#include "server/cli/data/scan/aggregate_table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/strings.h"

namespace hourcell {
namespace {

using AggregateCells = std::vector<std::string>;

absl::Status NotAggregates(std::string_view json) {
  return absl::DataLossError(
      fmt::format("answer: expected aggregates of rows, got {}", QuoteForMessage(json)));
}

std::string CellText(simdjson::dom::element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return text.empty() ? "-" : std::string(text);
  return value.is_null() ? "-" : simdjson::to_string(value);
}

// Appends the names of an object's fields to `*names`, if it is given, and their values to
// `*values`. A field "by" is left out.
void AppendFields(simdjson::dom::object object, AggregateCells* names, AggregateCells* values) {
  for (const auto [name, value] : object) {
    if (name == "by") continue;
    if (names != nullptr) names->emplace_back(name);
    values->push_back(CellText(value));
  }
}

// Lines of aligned fields: the first `left` fields to the left, numbers to the right.
std::string Aligned(const std::vector<AggregateCells>& lines, size_t left) {
  std::vector<size_t> widths(lines.front().size(), 0);
  for (const AggregateCells& line : lines) {
    for (size_t i = 0; i < std::min(line.size(), widths.size()); ++i)
      widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const AggregateCells& line : lines) {
    for (size_t i = 0; i < std::min(line.size(), widths.size()); ++i) {
      if (i > 0) text += "  ";
      if (i < left) {
        fmt::format_to(std::back_inserter(text), "{:<{}}", line[i], widths[i]);
      } else {
        fmt::format_to(std::back_inserter(text), "{:>{}}", line[i], widths[i]);
      }
    }
    text += '\n';
  }
  return text;
}

std::string TotalsTable(simdjson::dom::object total, simdjson::dom::array groups) {
  std::vector<AggregateCells> lines(1);
  size_t left = 0;
  for (const simdjson::dom::element group : groups) {
    simdjson::dom::object by;
    simdjson::dom::object fields;
    if (group["by"].get(by) != simdjson::SUCCESS || group.get(fields) != simdjson::SUCCESS)
      continue;
    AggregateCells line;
    AppendFields(by, lines.size() == 1 ? &lines.front() : nullptr, &line);
    left = line.size();
    AppendFields(fields, nullptr, &line);
    lines.push_back(std::move(line));
  }
  AggregateCells last(left);
  if (left > 0) last.front() = "total";
  AppendFields(total, &lines.front(), &last);
  lines.push_back(std::move(last));
  return Aligned(lines, left);
}

std::string ScannedRegionsTable(simdjson::dom::array regions) {
  std::vector<AggregateCells> lines = {{"start", "end", "region", "rows", "points", "ms"}};
  for (const simdjson::dom::element region : regions) {
    AggregateCells line;
    for (const char* const field : {"start", "end", "id", "rows", "points", "ms"}) {
      simdjson::dom::element value;
      line.push_back(region[field].get(value) == simdjson::SUCCESS ? CellText(value) : "-");
    }
    lines.push_back(std::move(line));
  }
  return Aligned(lines, /*left=*/2);
}

}  // namespace

absl::StatusOr<AggregateTables> TablesOfAggregates(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::object total;
  simdjson::dom::array groups;
  simdjson::dom::array regions;
  if (parser.parse(json.data(), json.size()).get(document) != simdjson::SUCCESS ||
      document["total"].get(total) != simdjson::SUCCESS ||
      document["groups"].get(groups) != simdjson::SUCCESS ||
      document["regions"].get(regions) != simdjson::SUCCESS) {
    return NotAggregates(json);
  }
  return AggregateTables{.totals = TotalsTable(total, groups),
                         .regions = ScannedRegionsTable(regions)};
}

}  // namespace hourcell
