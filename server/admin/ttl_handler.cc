#include "server/admin/ttl_handler.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "server/http/http_error.h"
#include "server/http/http_status.h"
#include "server/query/query_handler.h"
#include "server/text/ttl_text.h"

namespace hourcell {
namespace {

constexpr size_t kTtlBodyBytesMax = 64 << 10;

// The change that a POST requests.
struct TtlChange {
  std::string metric;
  std::optional<int64_t> ttl_s;
};

absl::StatusOr<std::optional<int64_t>> ReadTtl(simdjson::dom::element value) {
  std::string_view text;
  if (value.is_null()) return std::optional<int64_t>();
  if (value.get(text) == simdjson::SUCCESS) return ParseTtl(text);
  return ParseTtl(simdjson::to_string(value));
}

absl::StatusOr<TtlChange> ReadChange(const std::string& body) {
  if (body.size() > kTtlBodyBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("body: expected at most {} bytes, got {}", kTtlBodyBytesMax, body.size()));
  }
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(body).get(object)) {
    return absl::InvalidArgumentError(fmt::format(
        "body: {}; expected an object with metric and ttl", simdjson::error_message(error)));
  }
  TtlChange change;
  bool has_ttl = false;
  for (const auto [key, value] : object) {
    std::string_view text;
    if (key == "metric" && value.get(text) == simdjson::SUCCESS) {
      change.metric = text;
    } else if (key == "ttl") {
      HOURCELL_ASSIGN_OR_RETURN(change.ttl_s, ReadTtl(value));
      has_ttl = true;
    } else {
      return absl::InvalidArgumentError(
          fmt::format("body: expected a metric's name and its ttl, got {}",
                      QuoteForMessage(fmt::format("{}: {}", key, simdjson::to_string(value)))));
    }
  }
  if (change.metric.empty()) return absl::InvalidArgumentError("metric: missing");
  if (!has_ttl) return absl::InvalidArgumentError("ttl: missing");
  return change;
}

// Whether the change may remove points that are kept now.
absl::StatusOr<bool> IsShorter(const TtlChange& change, Tsdb* tsdb) {
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<MetricTtl> ttls, tsdb->retention().MetricTtls());
  int64_t before_s = tsdb->retention().store_ttl_s();
  const int64_t after_s = change.ttl_s.value_or(before_s);
  const auto own = std::ranges::find(ttls, change.metric, &MetricTtl::metric);
  if (own != ttls.end()) before_s = own->ttl_s;
  return after_s != 0 && (before_s == 0 || after_s < before_s);
}

HttpResponse ListTtls(Tsdb* tsdb) {
  const absl::StatusOr<std::vector<MetricTtl>> ttls = tsdb->retention().MetricTtls();
  if (!ttls.ok()) return QueryError(ttls.status());
  HttpResponse response;
  JsonWriter json(&response.body);
  json.OpenObject();
  json.Field("store", tsdb->retention().store_ttl_s());
  json.Key("metrics");
  json.OpenObject();
  for (const MetricTtl& ttl : *ttls)
    json.Field(ttl.metric, ttl.ttl_s);
  json.CloseObject();
  json.CloseObject();
  return response;
}

}  // namespace

HttpResponse HandleTtl(const HttpRequest& request, bool allow_shorter, Tsdb* tsdb) {
  if (request.method != "POST") return ListTtls(tsdb);
  const absl::StatusOr<TtlChange> change = ReadChange(request.body);
  if (!change.ok()) return HttpError(400, change.status());
  const absl::StatusOr<bool> is_shorter = IsShorter(*change, tsdb);
  if (!is_shorter.ok()) return QueryError(is_shorter.status());
  if (*is_shorter && !allow_shorter) {
    return HttpError(403, "Forbidden",
                     "A shorter TTL removes points, which is not enabled "
                     "(tsd.http.ttl.allow_shorter=false)");
  }
  const absl::Status set = tsdb->retention().SetMetricTtl(change->metric, change->ttl_s);
  if (!set.ok()) return FailureResponse(Failed::kStore, set);
  return ListTtls(tsdb);
}

}  // namespace hourcell
