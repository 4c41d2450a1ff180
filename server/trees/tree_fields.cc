#include "server/trees/tree_fields.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/text/number.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

constexpr std::string_view kTsuids = "tsuids";
constexpr std::array<std::string_view, 6> kTreeEdits = {
    "name", "description", "notes", "strictmatch", "enabled", "storefailures"};
constexpr std::array<std::string_view, 9> kRuleEdits = {
    "type",  "field",       "customfield",   "regex",        "separator",
    "notes", "description", "displayformat", "regexgroupidx"};
constexpr std::array<std::string_view, 5> kTreeSelectors = {"treeid", "branch", "level", "order",
                                                            "definition"};

std::string FieldName(std::string_view name) {
  std::string field = LowerCase(name);
  std::erase(field, '_');
  return field;
}

bool IsTreeField(std::string_view name) {
  return std::ranges::count(kTreeEdits, name) + std::ranges::count(kRuleEdits, name) +
             std::ranges::count(kTreeSelectors, name) !=
         0;
}

std::vector<std::string> SplitAtCommas(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    if (comma != 0) parts.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

absl::StatusOr<std::vector<std::string>> TsuidsOfJson(simdjson::dom::element value) {
  simdjson::dom::array array;
  if (value.get(array)) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string text, JsonText(kTsuids, value));
    return SplitAtCommas(text);
  }
  std::vector<std::string> tsuids;
  for (const simdjson::dom::element item : array) {
    HOURCELL_ASSIGN_OR_RETURN(tsuids.emplace_back(), JsonText(kTsuids, item));
  }
  return tsuids;
}

template <typename T>
void SetOrReset(std::optional<T> given, bool replaces, T* field) {
  if (given.has_value()) {
    *field = *std::move(given);
  } else if (replaces) {
    *field = T();
  }
}

}  // namespace

absl::StatusOr<TreeFields> TreeFields::Read(const HttpRequest& request) {
  if (!request.body.empty()) {
    simdjson::dom::parser parser;
    HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object,
                              ParseJsonObject(request.body, &parser));
    return OfJson(object);
  }
  TreeFields fields;
  for (const auto& [name, text] : request.params) {
    if (name == kTsuids) {
      fields.tsuids_ = SplitAtCommas(text);
    } else {
      fields.Set(FieldName(name), text);
    }
  }
  return fields;
}

absl::StatusOr<TreeFields> TreeFields::OfJson(simdjson::dom::object object) {
  TreeFields fields;
  for (const auto [key, value] : object) {
    std::string name = FieldName(key);
    if (value.is_null()) continue;
    if (name == kTsuids) {
      HOURCELL_ASSIGN_OR_RETURN(fields.tsuids_, TsuidsOfJson(value));
    } else if (IsTreeField(name)) {
      HOURCELL_ASSIGN_OR_RETURN(std::string text, JsonText(key, value));
      fields.Set(std::move(name), std::move(text));
    }
  }
  return fields;
}

void TreeFields::Set(std::string name, std::string text) {
  if (IsTreeField(name)) texts_.insert_or_assign(std::move(name), std::move(text));
}

std::optional<std::string> TreeFields::Text(std::string_view name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<bool> TreeFields::Flag(std::string_view name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? std::nullopt : std::optional(LowerCase(found->second) == "true");
}

absl::StatusOr<std::optional<int32_t>> TreeFields::Integer(std::string_view name) const {
  const auto found = texts_.find(name);
  if (found == texts_.end()) return std::optional<int32_t>();
  const Parsed<int64_t> number = ParseInteger(found->second);
  if (!number.ok() || *number < std::numeric_limits<int32_t>::min() ||
      *number > std::numeric_limits<int32_t>::max()) {
    return absl::InvalidArgumentError(fmt::format("Unable to parse the '{}' parameter", name));
  }
  return std::optional(static_cast<int32_t>(*number));
}

absl::StatusOr<uint16_t> TreeFields::TreeId() const {
  const absl::StatusOr<std::optional<int32_t>> id = Integer("treeid");
  if (!id.ok()) return absl::InvalidArgumentError("Unable to parse 'tree' value");
  const int32_t number = id->value_or(0);
  if (number < 0 || number > std::numeric_limits<uint16_t>::max()) {
    return absl::InvalidArgumentError("Invalid Tree ID");
  }
  return static_cast<uint16_t>(number);
}

absl::StatusOr<uint16_t> TreeFields::RequiredTreeId() const {
  HOURCELL_ASSIGN_OR_RETURN(const uint16_t id, TreeId());
  if (id == 0) return absl::InvalidArgumentError("Missing or invalid Tree ID");
  return id;
}

bool HasTreeEdit(const TreeFields& fields) {
  return std::ranges::any_of(kTreeEdits, [&](std::string_view name) { return fields.Has(name); });
}

void EditTree(const TreeFields& fields, bool replaces, Tree* tree) {
  SetOrReset(fields.Text("name"), replaces, &tree->name);
  SetOrReset(fields.Text("description"), replaces, &tree->description);
  SetOrReset(fields.Text("notes"), replaces, &tree->notes);
  SetOrReset(fields.Flag("strictmatch"), replaces, &tree->strict_match);
  SetOrReset(fields.Flag("enabled"), replaces, &tree->enabled);
  SetOrReset(fields.Flag("storefailures"), replaces, &tree->store_failures);
}

bool HasRuleEdit(const TreeFields& fields) {
  return std::ranges::any_of(kRuleEdits, [&](std::string_view name) { return fields.Has(name); });
}

absl::StatusOr<TreeRule> EditRule(const TreeFields& fields,
                                  bool replaces,
                                  const TreeRuleAt& at,
                                  const std::optional<TreeRule>& rule) {
  TreeRule edited = rule.value_or(TreeRule());
  if (const std::optional<std::string> type = fields.Text("type")) {
    const std::optional<TreeRuleType> known = ParseTreeRuleType(*type);
    if (!known.has_value()) {
      return absl::InvalidArgumentError(fmt::format(
          "type: expected METRIC, METRIC_CUSTOM, TAGK, TAGK_CUSTOM or TAGV_CUSTOM, got {}",
          QuoteForMessage(*type)));
    }
    edited.type = *known;
  } else if (replaces || !rule.has_value()) {
    return absl::InvalidArgumentError("Missing rule type");
  }
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<int32_t> group, fields.Integer("regexgroupidx"));
  SetOrReset(fields.Text("field"), replaces, &edited.field);
  SetOrReset(fields.Text("customfield"), replaces, &edited.custom_field);
  SetOrReset(fields.Text("regex"), replaces, &edited.regex);
  SetOrReset(fields.Text("separator"), replaces, &edited.separator);
  SetOrReset(fields.Text("description"), replaces, &edited.description);
  SetOrReset(fields.Text("notes"), replaces, &edited.notes);
  SetOrReset(fields.Text("displayformat"), replaces, &edited.display_format);
  SetOrReset(group, replaces, &edited.regex_group_idx);
  HOURCELL_RETURN_IF_ERROR(CheckTreeRule(at, edited));
  return edited;
}

absl::StatusOr<TreeRuleAt> RulePlaceOf(const TreeFields& fields) {
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<int32_t> level, fields.Integer("level"));
  HOURCELL_ASSIGN_OR_RETURN(const std::optional<int32_t> order, fields.Integer("order"));
  return TreeRuleAt{.level = level.value_or(0), .order = order.value_or(0)};
}

}  // namespace hourcell
