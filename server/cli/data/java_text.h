// Formats byte arrays, dates and tag maps as OpenTSDB's tools print them. Pure.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "codec/point.h"

namespace hourcell {

// Java's Arrays.toString(byte[]): signed decimals, "[0, -30, 39]".
void AppendJavaBytes(std::string_view bytes, std::string* out);

// "(2013-01-01 00:00:00 UTC)". OpenTSDB uses the machine's zone, but the same store must give the
// same text everywhere. REQUIRES: 0 <= ms.
void AppendUtcDate(int64_t ms, std::string* out);

// Java's Map.toString: "{host=web01, dc=lga}".
void AppendJavaTags(std::span<const TagView> tags, std::string* out);

}  // namespace hourcell
