// JSON scalars as text: what simdjson's on-demand reader leaves to its caller.
//
// Pure functions; thread-safe.

#pragma once

#include <string_view>

#include <simdjson.h>

namespace hourcell {

// How deep arrays and objects may nest in a body.
inline constexpr int kJsonDepthMax = 64;

// True for a number of JSON's grammar: -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)?
bool IsJsonNumber(std::string_view text);

// True for the bare words that OpenTSDB's reader takes for numbers: NaN, Infinity, +Infinity,
// -Infinity, +INF, -INF.
bool IsBareNonNumber(std::string_view text);

// The token a value begins with, without blanks around it: all of a number or literal.
std::string_view JsonToken(simdjson::ondemand::value* value);

// The content of a string: of the body itself if nothing in it is escaped, else decoded into the
// parser's buffer. Either lives as long as both. REQUIRES: nothing of it was read.
simdjson::error_code ReadJsonString(simdjson::ondemand::value value, std::string_view* text);
simdjson::error_code ReadJsonKey(simdjson::ondemand::field* field, std::string_view* key);

// Reads past a value and checks all of it, which the on-demand reader alone would not.
// REQUIRES: nothing of the value was read.
simdjson::error_code SkipJsonValue(simdjson::ondemand::value value, int depth);

// The text of a string, number, true or false. null gives the empty text.
// Errors: INCORRECT_TYPE for an object or array; what the reader finds.
simdjson::error_code ReadJsonText(simdjson::ondemand::value value, std::string_view* text);

}  // namespace hourcell
