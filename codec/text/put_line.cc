#include "codec/text/put_line.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/eight_bytes.h"
#include "codec/text/name.h"
#include "codec/text/number.h"
#include "codec/text/quoted_name.h"

namespace hourcell {
namespace {

constexpr std::string_view kPut = "put ";
// Digits of the last instant a point may have.
constexpr ptrdiff_t kTimestampDigitsMax = 13;

// The end of the word that begins at `at`: a blank, a line end, or `end`.
const char* WordEnd(const char* at, const char* end) {
  constexpr int kStep = sizeof(uint64_t);
  for (; end - at >= kStep; at += kStep) {
    const int place = FirstOfTwo(LoadEight(at), ' ', '\n');
    if (place < kStep) return at + place;
  }
  while (at < end && *at != ' ' && *at != '\n')
    ++at;
  return at;
}

// Reads "<metric> <timestamp> <value> " into `*point`, without its tags. Returns the beginning of
// the tags, or null.
const char* ScanHead(const char* begin, const char* end, LinePoint* point) {
  const char* at = WordEnd(begin, end);
  if (at == begin || at == end || *at != ' ') return nullptr;
  point->metric = {begin, static_cast<size_t>(at - begin)};
  at = ScanTimestamp(at + 1, end, &point->timestamp);
  if (at == nullptr || at == end || *at != ' ') return nullptr;
  at = ScanPlainValue(at + 1, end, &point->value);
  if (at == nullptr || at == end || *at != ' ') return nullptr;
  return at + 1;
}

// The text after the third blank of a line that has three.
std::string_view TagsOf(std::string_view words) {
  size_t at = 0;
  for (int word = 0; word < 3; ++word)
    at = words.find(' ', at) + 1;
  return words.substr(at);
}

// Takes the name off the front of a line, up to `end` or, if it is quoted, its last quote, and
// appends it. False if `end` does not follow, or if the name has a kTagSeparator; the end of the
// line counts as a blank.
bool TakeName(std::string_view* line, char end, std::string* names) {
  const size_t begin = names->size();
  size_t length = TakeQuoted(*line, names);
  if (length == 0) {
    length = std::min(line->find(end), line->size());
    if (line->starts_with('"')) return false;
    names->append(line->substr(0, length));
  }
  // The name would be read as several. No store takes a control character in a name.
  if (names->find(kTagSeparator, begin) != names->npos) return false;
  const bool is_last = length == line->size();
  if (is_last ? end != ' ' : (*line)[length] != end) return false;
  line->remove_prefix(length + (is_last ? 0 : 1));
  return true;
}

PointError Invalid(std::string_view what, std::string_view text) {
  return {.kind = PointErrorKind::kIllegalArgument,
          .text = fmt::format("invalid {}: {}", what, TextForMessage(text))};
}

}  // namespace

bool HasQuotedName(std::string_view line) {
  for (size_t at = line.find('"'); at != line.npos; at = line.find('"', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '=') return true;
  return false;
}

std::optional<PointError> ParseQuotedLine(std::string_view line,
                                          const PointLimits& limits,
                                          PointText* parser,
                                          std::string* names,
                                          LinePoint* point) {
  std::string utf8;
  line = TelnetTextToUtf8(line, &utf8);
  names->clear();
  if (!TakeName(&line, ' ', names)) return Invalid("metric", line);
  const size_t metric_size = names->size();
  // Checks the two words as for any line; only its tags have another form.
  size_t words_end = line.find(' ');
  if (words_end != line.npos) words_end = line.find(' ', words_end + 1);
  if (words_end == line.npos) return parser->Parse(line, PointSyntax::kImport, limits);
  const std::string plain = fmt::format("m {} a=b", line.substr(0, words_end));
  if (auto fault = parser->Parse(plain, PointSyntax::kImport, limits)) return fault;
  line.remove_prefix(words_end);
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty()) break;
    const std::string_view tag = line;
    names->push_back(kTagSeparator);
    if (!TakeName(&line, '=', names)) return Invalid("tag", tag);
    names->push_back(kTagSeparator);
    if (!TakeName(&line, ' ', names)) return Invalid("tag", tag);
  }
  *point = {.metric = std::string_view(*names).substr(0, metric_size),
            .tags = std::string_view(*names).substr(metric_size),
            .timestamp = parser->point().timestamp,
            .value = parser->point().value,
            .has_any_names = true,
            .may_be_special = parser->point().may_be_special};
  return std::nullopt;
}

const char* ScanTimestamp(const char* begin, const char* end, Timestamp* timestamp) {
  int64_t number = 0;
  const char* at = begin;
  if (end - begin >= ptrdiff_t{sizeof(uint64_t)} && AreDigits(LoadEight(begin))) {
    number = DigitsValue(LoadEight(begin));
    at += sizeof(uint64_t);
  }
  for (; at < end; ++at) {
    const unsigned digit = static_cast<uint8_t>(*at) - unsigned{'0'};
    if (digit > 9) break;
    number = static_cast<int64_t>(static_cast<uint64_t>(number) * 10 + digit);
  }
  if (at - begin > kTimestampDigitsMax || number <= 0 || number > kTimestampMsMax) return nullptr;
  const bool is_ms = number > int64_t{UINT32_MAX};
  *timestamp = {.ms = is_ms ? number : number * 1000, .is_ms = is_ms};
  return at;
}

size_t ScanPutLine(std::string_view bytes, LinePoint* point) {
  if (!bytes.starts_with(kPut)) return 0;
  const char* const end = bytes.data() + bytes.size();
  const char* const tags = ScanHead(bytes.data() + kPut.size(), end, point);
  if (tags == nullptr || tags == end) return 0;
  const void* const found = std::memchr(tags, '\n', static_cast<size_t>(end - tags));
  if (found == nullptr) return 0;
  const char* const line_end = static_cast<const char*>(found);
  const auto length = static_cast<size_t>(line_end - bytes.data());
  if (length > kLineBytesMax) return 0;
  const bool has_return = line_end > tags && line_end[-1] == '\r';
  point->tags = {tags, static_cast<size_t>(line_end - tags) - (has_return ? 1 : 0)};
  return length + 1;
}

std::optional<PointError> ParsePointLine(std::string_view words,
                                         PointSyntax syntax,
                                         const PointLimits& limits,
                                         PointText* parser,
                                         LinePoint* point) {
  const char* const end = words.data() + words.size();
  if (const char* const tags = words.empty() ? nullptr : ScanHead(words.data(), end, point)) {
    point->tags = {tags, static_cast<size_t>(end - tags)};
    point->has_any_names = false;  // it may be that of the previous line
    return std::nullopt;
  }
  if (auto fault = parser->Parse(words, syntax, limits)) return fault;
  *point = {.metric = words.substr(0, words.find(' ')),
            .tags = TagsOf(words),
            .timestamp = parser->point().timestamp,
            .value = parser->point().value,
            .may_be_special = parser->point().may_be_special};
  return std::nullopt;
}

}  // namespace hourcell
