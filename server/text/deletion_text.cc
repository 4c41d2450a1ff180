#include "server/text/deletion_text.h"

#include <optional>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

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

}  // namespace

std::string DeletionsJson(std::span<const Deletion> deletions) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Key("deletions");
  json.OpenArray();
  for (const Deletion& deletion : deletions) {
    json.OpenObject();
    json.Field("id", deletion.id);
    json.Field("deleted", deletion.deleted_ms);
    json.Field("undoUntil", deletion.undo_until_ms);
    json.Field("start", deletion.start_ms);
    json.Field("end", deletion.end_ms);
    json.Key("metrics");
    json.OpenArray();
    for (const std::string& metric : deletion.metrics)
      json.Value(metric);
    json.CloseArray();
    json.Field("series", deletion.series);
    json.Field("canBeUndone", deletion.can_be_undone);
    json.CloseObject();
  }
  json.CloseArray();
  json.CloseObject();
  return text;
}

absl::StatusOr<std::vector<Deletion>> ParseDeletionsJson(const std::string& text) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array list;
  std::vector<Deletion> deletions;
  bool is_good = parser.parse(text).get(document) == simdjson::SUCCESS &&
                 document["deletions"].get(list) == simdjson::SUCCESS;
  if (is_good) {
    for (const simdjson::dom::element entry : list)
      is_good = is_good && ReadDeletion(entry, &deletions.emplace_back());
  }
  if (is_good) return deletions;
  return absl::InvalidArgumentError(
      fmt::format("expected an object with deletions, got {}", QuoteForMessage(text)));
}

absl::StatusOr<uint64_t> ParseDeletionId(std::string_view text) {
  const std::optional<uint64_t> id = ParseUnsigned(text);
  if (id.has_value() && *id > 0) return *id;
  return absl::InvalidArgumentError(
      fmt::format("id: expected the number of a delete, got {}", QuoteForMessage(text)));
}

}  // namespace hourcell
