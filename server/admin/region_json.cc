#include "server/admin/region_json.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

absl::Status Wrong(std::string_view field, element value, std::string_view want) {
  return absl::InvalidArgumentError(fmt::format("{}: expected {}, got {}", field, want,
                                                QuoteForMessage(simdjson::to_string(value))));
}

absl::Status Missing(std::string_view field, std::string_view want) {
  return absl::InvalidArgumentError(fmt::format("{}: missing; expected {}", field, want));
}

absl::StatusOr<std::string> ReadText(std::string_view field, element value) {
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS) return Wrong(field, value, "a string");
  return std::string(text);
}

absl::StatusOr<std::string> ReadRegion(std::string_view field, element value) {
  uint64_t id = 0;
  if (value.get(id) == simdjson::SUCCESS) return fmt::format("{}", id);
  std::string_view text;
  if (value.get(text) != simdjson::SUCCESS || text.empty()) {
    return Wrong(field, value, "an id, an encoded name, a full name, or a key in it");
  }
  return std::string(text);
}

// Calls read(field, value) for each field of the object `body`.
template <typename Read>
absl::Status ReadFields(const std::string& body, std::string_view known, const Read& read) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  for (const auto [field, value] : object) {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_known, read(std::string_view(field), value));
    if (is_known) continue;
    return absl::InvalidArgumentError(
        fmt::format("body: expected {}, got the field {}", known, QuoteForMessage(field)));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ReadRegionList(element value) {
  simdjson::dom::array array;
  if (value.get(array) != simdjson::SUCCESS) {
    return Wrong("regions", value, "an array of two regions or more");
  }
  std::vector<std::string> regions;
  for (const element region : array) {
    HOURCELL_ASSIGN_OR_RETURN(regions.emplace_back(), ReadRegion("regions", region));
  }
  return regions;
}

absl::StatusOr<uint32_t> ReadParts(element value) {
  uint64_t parts = 0;
  if (value.get(parts) != simdjson::SUCCESS || parts < 2 || parts > UINT32_MAX) {
    return Wrong("into", value, "a number of parts, 2 to 1024");
  }
  return static_cast<uint32_t>(parts);
}

void AppendExplained(const ExplainedKey& key, JsonWriter* json) {
  json->Key("explained");
  json->OpenObject();
  json->Field("text", KeyText(key));
  if (key.salt.has_value()) json->Field("salt", *key.salt);
  if (key.metric.has_value()) json->Field("metric", *key.metric);
  if (key.time_s.has_value()) json->Field("time", *key.time_s);
  if (!key.tags.empty()) {
    json->Key("tags");
    json->OpenArray();
    for (const auto& [tagk, tagv] : key.tags) {
      json->OpenObject();
      json->Field("key", tagk);
      json->Field("value", tagv);
      json->CloseObject();
    }
    json->CloseArray();
  }
  if (!key.rest.empty()) json->Field("rest", key.rest);
  json->CloseObject();
}

void AppendListedRegion(const ListedRegion& region, JsonWriter* json) {
  json->OpenObject();
  json->Field("id", region.id);
  json->Field("name", region.name);
  json->Field("encoded", region.encoded_name);
  json->Field("start", region.start);
  json->Field("end", region.end);
  json->Field("state", region.state);
  json->Field("family", region.column_family);
  json->Key("parents");
  json->OpenArray();
  for (const auto& parent : region.parents)
    json->Value(parent);
  json->CloseArray();
  json->Field("pinnedUntil", region.pinned_until_ms);
  json->Field("references", region.has_references);
  json->Field("fileBytes", region.file_bytes);
  json->Field("memoryBytes", region.memory_bytes);
  json->Field("files", region.files);
  json->Field("youngFiles", region.young_files);
  if (region.explained.has_value()) AppendExplained(*region.explained, json);
  json->CloseObject();
}

void AppendIds(std::string_view name, const std::vector<uint64_t>& ids, JsonWriter* json) {
  json->Key(name);
  json->OpenArray();
  for (const uint64_t id : ids)
    json->Value(id);
  json->CloseArray();
}

template <typename T>
void AppendSteps(std::string_view name,
                 const RegionLoad& load,
                 T RegionLoadStep::* member,
                 JsonWriter* json) {
  json->Key(name);
  json->OpenArray();
  for (const RegionLoadStep& step : load.steps)
    json->Value(step.*member);
  json->CloseArray();
}

void AppendLoad(const RegionLoad& load, JsonWriter* json) {
  json->OpenObject();
  json->Field("id", load.id);
  json->Field("start", load.start);
  json->Field("end", load.end);
  if (load.explained.has_value()) AppendExplained(*load.explained, json);
  AppendIds("parents", load.parents, json);
  json->Field("is_open", load.is_open);
  json->Field("first_step", load.first_step);
  AppendSteps("points_written", load, &RegionLoadStep::points_written, json);
  AppendSteps("rows_written", load, &RegionLoadStep::rows_written, json);
  AppendSteps("rows_blocked", load, &RegionLoadStep::rows_blocked, json);
  AppendSteps("rows_read", load, &RegionLoadStep::rows_read, json);
  AppendSteps("bytes", load, &RegionLoadStep::bytes, json);
  json->CloseObject();
}

std::string EventText(const RegionEvent& event) {
  const std::string parents = fmt::format("{}", fmt::join(event.parents, " and "));
  const std::string daughters = fmt::format("{}", fmt::join(event.daughters, " and "));
  if (!event.is_split()) return fmt::format("Regions {} were merged into {}.", parents, daughters);
  const std::string at = event.cut.empty() ? "" : fmt::format(" at {}", event.cut);
  return fmt::format("Region {} was split{} into {}.", parents, at, daughters);
}

void AppendEvent(const RegionEvent& event, JsonWriter* json) {
  json->OpenObject();
  json->Field("time_ms", event.time_ms);
  json->Field("kind", event.is_split() ? "split" : "merge");
  AppendIds("parents", event.parents, json);
  AppendIds("daughters", event.daughters, json);
  json->Field("text", EventText(event));
  json->CloseObject();
}

std::string_view SourceName(SplitSource source) {
  switch (source) {
    case SplitSource::kGiven:
      return "request";
    case SplitSource::kPolicy:
      return "settings";
    case SplitSource::kWrites:
      return "writes";
  }
  return "";
}

// What to know of a plan, in sentences.
std::string NoteOf(const SplitPlan& plan) {
  constexpr double kAlmostAll = 0.9;
  std::string note;
  if (plan.source == SplitSource::kWrites) note = "The key divides the recent writes.";
  if (!plan.undivided.empty()) {
    note = fmt::format("No key divides the writes: {}. The split settings chose the key.",
                       plan.undivided);
  }
  const auto gets_all = [](const PlannedRegion& one) { return one.write_share >= kAlmostAll; };
  if (!std::ranges::any_of(plan.daughters, gets_all)) return note;
  return fmt::format("{}{}Almost all writes will go to one daughter.", note,
                     note.empty() ? "" : " ");
}

}  // namespace

absl::StatusOr<SplitBody> ParseSplitJson(const std::string& body) {
  SplitBody parsed;
  SplitRequest& request = parsed.split;
  bool has_parts = false;
  const auto read = [&](std::string_view field, element value) -> absl::StatusOr<bool> {
    if (field == "table") {
      HOURCELL_ASSIGN_OR_RETURN(request.table, ReadText(field, value));
    } else if (field == "region") {
      HOURCELL_ASSIGN_OR_RETURN(request.region, ReadRegion(field, value));
    } else if (field == "at") {
      HOURCELL_ASSIGN_OR_RETURN(request.at, ReadText(field, value));
    } else if (field == "into") {
      HOURCELL_ASSIGN_OR_RETURN(request.into, ReadParts(value));
      has_parts = true;
    } else if (field == "dryRun") {
      if (value.get(parsed.is_dry_run) != simdjson::SUCCESS) {
        return Wrong(field, value, "true or false");
      }
    } else {
      return false;
    }
    return true;
  };
  HOURCELL_RETURN_IF_ERROR(ReadFields(body, "region, at or into, dryRun and table", read));
  if (request.region.empty()) {
    return Missing("region", "an id, an encoded name, a full name, or a key in it");
  }
  if (request.at.has_value() && has_parts) {
    return absl::InvalidArgumentError("body: expected one or the other, got at and into");
  }
  return parsed;
}

absl::StatusOr<MergeRequest> ParseMergeJson(const std::string& body) {
  MergeRequest request;
  const auto read = [&](std::string_view field, element value) -> absl::StatusOr<bool> {
    if (field == "table") {
      HOURCELL_ASSIGN_OR_RETURN(request.table, ReadText(field, value));
    } else if (field == "regions") {
      HOURCELL_ASSIGN_OR_RETURN(request.regions, ReadRegionList(value));
    } else {
      return false;
    }
    return true;
  };
  HOURCELL_RETURN_IF_ERROR(ReadFields(body, "regions and table", read));
  if (request.regions.size() < 2) {
    return absl::InvalidArgumentError(fmt::format(
        "regions: expected an array of two regions or more, got {}", request.regions.size()));
  }
  return request;
}

absl::StatusOr<RollingSplitRequest> ParseRollingJson(const std::string& body) {
  RollingSplitRequest request;
  const auto read = [&](std::string_view field, element value) -> absl::StatusOr<bool> {
    if (field == "table") {
      HOURCELL_ASSIGN_OR_RETURN(request.table, ReadText(field, value));
    } else if (field == "split") {
      HOURCELL_ASSIGN_OR_RETURN(request.split, ReadText(field, value));
    } else if (field == "abandon") {
      if (value.get(request.abandon) != simdjson::SUCCESS)
        return Wrong(field, value, "true or false");
    } else {
      return false;
    }
    return true;
  };
  HOURCELL_RETURN_IF_ERROR(ReadFields(body, "split or abandon, and table", read));
  if (request.abandon && !request.split.empty()) {
    return absl::InvalidArgumentError("body: expected one or the other, got split and abandon");
  }
  return request;
}

std::string SplitJson(const SplitBody& body) {
  const SplitRequest& request = body.split;
  std::string out;
  JsonWriter json(&out);
  json.OpenObject();
  json.Field("table", request.table);
  json.Field("region", request.region);
  if (request.at.has_value()) {
    json.Field("at", *request.at);
  } else {
    json.Field("into", request.into);
  }
  if (body.is_dry_run) json.Field("dryRun", true);
  json.CloseObject();
  return out;
}

std::string MergeJson(const MergeRequest& request) {
  std::string out;
  JsonWriter json(&out);
  json.OpenObject();
  json.Field("table", request.table);
  json.Key("regions");
  json.OpenArray();
  for (const std::string& region : request.regions)
    json.Value(region);
  json.CloseArray();
  json.CloseObject();
  return out;
}

std::string RollingJson(const RollingSplitRequest& request) {
  std::string out;
  JsonWriter json(&out);
  json.OpenObject();
  json.Field("table", request.table);
  if (request.abandon) {
    json.Field("abandon", true);
  } else if (!request.split.empty()) {
    json.Field("split", request.split);
  }
  json.CloseObject();
  return out;
}

void AppendRegion(const ListedRegion& region, std::string* out) {
  JsonWriter json(out);
  AppendListedRegion(region, &json);
}

void AppendRegions(const std::vector<ListedRegion>& regions, std::string* out) {
  JsonWriter json(out);
  json.OpenArray();
  for (const ListedRegion& region : regions)
    AppendListedRegion(region, &json);
  json.CloseArray();
}

void AppendSplitPlan(const SplitPlan& plan, JsonWriter* json) {
  json->Field("parent", plan.parent);
  json->Field("dryRun", true);
  json->Field("source", SourceName(plan.source));
  json->Field("note", NoteOf(plan));
  json->Field("sampledWrites", plan.sampled_writes);
  json->Key("daughters");
  json->OpenArray();
  for (const PlannedRegion& daughter : plan.daughters) {
    json->OpenObject();
    json->Field("start", daughter.start);
    json->Field("end", daughter.end);
    json->Field("hex", daughter.start_hex);
    AppendExplained(daughter.explained, json);
    json->Field("bytes", daughter.bytes);
    if (plan.sampled_writes > 0) {
      json->Key("writeShare");
      fmt::format_to(std::back_inserter(*json->RawValue()), "{:.4g}", daughter.write_share);
    }
    json->CloseObject();
  }
  json->CloseArray();
}

void AppendRolling(const RollingProgress& progress, std::string* out) {
  JsonWriter json(out);
  json.OpenObject();
  json.Field("split", progress.split);
  json.Field("keys", progress.keys);
  json.Field("made", progress.made);
  json.Field("there", progress.there);
  json.Field("resumed", progress.is_resumed);
  json.CloseObject();
}

void AppendRegionLoads(std::string_view table, const RegionLoadReport& report, std::string* out) {
  JsonWriter json(out);
  json.OpenObject();
  json.Field("table", table);
  json.Field("step_ms", report.step_ms);
  json.Field("start_ms", report.start_ms);
  json.Field("steps", report.steps);
  json.Key("regions");
  json.OpenArray();
  for (const RegionLoad& load : report.regions)
    AppendLoad(load, &json);
  json.CloseArray();
  json.Key("events");
  json.OpenArray();
  for (const RegionEvent& event : report.events)
    AppendEvent(event, &json);
  json.CloseArray();
  json.CloseObject();
}

}  // namespace hourcell
