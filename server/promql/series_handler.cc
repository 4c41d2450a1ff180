#include "server/promql/series_handler.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "promql/labels.h"
#include "promql/text/expression.h"
#include "promql/text/parser.h"
#include "server/http/body/body_writer.h"
#include "server/http/http_error.h"
#include "server/http/http_router.h"
#include "server/promql/prom_response.h"
#include "server/promql/request_params.h"
#include "server/promql/series_index.h"
#include "server/promql/value_writer.h"
#include "server/query/query_run.h"

namespace hourcell {
namespace {

// Approximate memory of an element of a set, without its text.
constexpr size_t kElementBytes = 96;

struct SeriesRequest {
  std::vector<std::vector<promql::LabelMatcher>> selectors;
  size_t limit = 0;  // 0: none
  int64_t deadline_ms = 0;
  std::optional<PointTimes> times;  // nullopt: any
};

// `start` and `end`. A missing start is the earliest time, a missing end the latest.
std::optional<HttpResponse> ReadTimes(const PromParams& params, SeriesRequest* parsed) {
  PointTimes times;
  const std::pair<std::string_view, int64_t*> bounds[] = {{"start", &times.start_ms},
                                                          {"end", &times.end_ms}};
  for (const auto& [name, bound] : bounds) {
    const int64_t absent_ms = bound == &times.start_ms ? 0 : kPromTimeMsMax;
    const absl::StatusOr<int64_t> ms = PromTimeOf(params, name, absent_ms);
    if (!ms.ok()) return PromBadParameter(name, ms.status());
    *bound = *ms;
    if (!params.Get(name).empty()) parsed->times.emplace();
  }
  if (parsed->times.has_value()) parsed->times = times;
  return std::nullopt;
}

std::optional<HttpResponse> ReadSeriesRequest(const HttpRequest& request, SeriesRequest* parsed) {
  const absl::StatusOr<PromParams> params = PromParams::Of(request);
  if (!params.ok()) return PromBadData(MessageOf(params.status()));
  if (auto refusal = ReadTimes(*params, parsed)) return refusal;
  for (const std::string_view text : params->All("match[]")) {
    absl::StatusOr<std::vector<promql::LabelMatcher>> matchers = promql::ParseSelector(text);
    if (!matchers.ok()) return PromBadParameter("match[]", matchers.status());
    parsed->selectors.push_back(*std::move(matchers));
  }
  if (const std::string_view text = params->Get("limit"); !text.empty()) {
    const std::optional<uint64_t> limit = ParseUnsigned(text);
    if (!limit.has_value()) {
      return PromBadParameter(
          "limit", fmt::format("expected a number of at least 0, got {}", QuoteForMessage(text)));
    }
    parsed->limit = static_cast<size_t>(*limit);
  }
  parsed->deadline_ms = request.deadline_ms;
  return std::nullopt;
}

// The text in the list of queries.
std::string ListedText(std::string_view type, const PromParams& params) {
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("type", type);
  json.Key("match");
  json.OpenArray();
  for (const std::string_view match : params.All("match[]"))
    json.Value(match);
  json.CloseArray();
  json.CloseObject();
  return text;
}

std::string ListedText(std::string_view type, const HttpRequest& request) {
  const absl::StatusOr<PromParams> params = PromParams::Of(request);
  return ListedText(type, params.ok() ? *params : PromParams());
}

// The distinct elements of an answer, in order, with their memory.
template <typename Element>
class Answer {
 public:
  Answer(MemoryHold* memory, size_t limit) : memory_(*memory), limit_(limit) {}

  absl::Status Add(const Element& element, size_t bytes) {
    if (is_full()) {
      is_cut_ = is_cut_ || !elements_.contains(element);
      return absl::OkStatus();
    }
    if (!elements_.insert(element).second) return absl::OkStatus();
    return memory_.Take(bytes + kElementBytes);
  }
  absl::Status AddText(const Element& text) { return Add(text, text.size()); }

  bool is_full() const { return limit_ > 0 && elements_.size() == limit_; }

  absl::Status Print(void (*append)(const Element&, std::string*), BodyWriter* body) const {
    body->buffer() += R"({"status":"success","data":[)";
    bool is_first = true;
    for (const Element& element : elements_) {
      if (!is_first) body->buffer() += ',';
      is_first = false;
      append(element, &body->buffer());
      HOURCELL_RETURN_IF_ERROR(body->Offer());
    }
    body->buffer() += is_cut_ ? R"(],"warnings":["results truncated due to limit"]})" : "]}";
    return absl::OkStatus();
  }

 private:
  MemoryHold& memory_;
  const size_t limit_;
  bool is_cut_ = false;
  std::set<Element> elements_;
};

void AppendText(const std::string& text, std::string* out) {
  AppendJsonString(text, out);
}

// Only the parameter match[] may be wrong by now.
HttpResponse FailedLookup(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? PromBadParameter("match[]", status)
                                         : PromFailure(status);
}

// Runs `work` on the index as a listed query.
HttpResponse Listed(
    const HttpRequest& request,
    const PromSeriesReader& reader,
    std::string text,
    const SeriesRequest& parsed,
    std::function<absl::Status(SeriesIndex* index, MemoryHold* memory, BodyWriter* body)> work) {
  const auto print = [&reader, deadline_ms = parsed.deadline_ms, times = parsed.times,
                      work = std::move(work)](QueryControl* control,
                                              BodyWriter* body) -> absl::Status {
    const std::unique_ptr<MemoryAccount> account =
        reader.service().tsdb->queries().LeaseQueryMemory(control);
    if (account == nullptr) return absl::UnavailableError("The store is closed");
    MemoryHold memory(account.get());
    SeriesIndex index(&reader, {.deadline_ms = deadline_ms, .control = control}, &memory, times);
    return work(&index, &memory, body);
  };
  return ListedResponse(reader.service(), request, std::move(text), print, &FailedLookup);
}

// Adds the names, or the values of `label`, of the series that match.
absl::Status AddOfSeries(const SeriesRequest& parsed,
                         std::string_view label,
                         SeriesIndex* index,
                         Answer<std::string>* answer) {
  const auto visit = [&](const promql::Labels& labels) -> absl::StatusOr<bool> {
    for (const auto& [name, value] : labels.pairs()) {
      if (!label.empty() && name != label) continue;
      HOURCELL_RETURN_IF_ERROR(answer->AddText(label.empty() ? name : value));
    }
    // All series of a metric have its name.
    return label != promql::kMetricName;
  };
  for (const std::vector<promql::LabelMatcher>& selector : parsed.selectors)
    HOURCELL_RETURN_IF_ERROR(index->VisitSeries(selector, visit));
  return absl::OkStatus();
}

// The name in label/NAME/values; nullopt: the path has another form.
std::optional<std::string> LabelOf(const HttpRequest& request) {
  constexpr std::string_view kBefore = "label/";
  constexpr std::string_view kAfter = "/values";
  const absl::StatusOr<RoutePath> route = ParseRoutePath(request.path);
  if (!route.ok() || route->rest.size() <= kBefore.size() + kAfter.size() ||
      !route->rest.ends_with(kAfter)) {
    return std::nullopt;
  }
  std::string_view name = route->rest.substr(kBefore.size());
  name.remove_suffix(kAfter.size());
  return std::string(name);
}

}  // namespace

HttpResponse HandlePromSeries(const HttpRequest& request, const PromSeriesReader& reader) {
  SeriesRequest parsed;
  if (auto refusal = ReadSeriesRequest(request, &parsed)) return *std::move(refusal);
  if (parsed.selectors.empty()) return PromBadData("no match[] parameter provided");
  const auto work = [parsed](SeriesIndex* index, MemoryHold* memory,
                             BodyWriter* body) -> absl::Status {
    Answer<promql::Labels> answer(memory, parsed.limit);
    const auto visit = [&](const promql::Labels& labels) -> absl::StatusOr<bool> {
      HOURCELL_RETURN_IF_ERROR(answer.Add(labels, labels.MemoryBytes()));
      return true;
    };
    for (const std::vector<promql::LabelMatcher>& selector : parsed.selectors)
      HOURCELL_RETURN_IF_ERROR(index->VisitSeries(selector, visit));
    return answer.Print(&AppendPromLabels, body);
  };
  return Listed(request, reader, ListedText("PROMQL_SERIES", request), parsed, work);
}

HttpResponse HandlePromLabels(const HttpRequest& request, const PromSeriesReader& reader) {
  SeriesRequest parsed;
  if (auto refusal = ReadSeriesRequest(request, &parsed)) return *std::move(refusal);
  const auto work = [parsed](SeriesIndex* index, MemoryHold* memory,
                             BodyWriter* body) -> absl::Status {
    Answer<std::string> answer(memory, parsed.limit);
    const auto add = [&](const std::string& name) { return answer.AddText(name); };
    HOURCELL_RETURN_IF_ERROR(parsed.selectors.empty()
                                 ? index->VisitLabelNames(add)
                                 : AddOfSeries(parsed, /*label=*/"", index, &answer));
    return answer.Print(&AppendText, body);
  };
  return Listed(request, reader, ListedText("PROMQL_LABELS", request), parsed, work);
}

HttpResponse HandlePromLabelValues(const HttpRequest& request, const PromSeriesReader& reader) {
  const std::optional<std::string> name = LabelOf(request);
  if (!name.has_value()) return HttpError(404, "Endpoint not found");
  const bool is_metric = *name == promql::kMetricName;
  if (!is_metric && reader.labels().LabelName(*name) != *name) {
    return PromBadData(fmt::format("invalid label name: {}", QuoteForMessage(*name)));
  }
  SeriesRequest parsed;
  if (auto refusal = ReadSeriesRequest(request, &parsed)) return *std::move(refusal);
  const auto work = [parsed, label = *name, is_metric](SeriesIndex* index, MemoryHold* memory,
                                                       BodyWriter* body) -> absl::Status {
    Answer<std::string> answer(memory, parsed.limit);
    const auto add = [&](const std::string& text) { return answer.AddText(text); };
    if (!parsed.selectors.empty()) {
      HOURCELL_RETURN_IF_ERROR(AddOfSeries(parsed, label, index, &answer));
    } else {
      HOURCELL_RETURN_IF_ERROR(is_metric ? index->VisitMetrics(add)
                                         : index->VisitLabelValues(label, add));
    }
    return answer.Print(&AppendText, body);
  };
  return Listed(request, reader, ListedText("PROMQL_LABEL_VALUES", request), parsed, work);
}

}  // namespace hourcell
