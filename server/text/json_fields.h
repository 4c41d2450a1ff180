// Fields of small JSON bodies, lenient as OpenTSDB's reader: scalars may come as strings.
//
// Errors are kInvalidArgument "Unable to parse the given JSON: <field>: not <expected type>".
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <simdjson.h>

namespace hourcell {

absl::Status WrongJsonType(std::string_view field, std::string_view want);
// The error of a field that must be an integer of 64 bits: its JSON text `got`, and the range.
absl::Status WrongJsonInteger(std::string_view field, std::string_view got);

// The error of a body that the parser refuses: the message of `error`, or, for an integer beyond 64
// bits, its field and the range.
absl::Status BadJson(std::string_view body, simdjson::error_code error);

// Parses a body as an object, which lives until the next body of `*parser`.
// kInvalidArgument: "Missing message content", longer than kQueryBodyBytesMax, not an object.
absl::StatusOr<simdjson::dom::object> ParseJsonObject(const std::string& body,
                                                      simdjson::dom::parser* parser);

// A string, or a scalar's text; null is "".
absl::StatusOr<std::string> JsonText(std::string_view field, simdjson::dom::element value);

// true, false, their texts, an integer (0 is false, others true); null and "" are false.
absl::StatusOr<bool> JsonBool(std::string_view field, simdjson::dom::element value);

// An integer of 64 bits, or its text; null and "" are 0.
absl::StatusOr<int64_t> JsonInteger(std::string_view field, simdjson::dom::element value);

}  // namespace hourcell
