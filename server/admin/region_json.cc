#include "server/admin/region_json.h"

#include <cstdint>
#include <iterator>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/text/json_fields.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

absl::Status Wrong(std::string_view field, element value, std::string_view want) {
  return absl::InvalidArgumentError(
      fmt::format("{}: got {}; want {}", field, QuoteForMessage(simdjson::to_string(value)), want));
}

absl::Status Missing(std::string_view field, std::string_view want) {
  return absl::InvalidArgumentError(fmt::format("{}: missing; want {}", field, want));
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

// Calls read(field, value) for the fields of the object that a body is.
template <typename Read>
absl::Status ReadFields(const std::string& body, std::string_view known, const Read& read) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  for (const auto [field, value] : object) {
    HOURCELL_ASSIGN_OR_RETURN(const bool is_known, read(std::string_view(field), value));
    if (is_known) continue;
    return absl::InvalidArgumentError(
        fmt::format("body: got the field {}; want {}", QuoteForMessage(field), known));
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

void AppendNextField(std::string_view name, std::string_view text, std::string* out) {
  fmt::format_to(std::back_inserter(*out), ",\"{}\":", name);
  AppendJsonString(text, out);
}

void AppendExplained(const ExplainedKey& key, std::string* out) {
  *out += ",\"explained\":{\"text\":";
  AppendJsonString(KeyText(key), out);
  if (key.salt.has_value()) *out += fmt::format(",\"salt\":{}", *key.salt);
  if (key.metric.has_value()) AppendNextField("metric", *key.metric, out);
  if (key.time_s.has_value()) *out += fmt::format(",\"time\":{}", *key.time_s);
  if (!key.tags.empty()) {
    *out += ",\"tags\":[";
    for (const auto& [tagk, tagv] : key.tags) {
      *out += &tagk == &key.tags.front().first ? "{\"key\":" : ",{\"key\":";
      AppendJsonString(tagk, out);
      AppendNextField("value", tagv, out);
      *out += '}';
    }
    *out += ']';
  }
  if (!key.rest.empty()) AppendNextField("rest", key.rest, out);
  *out += '}';
}

// "{"table":"data"", to be gone on with.
std::string TableField(std::string_view table) {
  std::string out = "{\"table\":";
  AppendJsonString(table, &out);
  return out;
}

}  // namespace

absl::StatusOr<SplitRequest> ParseSplitJson(const std::string& body) {
  SplitRequest request;
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
    } else {
      return false;
    }
    return true;
  };
  HOURCELL_RETURN_IF_ERROR(ReadFields(body, "region, at or into, and table", read));
  if (request.region.empty()) {
    return Missing("region", "an id, an encoded name, a full name, or a key in it");
  }
  if (request.at.has_value() && has_parts) {
    return absl::InvalidArgumentError("body: got at and into; want one or the other");
  }
  return request;
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
        "regions: got {}; want an array of two regions or more", request.regions.size()));
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
    return absl::InvalidArgumentError("body: got split and abandon; want one or the other");
  }
  return request;
}

std::string SplitJson(const SplitRequest& request) {
  std::string out = TableField(request.table);
  AppendNextField("region", request.region, &out);
  if (request.at.has_value()) {
    AppendNextField("at", *request.at, &out);
  } else {
    out += fmt::format(",\"into\":{}", request.into);
  }
  return out + "}";
}

std::string MergeJson(const MergeRequest& request) {
  std::string out = TableField(request.table) + ",\"regions\":[";
  for (const std::string& region : request.regions) {
    if (&region != request.regions.data()) out += ',';
    AppendJsonString(region, &out);
  }
  return out + "]}";
}

std::string RollingJson(const RollingSplitRequest& request) {
  std::string out = TableField(request.table);
  if (request.abandon) {
    out += ",\"abandon\":true";
  } else if (!request.split.empty()) {
    AppendNextField("split", request.split, &out);
  }
  return out + "}";
}

void AppendRegion(const ListedRegion& region, std::string* out) {
  *out += fmt::format("{{\"id\":{}", region.id);
  AppendNextField("name", region.name, out);
  AppendNextField("encoded", region.encoded_name, out);
  AppendNextField("start", region.start, out);
  AppendNextField("end", region.end, out);
  AppendNextField("state", region.state, out);
  AppendNextField("family", region.column_family, out);
  *out += fmt::format(
      ",\"parents\":[{}],\"pinnedUntil\":{},\"references\":{},\"fileBytes\":{},\"memoryBytes\":{},"
      "\"files\":{},\"youngFiles\":{}",
      fmt::join(region.parents, ","), region.pinned_until_ms, region.has_references,
      region.file_bytes, region.memory_bytes, region.files, region.young_files);
  if (region.explained.has_value()) AppendExplained(*region.explained, out);
  *out += '}';
}

void AppendRegions(const std::vector<ListedRegion>& regions, std::string* out) {
  *out += '[';
  for (const ListedRegion& region : regions) {
    if (&region != regions.data()) *out += ',';
    AppendRegion(region, out);
  }
  *out += ']';
}

void AppendRolling(const RollingProgress& progress, std::string* out) {
  *out += "{\"split\":";
  AppendJsonString(progress.split, out);
  *out += fmt::format(",\"keys\":{},\"made\":{},\"there\":{},\"resumed\":{}}}", progress.keys,
                      progress.made, progress.there, progress.is_resumed);
}

}  // namespace hourcell
