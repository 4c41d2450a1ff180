#include "server/inputs/statsd/statsd_line.h"

#include <algorithm>
#include <optional>
#include <span>

#include "codec/limits.h"
#include "codec/text/number.h"
#include "server/inputs/find_first.h"

namespace hourcell {
namespace {

constexpr std::string_view kWantForm = "expected name:value|type";
constexpr std::string_view kWantNameTags =
    "expected tags as name,tag=value, name;tag=value or name[tag=value]";

// Removes the text before the first of `ends` and that character, which is stored in `*end`.
// Without one, removes everything and stores '\0'. Returns the text.
std::string_view TakeUntil(std::string_view ends, std::string_view* rest, char* end = nullptr) {
  const std::string_view part = rest->substr(0, FindFirst(*rest, ends));
  if (end != nullptr) *end = part.size() == rest->size() ? '\0' : (*rest)[part.size()];
  rest->remove_prefix(std::min(part.size() + 1, rest->size()));
  return part;
}

std::optional<StatsdType> TypeOf(std::string_view word) {
  if (word == "c") return StatsdType::kCounter;
  if (word == "g") return StatsdType::kGauge;
  if (word == "ms" || word == "h" || word == "d") return StatsdType::kTimer;
  if (word == "s") return StatsdType::kSet;
  return std::nullopt;
}

// Sets the rate of `samples`. False: not a valid rate.
bool ReadRate(std::string_view text, std::span<StatsdSample> samples) {
  const Parsed<double> parsed = ParseDouble(text);
  if (!parsed.ok() || !(*parsed > 0 && *parsed <= 1)) return false;
  for (StatsdSample& sample : samples)
    sample.rate = *parsed;
  return true;
}

std::string_view AddTag(const TagView& tag, std::vector<TagView>* tags) {
  if (tag.value.empty()) return {};  // a tag without a value is omitted
  if (tags->size() == kTagsMax) return "expected at most 64 tags";
  tags->push_back(tag);
  return {};
}

std::string_view ReadStatsdTags(std::string_view text, std::vector<TagView>* tags) {
  while (!text.empty()) {
    const std::string_view tag = TakeUntil(",", &text);
    if (tag.empty()) continue;
    const size_t colon = tag.find(':');
    const std::string_view key = tag.substr(0, colon);
    const std::string_view value = colon == tag.npos ? "true" : tag.substr(colon + 1);
    if (key.empty()) return "expected tags as #tag:value,tag:value";
    if (const std::string_view fault = AddTag({key, value}, tags); !fault.empty()) return fault;
  }
  return {};
}

// Reads tags in a name: "tag=value,tag=value".
std::string_view ReadNameTags(std::string_view text,
                              std::string_view separator,
                              std::vector<TagView>* tags) {
  while (!text.empty()) {
    const std::string_view tag = TakeUntil(separator, &text);
    const size_t equals = tag.find('=');
    if (equals == tag.npos || equals == 0) return kWantNameTags;
    const TagView view{.key = tag.substr(0, equals), .value = tag.substr(equals + 1)};
    if (const std::string_view fault = AddTag(view, tags); !fault.empty()) return fault;
  }
  return {};
}

// Removes the name with its tags, up to its colon.
std::string_view ReadName(std::string_view* text, StatsdLine* line) {
  const size_t mark = FindFirst(*text, ",;[:");
  if (mark == text->npos || (*text)[mark] == ':') {
    line->name = TakeUntil(":", text);
    return {};
  }
  const bool is_bracket = (*text)[mark] == '[';
  const std::string_view separator = is_bracket ? "," : text->substr(mark, 1);
  const size_t end = text->find(is_bracket ? ']' : ':', mark);
  const std::string_view tags = end == text->npos ? "" : text->substr(mark + 1, end - mark - 1);
  if (tags.find('=') == tags.npos) {
    line->name = TakeUntil(":", text);
    return {};
  }
  line->name = text->substr(0, mark);
  text->remove_prefix(is_bracket ? end + 1 : end);
  line->name_end = TakeUntil(":", text);
  return ReadNameTags(tags, separator, &line->tags);
}

// Adds the values before a type. DogStatsD packs several of any type but sets.
std::string_view ReadValues(std::string_view values, StatsdType type, StatsdLine* line) {
  if (values.empty()) return kWantForm;
  while (!values.empty()) {
    const std::string_view value = TakeUntil(type == StatsdType::kSet ? "|" : ":", &values);
    if (value.empty()) return kWantForm;
    if (line->samples.size() == kStatsdLineValuesMax) return "expected at most 1024 values";
    line->samples.push_back({.value = value, .type = type});
  }
  return {};
}

// Removes "value|type" and a rate. `*end` is the character after these: a colon begins another
// sample.
std::string_view ReadSample(std::string_view* text, StatsdLine* line, char* end) {
  const size_t first = line->samples.size();
  const std::string_view values = TakeUntil("|", text);
  const std::optional<StatsdType> type = TypeOf(TakeUntil("|:", text, end));
  if (!type) return kWantForm;
  if (const std::string_view fault = ReadValues(values, *type, line); !fault.empty()) return fault;
  if (*end != '|' || !text->starts_with('@')) return {};
  const std::string_view rate = TakeUntil("|:", text, end).substr(1);
  if (ReadRate(rate, std::span(line->samples).subspan(first))) return {};
  return "expected a rate above 0 and at most 1";
}

std::string_view ReadSections(std::string_view rest, StatsdLine* line) {
  while (!rest.empty()) {
    const std::string_view section = TakeUntil("|", &rest);
    if (section.starts_with('@')) {
      if (!ReadRate(section.substr(1), line->samples))
        return "expected a rate above 0 and at most 1";
    } else if (section.starts_with('#')) {
      const std::string_view fault = ReadStatsdTags(section.substr(1), &line->tags);
      if (!fault.empty()) return fault;
    }
  }
  return {};
}

}  // namespace

std::string_view ReadStatsdLine(std::string_view text, StatsdLine* line) {
  line->samples.clear();
  line->tags.clear();
  line->name_end = {};
  line->is_skipped = false;
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty() || text.starts_with("_e{") || text.starts_with("_sc|")) {
    line->is_skipped = true;
    return {};
  }
  if (const std::string_view fault = ReadName(&text, line); !fault.empty()) return fault;
  if (line->name.empty()) return kWantForm;
  char end = ':';
  while (end == ':') {
    if (const std::string_view fault = ReadSample(&text, line, &end); !fault.empty()) return fault;
  }
  return ReadSections(text, line);
}

}  // namespace hourcell
