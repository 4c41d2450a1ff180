#include "server/json_fields.h"

#include <fmt/format.h>

#include "codec/number.h"
#include "server/query_request.h"

namespace hourcell {

using simdjson::dom::element_type;

absl::Status WrongJsonType(std::string_view field, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("Unable to parse the given JSON: {}: not {}", field, want));
}

absl::StatusOr<simdjson::dom::object> ParseJsonObject(const std::string& body,
                                                      simdjson::dom::parser* parser) {
  if (body.empty()) return absl::InvalidArgumentError("Missing message content");
  if (body.size() > kQueryBodyBytesMax) {
    return absl::InvalidArgumentError(fmt::format("body: too long; got {} bytes; want at most {}",
                                                  body.size(), kQueryBodyBytesMax));
  }
  simdjson::dom::object object;
  if (const auto error = parser->parse(body).get(object)) {
    return absl::InvalidArgumentError(
        fmt::format("Unable to parse the given JSON: {}", simdjson::error_message(error)));
  }
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
  return WrongJsonType(field, "an integer of 64 bits");
}

}  // namespace hourcell
