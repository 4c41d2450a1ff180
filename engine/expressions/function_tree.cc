#include "engine/expressions/function_tree.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "engine/query/functions/combination.h"

namespace hourcell {
namespace {

using CallKind = FunctionCall::Kind;
using Kind = FunctionSpec::Kind;

constexpr size_t kAnyNumber = SIZE_MAX;
// A hundred years.
constexpr uint64_t kSpanMsMax = uint64_t{36'525} * 86'400'000;

struct FunctionRow {
  std::string_view name;
  Kind kind;
  size_t inputs_min = 1;
  size_t inputs_max = 1;
  size_t parameters_min = 0;
  size_t parameters_max = 0;
};

constexpr FunctionRow kFunctions[] = {
    {"scale", Kind::kScale, 1, 1, 1, 1},
    {"absolute", Kind::kAbsolute},
    {"movingAverage", Kind::kMovingAverage, 1, 1, 1, 1},
    {"firstDiff", Kind::kFirstDiff},
    {"timeShift", Kind::kTimeShift, 1, 1, 1, 1},
    {"shift", Kind::kTimeShift, 1, 1, 1, 1},
    {"highestMax", Kind::kHighestMax, 1, 1, 1, 1},
    {"highestCurrent", Kind::kHighestCurrent, 1, 1, 1, 1},
    {"alias", Kind::kAlias, 1, 1, 1, kAnyNumber},
    {"sumSeries", Kind::kSumSeries, 2, kCombinedInputsMax},
    {"sum", Kind::kSumSeries, 2, kCombinedInputsMax},
    {"diffSeries", Kind::kDiffSeries, 2, kCombinedInputsMax},
    {"difference", Kind::kDiffSeries, 2, kCombinedInputsMax},
    {"multiplySeries", Kind::kMultiplySeries, 2, kCombinedInputsMax},
    {"multiply", Kind::kMultiplySeries, 2, kCombinedInputsMax},
    {"divideSeries", Kind::kDivideSeries, 2, kCombinedInputsMax},
    {"divide", Kind::kDivideSeries, 2, kCombinedInputsMax},
};

struct UnitRow {
  std::string_view name;
  int64_t ms;
};
constexpr UnitRow kWindowUnits[] = {
    {"s", 1000},         {"sec", 1000},     {"m", 60'000},
    {"min", 60'000},     {"h", 3'600'000},  {"hr", 3'600'000},
    {"hour", 3'600'000}, {"d", 86'400'000}, {"day", 86'400'000},
};
constexpr UnitRow kShiftUnits[] = {
    {"sec", 1000},
    {"min", 60'000},
    {"hr", 3'600'000},
    {"day", 86'400'000},
    {"days", 86'400'000},
    {"week", 7 * int64_t{86'400'000}},
    {"weeks", 7 * int64_t{86'400'000}},
};

// A positive number and a unit, or nothing.
std::optional<int64_t> SpanOf(std::string_view text, std::span<const UnitRow> units) {
  const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<uint64_t> number = ParseUnsigned(text.substr(0, digits));
  const auto unit = std::ranges::find(units, text.substr(digits), &UnitRow::name);
  if (!number.has_value() || *number == 0 || unit == units.end()) return std::nullopt;
  if (*number > kSpanMsMax / static_cast<uint64_t>(unit->ms)) return std::nullopt;
  return static_cast<int64_t>(*number) * unit->ms;
}

// The text between its quotes, if it has any.
std::string_view WithoutQuotes(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
                         text.back() == text.front();
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

absl::Status WrongParameter(std::string_view want, std::string_view got) {
  return absl::InvalidArgumentError(
      fmt::format("parameter: expected {}, got {}", want, QuoteForMessage(got)));
}

absl::Status SetCount(std::string_view text, uint64_t max, FunctionSpec* spec) {
  const std::optional<uint64_t> count = ParseUnsigned(text);
  if (!count.has_value() || *count == 0 || *count > max) {
    return WrongParameter(fmt::format("a number from 1 to {}", max), text);
  }
  spec->count = *count;
  return absl::OkStatus();
}

absl::Status SetFactor(std::string_view text, FunctionSpec* spec) {
  const bool has_form =
      !text.empty() && text.find_first_not_of("-0123456789.") == std::string_view::npos;
  const Parsed<double> factor = ParseDouble(text);
  if (!has_form || !factor.ok() || !std::isfinite(*factor)) {
    return WrongParameter("a factor of '-', '.' and digits", text);
  }
  spec->factor = *factor;
  return absl::OkStatus();
}

absl::Status SetWindow(std::string_view text, FunctionSpec* spec) {
  if (text.find_first_not_of("0123456789") == std::string_view::npos) {
    return SetCount(text, INT32_MAX, spec);
  }
  HOURCELL_ASSIGN_OR_RETURN(spec->span_ms, ParseWindowSpan(text));
  return absl::OkStatus();
}

absl::Status SetAlias(std::span<const std::string_view> parameters, FunctionSpec* spec) {
  for (const std::string_view parameter : parameters) {
    if (!spec->text.empty()) spec->text += ',';
    spec->text += WithoutQuotes(parameter);
  }
  return spec->text.empty() ? WrongParameter("a name", "") : absl::OkStatus();
}

// REQUIRES: as many parameters as the row of the function says.
absl::Status SetParameters(std::span<const std::string_view> parameters, FunctionSpec* spec) {
  switch (spec->kind) {
    case Kind::kScale:
      return SetFactor(parameters[0], spec);
    case Kind::kMovingAverage:
      return SetWindow(parameters[0], spec);
    case Kind::kTimeShift: {
      HOURCELL_ASSIGN_OR_RETURN(spec->span_ms, ParseTimeShift(parameters[0]));
      return absl::OkStatus();
    }
    case Kind::kHighestMax:
    case Kind::kHighestCurrent:
      return SetCount(parameters[0], kRankedSeriesMax, spec);
    case Kind::kAlias:
      return SetAlias(parameters, spec);
    default:
      return absl::OkStatus();
  }
}

// "1", "2 to 26", "1 or more".
std::string NumbersText(size_t min, size_t max) {
  if (min == max) return fmt::format("{}", min);
  return max == kAnyNumber ? fmt::format("{} or more", min) : fmt::format("{} to {}", min, max);
}

absl::Status CheckNumber(
    const FunctionCall& call, std::string_view what, size_t min, size_t max, size_t got) {
  if (got >= min && got <= max) return absl::OkStatus();
  return ExpressionError(call.position,
                         fmt::format("{} {} of {}", NumbersText(min, max), what, call.text),
                         fmt::format("{}", got));
}

absl::Status AtCharacter(size_t position, const absl::Status& status) {
  return absl::Status(status.code(),
                      fmt::format("expression: character {}: {}", position + 1, MessageOf(status)));
}

}  // namespace

absl::StatusOr<int64_t> ParseWindowSpan(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '\'' && text.back() == '\'';
  const std::optional<int64_t> ms =
      is_quoted ? SpanOf(text.substr(1, text.size() - 2), kWindowUnits) : std::nullopt;
  if (ms.has_value()) return *ms;
  return WrongParameter("a number of points, or a span such as '5min' in single quotes", text);
}

absl::StatusOr<int64_t> ParseTimeShift(std::string_view text) {
  std::string_view shift = WithoutQuotes(text);
  if (shift.starts_with('+')) shift.remove_prefix(1);
  while (shift.ends_with(' '))
    shift.remove_suffix(1);
  const std::optional<int64_t> ms = SpanOf(shift, kShiftUnits);
  if (ms.has_value()) return *ms;
  return WrongParameter("a shift such as '1day', of sec, min, hr, day or week", text);
}

absl::StatusOr<QueryNode> MakeFunctionTree(const FunctionCall& call, const AddSubQuery& add) {
  const auto row = std::ranges::find(kFunctions, std::string_view(call.text), &FunctionRow::name);
  if (row == std::end(kFunctions)) {
    return ExpressionError(call.position, "the name of a function", QuoteForMessage(call.text));
  }
  QueryNode node{.function = {.kind = row->kind}};
  std::vector<std::string_view> parameters;
  size_t parameters_at = call.position;
  for (const FunctionCall& argument : call.arguments) {
    if (argument.kind == CallKind::kText) {
      if (parameters.empty()) parameters_at = argument.position;
      parameters.push_back(argument.text);
    } else if (argument.kind == CallKind::kSubQuery) {
      const absl::StatusOr<size_t> sub_query = add(argument.text);
      if (!sub_query.ok()) return AtCharacter(argument.position, sub_query.status());
      node.inputs.push_back({.sub_query = *sub_query});
    } else {
      HOURCELL_ASSIGN_OR_RETURN(QueryNode input, MakeFunctionTree(argument, add));
      node.inputs.push_back(std::move(input));
    }
  }
  HOURCELL_RETURN_IF_ERROR(
      CheckNumber(call, "inputs", row->inputs_min, row->inputs_max, node.inputs.size()));
  HOURCELL_RETURN_IF_ERROR(
      CheckNumber(call, "parameters", row->parameters_min, row->parameters_max, parameters.size()));
  if (const absl::Status set = SetParameters(parameters, &node.function); !set.ok()) {
    return AtCharacter(parameters_at, set);
  }
  return node;
}

}  // namespace hourcell
