#include "server/lab/layouts_request.h"

#include <string_view>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

using layouts::MatrixOptions;
using layouts::MatrixSize;

absl::Status WrongCaseField(std::string_view field,
                            simdjson::dom::element value,
                            std::string_view want) {
  return absl::InvalidArgumentError(fmt::format("{}: expected {}, got {}", field, want,
                                                QuoteForMessage(simdjson::to_string(value))));
}

absl::Status TakeNames(std::string_view field,
                       simdjson::dom::element value,
                       std::vector<std::string>* names) {
  constexpr std::string_view kWant = "an array of names, as /api/admin/simulate lists them";
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return WrongCaseField(field, value, kWant);
  for (const simdjson::dom::element name : array) {
    std::string_view text;
    if (name.get(text) != simdjson::SUCCESS) return WrongCaseField(field, value, kWant);
    names->emplace_back(text);
  }
  return absl::OkStatus();
}

absl::Status TakeMatrixSize(simdjson::dom::element value, MatrixSize* size) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) {
    for (const MatrixSize known : layouts::kMatrixSizes) {
      if (layouts::MatrixSizeName(known) != text) continue;
      *size = known;
      return absl::OkStatus();
    }
  }
  return WrongCaseField("size", value, "short, usual, thorough or full");
}

absl::Status TakeUpTo(std::string_view field,
                      simdjson::dom::element value,
                      uint64_t max,
                      uint64_t* out) {
  if (value.get(*out) == simdjson::SUCCESS && *out >= 1 && *out <= max) return absl::OkStatus();
  return WrongCaseField(field, value, fmt::format("an integer, 1 to {}", max));
}

absl::Status TakeCaseField(std::string_view field,
                           simdjson::dom::element value,
                           MatrixOptions* options) {
  if (field == "size") return TakeMatrixSize(value, &options->size);
  if (field == "layouts") return TakeNames(field, value, &options->layouts);
  if (field == "cells") return TakeNames(field, value, &options->cells);
  if (field == "rules") return TakeNames(field, value, &options->rules);
  if (field == "workloads") return TakeNames(field, value, &options->workloads);
  if (field == "points") return TakeUpTo(field, value, kLabCasePointsMax, &options->points);
  if (field == "seed") return TakeUpTo(field, value, INT64_MAX, &options->seed);
  return absl::InvalidArgumentError(fmt::format(
      "body: expected size, layouts, cells, rules, workloads, points or seed, got the field {}",
      QuoteForMessage(field)));
}

}  // namespace

absl::StatusOr<std::vector<layouts::CaseSpec>> ParseLayoutsJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  MatrixOptions options{.size = MatrixSize::kShort};
  for (const auto [field, value] : object)
    HOURCELL_RETURN_IF_ERROR(TakeCaseField(field, value, &options));
  HOURCELL_ASSIGN_OR_RETURN(std::vector<layouts::CaseSpec> cases, layouts::MakeMatrix(options));
  if (cases.size() <= kLabCasesMax) return cases;
  return absl::InvalidArgumentError(
      fmt::format("body: expected at most {} cases, got {}: name fewer layouts, cells, rules or "
                  "workloads, or run the command `hourcell bench layouts`",
                  kLabCasesMax, cases.size()));
}

}  // namespace hourcell
