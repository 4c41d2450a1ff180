#include "server/query/annotation_json.h"

#include <iterator>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "server/text/json_fields.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

absl::Status NotJson(std::string_view fault) {
  return absl::InvalidArgumentError(fmt::format("Unable to parse the given JSON: {}", fault));
}

// The body's value, which lives as long as the parser.
absl::StatusOr<element> ParseAnnotationBody(const std::string& body,
                                            simdjson::dom::parser* parser) {
  if (body.empty()) return absl::InvalidArgumentError("Missing message content");
  if (body.size() > kAnnotationBodyBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("annotation body: too long; expected at most {} bytes, got {}",
                    kAnnotationBodyBytesMax, body.size()));
  }
  element value;
  if (const auto error = parser->parse(body).get(value)) {
    return NotJson(simdjson::error_message(error));
  }
  return value;
}

absl::Status ParseCustom(element value, AnnotationEdit* edit) {
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("custom", "an object");
  edit->custom.emplace();
  for (const auto [name, entry] : object) {
    HOURCELL_ASSIGN_OR_RETURN(std::string text, JsonText("custom", entry));
    edit->custom->emplace_back(name, std::move(text));
  }
  return absl::OkStatus();
}

absl::Status ParseField(std::string_view name, element value, AnnotationEdit* edit) {
  if (name == "tsuid") {
    HOURCELL_ASSIGN_OR_RETURN(edit->tsuid, JsonText(name, value));
  } else if (name == "startTime") {
    HOURCELL_ASSIGN_OR_RETURN(edit->start_time, JsonInteger(name, value));
  } else if (name == "endTime") {
    HOURCELL_ASSIGN_OR_RETURN(const int64_t end, JsonInteger(name, value));
    edit->end_time = end != 0 ? std::optional(end) : std::nullopt;
  } else if (name == "description" || name == "notes") {
    HOURCELL_ASSIGN_OR_RETURN(std::string text, JsonText(name, value));
    auto& field = name == "notes" ? edit->notes : edit->description;
    field = text.empty() ? std::nullopt : std::optional(std::move(text));
  } else if (name == "custom") {
    return ParseCustom(value, edit);
  }
  return absl::OkStatus();
}

absl::StatusOr<AnnotationEdit> ParseEdit(element value) {
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("annotation", "an object");
  AnnotationEdit edit;
  for (const auto [name, field] : object)
    HOURCELL_RETURN_IF_ERROR(ParseField(name, field, &edit));
  return edit;
}

absl::Status ParseTsuids(element value, std::vector<std::string>* tsuids) {
  tsuids->clear();
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("tsuids", "an array");
  for (const element tsuid : array) {
    HOURCELL_ASSIGN_OR_RETURN(std::string text, JsonText("tsuids", tsuid));
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
  HOURCELL_ASSIGN_OR_RETURN(const element value, ParseAnnotationBody(body, &parser));
  return ParseEdit(value);
}

absl::StatusOr<std::vector<AnnotationEdit>> ParseAnnotationsJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const element value, ParseAnnotationBody(body, &parser));
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("annotations", "an array");
  std::vector<AnnotationEdit> edits;
  for (const element one : array) {
    HOURCELL_ASSIGN_OR_RETURN(AnnotationEdit edit, ParseEdit(one));
    edits.push_back(std::move(edit));
  }
  return edits;
}

absl::StatusOr<AnnotationRange> ParseAnnotationRangeJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const element value, ParseAnnotationBody(body, &parser));
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("bulk delete", "an object");
  AnnotationRange range;
  for (const auto [name, field] : object) {
    if (name == "startTime") {
      HOURCELL_ASSIGN_OR_RETURN(range.start, JsonText(name, field));
    } else if (name == "endTime") {
      HOURCELL_ASSIGN_OR_RETURN(range.end, JsonText(name, field));
    } else if (name == "tsuids") {
      HOURCELL_RETURN_IF_ERROR(ParseTsuids(field, &range.tsuids));
    } else if (name == "global") {
      HOURCELL_ASSIGN_OR_RETURN(range.global, JsonBool(name, field));
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
