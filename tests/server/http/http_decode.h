// Bodies of HTTP responses back from their framing, for tests: by other code than the server's.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hourcell {

// The bytes of a body in chunks; nothing if it is not one from the first chunk to the last.
std::optional<std::string> Unchunk(std::string_view text);

// What a gzip stream holds; nothing if it is damaged, or has no end where one is wanted.
std::optional<std::string> Gunzip(std::string_view bytes, bool want_end = true);

}  // namespace hourcell
