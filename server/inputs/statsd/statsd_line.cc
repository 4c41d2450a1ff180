#include "server/inputs/statsd/statsd_line.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "codec/limits.h"
#include "codec/text/number.h"

namespace hourcell {
namespace {

constexpr std::string_view kWantForm = "want name:value|type";

// Takes what is before the first `end` off, with it; all there is if there is none.
std::string_view TakeUntil(char end, std::string_view* rest) {
  const std::string_view part = rest->substr(0, rest->find(end));
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

// False for what is none.
bool ReadRate(std::string_view text, double* rate) {
  const Parsed<double> parsed = ParseDouble(text);
  if (!parsed.ok() || !(*parsed > 0 && *parsed <= 1)) return false;
  *rate = *parsed;
  return true;
}

std::string_view ReadStatsdTags(std::string_view text, std::vector<TagView>* tags) {
  while (!text.empty()) {
    const std::string_view tag = TakeUntil(',', &text);
    if (tag.empty()) continue;
    const size_t colon = tag.find(':');
    const std::string_view key = tag.substr(0, colon);
    const std::string_view value = colon == tag.npos ? "true" : tag.substr(colon + 1);
    if (key.empty()) return "want tags as #tag:value,tag:value";
    if (value.empty()) continue;  // there is no such tag
    if (tags->size() == kTagsMax) return "want at most 64 tags";
    tags->push_back({.key = key, .value = value});
  }
  return {};
}

std::string_view ReadSections(std::string_view rest, StatsdLine* line) {
  while (!rest.empty()) {
    const std::string_view section = TakeUntil('|', &rest);
    if (section.starts_with('@')) {
      if (!ReadRate(section.substr(1), &line->rate)) return "want a rate above 0 and at most 1";
    } else if (section.starts_with('#')) {
      const std::string_view fault = ReadStatsdTags(section.substr(1), &line->tags);
      if (!fault.empty()) return fault;
    }
  }
  return {};
}

}  // namespace

std::string_view ReadStatsdLine(std::string_view text, StatsdLine* line) {
  line->values.clear();
  line->tags.clear();
  line->rate = 1;
  line->is_skipped = false;
  if (text.ends_with('\r')) text.remove_suffix(1);
  if (text.empty() || text.starts_with("_e{") || text.starts_with("_sc|")) {
    line->is_skipped = true;
    return {};
  }
  std::string_view values = TakeUntil('|', &text);
  line->name = TakeUntil(':', &values);
  const std::optional<StatsdType> type = TypeOf(TakeUntil('|', &text));
  if (line->name.empty() || values.empty() || !type) return kWantForm;
  line->type = *type;
  while (!values.empty()) {
    const std::string_view value = TakeUntil(':', &values);
    if (value.empty()) return kWantForm;
    if (line->values.size() == kStatsdLineValuesMax) return "want at most 1024 values";
    line->values.push_back(value);
  }
  return ReadSections(text, line);
}

}  // namespace hourcell
