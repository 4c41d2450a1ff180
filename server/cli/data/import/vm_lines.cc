#include "server/cli/data/import/vm_lines.h"

#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/strings.h"
#include "server/text/json_scalar.h"

// Why it reads numbers as text: the parser of the import line reads them anyway, and a value keeps
// its kind: 1 is an integer, 1.5 a double.

namespace hourcell {

namespace {

namespace ondemand = simdjson::ondemand;

// The elements of an array as text: numbers and null unchanged, strings without their quotes.
simdjson::error_code ReadScalars(ondemand::value value, std::vector<std::string_view>* texts) {
  ondemand::array array;
  if (const auto error = value.get_array().get(array)) return error;
  for (auto element : array) {
    ondemand::value item;
    if (const auto error = std::move(element).get(item)) return error;
    std::string_view text;
    if (const auto error = ReadJsonText(item, &text)) return error;
    texts->push_back(text);
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadLabels(ondemand::value value, ForeignSeries* series) {
  ondemand::object object;
  if (const auto error = value.get_object().get(object)) return error;
  for (auto field : object) {
    ondemand::field label;
    if (const auto error = std::move(field).get(label)) return error;
    std::string_view key;
    if (const auto error = ReadJsonKey(&label, &key)) return error;
    ondemand::value item = label.value();
    ondemand::json_type type;
    if (const auto error = item.type().get(type)) return error;
    if (type != ondemand::json_type::string) return simdjson::INCORRECT_TYPE;
    std::string_view text;
    if (const auto error = ReadJsonString(item, &text)) return error;
    if (key == "__name__") {
      series->SetMetric(text);
    } else {
      series->AddTag(key, text);
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct VmLines::Reader {
  ondemand::parser parser;
  std::string padded;
  std::vector<std::string_view> values;
  std::vector<std::string_view> times;

  simdjson::error_code Read(std::string_view line, ForeignSeries* series) {
    values.clear();
    times.clear();
    series->Clear();
    padded.reserve(line.size() + simdjson::SIMDJSON_PADDING);
    padded.assign(line);
    ondemand::document document;
    if (const auto error = parser
                               .iterate(simdjson::padded_string_view(padded.data(), padded.size(),
                                                                     padded.capacity()))
                               .get(document)) {
      return error;
    }
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) return error;
    for (auto field : object) {
      ondemand::field member;
      if (const auto error = std::move(field).get(member)) return error;
      if (const auto error = ReadMember(&member, series)) return error;
    }
    const bool at_end = document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    return at_end ? simdjson::SUCCESS : simdjson::TRAILING_CONTENT;
  }

  simdjson::error_code ReadMember(ondemand::field* member, ForeignSeries* series) {
    std::string_view key;
    if (const auto error = ReadJsonKey(member, &key)) return error;
    if (key == "metric") return ReadLabels(member->value(), series);
    if (key == "values") return ReadScalars(member->value(), &values);
    if (key == "timestamps") return ReadScalars(member->value(), &times);
    return SkipJsonValue(member->value(), 1);
  }
};

VmLines::VmLines(const ForeignRules& rules) : rules_(rules), reader_(std::make_unique<Reader>()) {}

VmLines::~VmLines() = default;

void VmLines::Translate(std::string_view line, ImportLines* out) {
  if (line.find_first_not_of(" \t") == std::string_view::npos) return;
  if (const simdjson::error_code error = reader_->Read(line, &series_)) {
    return out->AddFault(
        {.text = fmt::format("not a line of /api/v1/export: {}", simdjson::error_message(error))});
  }
  const std::vector<std::string_view>& values = reader_->values;
  const std::vector<std::string_view>& times = reader_->times;
  if (values.size() != times.size()) {
    return out->AddFault(
        {.text = fmt::format("{} values and {} timestamps; expected as many of both", values.size(),
                             times.size())});
  }
  if (!CompleteSeries(rules_, &series_, out)) return;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].empty()) continue;  // null
    out->AddPointAtMs(series_, times[i], values[i]);
  }
}

}  // namespace hourcell
