// The names that OpenTSDB allows, and their stored bytes.
//
// Metric, tag key and tag value alike: a-z A-Z 0-9 - _ . / and every letter of the Basic
// Multilingual Plane (Java's Character.isLetter: Unicode Lu Ll Lt Lm Lo), plus the store's extra
// characters (tsd.core.tag.allow_specialchars). Names are UTF-8 in memory; a latin1 store keeps
// ISO-8859-1 bytes, as OpenTSDB does, and rejects other characters. With NameEncoding::kAny each
// character is legal but control characters (Unicode Cc). Pure; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/rows/layout.h"

namespace hourcell {

// The fault of `name`, in the words that OpenTSDB writes after its prefix: "empty string", "illegal
// character: c" (the character, as UTF-8), or "" for a legal name. Also "not UTF-8", "longer than
// 1024 bytes; got N" and, for latin1, "character c is above U+00FF; expected a store created with
// names=utf8".
std::string NameFault(std::string_view name, NameEncoding encoding, std::string_view extra_chars);

// The stored bytes of a UTF-8 name. kInvalidArgument if `encoding` cannot represent it.
absl::StatusOr<std::string> EncodeName(std::string_view utf8, NameEncoding encoding);

// The UTF-8 of stored bytes. kDataLoss for bytes that are not `encoding`.
absl::StatusOr<std::string> DecodeName(std::string_view bytes, NameEncoding encoding);

// Text from a telnet line as UTF-8: well-formed UTF-8 stays, other bytes are converted one by one
// as ISO-8859-1 (as OpenTSDB reads them). Returns `bytes` itself if nothing changes.
std::string_view TelnetTextToUtf8(std::string_view bytes, std::string* buffer);

}  // namespace hourcell
