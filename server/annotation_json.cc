#include "server/annotation_json.h"

#include <iterator>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/number.h"
#include "server/json_text.h"

namespace hourcell {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

absl::Status NotJson(std::string_view fault) {
  return absl::InvalidArgumentError(fmt::format("Unable to parse the given JSON: {}", fault));
}

absl::Status WrongType(std::string_view field, std::string_view want) {
  return NotJson(fmt::format("{}: not {}", field, want));
}

// The body's value, which lives as long as the parser.
absl::StatusOr<element> ParseBody(const std::string& body, simdjson::dom::parser* parser) {
  if (body.empty()) return absl::InvalidArgumentError("Missing message content");
  if (body.size() > kAnnotationBodyBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("annotation body: too long; got {} bytes; want at most {}", body.size(),
                    kAnnotationBodyBytesMax));
  }
  element value;
  if (const auto error = parser->parse(body).get(value)) {
    return NotJson(simdjson::error_message(error));
  }
  return value;
}

// Strings as they are, scalars as their text, null as "".
absl::StatusOr<std::string> TextField(std::string_view field, element value) {
  switch (value.type()) {
    case element_type::STRING:
      return std::string(std::string_view(value));
    case element_type::NULL_VALUE:
      return std::string();
    case element_type::ARRAY:
    case element_type::OBJECT:
      return WrongType(field, "a string");
    default:
      return simdjson::to_string(value);
  }
}

absl::StatusOr<int64_t> IntegerField(std::string_view field, element value) {
  if (value.type() == element_type::INT64) return int64_t(value);
  if (value.is_null()) return 0;
  if (value.type() == element_type::STRING) {
    const std::string_view text(value);
    if (text.empty()) return 0;
    const Parsed<int64_t> number = ParseInteger(text);
    if (number.ok()) return *number;
  }
  return WrongType(field, "an integer of 64 bits");
}

absl::StatusOr<bool> BoolField(std::string_view field, element value) {
  if (value.type() == element_type::BOOL) return bool(value);
  if (value.is_null()) return false;
  if (value.type() == element_type::STRING) {
    const std::string_view text(value);
    if (text == "true") return true;
    if (text == "false" || text.empty()) return false;
  }
  return WrongType(field, "true or false");
}

absl::Status ParseCustom(element value, AnnotationEdit* edit) {
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::object object;
  if (value.get(object)) return WrongType("custom", "an object");
  edit->custom.emplace();
  for (const auto [name, entry] : object) {
    HOURCELL_ASSIGN_OR_RETURN(std::string text, TextField("custom", entry));
    edit->custom->emplace_back(name, std::move(text));
  }
  return absl::OkStatus();
}

absl::Status ParseField(std::string_view name, element value, AnnotationEdit* edit) {
  if (name == "tsuid") {
    HOURCELL_ASSIGN_OR_RETURN(edit->tsuid, TextField(name, value));
  } else if (name == "startTime") {
    HOURCELL_ASSIGN_OR_RETURN(edit->start_time, IntegerField(name, value));
  } else if (name == "endTime") {
    HOURCELL_ASSIGN_OR_RETURN(const int64_t end, IntegerField(name, value));
    edit->end_time = end != 0 ? std::optional(end) : std::nullopt;
  } else if (name == "description" || name == "notes") {
    HOURCELL_ASSIGN_OR_RETURN(std::string text, TextField(name, value));
    auto& field = name == "notes" ? edit->notes : edit->description;
    field = text.empty() ? std::nullopt : std::optional(std::move(text));
  } else if (name == "custom") {
    return ParseCustom(value, edit);
  }
  return absl::OkStatus();
}

absl::StatusOr<AnnotationEdit> ParseEdit(element value) {
  simdjson::dom::object object;
  if (value.get(object)) return WrongType("annotation", "an object");
  AnnotationEdit edit;
  for (const auto [name, field] : object)
    HOURCELL_RETURN_IF_ERROR(ParseField(name, field, &edit));
  return edit;
}

absl::Status ParseTsuids(element value, std::vector<std::string>* tsuids) {
  tsuids->clear();
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::array array;
  if (value.get(array)) return WrongType("tsuids", "an array");
  for (const element tsuid : array) {
    HOURCELL_ASSIGN_OR_RETURN(std::string text, TextField("tsuids", tsuid));
    tsuids->push_back(std::move(text));
  }
  return absl::OkStatus();
}

void AppendPair(std::string_view key, std::string_view value, std::string* out) {
  AppendJsonString(key, out);
  out->push_back(':');
  AppendJsonString(value, out);
}

}  // namespace

absl::StatusOr<AnnotationEdit> ParseAnnotationJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const element value, ParseBody(body, &parser));
  return ParseEdit(value);
}

absl::StatusOr<std::vector<AnnotationEdit>> ParseAnnotationsJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const element value, ParseBody(body, &parser));
  simdjson::dom::array array;
  if (value.get(array)) return WrongType("annotations", "an array");
  std::vector<AnnotationEdit> edits;
  for (const element one : array) {
    HOURCELL_ASSIGN_OR_RETURN(AnnotationEdit edit, ParseEdit(one));
    edits.push_back(std::move(edit));
  }
  return edits;
}

absl::StatusOr<AnnotationRange> ParseAnnotationRangeJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const element value, ParseBody(body, &parser));
  simdjson::dom::object object;
  if (value.get(object)) return WrongType("bulk delete", "an object");
  AnnotationRange range;
  for (const auto [name, field] : object) {
    if (name == "startTime") {
      HOURCELL_ASSIGN_OR_RETURN(range.start, TextField(name, field));
    } else if (name == "endTime") {
      HOURCELL_ASSIGN_OR_RETURN(range.end, TextField(name, field));
    } else if (name == "tsuids") {
      HOURCELL_RETURN_IF_ERROR(ParseTsuids(field, &range.tsuids));
    } else if (name == "global") {
      HOURCELL_ASSIGN_OR_RETURN(range.global, BoolField(name, field));
    }
  }
  return range;
}

void AppendAnnotation(const Annotation& annotation, std::string* out) {
  out->append("{\"tsuid\":");
  if (annotation.tsuid.empty()) {
    out->append("null");
  } else {
    AppendJsonString(annotation.tsuid, out);
  }
  fmt::format_to(std::back_inserter(*out), ",\"startTime\":{},\"endTime\":{},",
                 annotation.start_time, annotation.end_time);
  AppendPair("description", annotation.description, out);
  out->push_back(',');
  AppendPair("notes", annotation.notes, out);
  out->append(",\"custom\":");
  if (annotation.custom.empty()) {
    out->append("null}");
    return;
  }
  char before = '{';
  for (const auto& [name, text] : annotation.custom) {
    out->push_back(std::exchange(before, ','));
    AppendPair(name, text, out);
  }
  out->append("}}");
}

}  // namespace hourcell
