#include "server/cli/data/scan/row_line.h"

#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/qualifier.h"
#include "codec/value.h"

namespace hourcell {
namespace {

absl::Status ReadHex(std::string_view name, std::string_view hex, std::string* bytes) {
  absl::StatusOr<std::string> read = FromHex(hex);
  if (!read.ok()) {
    return absl::DataLossError(fmt::format("{} of a row: {}", name, MessageOf(read.status())));
  }
  *bytes = *std::move(read);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<RowLine::Kind> RowLine::Read(std::string_view line) {
  simdjson::dom::object object;
  std::string_view error;
  if (parser_.parse(line.data(), line.size()).get(object)) {
    return absl::DataLossError(fmt::format("not a row: {}", QuoteForMessage(line)));
  }
  if (object["lines"].error() == simdjson::SUCCESS) return Kind::kEnd;
  if (object["line"].get(histogram_) == simdjson::SUCCESS) return Kind::kHistogram;
  if (object["error"].get(error) == simdjson::SUCCESS) {
    return absl::UnavailableError(std::string(error));
  }
  HOURCELL_RETURN_IF_ERROR(ReadRow(object));
  return Kind::kRow;
}

absl::Status RowLine::ReadRow(simdjson::dom::object object) {
  std::string_view key;
  std::string_view qualifiers;
  std::string_view values;
  uint64_t base_s = 0;
  simdjson::dom::object tags;
  if (object["key"].get(key) || object["metric"].get(row_.metric) || object["tags"].get(tags) ||
      object["base"].get(base_s) || object["qualifiers"].get(qualifiers) ||
      object["values"].get(values) || base_s > UINT32_MAX) {
    return absl::DataLossError("a row without all of its fields");
  }
  HOURCELL_RETURN_IF_ERROR(ReadHex("key", key, &key_));
  HOURCELL_RETURN_IF_ERROR(ReadHex("qualifiers", qualifiers, &qualifiers_));
  HOURCELL_RETURN_IF_ERROR(ReadHex("values", values, &values_));
  row_.base_time_s = static_cast<uint32_t>(base_s);
  HOURCELL_RETURN_IF_ERROR(ReadTags(tags));
  HOURCELL_RETURN_IF_ERROR(ReadPoints());
  row_.key = key_;
  row_.qualifiers = qualifiers_;
  row_.values = values_;
  row_.tags = tags_;
  row_.times = times_;
  row_.point_values = point_values_;
  return absl::OkStatus();
}

absl::Status RowLine::ReadTags(simdjson::dom::object tags) {
  tags_.clear();
  for (const auto [tagk, value] : tags) {
    std::string_view tagv;
    if (value.get(tagv)) return absl::DataLossError("a tag that is not text");
    tags_.push_back({.key = tagk, .value = tagv});
  }
  return absl::OkStatus();
}

absl::Status RowLine::ReadPoints() {
  times_.clear();
  point_values_.clear();
  std::string_view qualifiers(qualifiers_);
  std::string_view values(values_);
  while (!qualifiers.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(const Qualifier qualifier, ParseQualifier(qualifiers));
    if (qualifier.value_size() > values.size()) return absl::DataLossError("too few values");
    HOURCELL_ASSIGN_OR_RETURN(
        const Value value, ParseValue(qualifier.flags, values.substr(0, qualifier.value_size())));
    times_.push_back(
        {.ms = int64_t{row_.base_time_s} * 1000 + qualifier.offset_ms, .is_ms = qualifier.is_ms});
    point_values_.push_back(value);
    qualifiers.remove_prefix(qualifier.encoded_size());
    values.remove_prefix(qualifier.value_size());
  }
  return absl::OkStatus();
}

}  // namespace hourcell
