// JSON text as we write it: one string literal at a time, appended to a buffer.
//
// Pure functions; thread-safe.

#pragma once

#include <string>
#include <string_view>

namespace hourcell {

// Appends `text` as a JSON string, quotes included. Quotes, backslashes and control characters are
// escaped; every byte that is not part of valid UTF-8 becomes U+FFFD, so that the result always is
// valid JSON in UTF-8. O(text).
void AppendJsonString(std::string_view text, std::string* out);

// Appends "key":"value".
void AppendJsonPair(std::string_view key, std::string_view value, std::string* out);

}  // namespace hourcell
