#include "server/inputs/influx/influx_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "codec/base/strings.h"
#include "codec/limits.h"
#include "codec/text/eight_bytes.h"
#include "codec/text/number.h"

// Why a line is parsed completely before any point is made: if its last field is bad, it stores
// nothing, as in InfluxDB. Common numbers take the fast path of put lines; others are cut out and
// parsed again, slowly.

namespace hourcell {
namespace {

// UTF-8's byte order mark, which editors and shells on Windows write before text.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The characters that end a name of each part, and the part's name in errors.
struct PartRule {
  std::string_view name;
  std::string_view ends;
  std::string_view want;
};
constexpr std::array<PartRule, 4> kParts = {{
    {"measurement", ", \n", "a measurement"},
    {"tag", "=, \n", "key=value"},
    {"value of a tag", "=, \n", "key=value"},
    {"field", "=, \n", "key=value"},
}};

// Per byte: bit N is set if the byte ends names of part N, or is a backslash.
constexpr std::array<uint8_t, 256> MakeStops() {
  std::array<uint8_t, 256> stops{};
  for (size_t part = 0; part < kParts.size(); ++part) {
    for (const char c : kParts[part].ends)
      stops[static_cast<uint8_t>(c)] |= static_cast<uint8_t>(1U << part);
  }
  stops[static_cast<uint8_t>('\\')] = 0xFF;
  return stops;
}
constexpr std::array<uint8_t, 256> kStops = MakeStops();

bool IsEscapable(char c) {
  return c == ',' || c == ' ' || c == '=';
}

// Upper bound of quoted text; QuoteForMessage may shorten it further.
constexpr size_t kQuotedBytes = 80;

bool IsWord(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

std::optional<Value> BooleanOf(std::string_view text) {
  if (IsWord(text, {"t", "T", "true", "True", "TRUE"})) return Value::Integer(1);
  if (IsWord(text, {"f", "F", "false", "False", "FALSE"})) return Value::Integer(0);
  return std::nullopt;
}

// Parses a number without its suffix.
std::optional<Value> UnsignedOf(std::string_view digits) {
  const std::optional<uint64_t> number = ParseUnsigned(digits);
  if (!number) return std::nullopt;
  constexpr auto kIntegerMax = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return *number <= kIntegerMax ? Value::Integer(static_cast<int64_t>(*number))
                                : Value::Float(static_cast<double>(*number));
}

// OpenTSDB's integers have at most 19 digits; InfluxDB's may have any number of leading zeros.
std::optional<Value> IntegerOf(std::string_view text) {
  constexpr std::string_view kSigns = "+-";
  const size_t sign = !text.empty() && kSigns.find(text.front()) != kSigns.npos ? 1 : 0;
  size_t zeros_end = std::min(text.find_first_not_of('0', sign), text.size());
  if (zeros_end == text.size() && zeros_end > sign) --zeros_end;  // keep the last zero
  const std::string short_text = fmt::format("{}{}", text.substr(0, sign), text.substr(zeros_end));
  const Parsed<int64_t> number = ParseInteger(short_text);
  return number.ok() ? std::optional(Value::Integer(*number)) : std::nullopt;
}

std::optional<Value> FloatOf(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != text.npos) return std::nullopt;
  const Parsed<double> number = ParseDouble(text);
  if (!number.ok() || !std::isfinite(*number)) return std::nullopt;
  return Value::Float(*number);
}

// Parses a number of 19 digits, as nearly all timestamps (nanoseconds) are. Returns its end; null
// for other text, which may still be a timestamp.
const char* ScanNanoseconds(const char* at, const char* end, int64_t* number) {
  constexpr ptrdiff_t kDigits = 19;
  if (end - at < kDigits || *at > '8') return nullptr;  // numbers from 9 on may exceed 64 bits
  const uint64_t high = LoadEight(at);
  const uint64_t low = LoadEight(at + 8);
  if (!AreDigits(high) || !AreDigits(low)) return nullptr;
  int64_t value = int64_t{DigitsValue(high)} * 100'000'000 + DigitsValue(low);
  for (ptrdiff_t i = 16; i < kDigits; ++i) {
    if (at[i] < '0' || at[i] > '9') return nullptr;
    value = value * 10 + (at[i] - '0');
  }
  *number = value;
  return at + kDigits;
}

}  // namespace

// Records a fault, with the text from `make`; returns the cursor of a faulty line.
template <typename Make>
const char* InfluxLines::Fault(const Make& make) {
  fault_ = wants_text_ ? make() : std::string("?");
  return nullptr;
}

InfluxLines::InfluxLines(std::string_view text)
    : at_(text.data()), end_(text.data() + text.size()) {
  if (text.starts_with(kByteOrderMark)) at_ += kByteOrderMark.size();
}

bool InfluxLines::Next(bool wants_text) {
  wants_text_ = wants_text;
  while (true) {
    at_ = SkipBlanks(at_);
    if (at_ == end_) return false;
    if (*at_ == '#') at_ = std::find(at_, end_, '\n');
    if (at_ == end_) return false;
    if (*at_ != '\n') break;
    ++at_;
    ++next_number_;
  }
  number_ = next_number_;
  fault_.clear();
  line_ = {};
  tags_.clear();
  fields_.clear();
  const char* const begin = at_;
  at_ = ReadLine(begin);
  if (at_ == nullptr) {
    at_ = EndOfBadLine(begin);
    next_number_ = number_ + static_cast<size_t>(std::count(begin, at_, '\n'));
  }
  line_.tags = tags_;
  line_.fields = fields_;
  return true;
}

const char* InfluxLines::ReadLine(const char* at) {
  at = ReadName(at, Part::kMeasurement, &line_.measurement);
  if (at == nullptr) return nullptr;
  if (at != end_ && *at == ',') {
    at = ReadTags(at);
    if (at == nullptr) return nullptr;
  }
  at = SkipBlanks(at);
  if (EndsLine(at))
    return Fault([&] {
      return std::string("expected key=value after the measurement and its tags, got no field");
    });
  at = ReadFields(at);
  if (at == nullptr) return nullptr;
  at = SkipBlanks(at);
  return EndsLine(at) ? at : ReadTimestamp(at);
}

// `at` is at a comma.
const char* InfluxLines::ReadTags(const char* at) {
  const char* const begin = at + 1;
  do {
    TagView tag;
    at = ReadName(at + 1, Part::kTagKey, &tag.key);
    if (at == nullptr) return nullptr;
    if (at == end_ || *at != '=') {
      return Fault([&] {
        return fmt::format("expected key=value, got the tag {} without a value",
                           QuoteForMessage(tag.key));
      });
    }
    at = ReadName(at + 1, Part::kTagValue, &tag.value);
    if (at == nullptr) return nullptr;
    if (at != end_ && *at == '=') {
      return Fault([&] {
        return fmt::format("expected \\= in a value, got a second = in the tag {}",
                           QuoteForMessage(tag.key));
      });
    }
    if (tags_.size() == kTagsMax)
      return Fault([&] { return fmt::format("expected at most {} tags, got more", kTagsMax); });
    tags_.push_back(tag);
  } while (at != end_ && *at == ',');
  line_.tag_text = {begin, static_cast<size_t>(at - begin)};
  return at;
}

const char* InfluxLines::ReadFields(const char* at) {
  while (true) {
    at = ReadField(at);
    if (at == nullptr || at == end_ || *at != ',') return at;
    ++at;
  }
}

const char* InfluxLines::ReadField(const char* at) {
  std::string_view key;
  at = ReadName(at, Part::kFieldKey, &key);
  if (at == nullptr) return nullptr;
  if (at == end_ || *at != '=') {
    return Fault([&] {
      return fmt::format("expected key=value, got the field {} without a value",
                         QuoteForMessage(key));
    });
  }
  at = ReadValue(at + 1, key);
  if (at == nullptr || EndsValue(at)) return at;
  return Fault([&] {
    return fmt::format("expected a comma, a blank or the line's end, got {} after the field {}",
                       GotText(at), QuoteForMessage(key));
  });
}

const char* InfluxLines::ReadName(const char* at, Part part, std::string_view* name) {
  const auto bit = static_cast<uint8_t>(1U << static_cast<size_t>(part));
  const char* const begin = at;
  const char* const end = end_;
  const uint8_t* const stops = kStops.data();
  while (true) {
    while (at != end && (stops[static_cast<uint8_t>(*at)] & bit) == 0)
      ++at;
    if (at == end || *at != '\\') break;
    ++at;
    if (at != end && IsEscapable(*at)) {
      ++at;
      line_.has_escapes = true;
    }
  }
  *name = {begin, static_cast<size_t>(at - begin)};
  if (name->empty() || name->size() > kNameBytesMax) [[unlikely]]
    return RefuseName(part, name->size());
  return at;
}

const char* InfluxLines::RefuseName(Part part, size_t bytes) {
  const PartRule& rule = kParts[static_cast<size_t>(part)];
  if (bytes == 0)
    return Fault([&] { return fmt::format("expected {}, got an empty {}", rule.want, rule.name); });
  return Fault([&] {
    return fmt::format("expected at most {}, got a {} of {} bytes", kNameBytesMax, rule.name,
                       bytes);
  });
}

const char* InfluxLines::ReadValue(const char* at, std::string_view key) {
  if (at == end_) return ReadOddNumber(at, key);
  if (*at == '"') return SkipString(at, key);
  if (*at == 't' || *at == 'T' || *at == 'f' || *at == 'F') {
    const char* const token_end = TokenEnd(at);
    const auto value = BooleanOf({at, static_cast<size_t>(token_end - at)});
    return value ? AddField(token_end, key, *value) : ReadOddNumber(at, key);
  }
  return ReadNumber(at, key);
}

const char* InfluxLines::ReadNumber(const char* at, std::string_view key) {
  Value value;
  const char* const stop = ScanPlainValue(at, end_, &value);
  if (stop == nullptr) return ReadOddNumber(at, key);
  if (stop != end_ && *stop == 'i' && value.is_integer() && EndsValue(stop + 1))
    return AddField(stop + 1, key, value);
  if (!EndsValue(stop)) return ReadOddNumber(at, key);
  if (!value.is_integer()) return AddField(stop, key, value);
  const auto number = static_cast<double>(value.integer());
  return AddField(stop, key, Value::Float(*at == '-' ? -std::abs(number) : number));
}

// Parses less common numbers: with a plus, with many digits, or unsigned. Others are faults.
const char* InfluxLines::ReadOddNumber(const char* at, std::string_view key) {
  const char* const token_end = TokenEnd(at);
  const std::string_view text(at, static_cast<size_t>(token_end - at));
  std::optional<Value> value;
  if (text.ends_with('i')) {
    value = IntegerOf(text.substr(0, text.size() - 1));
  } else if (text.ends_with('u')) {
    value = UnsignedOf(text.substr(0, text.size() - 1));
  } else {
    value = FloatOf(text);
  }
  if (value) return AddField(token_end, key, *value);
  return Fault([&] {
    return fmt::format(
        "field {}: expected a finite number, an integer of 64 bits with i or u, a boolean or a "
        "string in quotes, got {}",
        QuoteForMessage(key), text.empty() ? "nothing" : GotText(at));
  });
}

const char* InfluxLines::AddField(const char* end, std::string_view key, Value value) {
  if (fields_.size() == kInfluxFieldsMax)
    return Fault(
        [&] { return fmt::format("expected at most {} fields, got more", kInfluxFieldsMax); });
  fields_.push_back({key, value});
  return end;
}

// Skips from the opening quote to after the closing one.
const char* InfluxLines::SkipString(const char* at, std::string_view key) {
  for (++at; at != end_; ++at) {
    if (*at == '"') {
      ++line_.strings;
      return at + 1;
    }
    if (*at == '\n') ++next_number_;
    if (*at == '\\' && at + 1 != end_ && (at[1] == '"' || at[1] == '\\')) ++at;
  }
  return Fault([&] {
    return fmt::format("field {}: expected a quote at its end, got a string that is not closed",
                       QuoteForMessage(key));
  });
}

const char* InfluxLines::ReadTimestamp(const char* at) {
  if (const char* const stop = ScanNanoseconds(at, end_, &line_.timestamp.emplace())) {
    const char* const after = SkipBlanks(stop);
    if (EndsLine(after)) return after;
  }
  line_.timestamp.reset();
  int64_t number = 0;
  const std::from_chars_result result = std::from_chars(at, end_, number);
  if (result.ec == std::errc() && EndsLine(SkipBlanks(result.ptr))) {
    line_.timestamp = number;
    return SkipBlanks(result.ptr);
  }
  return Fault([&] {
    return fmt::format("expected an integer of 64 bits, got {} as the timestamp", GotText(at));
  });
}

// The carriage return of a line end counts as a blank.
const char* InfluxLines::SkipBlanks(const char* at) const {
  while (at != end_ && (*at == ' ' || *at == '\t' || *at == '\r'))
    ++at;
  return at;
}

bool InfluxLines::EndsValue(const char* at) const {
  return at == end_ || *at == ',' || *at == ' ' || *at == '\n' || *at == '\r' || *at == '\t';
}

const char* InfluxLines::TokenEnd(const char* at) const {
  while (!EndsValue(at))
    ++at;
  return at;
}

// The word at `at`, quoted for an error.
std::string InfluxLines::GotText(const char* at) const {
  const auto bytes = static_cast<size_t>(TokenEnd(at) - at);
  return QuoteForMessage({at, std::min(bytes, kQuotedBytes)});
}

// The end of the line that begins at `at`. Line ends inside strings do not count; strings occur
// only in the fields, after the first blank. The content of a string must not become a point.
const char* InfluxLines::EndOfBadLine(const char* at) const {
  bool in_fields = false;
  bool in_string = false;
  for (char before = '\0'; at != end_; before = *at++) {
    if (*at == '\n' && !in_string) return at;
    if (*at == '\\' && at + 1 != end_ && at[1] != '\n') {
      ++at;
    } else if (*at == '"' && in_fields && (in_string || before == '=')) {
      in_string = !in_string;
    } else if (*at == ' ') {
      in_fields = true;
    }
  }
  return at;
}

std::string_view InfluxName(std::string_view text, std::string* buffer) {
  if (text.find('\\') == text.npos) return text;
  buffer->clear();
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '\\' && i + 1 < text.size() && IsEscapable(text[i + 1]);
    if (!is_escape) buffer->push_back(text[i]);
  }
  return *buffer;
}

}  // namespace hourcell
