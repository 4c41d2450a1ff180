#include "engine/trees/tree_mapper.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

// Of the first character; a byte that is not UTF-8 is one.
size_t CharacterSize(std::string_view text) {
  return std::max(Utf8SequenceLength(text), size_t{1});
}

// The parts of a value as Java's String.split finds them: a match of no characters at the front
// does not split, and empty parts at the end are dropped.
std::vector<std::string_view> SplitAsJava(const TagRegexp& separator, std::string_view value) {
  std::vector<std::string_view> parts;
  size_t part = 0;
  size_t from = 0;
  while (from <= value.size() && parts.size() <= kTreeDepthMax) {
    const std::string_view match = separator.Find(value, from, 0);
    if (match.data() == nullptr) break;
    const auto start = static_cast<size_t>(match.data() - value.data());
    const size_t end = start + match.size();
    if (end != 0 && start < value.size()) {
      parts.push_back(value.substr(part, start - part));
      part = end;
    }
    from = end;
    if (match.empty()) from += end < value.size() ? CharacterSize(value.substr(end)) : size_t{1};
  }
  parts.push_back(value.substr(part));
  while (!parts.empty() && parts.back().empty())
    parts.pop_back();
  return parts;
}

std::string_view TagNameOf(const TreeRule& rule) {
  if (rule.type == TreeRuleType::kMetric) return {};
  return rule.type == TreeRuleType::kTagk ? rule.field : rule.custom_field;
}

}  // namespace

// The rules of a tree on one series.
class TreeMapper::Evaluation {
 public:
  Evaluation(const TreeSeries& series, std::vector<std::string>* messages)
      : series_(series), messages_(messages) {}

  // Appends the names of a level. False: it gives none, or one of its parts is empty.
  bool AddLevel(const Level& level, std::vector<std::string>* names) {
    for (const Rule& rule : level) {
      Tell("Processing rule: {}", rule.text);
      const size_t before = names->size();
      bool is_whole = true;
      for (const std::string_view part : PartsOf(rule)) {
        std::string name = NameOf(rule.rule, part);
        is_whole = is_whole && !name.empty();
        if (!name.empty()) names->push_back(std::move(name));
      }
      if (names->size() > before) return is_whole;
    }
    return false;
  }

  template <typename... Args>
  void Tell(fmt::format_string<Args...> text, Args&&... args) {
    if (messages_ != nullptr) messages_->push_back(fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  const TreeTag* TagOf(const Rule& rule, std::string_view TreeTag::* name, std::string_view kind) {
    const auto found = std::ranges::find_if(
        series_.tags, [&](const TreeTag& tag) { return tag.*name == rule.rule.field; });
    const bool is_found = found != series_.tags.end();
    Tell("{} {} [{}] for rule: {}", is_found ? "Matched" : "No match on", kind, rule.rule.field,
         rule.text);
    return is_found ? &*found : nullptr;
  }

  std::optional<std::string_view> CustomOf(const Rule& rule, const CustomFields* fields) {
    const auto* const found = [&]() -> const std::string* {
      if (fields == nullptr) return nullptr;
      const auto field = fields->find(rule.rule.custom_field);
      return field == fields->end() ? nullptr : &field->second;
    }();
    Tell("{} custom tag [{}] for rule: {}", found != nullptr ? "Matched" : "No match on",
         rule.rule.custom_field, rule.text);
    if (found == nullptr) return std::nullopt;
    return *found;
  }

  std::optional<std::string_view> ValueOf(const Rule& rule) {
    if (rule.rule.type == TreeRuleType::kMetric) return series_.metric;
    if (rule.rule.type == TreeRuleType::kMetricCustom) {
      return CustomOf(rule, series_.metric_fields);
    }
    const bool by_value = rule.rule.type == TreeRuleType::kTagvCustom;
    const TreeTag* const tag =
        by_value ? TagOf(rule, &TreeTag::value, "tagv") : TagOf(rule, &TreeTag::key, "tagk");
    if (tag == nullptr) return std::nullopt;
    if (rule.rule.type == TreeRuleType::kTagk) return tag->value;
    return CustomOf(rule, by_value ? tag->value_fields : tag->key_fields);
  }

  // The parts of the rule's value, which `value_` keeps.
  std::vector<std::string_view> PartsOf(const Rule& rule) {
    const std::optional<std::string_view> value = ValueOf(rule);
    if (!value.has_value()) return {};
    value_ = *value;
    if (!rule.regexp.empty()) {
      const auto group = static_cast<size_t>(rule.rule.regex_group_idx) + 1;
      const std::string_view part = rule.regexp.front().Find(value_, 0, group);
      if (!part.empty()) return {part};
      Tell("Regex group [{}] did not match [{}] for rule: {}", group, value_, rule.text);
      return {};
    }
    if (rule.separator.empty()) return {value_};
    std::vector<std::string_view> parts = SplitAsJava(rule.separator.front(), value_);
    if (parts.empty()) Tell("Separator left no part of [{}] for rule: {}", value_, rule.text);
    return parts;
  }

  std::string NameOf(const TreeRule& rule, std::string_view part) const {
    if (rule.display_format.empty()) {
      return part.size() > kTreeNameBytesMax ? std::string() : std::string(part);
    }
    const std::pair<std::string_view, std::string_view> tokens[] = {
        {"{ovalue}", value_},
        {"{value}", part},
        {"{tsuid}", series_.tsuid},
        {"{tag_name}", TagNameOf(rule)}};
    std::string name;
    std::string_view rest = rule.display_format;
    while (!rest.empty() && name.size() <= kTreeNameBytesMax) {
      const auto* const token =
          std::ranges::find_if(tokens, [&](const auto& it) { return rest.starts_with(it.first); });
      if (token == std::end(tokens)) {
        name += rest.front();
        rest.remove_prefix(1);
      } else {
        name += token->second;
        rest.remove_prefix(token->first.size());
      }
    }
    return name.size() > kTreeNameBytesMax ? std::string() : name;
  }

  const TreeSeries& series_;
  std::vector<std::string>* const messages_;
  std::string_view value_;
};

absl::StatusOr<TreeMapper> TreeMapper::Compile(const Tree& tree) {
  TreeMapper mapper;
  mapper.strict_match_ = tree.strict_match;
  const TreeRuleAt* before = nullptr;
  for (const auto& [at, rule] : tree.rules) {
    HOURCELL_RETURN_IF_ERROR(CheckTreeRule(at, rule));
    Rule compiled{
        .rule = rule, .text = TreeRuleText(tree.id, at, rule), .regexp = {}, .separator = {}};
    const auto compile = [](std::string_view text, std::vector<TagRegexp>* one) -> absl::Status {
      if (text.empty()) return absl::OkStatus();
      HOURCELL_ASSIGN_OR_RETURN(TagRegexp regexp, TagRegexp::Compile(text));
      one->push_back(std::move(regexp));
      return absl::OkStatus();
    };
    HOURCELL_RETURN_IF_ERROR(compile(rule.regex, &compiled.regexp));
    HOURCELL_RETURN_IF_ERROR(compile(rule.separator, &compiled.separator));
    if (before == nullptr || before->level != at.level) mapper.levels_.emplace_back();
    mapper.levels_.back().push_back(std::move(compiled));
    before = &at;
    mapper.needs_fields_ = mapper.needs_fields_ ||
                           (rule.type != TreeRuleType::kMetric && rule.type != TreeRuleType::kTagk);
  }
  return mapper;
}

TreePath TreeMapper::PathOf(const TreeSeries& series, std::vector<std::string>* messages) const {
  Evaluation evaluation(series, messages);
  TreePath path;
  std::vector<std::string> names;
  for (const Level& level : levels_) {
    if (evaluation.AddLevel(level, &names)) continue;
    if (!path.missed.empty()) path.missed += ' ';
    path.missed += level.back().text;
  }
  if (names.size() > kTreeDepthMax) {
    path.missed = fmt::format("more than {} levels", kTreeDepthMax);
  } else if (names.empty()) {
    if (path.missed.empty()) path.missed = "the tree has no rules";
  } else {
    path.is_placed = path.missed.empty() || !strict_match_;
  }
  if (!path.is_placed) {
    evaluation.Tell("TSUID failed to match one or more rule levels, will not add: {} {}",
                    series.tsuid, path.missed);
    return path;
  }
  path.leaf = std::move(names.back());
  names.pop_back();
  names.erase(std::ranges::unique(names).begin(), names.end());
  path.branches = std::move(names);
  for (const std::string& name : path.branches)
    evaluation.Tell("Adding branch: {}", name);
  evaluation.Tell("Adding leaf: {}", path.leaf);
  return path;
}

}  // namespace hourcell
