#include "server/text/json_fields.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/number.h"

namespace hourcell {

using simdjson::dom::element_type;

namespace {

// An integer of this many digits may exceed the parser's range.
constexpr size_t kHugeDigits = 19;

// The end of the string whose inside begins at `begin`: its quote, or the end of `json`.
size_t EndOfString(std::string_view json, size_t begin) {
  size_t at = begin;
  while (at < json.size() && json[at] != '"')
    at += json[at] == '\\' ? size_t{2} : size_t{1};
  return std::min(at, json.size());
}

// Finds an integer beyond 64 bits and the name before it. The parser's error does not contain them.
bool FindHugeInteger(std::string_view json, std::string_view* field, std::string_view* number) {
  constexpr std::string_view kNumber = "+-.0123456789eE";
  std::string_view text;  // the last string
  for (size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"') {
      const size_t end = EndOfString(json, at + 1);
      text = json.substr(at + 1, end - at - 1);
      at = end;
      continue;
    }
    if (json[at] == ':') *field = text;
    const size_t end = std::min(json.find_first_not_of(kNumber, at), json.size());
    if (end == at) continue;
    *number = json.substr(at, end - at);
    const std::string_view digits = number->substr(number->front() == '-' ? 1 : 0);
    const bool is_integer = digits.find_first_not_of("0123456789") == digits.npos;
    if (is_integer && digits.size() >= kHugeDigits && !ParseInteger(*number).ok()) return true;
    at = end - 1;
  }
  return false;
}

}  // namespace

absl::Status WrongJsonType(std::string_view field, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("Unable to parse the given JSON: {}: not {}", field, want));
}

absl::Status WrongJsonInteger(std::string_view field, std::string_view got) {
  return absl::InvalidArgumentError(fmt::format(
      "Unable to parse the given JSON: {}: not an integer of 64 bits; expected {} to {}, got {}",
      field, INT64_MIN, INT64_MAX, TextForMessage(got)));
}

absl::Status BadJson(std::string_view body, simdjson::error_code error) {
  std::string_view field;
  std::string_view number;
  if (FindHugeInteger(body, &field, &number)) return WrongJsonInteger(field, number);
  return absl::InvalidArgumentError(
      fmt::format("Unable to parse the given JSON: {}", simdjson::error_message(error)));
}

absl::StatusOr<simdjson::dom::object> ParseJsonObject(const std::string& body,
                                                      simdjson::dom::parser* parser) {
  if (body.empty()) return absl::InvalidArgumentError("Missing message content");
  if (body.size() > kQueryBodyBytesMax) {
    return absl::InvalidArgumentError(fmt::format(
        "body: too long; expected at most {} bytes, got {}", kQueryBodyBytesMax, body.size()));
  }
  simdjson::dom::object object;
  if (const auto error = parser->parse(body).get(object)) return BadJson(body, error);
  return object;
}

absl::StatusOr<std::string> JsonText(std::string_view field, simdjson::dom::element value) {
  switch (value.type()) {
    case element_type::STRING:
      return std::string(std::string_view(value));
    case element_type::NULL_VALUE:
      return std::string();
    case element_type::ARRAY:
    case element_type::OBJECT:
      return WrongJsonType(field, "a string");
    default:
      return simdjson::to_string(value);
  }
}

absl::StatusOr<bool> JsonBool(std::string_view field, simdjson::dom::element value) {
  switch (value.type()) {
    case element_type::BOOL:
      return bool(value);
    case element_type::INT64:
      return int64_t(value) != 0;
    case element_type::NULL_VALUE:
      return false;
    case element_type::STRING: {
      const std::string_view text(value);
      if (text == "true") return true;
      if (text == "false" || text.empty()) return false;
      break;
    }
    default:
      break;
  }
  return WrongJsonType(field, "true or false");
}

absl::StatusOr<int64_t> JsonInteger(std::string_view field, simdjson::dom::element value) {
  switch (value.type()) {
    case element_type::INT64:
      return int64_t(value);
    case element_type::NULL_VALUE:
      return 0;
    case element_type::STRING:
      if (std::string_view(value).empty()) return 0;
      if (const Parsed<int64_t> number = ParseInteger(std::string_view(value)); number.ok()) {
        return *number;
      }
      break;
    default:
      break;
  }
  return WrongJsonInteger(field, simdjson::to_string(value));
}

}  // namespace hourcell
