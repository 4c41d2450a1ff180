#include "server/inputs/prometheus/prom_read_handler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>
#include <snappy.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "engine/query/query_watch.h"
#include "engine/tsdb.h"

// Why the answer is made as a whole: a block of snappy says its size first. It counts in the memory
// of queries while it grows.

namespace hourcell {
namespace {

using protozero::pbf_writer;

// About what a sample takes in a message.
constexpr size_t kSampleBytes = 20;

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

// Prometheus wants them by name.
Labels LabelsOf(const SeriesView& series) {
  Labels labels(series.tags.begin(), series.tags.end());
  labels.emplace_back("__name__", series.metric);
  std::ranges::sort(labels);
  return labels;
}

std::string MessageOfSeries(const SeriesView& series) {
  std::string bytes;
  pbf_writer message(bytes);
  for (const auto& [name, value] : LabelsOf(series)) {
    pbf_writer label(message, 1);
    label.add_string(1, name.data(), name.size());
    label.add_string(2, value.data(), value.size());
  }
  for (size_t i = 0; i < series.points.size(); ++i) {
    pbf_writer sample(message, 2);
    sample.add_double(1, series.points.value(i).ToDouble());
    sample.add_int64(2, series.points.t[i]);
  }
  return bytes;
}

HttpResponse BadRead(const absl::Status& status) {
  HttpResponse response;
  response.status = 400;
  response.content_type = "text/plain; charset=UTF-8";
  response.body = MessageOf(status);
  return response;
}

HttpResponse FailedRead(const absl::Status& status) {
  return absl::IsInvalidArgument(status) ? BadRead(status) : QueryError(status);
}

}  // namespace

// Appends the series of one query to its result.
class PromReadHandler::Sink : public QuerySink {
 public:
  Sink(const PromSelection* selection, MemoryHold* memory, std::string* result)
      : selection_(*selection), memory_(*memory), result_(*result) {}

  absl::Status OnSeries(const SeriesView& series) override {
    if (series.points.empty() || !selection_.TakesTags(series.tags)) return absl::OkStatus();
    // While the series is copied it is there twice.
    HOURCELL_RETURN_IF_ERROR(memory_.Take(2 * series.points.size() * kSampleBytes));
    const std::string message = MessageOfSeries(series);
    pbf_writer(result_).add_message(1, message);
    return absl::OkStatus();
  }

 private:
  const PromSelection& selection_;
  MemoryHold& memory_;
  std::string& result_;
};

HttpResponse PromReadHandler::Read(const HttpRequest& request) const {
  absl::StatusOr<std::vector<PromReadQuery>> queries = ParsePromRead(request.body);
  if (!queries.ok()) return BadRead(queries.status());
  std::string text = PromReadText(*queries);
  const auto print = [this, &request, queries = *std::move(queries)](QueryControl* control,
                                                                     BodyWriter* body) {
    return Answer(queries, request.deadline_ms, control, &body->buffer());
  };
  HttpResponse response = ListedResponse(service_, request, std::move(text), print, &FailedRead);
  response.content_type = "application/x-protobuf";
  response.headers.emplace_back("Content-Encoding", "snappy");
  return response;
}

// Compiling them is work of the query as any other: within its time and its memory.
absl::StatusOr<std::vector<PromSelection>> PromReadHandler::SelectionsOf(
    std::span<const PromReadQuery> queries,
    int64_t deadline_ms,
    const QueryControl& control,
    MemoryHold* memory) const {
  const QueryWatch watch(service_.clock, &control, deadline_ms, /*timeout_ms=*/0);
  const auto before_regexp = [&]() -> absl::Status {
    HOURCELL_RETURN_IF_ERROR(watch.Check());
    return memory->Take(kPromRegexpBytes);
  };
  std::vector<PromSelection> selections;
  for (const PromReadQuery& query : queries) {
    HOURCELL_ASSIGN_OR_RETURN(PromSelection selection,
                              PromSelection::Create(query.matchers, names_, before_regexp));
    selections.push_back(std::move(selection));
  }
  return selections;
}

absl::Status PromReadHandler::Answer(std::span<const PromReadQuery> queries,
                                     int64_t deadline_ms,
                                     QueryControl* control,
                                     std::string* body) const {
  const std::unique_ptr<MemoryAccount> account = service_.tsdb->LeaseQueryMemory(control);
  if (account == nullptr) return absl::UnavailableError("The store is closed");
  MemoryHold memory(account.get());
  // All before the first is answered: a request with a bad one is refused, whichever it is.
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<PromSelection> selections,
                            SelectionsOf(queries, deadline_ms, *control, &memory));
  std::string message;
  for (size_t i = 0; i < queries.size(); ++i) {
    std::string result;
    Sink sink(&selections[i], &memory, &result);
    HOURCELL_RETURN_IF_ERROR(AnswerQuery(queries[i], selections[i], deadline_ms, control, &sink));
    HOURCELL_RETURN_IF_ERROR(memory.Take(result.size()));
    pbf_writer(message).add_message(1, result);
  }
  HOURCELL_RETURN_IF_ERROR(memory.Take(snappy::MaxCompressedLength(message.size())));
  snappy::Compress(message.data(), message.size(), body);
  return absl::OkStatus();
}

absl::Status PromReadHandler::AnswerQuery(const PromReadQuery& query,
                                          const PromSelection& selection,
                                          int64_t deadline_ms,
                                          QueryControl* control,
                                          Sink* sink) const {
  SubQuery each;
  each.aggregator = Aggregator::kNone;
  each.filters = selection.filters();
  QuerySpec spec{.start_ms = std::max<int64_t>(query.start_ms, 0),
                 .end_ms = std::min(query.end_ms, kTimestampMsMax),
                 .queries = {std::move(each)},
                 .deadline_ms = deadline_ms,
                 .annotations = false};
  if (spec.end_ms < spec.start_ms) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> metrics,
                            MetricsOf(selection, deadline_ms, control));
  for (const std::string& metric : metrics) {
    spec.queries.front().metric = metric;
    const absl::Status status = service_.tsdb->Query(spec, sink, control);
    // A name that the store does not know has no series.
    if (!status.ok() && !absl::IsNotFound(status)) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> PromReadHandler::MetricsOf(const PromSelection& selection,
                                                                    int64_t deadline_ms,
                                                                    QueryControl* control) const {
  std::vector<std::string> metrics;
  if (!selection.metric().empty()) {
    if (selection.TakesMetric(selection.metric())) metrics.push_back(selection.metric());
    return metrics;
  }
  const NameQuery all{.kind = UidKind::kMetric, .prefix = "", .deadline_ms = deadline_ms};
  const auto visit = [&](std::string_view name) {
    if (selection.TakesMetric(name)) metrics.emplace_back(name);
    return metrics.size() <= kPromMetricsMax;
  };
  HOURCELL_RETURN_IF_ERROR(service_.tsdb->VisitNames(all, visit, control));
  if (metrics.size() <= kPromMetricsMax) return metrics;
  return absl::ResourceExhaustedError(
      fmt::format("The matchers fit more than {} metrics; name one by __name__", kPromMetricsMax));
}

}  // namespace hourcell
