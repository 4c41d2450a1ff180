#include "server/names/uid_handler.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/query/query_handler.h"
#include "server/query/query_request.h"

namespace hourcell {
namespace {

// The kinds' names in the API, in the order of UidKind.
constexpr std::array<std::string_view, 3> kKindFields = {"metric", "tagk", "tagv"};

std::optional<UidKind> KindOfField(std::string_view field) {
  for (const UidKind kind : kUidKinds) {
    if (kKindFields[static_cast<size_t>(kind)] == field) return kind;
  }
  return std::nullopt;
}

// Names to assign, by kind.
using NamesByKind = std::array<std::vector<std::string>, 3>;
// Texts by name, in the order of names.
using TextByName = std::map<std::string, std::string>;

absl::StatusOr<simdjson::dom::object> ParseUidBody(const std::string& body,
                                                   simdjson::dom::parser* parser) {
  if (body.empty()) return absl::InvalidArgumentError("Missing message content");
  if (body.size() > kQueryBodyBytesMax) {
    return absl::InvalidArgumentError(fmt::format(
        "uid body: too long; expected at most {} bytes, got {}", kQueryBodyBytesMax, body.size()));
  }
  simdjson::dom::object object;
  if (const auto error = parser->parse(body).get(object)) {
    return absl::InvalidArgumentError(
        fmt::format("Unable to parse the given JSON: {}", simdjson::error_message(error)));
  }
  return object;
}

absl::Status BadUidField(std::string_view field,
                         simdjson::dom::element value,
                         std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("Unable to parse the given JSON: expected {}, got {}", want,
                  QuoteForMessage(fmt::format("{}: {}", field, simdjson::to_string(value)))));
}

absl::StatusOr<NamesByKind> NamesFromJson(const std::string& body) {
  constexpr std::string_view kWant = "metric, tagk or tagv and an array of names";
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseUidBody(body, &parser));
  NamesByKind names;
  for (const auto [field, value] : object) {
    const std::optional<UidKind> kind = KindOfField(field);
    simdjson::dom::array array;
    if (!kind || value.get(array)) return BadUidField(field, value, kWant);
    for (const simdjson::dom::element element : array) {
      std::string_view name;
      if (element.get(name)) return BadUidField(field, value, kWant);
      names[static_cast<size_t>(*kind)].emplace_back(name);
    }
  }
  return names;
}

NamesByKind NamesFromParams(const HttpRequest& request) {
  NamesByKind names;
  for (const UidKind kind : kUidKinds) {
    const std::string* const list = request.param(kKindFields[static_cast<size_t>(kind)]);
    std::string_view rest = list != nullptr ? std::string_view(*list) : std::string_view();
    while (!rest.empty()) {
      const std::string_view name = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
      if (!name.empty()) names[static_cast<size_t>(kind)].emplace_back(name);
    }
  }
  return names;
}

// The name's new UID in hex. kInvalidArgument, kAlreadyExists: the message for this name.
absl::StatusOr<std::string> Assign(UidKind kind, const std::string& name, Tsdb* tsdb) {
  const absl::StatusOr<UidRow> known = tsdb->names().FindUid(kind, name);
  if (known.ok()) {
    return absl::AlreadyExistsError(
        fmt::format("Name already exists with UID: {}", ToUpperHex(known->uid_bytes)));
  }
  const absl::StatusOr<UidRow> assigned =
      absl::IsNotFound(known.status()) ? tsdb->names().AssignUid(kind, name) : known;
  if (assigned.ok()) return ToUpperHex(assigned->uid_bytes);
  if (!absl::IsInvalidArgument(assigned.status())) return assigned.status();
  return absl::InvalidArgumentError(
      fmt::format("Invalid {} (\"{}\"): {}", kKindFields[static_cast<size_t>(kind)],
                  TextForMessage(name), std::string(assigned.status().message())));
}

void AddObject(std::string_view name, const TextByName& texts, JsonWriter* json) {
  json->Key(name);
  json->OpenObject();
  for (const auto& [key, text] : texts)
    json->Field(key, text);
  json->CloseObject();
}

// The memory of the answer until it is printed. Each name has an entry with its UID, or with a
// message that may repeat the name.
size_t BytesOfAnswer(const NamesByKind& names) {
  constexpr size_t kEntryBytes = 400;
  size_t bytes = 0;
  for (const std::vector<std::string>& of_kind : names) {
    for (const std::string& name : of_kind)
      bytes += kEntryBytes + 6 * name.size();
  }
  return bytes;
}

HttpResponse HandleAssign(const HttpRequest& request, Tsdb* tsdb) {
  const absl::StatusOr<NamesByKind> names =
      request.method == "POST" ? NamesFromJson(request.body) : NamesFromParams(request);
  if (!names.ok()) return HttpError(400, names.status());
  // Takes the memory of the answer before it assigns UIDs.
  QueryControl control;
  const auto memory = tsdb->queries().LeaseQueryMemory(&control);
  if (memory != nullptr) {
    const absl::Status taken = memory->Take(BytesOfAnswer(*names));
    if (!taken.ok()) return QueryError(taken);
  }
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  bool has_names = false;
  for (const UidKind kind : kUidKinds) {
    TextByName uids;
    TextByName errors;
    for (const std::string& name : (*names)[static_cast<size_t>(kind)]) {
      const absl::StatusOr<std::string> uid = Assign(kind, name, tsdb);
      if (uid.ok()) {
        uids[name] = *uid;
      } else if (absl::IsInvalidArgument(uid.status()) || absl::IsAlreadyExists(uid.status())) {
        errors[name] = std::string(uid.status().message());
      } else {
        return QueryError(uid.status());
      }
    }
    if (uids.empty() && errors.empty()) continue;
    has_names = true;
    const std::string field(kKindFields[static_cast<size_t>(kind)]);
    AddObject(field, uids, &json);
    if (errors.empty()) continue;
    AddObject(field + "_errors", errors, &json);
    response.status = 400;
  }
  if (!has_names) return HttpError(400, "Missing values to assign UIDs");
  json.CloseObject();
  return response;
}

struct Renaming {
  std::optional<UidKind> kind;
  std::string name;
  std::string new_name;
  bool has_two_kinds = false;

  // Takes one field; an empty value counts as absent.
  void Add(std::string_view field, std::string_view value) {
    if (value.empty()) return;
    if (field == "name") {
      new_name = value;
    } else if (const std::optional<UidKind> of_field = KindOfField(field)) {
      has_two_kinds = has_two_kinds || kind.has_value();
      kind = of_field;
      name = value;
    }
  }
};

absl::StatusOr<Renaming> ReadRenaming(const HttpRequest& request) {
  Renaming renaming;
  if (request.method != "POST") {
    for (const std::string_view field : {"metric", "tagk", "tagv", "name"}) {
      const std::string* const value = request.param(field);
      if (value != nullptr) renaming.Add(field, *value);
    }
  } else {
    simdjson::dom::parser parser;
    HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object,
                              ParseUidBody(request.body, &parser));
    for (const auto [field, value] : object) {
      std::string_view text;
      if (value.get(text))
        return BadUidField(field, value, "metric, tagk, tagv or name and a name");
      renaming.Add(field, text);
    }
  }
  if (!renaming.kind || renaming.new_name.empty()) {
    return absl::InvalidArgumentError("Missing necessary values to rename UID");
  }
  if (renaming.has_two_kinds) {
    return absl::InvalidArgumentError(
        "Expected one of metric, tagk and tagv, got names of two kinds");
  }
  return renaming;
}

HttpResponse HandleRename(const HttpRequest& request, Tsdb* tsdb) {
  const absl::StatusOr<Renaming> renaming = ReadRenaming(request);
  if (!renaming.ok()) return HttpError(400, renaming.status());
  const absl::Status renamed =
      tsdb->names().RenameUid(*renaming->kind, renaming->name, renaming->new_name);
  HttpResponse response;
  if (renamed.ok()) {
    response.body = R"({"result":"true"})";
    return response;
  }
  if (!absl::IsInvalidArgument(renamed) && !absl::IsNotFound(renamed) &&
      !absl::IsAlreadyExists(renamed)) {
    return QueryError(renamed);
  }
  response.status = 400;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("result", "false");
  json.Field("error", MessageOf(renamed));
  json.CloseObject();
  return response;
}

}  // namespace

HttpResponse HandleUid(const HttpRequest& request, Tsdb* tsdb) {
  const absl::StatusOr<Route> route = ParseRoute(request.path);
  if (route.ok() && route->sub == "assign") return HandleAssign(request, tsdb);
  if (route.ok() && route->sub == "rename") return HandleRename(request, tsdb);
  return HttpError(501, "Other UID endpoints have not been implemented yet");
}

}  // namespace hourcell
