#include "server/text/deletion_text.h"

#include <optional>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

bool ReadDeletion(simdjson::dom::element entry, Deletion* deletion) {
  simdjson::dom::array metrics;
  const bool is_good = entry["id"].get(deletion->id) == simdjson::SUCCESS &&
                       entry["deleted"].get(deletion->deleted_ms) == simdjson::SUCCESS &&
                       entry["undoUntil"].get(deletion->undo_until_ms) == simdjson::SUCCESS &&
                       entry["start"].get(deletion->start_ms) == simdjson::SUCCESS &&
                       entry["end"].get(deletion->end_ms) == simdjson::SUCCESS &&
                       entry["metrics"].get(metrics) == simdjson::SUCCESS &&
                       entry["series"].get(deletion->series) == simdjson::SUCCESS &&
                       entry["canBeUndone"].get(deletion->can_be_undone) == simdjson::SUCCESS;
  if (!is_good) return false;
  for (const simdjson::dom::element metric : metrics) {
    std::string_view name;
    if (metric.get(name) != simdjson::SUCCESS) return false;
    deletion->metrics.emplace_back(name);
  }
  return true;
}

// Sets `*value` to a field that may be absent.
template <typename Value>
bool ReadOptional(simdjson::dom::element entry, const char* key, std::optional<Value>* value) {
  Value present;
  const simdjson::error_code error = entry[key].get(present);
  if (error == simdjson::SUCCESS) *value = present;
  return error == simdjson::SUCCESS || error == simdjson::NO_SUCH_FIELD;
}

bool ReadShortenedTtl(simdjson::dom::element entry, ShortenedTtl* ttl) {
  std::optional<std::string_view> metric;
  const bool is_good = entry["id"].get(ttl->id) == simdjson::SUCCESS &&
                       entry["changed"].get(ttl->changed_ms) == simdjson::SUCCESS &&
                       entry["undoUntil"].get(ttl->undo_until_ms) == simdjson::SUCCESS &&
                       ReadOptional(entry, "metric", &metric) &&
                       ReadOptional(entry, "before", &ttl->before_s) &&
                       ReadOptional(entry, "since", &ttl->shortened_s);
  ttl->metric = metric.value_or("");
  return is_good;
}

bool ReadRename(simdjson::dom::element entry, UidRename* rename) {
  std::string_view kind;
  std::string_view uid;
  std::string_view name;
  std::string_view old_name;
  const bool is_good = entry["id"].get(rename->id) == simdjson::SUCCESS &&
                       entry["changed"].get(rename->renamed_ms) == simdjson::SUCCESS &&
                       entry["undoUntil"].get(rename->undo_until_ms) == simdjson::SUCCESS &&
                       entry["type"].get(kind) == simdjson::SUCCESS &&
                       entry["uid"].get(uid) == simdjson::SUCCESS &&
                       entry["name"].get(name) == simdjson::SUCCESS &&
                       entry["oldName"].get(old_name) == simdjson::SUCCESS;
  if (!is_good) return false;
  const absl::StatusOr<UidKind> of = ParseKindName(kind);
  absl::StatusOr<std::string> bytes = FromHex(uid);
  if (!of.ok() || !bytes.ok()) return false;
  rename->row = {.kind = *of, .name = std::string(name), .uid_bytes = *std::move(bytes)};
  rename->old_name = old_name;
  return true;
}

// Leaves out kinds of later servers.
bool ReadChanges(simdjson::dom::element changes, UndoList* list) {
  simdjson::dom::array entries;
  if (changes.get(entries) != simdjson::SUCCESS) return false;
  for (const simdjson::dom::element entry : entries) {
    std::string_view kind;
    if (entry["kind"].get(kind) != simdjson::SUCCESS) return false;
    if (kind == "ttl" && !ReadShortenedTtl(entry, &list->ttls.emplace_back())) return false;
    if (kind == "rename" && !ReadRename(entry, &list->renames.emplace_back())) return false;
  }
  return true;
}

void WriteDeletion(const Deletion& deletion, JsonWriter* json) {
  json->OpenObject();
  json->Field("id", deletion.id);
  json->Field("kind", "delete");
  json->Field("deleted", deletion.deleted_ms);
  json->Field("undoUntil", deletion.undo_until_ms);
  json->Field("start", deletion.start_ms);
  json->Field("end", deletion.end_ms);
  json->Key("metrics");
  json->OpenArray();
  for (const std::string& metric : deletion.metrics)
    json->Value(metric);
  json->CloseArray();
  json->Field("series", deletion.series);
  json->Field("canBeUndone", deletion.can_be_undone);
  json->CloseObject();
}

void WriteShortenedTtl(const ShortenedTtl& ttl, JsonWriter* json) {
  json->OpenObject();
  json->Field("id", ttl.id);
  json->Field("kind", "ttl");
  json->Field("changed", ttl.changed_ms);
  json->Field("undoUntil", ttl.undo_until_ms);
  if (!ttl.metric.empty()) json->Field("metric", ttl.metric);
  if (ttl.before_s.has_value()) json->Field("before", *ttl.before_s);
  if (ttl.shortened_s.has_value()) json->Field("since", *ttl.shortened_s);
  json->CloseObject();
}

void WriteRename(const UidRename& rename, JsonWriter* json) {
  json->OpenObject();
  json->Field("id", rename.id);
  json->Field("kind", "rename");
  json->Field("changed", rename.renamed_ms);
  json->Field("undoUntil", rename.undo_until_ms);
  json->Field("type", KindName(rename.row.kind));
  json->Field("uid", ToUpperHex(rename.row.uid_bytes));
  json->Field("name", rename.row.name);
  json->Field("oldName", rename.old_name);
  json->CloseObject();
}

}  // namespace

std::string UndoListJson(const UndoList& list) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Key("deletions");
  json.OpenArray();
  for (const Deletion& deletion : list.deletions)
    WriteDeletion(deletion, &json);
  json.CloseArray();
  json.Key("changes");
  json.OpenArray();
  for (const ShortenedTtl& ttl : list.ttls)
    WriteShortenedTtl(ttl, &json);
  for (const UidRename& rename : list.renames)
    WriteRename(rename, &json);
  json.CloseArray();
  json.CloseObject();
  return text;
}

absl::StatusOr<UndoList> ParseUndoListJson(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array deletions;
  UndoList list;
  bool is_good = parser.parse(text).get(document) == simdjson::SUCCESS &&
                 document["deletions"].get(deletions) == simdjson::SUCCESS;
  if (is_good) {
    for (const simdjson::dom::element entry : deletions)
      is_good = is_good && ReadDeletion(entry, &list.deletions.emplace_back());
  }
  simdjson::dom::element changes;
  if (is_good && document["changes"].get(changes) == simdjson::SUCCESS) {
    is_good = ReadChanges(changes, &list);
  }
  if (is_good) return list;
  return absl::InvalidArgumentError(
      fmt::format("expected an object with deletions, got {}", QuoteForMessage(text)));
}

absl::StatusOr<uint64_t> ParseDeletionId(std::string_view text) {
  const std::optional<uint64_t> id = ParseUnsigned(text);
  if (id.has_value() && *id > 0) return *id;
  return absl::InvalidArgumentError(
      fmt::format("id: expected the number of a change, got {}", QuoteForMessage(text)));
}

}  // namespace hourcell
