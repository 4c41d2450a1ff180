#include "codec/text/point_text.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "codec/text/name.h"
#include "codec/text/quoted_name.h"

namespace hourcell {
namespace {

// The text of tags in a message ends after this, with a tag.
constexpr size_t kTagsTextBytes = 1024;

// metric, timestamp, value and one tag.
constexpr size_t kWordsMin = 4;
constexpr size_t kFirstTagWord = 3;

PointError IllegalArgument(std::string text) {
  return {.kind = PointErrorKind::kIllegalArgument, .text = std::move(text)};
}

void SplitWords(std::string_view line, std::vector<std::string_view>* words) {
  words->clear();
  if (line.empty()) return;
  while (true) {
    const size_t blank = line.find(' ');
    words->push_back(line.substr(0, blank));
    if (blank == std::string_view::npos) return;
    line.remove_prefix(blank + 1);
  }
}

std::optional<Value> SpecialValueOfWord(std::string_view word) {
  if (word == kStaleMarkerWord) return Value::StaleMarker();
  if (word == kNanWord) return Value::NotANumber();
  if (word == kInfinityWord) return Value::Float(HUGE_VAL);
  if (word == kMinusInfinityWord) return Value::Float(-HUGE_VAL);
  return std::nullopt;
}

// IsUtf8, quick for the usual line, which is ASCII.
bool IsUtf8Line(std::string_view line) {
  uint8_t any = 0;
  for (const char c : line)
    any |= static_cast<uint8_t>(c);
  return any < 0x80 || IsUtf8(line);
}

// An integer that may contain dots, which are ignored.
Parsed<int64_t> ParseDottedInteger(std::string_view text) {
  char buffer[kIntegerDigitsMax + 2];  // one more than a valid one, so that too long stays too long
  size_t size = 0;
  for (const char c : text) {
    if (c == '.') continue;
    if (size == sizeof buffer) {
      std::string without_dots(text);
      std::erase(without_dots, '.');
      return ParseInteger(without_dots);
    }
    buffer[size++] = c;
  }
  return ParseInteger({buffer, size});
}

// "1500ms", "0s".
Parsed<Timestamp> ParseTimeWithUnit(std::string_view text) {
  const bool is_ms = text.ends_with("ms");
  const Parsed<int64_t> number = ParseInteger(text.substr(0, text.size() - (is_ms ? 2 : 1)));
  if (!number.ok()) return number.error();
  if (*number < 0)
    return IllegalArgument(fmt::format("invalid timestamp: {}", TextForMessage(text)));
  if (*number > (is_ms ? kTimestampMsMax : kTimestampMsMax / 1000)) {
    return IllegalArgument(
        fmt::format("bad timestamp={}: after {} ms; expected seconds or milliseconds since 1970",
                    TextForMessage(text), kTimestampMsMax));
  }
  return Timestamp{.ms = is_ms ? *number : *number * 1000, .is_ms = is_ms};
}

}  // namespace

std::string TagsText(std::span<const TagView> tags) {
  std::string text = "{";
  for (const TagView& tag : tags) {
    if (text.size() > 1) text += ", ";
    if (text.size() > kTagsTextBytes) return text + "...}";
    text.append(TextForMessage(tag.key)).append("=").append(TextForMessage(tag.value));
  }
  return text += "}";
}

Parsed<Timestamp> TimestampFromInteger(int64_t number) {
  if (number <= 0) return IllegalArgument(fmt::format("invalid timestamp: {}", number));
  if (number > kTimestampMsMax) {
    return IllegalArgument(
        fmt::format("bad timestamp={}: after {} ms; expected seconds or milliseconds since 1970",
                    number, kTimestampMsMax));
  }
  const bool is_ms = number > int64_t{UINT32_MAX};
  return Timestamp{.ms = is_ms ? number : number * 1000, .is_ms = is_ms};
}

bool IsNumberOfMagnitude(const Timestamp& time) {
  return time.is_ms ? time.ms > int64_t{UINT32_MAX} : time.ms > 0;
}

void AppendTimestamp(const Timestamp& time, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "{}", time.is_ms ? time.ms : time.ms / 1000);
  if (!IsNumberOfMagnitude(time)) out->append(time.is_ms ? "ms" : "s");
}

Parsed<Timestamp> ParseTimestampText(std::string_view text, PointSyntax syntax) {
  if (syntax == PointSyntax::kImport && text.ends_with('s')) return ParseTimeWithUnit(text);
  const bool has_dots = syntax == PointSyntax::kTelnet && text.find('.') != std::string_view::npos;
  const Parsed<int64_t> number = has_dots ? ParseDottedInteger(text) : ParseInteger(text);
  if (!number.ok()) return number.error();
  return TimestampFromInteger(*number);
}

Parsed<TagView> ParseTagWord(std::string_view word) {
  const size_t equals = word.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == word.size() ||
      word.find('=', equals + 1) != std::string_view::npos) {
    return IllegalArgument(fmt::format("invalid tag: {}", TextForMessage(word)));
  }
  return TagView{.key = word.substr(0, equals), .value = word.substr(equals + 1)};
}

std::optional<PointError> PointText::Parse(std::string_view line,
                                           PointSyntax syntax,
                                           const PointLimits& limits) {
  SplitWords(line, &words_);
  if (words_.size() < kWordsMin) {
    return IllegalArgument(
        fmt::format("not enough arguments (need least {}, got {})", kWordsMin, words_.size()));
  }
  if (words_[0].empty()) return IllegalArgument("empty metric name");
  const Parsed<Timestamp> timestamp = ParseTimestampText(words_[1], syntax);
  if (!timestamp.ok()) return timestamp.error();
  if (words_[2].empty()) return IllegalArgument("empty value");

  converted_.clear();
  is_utf8_ = IsUtf8Line(line);
  // Views into the strings must outlive later conversions, so the vector may not grow.
  if (!is_utf8_) converted_.reserve(2 * words_.size());
  std::optional<PointError> error = ParseTags(std::span(words_).subspan(kFirstTagWord));
  if (error) return error;
  const std::optional<Value> special =
      syntax == PointSyntax::kImport ? SpecialValueOfWord(words_[2]) : std::nullopt;
  const Parsed<Value> value = special.has_value() ? *special : ParseValueText(words_[2]);
  if (!value.ok()) return value.error();

  const std::string_view metric = Utf8(words_[0]);
  if (auto fault = CheckTagCount(metric, limits)) return fault;
  point_ = {.metric = metric,
            .tags = tags_,
            .timestamp = *timestamp,
            .value = *value,
            .may_be_special = special.has_value()};
  return std::nullopt;
}

std::optional<PointError> PointText::ParseSeries(std::string_view metric,
                                                 std::string_view tags,
                                                 const PointLimits& limits) {
  if (metric.empty()) return IllegalArgument("empty metric name");
  SplitWords(tags, &words_);
  converted_.clear();
  is_utf8_ = IsUtf8Line(metric) && IsUtf8Line(tags);
  if (!is_utf8_) converted_.reserve(2 * words_.size() + 1);
  if (auto fault = ParseTags(words_)) return fault;
  metric = Utf8(metric);
  if (auto fault = CheckTagCount(metric, limits)) return fault;
  point_ = {.metric = metric, .tags = tags_, .timestamp = {}, .value = {}};
  return std::nullopt;
}

std::optional<PointError> PointText::ParseSeries(const LinePoint& point,
                                                 const PointLimits& limits) {
  if (!point.has_any_names) return ParseSeries(point.metric, point.tags, limits);
  if (point.metric.empty()) return IllegalArgument("empty metric name");
  if (auto fault = ParseAnyTags(point.tags)) return fault;
  if (auto fault = CheckTagCount(point.metric, limits)) return fault;
  point_ = {
      .metric = point.metric, .tags = tags_, .timestamp = {}, .value = {}, .has_any_names = true};
  return std::nullopt;
}

std::optional<PointError> PointText::CheckTagCount(std::string_view metric,
                                                   const PointLimits& limits) const {
  if (tags_.empty()) {
    return IllegalArgument(
        fmt::format("Need at least one tag (metric={}, tags={{}})", TextForMessage(metric)));
  }
  const size_t tags_max = std::min(limits.tags_max, kTagsMax);
  if (tags_.size() > tags_max) {
    return IllegalArgument(fmt::format("Too many tags: {} maximum allowed: {}, tags: {}",
                                       tags_.size(), tags_max, TagsText(tags_)));
  }
  return std::nullopt;
}

std::optional<PointError> PointText::ParseTags(std::span<const std::string_view> words) {
  tags_.clear();
  for (const std::string_view word : words) {
    if (word.empty()) continue;
    const Parsed<TagView> parsed = ParseTagWord(word);
    if (!parsed.ok()) return parsed.error();
    // Converted first: a key in ISO-8859-1 and the same in UTF-8 are one key.
    const TagView tag{.key = Utf8(parsed->key), .value = Utf8(parsed->value)};
    if (auto fault = AddTag(tag, word)) return fault;
  }
  return std::nullopt;
}

// Parses tags with kTagSeparator before each name.
std::optional<PointError> PointText::ParseAnyTags(std::string_view tags) {
  tags_.clear();
  const auto take = [&tags] {
    tags.remove_prefix(1);
    const std::string_view name = tags.substr(0, tags.find(kTagSeparator));
    tags.remove_prefix(name.size());
    return name;
  };
  while (!tags.empty()) {
    const std::string_view key = take();
    if (tags.empty()) return IllegalArgument(fmt::format("invalid tag: {}", TextForMessage(key)));
    if (auto fault = AddTag({.key = key, .value = take()}, /*word=*/{})) return fault;
  }
  return std::nullopt;
}

std::optional<PointError> PointText::AddTag(const TagView& tag, std::string_view word) {
  // A line with more tags than any row key holds is rejected for their number in any case. Beyond
  // that number, tags are counted but not compared, so that a long line does not take quadratic
  // time.
  const auto end = tags_.begin() + static_cast<ptrdiff_t>(std::min(tags_.size(), kTagsMax));
  const auto same_key = [&tag](const TagView& seen) { return seen.key == tag.key; };
  const auto seen = std::find_if(tags_.begin(), end, same_key);
  if (seen == end) {
    tags_.push_back(tag);
  } else if (seen->value != tag.value) {
    const std::string text = fmt::format("{}={}", tag.key, tag.value);
    return IllegalArgument(fmt::format(
        "duplicate tag: {}, tags={}", TextForMessage(word.empty() ? text : word), TagsText(tags_)));
  }
  return std::nullopt;
}

std::string_view PointText::Utf8(std::string_view text) {
  if (is_utf8_) return text;
  HOURCELL_DCHECK(converted_.size() < converted_.capacity());
  return TelnetTextToUtf8(text, &converted_.emplace_back());
}

void AppendLineName(std::string_view name, std::string* out) {
  const bool is_word = name.find_first_of(" =") == name.npos && !name.starts_with('"');
  if (!is_word) return AppendQuoted(name, out);
  out->append(name);
}

std::string_view SpecialValueWord(Value value) {
  if (!value.is_special()) return {};
  if (value.is_stale_marker()) return kStaleMarkerWord;
  if (std::isnan(value.floating())) return kNanWord;
  return value.floating() > 0 ? kInfinityWord : kMinusInfinityWord;
}

void AppendImportLine(const PointView& point, std::string* out) {
  const auto append_to = std::back_inserter(*out);
  AppendLineName(point.metric, out);
  out->push_back(' ');
  AppendTimestamp(point.timestamp, out);
  out->push_back(' ');
  if (point.value.is_integer()) {
    fmt::format_to(append_to, "{}", point.value.integer());
  } else if (point.value.is_special()) {
    out->append(SpecialValueWord(point.value));
  } else {
    AppendJavaDouble(point.value.floating(), out);
  }
  for (const TagView& tag : point.tags) {
    out->push_back(' ');
    AppendLineName(tag.key, out);
    out->push_back('=');
    AppendLineName(tag.value, out);
  }
}

}  // namespace hourcell
