// JSON scalars as text, which simdjson's on-demand reader does not provide.
//
// Pure functions; thread-safe.

#pragma once

#include <string_view>

#include <simdjson.h>

namespace hourcell {

// The maximum depth of nested arrays and objects in a body.
inline constexpr int kJsonDepthMax = 64;

// True for a number of JSON's grammar: -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool IsJsonNumber(std::string_view text);

// True for the bare words that OpenTSDB's reader accepts as numbers: NaN, Infinity, +Infinity,
// -Infinity, +INF, -INF.
bool IsBareNonNumber(std::string_view text);

// The first token of a value, without blanks around it: the whole of a number or literal.
std::string_view JsonToken(simdjson::ondemand::value* value);

// The content of a string: a view of the body if it is unescaped, otherwise decoded into the
// parser's buffer. It lives as long as the body and the parser. REQUIRES: the string was not read.
simdjson::error_code ReadJsonString(simdjson::ondemand::value value, std::string_view* text);
simdjson::error_code ReadJsonKey(simdjson::ondemand::field* field, std::string_view* key);

// Skips a value and checks it completely, which the on-demand reader alone does not.
// REQUIRES: the value was not read.
simdjson::error_code SkipJsonValue(simdjson::ondemand::value value, int depth);

// The text of a string, number, true or false. null gives the empty text.
// Errors: INCORRECT_TYPE for an object or array; errors of the reader.
simdjson::error_code ReadJsonText(simdjson::ondemand::value value, std::string_view* text);

}  // namespace hourcell
