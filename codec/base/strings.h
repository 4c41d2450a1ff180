// Text in maps and in messages.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>
#include <absl/status/status.h>

namespace hourcell {

// Hash and equality with which a map of std::string can be searched by std::string_view. Debian's
// Abseil has a different string_view type, so its own maps cannot do that.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return absl::Hash<std::string_view>{}(text); }
};
struct StringEq {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return a == b; }
};

template <typename V>
using StringMap = absl::flat_hash_map<std::string, V, StringHash, StringEq>;
using StringSet = absl::flat_hash_set<std::string, StringHash, StringEq>;

// User text for a message: in double quotes, control characters and bytes that are not UTF-8 as
// \xNN, cut after 64 bytes with "..." inside the quotes.
std::string QuoteForMessage(std::string_view text);

// User text for a message of OpenTSDB, which does not quote it: the same without quotes and without
// a backslash before " and \, cut after 256 bytes.
std::string TextForMessage(std::string_view text);

// The message of a status as a std::string_view, valid as long as `status` is.
inline std::string_view MessageOf(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

// The message for data of a newer version of Hourcell: the format found, the format that this
// program reads, and the remedy.
//   "journal format 2: this program reads 1. A newer version of Hourcell wrote it; use that version
//   or a later one"
// `what` is the subject with its version, e.g. "journal format 2".
std::string NewerFormatMessage(std::string_view what, std::string_view reads);

// `text` with A to Z in lower case; other bytes stay.
std::string LowerCase(std::string_view text);

// The number that `digits` spells, all of them decimal; nullopt for other text, empty text and a
// number of more than 64 bits.
std::optional<uint64_t> ParseUnsigned(std::string_view digits);

// `text` for HTML and XML, between tags or in a quoted attribute: & < > " ' as references.
std::string EscapeMarkup(std::string_view text);

// The length of the UTF-8 sequence at the start of `bytes`; 0 if they do not start with a valid
// one. REQUIRES: not empty.
size_t Utf8SequenceLength(std::string_view bytes);

// REQUIRES: `code` is at most U+10FFFF.
void AppendUtf8(uint32_t code, std::string* out);

// True if `bytes` is well-formed UTF-8 (RFC 3629: no surrogates, at most U+10FFFF, shortest form).
bool IsUtf8(std::string_view bytes);

}  // namespace hourcell
