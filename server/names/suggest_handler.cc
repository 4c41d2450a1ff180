#include "server/names/suggest_handler.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "engine/tsdb.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/query/query_request.h"
#include "server/text/json_fields.h"

namespace hourcell {
namespace {

constexpr int64_t kNamesDefault = 25;

// A request's fields as text; empty = absent.
struct SuggestFields {
  std::string type;
  std::string prefix;
  std::string max;
  bool all = false;  // also metrics without series
};

SuggestFields FromParams(const HttpRequest& request) {
  const auto text = [&request](std::string_view name) {
    const std::string* value = request.param(name);
    return value != nullptr ? *value : std::string();
  };
  return {.type = text("type"),
          .prefix = text("q"),
          .max = text("max"),
          .all = request.has_param("all")};
}

absl::StatusOr<SuggestFields> FromJson(const std::string& body) {
  if (body.empty()) return absl::InvalidArgumentError("Missing message content");
  if (body.size() > kQueryBodyBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("suggest body: too long; expected at most {} bytes, got {}", kQueryBodyBytesMax,
                    body.size()));
  }
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(body).get(object)) {
    return absl::InvalidArgumentError(
        fmt::format("Unable to parse the given JSON: {}", simdjson::error_message(error)));
  }
  SuggestFields fields;
  for (const auto [key, value] : object) {
    if (key == "all") {
      HOURCELL_ASSIGN_OR_RETURN(fields.all, JsonBool(key, value));
      continue;
    }
    std::string* const field = key == "type"  ? &fields.type
                               : key == "q"   ? &fields.prefix
                               : key == "max" ? &fields.max
                                              : nullptr;
    if (field == nullptr) continue;
    std::string_view text;
    *field = value.is_null()    ? std::string()
             : !value.get(text) ? std::string(text)
                                : simdjson::to_string(value);
  }
  return fields;
}

std::optional<UidKind> ParseKind(std::string_view type) {
  if (type == "metrics") return UidKind::kMetric;
  if (type == "tagk") return UidKind::kTagk;
  if (type == "tagv") return UidKind::kTagv;
  return std::nullopt;
}

// A whole number above 0; one above 64 bits becomes the largest.
absl::StatusOr<uint64_t> ParseMax(std::string_view text) {
  if (text.empty()) return kNamesDefault;
  int64_t max = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), max);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return absl::InvalidArgumentError("Unable to parse 'max' as a number");
  }
  if (error == std::errc::result_out_of_range && text[0] != '-') max = INT64_MAX;
  if (max < 1) return absl::InvalidArgumentError("Count must be greater than 0");
  return static_cast<uint64_t>(max);
}

// A parsed request.
struct SuggestQuery {
  NameQuery names;
  std::string type;
  uint64_t max = 0;
};

absl::StatusOr<SuggestQuery> ParseSuggest(const HttpRequest& request) {
  SuggestFields fields = FromParams(request);
  if (request.method == "POST") {
    HOURCELL_ASSIGN_OR_RETURN(fields, FromJson(request.body));
    if (fields.type.empty()) return absl::InvalidArgumentError("Missing 'type' parameter");
  }
  if (fields.type.empty()) {
    return absl::InvalidArgumentError("Missing parameter <code>type</code>");
  }
  const std::optional<UidKind> kind = ParseKind(fields.type);
  if (!kind) {
    return absl::InvalidArgumentError(
        fmt::format("Invalid 'type' parameter:{}", TextForMessage(fields.type)));
  }
  SuggestQuery query;
  HOURCELL_ASSIGN_OR_RETURN(query.max, ParseMax(fields.max));
  query.type = std::move(fields.type);
  query.names = {.kind = *kind, .prefix = std::move(fields.prefix)};
  query.names.deadline_ms = request.deadline_ms;
  query.names.only_with_series = !fields.all;
  return query;
}

// The text of a query in the list of queries.
std::string ListedText(const SuggestQuery& query) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", "SUGGEST");
  json.Field("names", query.type);
  json.Field("q", query.names.prefix);
  json.Field("max", query.max);
  json.CloseObject();
  return text;
}

absl::Status Print(const SuggestQuery& query, Tsdb* tsdb, QueryControl* control, BodyWriter* body) {
  absl::Status offered;
  uint64_t printed = 0;
  JsonWriter json(&body->buffer());
  json.OpenArray();
  const auto print = [&](std::string_view name) {
    json.Value(name);
    offered = body->Offer();
    return offered.ok() && ++printed < query.max;
  };
  HOURCELL_RETURN_IF_ERROR(tsdb->names().VisitNames(query.names, print, control));
  HOURCELL_RETURN_IF_ERROR(offered);
  json.CloseArray();
  return absl::OkStatus();
}

}  // namespace

HttpResponse HandleSuggest(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<SuggestQuery> query = ParseSuggest(request);
  if (!query.ok()) return HttpError(400, query.status());
  std::string text = ListedText(*query);
  const auto print = [tsdb = service.tsdb, parsed = *std::move(query)](QueryControl* control,
                                                                       BodyWriter* body) {
    return Print(parsed, tsdb, control, body);
  };
  return ListedResponse(service, request, std::move(text), print, &QueryError);
}

}  // namespace hourcell
