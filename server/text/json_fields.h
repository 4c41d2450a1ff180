// Fields of small JSON bodies, lenient as OpenTSDB's reader is: scalars may come as strings.
//
// Errors are kInvalidArgument "Unable to parse the given JSON: <field>: not <what it has to be>".
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
// Of a field that is to be an integer of 64 bits: what it is instead, as JSON, and the range.
absl::Status WrongJsonInteger(std::string_view field, std::string_view got);

// What is wrong with a body that the parser refuses: `error`'s words, or the field and the range of
// an integer that does not fit.
absl::Status BadJson(std::string_view body, simdjson::error_code error);

// The object a body is; it lives as long as `*parser` and until its next body.
// kInvalidArgument: "Missing message content", longer than kQueryBodyBytesMax, no object.
absl::StatusOr<simdjson::dom::object> ParseJsonObject(const std::string& body,
                                                      simdjson::dom::parser* parser);

// A string, or a scalar's text; null is "".
absl::StatusOr<std::string> JsonText(std::string_view field, simdjson::dom::element value);

// true, false, their texts, a number (not 0 is true); null and "" are false.
absl::StatusOr<bool> JsonBool(std::string_view field, simdjson::dom::element value);

// An integer of 64 bits, or its text; null and "" are 0.
absl::StatusOr<int64_t> JsonInteger(std::string_view field, simdjson::dom::element value);

}  // namespace hourcell
