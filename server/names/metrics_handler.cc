#include "server/names/metrics_handler.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"

namespace hourcell {
namespace {

constexpr size_t kRankedDefault = 100;
constexpr size_t kRankedMax = 10'000;

std::optional<MetricOrder> ParseOrder(std::string_view text) {
  if (text.empty() || text == "name") return MetricOrder::kName;
  if (text == "series") return MetricOrder::kSeries;
  if (text == "newest") return MetricOrder::kNewest;
  return std::nullopt;
}

absl::StatusOr<size_t> ParseRankLimit(std::string_view text) {
  if (text.empty()) return kRankedDefault;
  const std::optional<uint64_t> limit = ParseUnsigned(text);
  if (!limit.has_value() || *limit == 0 || *limit > kRankedMax) {
    return absl::InvalidArgumentError(
        fmt::format("limit: expected 1 to {}, got '{}'", kRankedMax, TextForMessage(text)));
  }
  return static_cast<size_t>(*limit);
}

absl::StatusOr<MetricSearch> ParseSearch(const HttpRequest& request) {
  const auto text = [&request](std::string_view name) {
    const std::string* value = request.param(name);
    return value != nullptr ? std::string_view(*value) : std::string_view();
  };
  const std::optional<MetricOrder> order = ParseOrder(text("order"));
  if (!order.has_value()) {
    return absl::InvalidArgumentError(fmt::format(
        "order: expected name, series or newest, got '{}'", TextForMessage(text("order"))));
  }
  MetricSearch search{.part = std::string(text("find")), .order = *order};
  HOURCELL_ASSIGN_OR_RETURN(search.limit, ParseRankLimit(text("limit")));
  search.deadline_ms = request.deadline_ms;
  return search;
}

// The text in the list of queries.
std::string ListedSearch(const MetricSearch& search) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", "SUGGEST");
  json.Field("names", "metrics");
  json.Field("find", search.part);
  json.Field("max", static_cast<uint64_t>(search.limit));
  json.CloseObject();
  return text;
}

absl::Status PrintRanking(const MetricSearch& search,
                          Tsdb* tsdb,
                          QueryControl* control,
                          BodyWriter* body) {
  HOURCELL_ASSIGN_OR_RETURN(const MetricRanking ranking,
                            tsdb->names().RankMetrics(search, control));
  JsonWriter json(&body->buffer());
  json.OpenObject();
  json.Field("total", ranking.total);
  if (search.order == MetricOrder::kSeries) json.Field("series", ranking.series);
  json.Key("metrics");
  json.OpenArray();
  for (const RankedMetric& metric : ranking.metrics) {
    json.OpenObject();
    json.Field("metric", metric.name);
    json.Field("uid", ToUpperHex(metric.uid_bytes));
    json.Field("series", metric.series);
    json.CloseObject();
    HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  json.CloseArray();
  json.CloseObject();
  return absl::OkStatus();
}

}  // namespace

HttpResponse HandleMetrics(const HttpRequest& request, const QueryService& service) {
  absl::StatusOr<MetricSearch> search = ParseSearch(request);
  if (!search.ok()) return HttpError(400, search.status());
  std::string text = ListedSearch(*search);
  const auto print = [tsdb = service.tsdb, parsed = *std::move(search)](QueryControl* control,
                                                                        BodyWriter* body) {
    return PrintRanking(parsed, tsdb, control, body);
  };
  return ListedResponse(service, request, std::move(text), print, &QueryError);
}

}  // namespace hourcell
