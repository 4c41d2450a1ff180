#include "server/names/search_json.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "server/query/last_json.h"
#include "server/text/json_fields.h"
#include "server/text/series_text.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

absl::Status ReadTag(element value, std::vector<TagMatch>* tags) {
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("tags", "an array of objects with key and value");
  std::string tagk;
  std::string tagv;
  for (const auto [key, field] : object) {
    if (key == "key") {
      HOURCELL_ASSIGN_OR_RETURN(tagk, JsonText(key, field));
    } else if (key == "value") {
      HOURCELL_ASSIGN_OR_RETURN(tagv, JsonText(key, field));
    }
  }
  AppendTagMatches(tagk, tagv, tags);
  return absl::OkStatus();
}

absl::Status ReadSearchTags(element value, std::vector<TagMatch>* tags) {
  tags->clear();
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("tags", "an array of objects with key and value");
  for (const element item : array)
    HOURCELL_RETURN_IF_ERROR(ReadTag(item, tags));
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> ReadCount(std::string_view key, element value) {
  HOURCELL_ASSIGN_OR_RETURN(const std::string text, JsonText(key, value));
  return ParseLookupCount(key, text);
}

std::string_view OrAny(std::string_view text) {
  return text.empty() ? "*" : text;
}

}  // namespace

absl::StatusOr<uint64_t> ParseLookupCount(std::string_view name, std::string_view text) {
  uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return absl::InvalidArgumentError(
        fmt::format("Unable to convert '{}' to a valid number", name));
  }
  return error == std::errc() ? count : std::numeric_limits<uint64_t>::max();
}

absl::Status CheckLookup(const LookupQuery& query) {
  if (!query.metric.empty() || !query.tags.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("Missing metric and tags. Please supply at least one value.");
}

absl::StatusOr<LookupQuery> ParseLookupJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  LookupQuery query;
  query.limit = kLookupLimitDefault;
  for (const auto [key, field] : object) {
    if (key == "metric") {
      HOURCELL_ASSIGN_OR_RETURN(query.metric, JsonText(key, field));
    } else if (key == "tags") {
      HOURCELL_RETURN_IF_ERROR(ReadSearchTags(field, &query.tags));
    } else if (key == "limit") {
      HOURCELL_ASSIGN_OR_RETURN(query.limit, ReadCount(key, field));
    } else if (key == "startIndex") {
      HOURCELL_ASSIGN_OR_RETURN(query.start_index, ReadCount(key, field));
    }
  }
  HOURCELL_RETURN_IF_ERROR(CheckLookup(query));
  return query;
}

void AddLookupQuery(const LookupQuery& query, JsonWriter* json) {
  json->Field("metric", OrAny(query.metric));
  json->Key("tags");
  json->OpenArray();
  for (const TagMatch& tag : query.tags) {
    json->OpenObject();
    json->Field("key", OrAny(tag.tagk));
    json->Field("value", OrAny(tag.tagv));
    json->CloseObject();
  }
  json->CloseArray();
  json->Field("limit", query.limit);
}

void AppendFoundSeries(const FoundSeries& series, std::string* out) {
  JsonWriter json(out);
  json.OpenObject();
  json.Field("tsuid", ToUpperHex(series.tsuid));
  json.Field("metric", series.metric);
  json.Key("tags");
  AppendTagObject(series.tags, json.RawValue());
  json.CloseObject();
}

}  // namespace hourcell
