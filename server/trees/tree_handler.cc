#include "server/trees/tree_handler.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "engine/trees/tree.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/http/http_status.h"
#include "server/text/json_fields.h"
#include "server/trees/stored_trees.h"
#include "server/trees/tree_fields.h"
#include "server/trees/tree_json.h"

namespace hourcell {
namespace {

HttpResponse TreeFailure(const absl::Status& status) {
  if (absl::IsNotFound(status)) return HttpError(404, status);
  if (absl::IsInvalidArgument(status)) return HttpError(400, status);
  if (absl::IsResourceExhausted(status)) return HttpError(409, status);
  return FailureResponse(Failed::kStore, status);
}

HttpResponse StatusAlone(int status) {
  HttpResponse response;
  response.status = status;
  return response;
}

HttpResponse AnswerTree(const absl::StatusOr<Tree>& tree) {
  if (!tree.ok()) return TreeFailure(tree.status());
  HttpResponse response;
  response.body = PrintTree(*tree);
  return response;
}

void AppendDamagedTree(uint16_t id, const absl::Status& damage, JsonWriter* json) {
  json->OpenObject();
  json->Field("treeId", uint64_t{id});
  json->Field("problem", MessageOf(damage));
  json->CloseObject();
}

HttpResponse AnswerTrees(Tsdb* tsdb) {
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenArray();
  const absl::Status visited =
      VisitStoredTrees(tsdb, [&json](uint16_t id, const absl::StatusOr<Tree>& tree) {
        if (tree.ok()) {
          AppendTree(*tree, &json);
        } else {
          AppendDamagedTree(id, tree.status(), &json);
        }
      });
  if (!visited.ok()) return TreeFailure(visited);
  json.CloseArray();
  return response;
}

HttpResponse WriteTree(const TreeFields& fields,
                       uint16_t id,
                       bool replaces,
                       const QueryService& service) {
  if (id == 0) {
    Tree tree{.created_s = service.clock->NowMs() / 1000};
    EditTree(fields, /*replaces=*/true, &tree);
    if (tree.name.empty()) return HttpError(400, "Tree was missing the name");
    return AnswerTree(CreateTree(service.tsdb, std::move(tree)));
  }
  if (!HasTreeEdit(fields)) {
    const absl::StatusOr<Tree> tree = FindTree(service.tsdb, id);
    return tree.ok() ? StatusAlone(304) : TreeFailure(tree.status());
  }
  return AnswerTree(EditStoredTree(service.tsdb, id, [&](Tree* tree) {
    EditTree(fields, replaces, tree);
    return absl::OkStatus();
  }));
}

HttpResponse DeleteTree(const TreeFields& fields, uint16_t id, Tsdb* tsdb) {
  const absl::Status done = fields.Flag("definition").value_or(false) ? RemoveTree(tsdb, id)
                                                                      : FindTree(tsdb, id).status();
  return done.ok() ? StatusAlone(204) : TreeFailure(done);
}

// A request about one rule.
struct RuleRequest {
  uint16_t tree = 0;
  TreeRuleAt at;
  TreeFields fields;
};

absl::StatusOr<RuleRequest> ReadRuleRequest(const HttpRequest& request) {
  RuleRequest read;
  HOURCELL_ASSIGN_OR_RETURN(read.fields, TreeFields::Read(request));
  HOURCELL_ASSIGN_OR_RETURN(read.tree, read.fields.RequiredTreeId());
  for (const std::string_view name : {"level", "order"}) {
    if (request.body.empty() && !read.fields.Has(name)) {
      return absl::InvalidArgumentError(fmt::format("Missing parameter <code>{}</code>", name));
    }
  }
  HOURCELL_ASSIGN_OR_RETURN(read.at, RulePlaceOf(read.fields));
  return read;
}

absl::Status NoSuchRule(const RuleRequest& read) {
  return absl::NotFoundError(
      fmt::format("Unable to locate rule: [{}:{}:{}]", read.tree, read.at.level, read.at.order));
}

absl::StatusOr<TreeRule> FindRule(const RuleRequest& read, Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(const Tree tree, FindTree(tsdb, read.tree));
  const auto found = tree.rules.find(read.at);
  if (found == tree.rules.end()) return NoSuchRule(read);
  return found->second;
}

HttpResponse AnswerRule(const RuleRequest& read, const absl::StatusOr<TreeRule>& rule) {
  if (!rule.ok()) return TreeFailure(rule.status());
  HttpResponse response;
  JsonWriter json(&response.body);
  AppendTreeRule(read.tree, read.at, *rule, &json);
  return response;
}

// Sets `*changed` if the rule is new or another one.
absl::Status EditRuleOf(
    const TreeFields& fields, const TreeRuleAt& at, bool replaces, Tree* tree, bool* changed) {
  const auto found = tree->rules.find(at);
  std::optional<TreeRule> before;
  if (found != tree->rules.end()) before = found->second;
  HOURCELL_ASSIGN_OR_RETURN(TreeRule after, EditRule(fields, replaces, at, before));
  *changed = before != after;
  tree->rules.insert_or_assign(at, std::move(after));
  return absl::OkStatus();
}

HttpResponse WriteRule(const RuleRequest& read, bool replaces, Tsdb* tsdb) {
  bool changed = false;
  const absl::StatusOr<Tree> tree = EditStoredTree(tsdb, read.tree, [&](Tree* stored) {
    if (!HasRuleEdit(read.fields) && stored->rules.contains(read.at)) return absl::OkStatus();
    return EditRuleOf(read.fields, read.at, replaces, stored, &changed);
  });
  if (!tree.ok()) return TreeFailure(tree.status());
  const bool is_same = !changed && !(replaces && HasRuleEdit(read.fields));
  return is_same ? StatusAlone(304) : AnswerRule(read, tree->rules.at(read.at));
}

HttpResponse DeleteRule(const RuleRequest& read, Tsdb* tsdb) {
  const absl::StatusOr<Tree> tree = EditStoredTree(tsdb, read.tree, [&](Tree* stored) {
    return stored->rules.erase(read.at) != 0 ? absl::OkStatus() : NoSuchRule(read);
  });
  return tree.ok() ? StatusAlone(204) : TreeFailure(tree.status());
}

// The rules of a body; of one tree, at least one.
absl::StatusOr<std::vector<RuleRequest>> ReadRules(const std::string& body) {
  if (body.empty()) return absl::InvalidArgumentError("Missing tree rules");
  if (body.size() > kQueryBodyBytesMax) {
    return absl::InvalidArgumentError(fmt::format(
        "body: too long; expected at most {} bytes, got {}", kQueryBodyBytesMax, body.size()));
  }
  simdjson::dom::parser parser;
  simdjson::dom::array array;
  if (const auto error = parser.parse(body).get(array)) return BadJson(body, error);
  std::vector<RuleRequest> rules;
  for (const simdjson::dom::element item : array) {
    simdjson::dom::object object;
    if (item.get(object)) return WrongJsonType("rule", "an object");
    RuleRequest& rule = rules.emplace_back();
    HOURCELL_ASSIGN_OR_RETURN(rule.fields, TreeFields::OfJson(object));
    HOURCELL_ASSIGN_OR_RETURN(rule.tree, rule.fields.RequiredTreeId());
    HOURCELL_ASSIGN_OR_RETURN(rule.at, RulePlaceOf(rule.fields));
    if (rule.tree != rules.front().tree) {
      return absl::InvalidArgumentError("All rules must belong to the same tree");
    }
  }
  if (rules.empty()) return absl::InvalidArgumentError("Missing tree rules");
  return rules;
}

HttpResponse WriteRules(const HttpRequest& request, bool replaces, Tsdb* tsdb) {
  const absl::StatusOr<std::vector<RuleRequest>> rules = ReadRules(request.body);
  if (!rules.ok()) return TreeFailure(rules.status());
  const auto edit = [&](Tree* stored) -> absl::Status {
    if (replaces) stored->rules.clear();
    bool changed = false;
    for (const RuleRequest& rule : *rules)
      HOURCELL_RETURN_IF_ERROR(EditRuleOf(rule.fields, rule.at, replaces, stored, &changed));
    return absl::OkStatus();
  };
  const absl::StatusOr<Tree> tree = EditStoredTree(tsdb, rules->front().tree, edit);
  return tree.ok() ? StatusAlone(204) : TreeFailure(tree.status());
}

HttpResponse DeleteRules(const HttpRequest& request, Tsdb* tsdb) {
  const absl::StatusOr<TreeFields> fields = TreeFields::Read(request);
  if (!fields.ok()) return TreeFailure(fields.status());
  const absl::StatusOr<uint16_t> id = fields->RequiredTreeId();
  if (!id.ok()) return TreeFailure(id.status());
  const absl::StatusOr<Tree> tree = EditStoredTree(tsdb, *id, [](Tree* stored) {
    stored->rules.clear();
    return absl::OkStatus();
  });
  return tree.ok() ? StatusAlone(204) : TreeFailure(tree.status());
}

}  // namespace

HttpResponse HandleTree(const HttpRequest& request, const QueryService& service) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method.has_value()) return MethodNotAllowed(request);
  const absl::StatusOr<TreeFields> fields = TreeFields::Read(request);
  if (!fields.ok()) return TreeFailure(fields.status());
  const absl::StatusOr<uint16_t> id = fields->TreeId();
  if (!id.ok()) return TreeFailure(id.status());
  switch (*method) {
    case HttpMethod::kGet:
      return *id == 0 ? AnswerTrees(service.tsdb) : AnswerTree(FindTree(service.tsdb, *id));
    case HttpMethod::kPost:
      return WriteTree(*fields, *id, /*replaces=*/false, service);
    case HttpMethod::kPut:
      return WriteTree(*fields, *id, /*replaces=*/true, service);
    case HttpMethod::kDelete:
      return DeleteTree(*fields, *id, service.tsdb);
    default:
      return MethodNotAllowed(request);
  }
}

HttpResponse HandleTreeRule(const HttpRequest& request, const QueryService& service) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method.has_value()) return MethodNotAllowed(request);
  const absl::StatusOr<RuleRequest> read = ReadRuleRequest(request);
  if (!read.ok()) return TreeFailure(read.status());
  switch (*method) {
    case HttpMethod::kGet:
      return AnswerRule(*read, FindRule(*read, service.tsdb));
    case HttpMethod::kPost:
      return WriteRule(*read, /*replaces=*/false, service.tsdb);
    case HttpMethod::kPut:
      return WriteRule(*read, /*replaces=*/true, service.tsdb);
    case HttpMethod::kDelete:
      return DeleteRule(*read, service.tsdb);
    default:
      return MethodNotAllowed(request);
  }
}

HttpResponse HandleTreeRules(const HttpRequest& request, const QueryService& service) {
  const std::optional<HttpMethod> method = EffectiveMethod(request);
  if (!method.has_value()) return MethodNotAllowed(request);
  switch (*method) {
    case HttpMethod::kPost:
      return WriteRules(request, /*replaces=*/false, service.tsdb);
    case HttpMethod::kPut:
      return WriteRules(request, /*replaces=*/true, service.tsdb);
    case HttpMethod::kDelete:
      return DeleteRules(request, service.tsdb);
    default:
      return MethodNotAllowed(request);
  }
}

}  // namespace hourcell
