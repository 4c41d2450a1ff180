#include "server/histograms/histogram_handler.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/histograms/histogram_json.h"
#include "server/histograms/sent_histogram.h"
#include "server/http/http_error.h"
#include "server/http/http_status.h"
#include "server/http/request_body_budget.h"
#include "server/put/put_writer.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

// Bytes of memory for a byte of a body: simdjson's index and copy, the histograms, and their cells.
constexpr size_t kHistogramMemoryFactor = 24;

// Whether the memory of all bodies has room to parse and store this one.
bool ChargeHistograms(const HttpRequest& request) {
  RequestBodyBudget::Hold* const memory = request.memory;
  if (memory == nullptr || request.body.size() <= kSmallBodyBytesMax) return true;
  return memory->Grow(memory->bytes() + kHistogramMemoryFactor * request.body.size());
}

// Stores the good histograms of a body. Adds those that the store refuses to its faults.
absl::Status StoreGood(const HttpRequest& request, Tsdb* tsdb, HistogramBody* body) {
  const HistogramPoints points(body->good);
  std::vector<RefusedPoint> refused;
  const absl::Status stored =
      tsdb->points().AppendHistograms(points.points(), &refused,
                                      {.sync = request.has_param("sync"),
                                       .via = request.header("x-hourcell-via"),
                                       .new_series = request.new_series_limit()});
  for (RefusedPoint& one : refused) {
    one.error.text = RefusalText(one.error);
    body->faults.push_back({.index = body->index_of[one.index], .error = std::move(one.error)});
  }
  std::ranges::sort(body->faults, {}, &HistogramFault::index);
  return stored;
}

// Whether a body needs a codec, and none is set.
bool AreOff(const HistogramCodecs& codecs, const absl::StatusOr<HistogramBody>& body) {
  if (codecs.is_enabled()) return false;
  return !body.ok() || std::ranges::any_of(body->faults, [](const HistogramFault& fault) {
    return fault.error.text == kHistogramsAreOff;
  });
}

// A full store outweighs a broken one, which outweighs a bad histogram, as for points.
int StatusOfFaults(const std::vector<HistogramFault>& faults) {
  const auto has = [&faults](PointErrorKind kind) {
    return std::ranges::any_of(
        faults, [kind](const HistogramFault& fault) { return fault.error.kind == kind; });
  };
  if (has(PointErrorKind::kThrottled)) return 503;
  return has(PointErrorKind::kStorage) ? 500 : 400;
}

std::string SummaryOf(const HistogramBody& body, bool details) {
  std::string json = fmt::format("{{\"success\":{},\"failed\":{}", body.size - body.faults.size(),
                                 body.faults.size());
  if (details) {
    json += ",\"errors\":[";
    for (size_t i = 0; i < body.faults.size(); ++i) {
      json += i == 0 ? "{\"error\":" : ",{\"error\":";
      AppendJsonString(body.faults[i].error.text, &json);
      json += fmt::format(",\"index\":{}}}", body.faults[i].index);
    }
    json += ']';
  }
  return json + "}";
}

}  // namespace

HttpResponse HandleHistograms(const HttpRequest& request,
                              const HistogramCodecs& codecs,
                              Tsdb* tsdb,
                              BodyWork* work) {
  if (!ChargeHistograms(request)) return HttpError(503, kNoRequestBodyBudget);
  absl::StatusOr<HistogramBody> body = ParseHistogramBody(codecs, request.body);
  if (AreOff(codecs, body)) return HttpError(503, kHistogramsAreOff);
  if (!body.ok()) return HttpError(400, std::string(body.status().message()));
  if (work != nullptr && !work->Look()) return HttpError(503, work->status());
  const absl::Status stored = StoreGood(request, tsdb, &*body);
  if (!stored.ok()) {
    return HttpError(HttpStatusOf(Failed::kStore, stored.code()), "Storage exception",
                     std::string(stored.message()));
  }
  const bool details = request.has_param("details");
  const bool is_whole = body->faults.empty();
  HttpResponse response;
  if (details || request.has_param("summary")) {
    response.status = is_whole ? 200 : StatusOfFaults(body->faults);
    response.body = SummaryOf(*body, details);
  } else if (is_whole) {
    response.status = 204;
  } else {
    response = HttpError(StatusOfFaults(body->faults), "One or more data points had errors",
                         "Please see the TSD logs or append \"details\" to the put request");
  }
  return response;
}

}  // namespace hourcell
