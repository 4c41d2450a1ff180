#include "server/trees/tree_json.h"

#include <span>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "engine/trees/branch_id.h"
#include "server/trees/tree_fields.h"

namespace hourcell {
namespace {

using simdjson::dom::object;

void AddNull(std::string_view key, JsonWriter* json) {
  json->Key(key);
  json->RawValue()->append("null");
}

void AddRules(const Tree& tree, JsonWriter* json) {
  if (tree.rules.empty()) return AddNull("rules", json);
  json->Key("rules");
  json->OpenObject();
  const TreeRuleAt* before = nullptr;
  for (const auto& [at, rule] : tree.rules) {
    if (before == nullptr || before->level != at.level) {
      if (before != nullptr) json->CloseObject();
      json->Key(fmt::format("{}", at.level));
      json->OpenObject();
    }
    json->Key(fmt::format("{}", at.order));
    AppendTreeRule(tree.id, at, rule, json);
    before = &at;
  }
  json->CloseObject();
  json->CloseObject();
}

absl::StatusOr<int32_t> ParsePlace(std::string_view key) {
  const Parsed<int64_t> number = ParseInteger(key);
  if (number.ok() && *number >= 0 && *number <= INT32_MAX) return static_cast<int32_t>(*number);
  return absl::InvalidArgumentError("level or order: not a number");
}

absl::Status ParseRulesOf(object levels, Tree* tree) {
  for (const auto [level, orders] : levels) {
    object rules;
    if (orders.get(rules)) return absl::InvalidArgumentError("level: not an object");
    for (const auto [order, value] : rules) {
      object rule;
      if (value.get(rule)) return absl::InvalidArgumentError("rule: not an object");
      TreeRuleAt at;
      HOURCELL_ASSIGN_OR_RETURN(at.level, ParsePlace(level));
      HOURCELL_ASSIGN_OR_RETURN(at.order, ParsePlace(order));
      HOURCELL_ASSIGN_OR_RETURN(const TreeFields fields, TreeFields::OfJson(rule));
      HOURCELL_ASSIGN_OR_RETURN(tree->rules[at], EditRule(fields, /*replaces=*/true, at, {}));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Tree> ParseTreeText(uint16_t id, std::string_view text) {
  Tree tree{.id = id};
  simdjson::dom::parser parser;
  object json;
  if (const auto error = parser.parse(text.data(), text.size()).get(json)) {
    return absl::InvalidArgumentError(simdjson::error_message(error));
  }
  HOURCELL_ASSIGN_OR_RETURN(const TreeFields fields, TreeFields::OfJson(json));
  EditTree(fields, /*replaces=*/true, &tree);
  if (json["created"].get(tree.created_s)) {
    return absl::InvalidArgumentError("created: not a number");
  }
  object rules;
  if (!json["rules"].get(rules)) HOURCELL_RETURN_IF_ERROR(ParseRulesOf(rules, &tree));
  return tree;
}

void AddLeaf(const TreeLeaf& leaf, JsonWriter* json) {
  json->OpenObject();
  json->Field("metric", leaf.metric);
  json->Key("tags");
  json->OpenObject();
  for (const auto& [key, value] : leaf.tags)
    json->Field(key, value);
  json->CloseObject();
  json->Field("tsuid", leaf.tsuid);
  json->Field("displayName", leaf.name);
  json->CloseObject();
}

// The fields of a branch after its leaves and branches.
void AddBranchFields(uint16_t tree, std::span<const std::string> names, JsonWriter* json) {
  json->Key("path");
  json->OpenObject();
  json->Field("0", "ROOT");
  for (size_t i = 0; i < names.size(); ++i)
    json->Field(fmt::format("{}", i + 1), names[i]);
  json->CloseObject();
  json->Field("treeId", uint64_t{tree});
  json->Field("displayName", names.empty() ? std::string_view("ROOT") : names.back());
  json->Field("branchId", ToUpperHex(BranchIdOf(tree, names)));
  json->Field("depth", uint64_t{names.size()});
}

void AddLeaves(std::span<const TreeLeaf> leaves, JsonWriter* json) {
  if (leaves.empty()) return AddNull("leaves", json);
  json->Key("leaves");
  json->OpenArray();
  for (const TreeLeaf& leaf : leaves)
    AddLeaf(leaf, json);
  json->CloseArray();
}

}  // namespace

void AppendTreeRule(uint16_t tree, const TreeRuleAt& at, const TreeRule& rule, JsonWriter* json) {
  json->OpenObject();
  json->Field("type", TreeRuleTypeName(rule.type));
  json->Field("field", rule.field);
  json->Field("customField", rule.custom_field);
  json->Field("regex", rule.regex);
  json->Field("separator", rule.separator);
  json->Field("description", rule.description);
  json->Field("notes", rule.notes);
  json->Field("level", at.level);
  json->Field("order", at.order);
  json->Field("displayFormat", rule.display_format);
  json->Field("regexGroupIdx", rule.regex_group_idx);
  json->Field("treeId", uint64_t{tree});
  json->CloseObject();
}

void AppendTree(const Tree& tree, JsonWriter* json) {
  json->OpenObject();
  json->Field("treeId", uint64_t{tree.id});
  json->Field("name", tree.name);
  json->Field("description", tree.description);
  json->Field("notes", tree.notes);
  json->Field("strictMatch", tree.strict_match);
  json->Field("created", tree.created_s);
  json->Field("enabled", tree.enabled);
  json->Field("storeFailures", tree.store_failures);
  AddRules(tree, json);
  json->CloseObject();
}

std::string PrintTree(const Tree& tree) {
  std::string text;
  JsonWriter json(&text);
  AppendTree(tree, &json);
  return text;
}

absl::StatusOr<Tree> ParseTree(uint16_t id, std::string_view text) {
  absl::StatusOr<Tree> tree = ParseTreeText(id, text);
  if (tree.ok()) return tree;
  return absl::DataLossError(fmt::format("tree {}: expected the JSON of a tree, got {}: {}", id,
                                         QuoteForMessage(text), MessageOf(tree.status())));
}

void AppendBranch(uint16_t tree, const TreeBranch& branch, JsonWriter* json) {
  json->OpenObject();
  AddLeaves(branch.leaves, json);
  if (branch.branches.empty()) {
    AddNull("branches", json);
  } else {
    json->Key("branches");
    json->OpenArray();
    std::vector<std::string> names = branch.path;
    for (const std::string& name : branch.branches) {
      names.push_back(name);
      json->OpenObject();
      AddNull("leaves", json);
      AddNull("branches", json);
      AddBranchFields(tree, names, json);
      json->CloseObject();
      names.pop_back();
    }
    json->CloseArray();
  }
  AddBranchFields(tree, branch.path, json);
  json->CloseObject();
}

void AppendPath(uint16_t tree, const TreePath& path, const TreeLeaf& leaf, JsonWriter* json) {
  const std::span<const std::string> names = path.branches;
  for (size_t depth = 0; depth <= names.size(); ++depth) {
    json->OpenObject();
    const bool is_last = depth == names.size();
    AddLeaves({&leaf, is_last && path.is_placed ? size_t{1} : size_t{0}}, json);
    if (is_last) {
      AddNull("branches", json);
    } else {
      json->Key("branches");
      json->OpenArray();
    }
  }
  for (size_t depth = names.size() + 1; depth-- > 0;) {
    if (depth != names.size()) json->CloseArray();
    AddBranchFields(tree, names.first(depth), json);
    json->CloseObject();
  }
}

}  // namespace hourcell
