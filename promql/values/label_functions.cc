#include "promql/values/label_functions.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

namespace hourcell::promql {
namespace {

re2::StringPiece ToPiece(std::string_view text) {
  return {text.data(), text.size()};
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool IsNumber(std::string_view name) {
  constexpr size_t kDigitsMax = 8;
  return name.size() <= kDigitsMax && (name == "0" || name.front() != '0') &&
         std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

// A part of a replacement: text, then the number of a group of the match, or kNoGroup.
using TemplatePart = std::pair<std::string, int>;
constexpr int kNoGroup = -1;

// The name of a reference at the start of `text`, which follows a dollar sign, and its length with
// the braces. The length is 0 without a reference.
struct GroupReference {
  std::string_view name;
  size_t length = 0;
};

GroupReference FindReference(std::string_view text) {
  // Letters and digits of all scripts belong to a name.
  static const RE2 kReference(R"(^(?:\{([\pL\p{Nd}_]+)\}|([\pL\p{Nd}_]+)))");
  re2::StringPiece groups[3];
  if (!kReference.Match(ToPiece(text), 0, text.size(), RE2::ANCHOR_START, groups, 3)) return {};
  const re2::StringPiece name = groups[1].data() != nullptr ? groups[1] : groups[2];
  return {{name.data(), name.size()}, groups[0].size()};
}

std::vector<TemplatePart> ParseReplacement(std::string_view text, const RE2& regexp) {
  const std::map<std::string, int>& names = regexp.NamedCapturingGroups();
  std::vector<TemplatePart> parts = {{"", kNoGroup}};
  while (!text.empty()) {
    const size_t dollar = text.find('$');
    parts.back().first += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    const GroupReference reference = FindReference(text);
    if (text.starts_with('$') || reference.length == 0) {
      parts.back().first += '$';
      text.remove_prefix(text.starts_with('$') ? 1 : 0);
      continue;
    }
    text.remove_prefix(reference.length);
    int group = kNoGroup;
    if (IsNumber(reference.name)) {
      group = std::stoi(std::string(reference.name));
      if (group > regexp.NumberOfCapturingGroups()) group = kNoGroup;
    } else if (const auto found = names.find(std::string(reference.name)); found != names.end()) {
      group = found->second;
    }
    parts.back().second = group;
    parts.emplace_back("", kNoGroup);
  }
  return parts;
}

absl::Status InvalidLabel(std::string_view kind, std::string_view function, std::string_view name) {
  return absl::InvalidArgumentError(
      fmt::format("invalid {} label name in {}(): {}", kind, function, name));
}

}  // namespace

struct LabelReplacement::State {
  State(std::string_view target_label, std::string_view source_label, std::string_view pattern)
      : target(target_label),
        source(source_label),
        regexp(fmt::format("^(?:{})$", pattern), RE2::Quiet) {}

  const std::string target;
  const std::string source;
  const RE2 regexp;
  std::vector<TemplatePart> replacement;
};

LabelReplacement::LabelReplacement(std::unique_ptr<State> state) : state_(std::move(state)) {}
LabelReplacement::LabelReplacement(LabelReplacement&&) noexcept = default;
LabelReplacement& LabelReplacement::operator=(LabelReplacement&&) noexcept = default;
LabelReplacement::~LabelReplacement() = default;

absl::StatusOr<LabelReplacement> LabelReplacement::Create(std::string_view target,
                                                          std::string_view replacement,
                                                          std::string_view source,
                                                          std::string_view regexp) {
  auto state = std::make_unique<State>(target, source, regexp);
  if (!state->regexp.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("invalid regular expression in label_replace(): {}", regexp));
  }
  if (!IsLabelName(target)) return InvalidLabel("destination", "label_replace", target);
  state->replacement = ParseReplacement(replacement, state->regexp);
  return LabelReplacement(std::move(state));
}

Labels LabelReplacement::Apply(const Labels& labels) const {
  const re2::StringPiece source = ToPiece(labels.Get(state_->source));
  std::vector<re2::StringPiece> groups(
      static_cast<size_t>(state_->regexp.NumberOfCapturingGroups()) + 1);
  if (!state_->regexp.Match(source, 0, source.size(), RE2::ANCHOR_BOTH, groups.data(),
                            static_cast<int>(groups.size()))) {
    return labels;
  }
  std::string value;
  for (const auto& [text, group] : state_->replacement) {
    value += text;
    if (group == kNoGroup) continue;
    const re2::StringPiece piece = groups[static_cast<size_t>(group)];
    value.append(piece.data(), piece.size());
  }
  Labels replaced = labels;
  replaced.Set(state_->target, value);
  return replaced;
}

absl::Status CheckLabelJoin(std::string_view target, std::span<const std::string> sources) {
  for (const std::string& source : sources) {
    if (!IsLabelName(source)) return InvalidLabel("source", "label_join", source);
  }
  return IsLabelName(target) ? absl::OkStatus() : InvalidLabel("destination", "label_join", target);
}

Labels JoinLabels(const Labels& labels,
                  std::string_view target,
                  std::string_view separator,
                  std::span<const std::string> sources) {
  std::string value;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (i > 0) value += separator;
    value += labels.Get(sources[i]);
  }
  Labels joined = labels;
  joined.Set(target, value);
  return joined;
}

bool IsLabelName(std::string_view text) {
  return !text.empty() && IsLetter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return IsLetter(c) || (c >= '0' && c <= '9'); });
}

}  // namespace hourcell::promql
