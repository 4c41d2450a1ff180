#include "server/query/last_json.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "codec/text/number.h"
#include "server/query/query_request.h"
#include "server/text/json_fields.h"
#include "server/text/json_text.h"
#include "server/text/series_text.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

absl::Status ReadLastTags(element value, std::vector<TagMatch>* tags) {
  tags->clear();
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("tags", "an object");
  for (const auto [tagk, field] : object) {
    HOURCELL_ASSIGN_OR_RETURN(const std::string tagv, JsonText("tags", field));
    AppendTagMatches(tagk, tagv, tags);
  }
  return absl::OkStatus();
}

absl::Status ReadTsuids(element value, std::vector<std::string>* tsuids) {
  tsuids->clear();
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("tsuids", "an array of strings");
  for (const element item : array) {
    if (!item.is_string()) return WrongJsonType("tsuids", "an array of strings");
    HOURCELL_ASSIGN_OR_RETURN(std::string tsuid, ParseQueryTsuid(std::string_view(item)));
    tsuids->push_back(std::move(tsuid));
  }
  return absl::OkStatus();
}

absl::StatusOr<LastSubQuery> ReadSubQuery(element value) {
  simdjson::dom::object object;
  if (value.get(object)) return WrongJsonType("queries", "an array of objects");
  LastSubQuery query;
  for (const auto [key, field] : object) {
    if (key == "metric") {
      HOURCELL_ASSIGN_OR_RETURN(query.metric, JsonText(key, field));
    } else if (key == "tags") {
      HOURCELL_RETURN_IF_ERROR(ReadLastTags(field, &query.tags));
    } else if (key == "tsuids") {
      HOURCELL_RETURN_IF_ERROR(ReadTsuids(field, &query.tsuids));
    }
  }
  if (query.metric.empty() && query.tsuids.empty()) {
    return absl::InvalidArgumentError("Missing the metric or tsuids, provide at least one");
  }
  return query;
}

absl::Status ReadSubQueries(element value, std::vector<LastSubQuery>* queries) {
  queries->clear();
  if (value.is_null()) return absl::OkStatus();
  simdjson::dom::array array;
  if (value.get(array)) return WrongJsonType("queries", "an array of objects");
  for (const element item : array) {
    HOURCELL_ASSIGN_OR_RETURN(LastSubQuery query, ReadSubQuery(item));
    queries->push_back(std::move(query));
  }
  return absl::OkStatus();
}

absl::StatusOr<uint32_t> ReadBackScan(element value) {
  const absl::StatusOr<int64_t> hours = JsonInteger("backScan", value);
  if (hours.ok() && *hours >= 0 && *hours <= std::numeric_limits<uint32_t>::max()) {
    return static_cast<uint32_t>(*hours);
  }
  return absl::InvalidArgumentError("Unable to parse back_scan parameter");
}

}  // namespace

absl::StatusOr<LastQuery> ParseLastJson(const std::string& body) {
  simdjson::dom::parser parser;
  HOURCELL_ASSIGN_OR_RETURN(const simdjson::dom::object object, ParseJsonObject(body, &parser));
  LastQuery query;
  for (const auto [key, field] : object) {
    if (key == "queries") {
      HOURCELL_RETURN_IF_ERROR(ReadSubQueries(field, &query.queries));
    } else if (key == "resolveNames") {
      HOURCELL_ASSIGN_OR_RETURN(query.resolve, JsonBool(key, field));
    } else if (key == "backScan") {
      HOURCELL_ASSIGN_OR_RETURN(query.back_hours, ReadBackScan(field));
    }
  }
  if (query.queries.empty()) return absl::InvalidArgumentError("Missing sub queries");
  if (query.queries.size() > kSubQueriesMax) {
    return absl::InvalidArgumentError(fmt::format("queries: too many; expected at most {}, got {}",
                                                  kSubQueriesMax, query.queries.size()));
  }
  return query;
}

void AppendTagObject(std::span<const TagView> tags, std::string* out) {
  *out += '{';
  for (const TagView& tag : tags) {
    if (&tag != tags.data()) *out += ',';
    AppendJsonString(tag.key, out);
    *out += ':';
    AppendJsonString(tag.value, out);
  }
  *out += '}';
}

void AppendLastPoint(const LastPoint& point, bool resolved, std::string* out) {
  *out += '{';
  if (resolved) {
    *out += "\"metric\":";
    AppendJsonString(point.series.metric, out);
    *out += ',';
  }
  fmt::format_to(std::back_inserter(*out), "\"timestamp\":{},\"value\":\"", point.ms);
  if (point.value.is_integer()) {
    fmt::format_to(std::back_inserter(*out), "{}", point.value.integer());
  } else {
    AppendJavaDouble(point.value.floating(), out);
  }
  *out += '"';
  if (resolved) {
    *out += ",\"tags\":";
    AppendTagObject(point.series.tags, out);
  }
  *out += ",\"tsuid\":\"";
  *out += ToUpperHex(point.series.tsuid);
  *out += "\"}";
}

}  // namespace hourcell
