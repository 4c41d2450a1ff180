// TreeFields: the fields of a request about trees, from its parameters or its JSON body, as text.
//
//   /api/tree?treeid=1&strict_match=true     POST /api/tree {"treeId":1,"strictMatch":true}
//
// The names of parameters and of JSON are the same here: lower case, without "_". As in OpenTSDB,
// null is not given, scalars may be text, and unknown fields are ignored.
//
// Pure; thread-safe.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <simdjson.h>

#include "engine/trees/tree.h"
#include "server/http/http_message.h"

namespace hourcell {

class TreeFields {
 public:
  // Of the body, or of the parameters if it is empty. kInvalidArgument: not a JSON object; a known
  // field is an object, or an array that is not "tsuids".
  static absl::StatusOr<TreeFields> Read(const HttpRequest& request);
  static absl::StatusOr<TreeFields> OfJson(simdjson::dom::object object);

  bool Has(std::string_view name) const { return texts_.contains(name); }
  std::optional<std::string> Text(std::string_view name) const;
  // "true" in any case, else false.
  std::optional<bool> Flag(std::string_view name) const;
  // kInvalidArgument: "Unable to parse the 'level' parameter".
  absl::StatusOr<std::optional<int32_t>> Integer(std::string_view name) const;

  // 0: not given. kInvalidArgument: "Unable to parse 'tree' value", "Invalid Tree ID".
  absl::StatusOr<uint16_t> TreeId() const;
  // The same; kInvalidArgument: "Missing or invalid Tree ID", also if it is not given.
  absl::StatusOr<uint16_t> RequiredTreeId() const;

  // The array, or the text between commas.
  const std::vector<std::string>& tsuids() const { return tsuids_; }

 private:
  void Set(std::string name, std::string text);

  std::map<std::string, std::string, std::less<>> texts_;
  std::vector<std::string> tsuids_;
};

// True if a field of the definition of a tree is given.
bool HasTreeEdit(const TreeFields& fields);
// Sets the given fields; with `replaces`, the others get their defaults. The rules stay.
void EditTree(const TreeFields& fields, bool replaces, Tree* tree);

// The same for a rule, without its place. kInvalidArgument: "Missing rule type"; an unknown type; a
// number that does not parse; as CheckTreeRule. `rule` is nullopt for a new rule.
bool HasRuleEdit(const TreeFields& fields);
absl::StatusOr<TreeRule> EditRule(const TreeFields& fields,
                                  bool replaces,
                                  const TreeRuleAt& at,
                                  const std::optional<TreeRule>& rule);

// The place of a rule; 0 if not given.
absl::StatusOr<TreeRuleAt> RulePlaceOf(const TreeFields& fields);

}  // namespace hourcell
