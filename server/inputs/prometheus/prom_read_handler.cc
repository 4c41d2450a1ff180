#include "server/inputs/prometheus/prom_read_handler.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <snappy.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/limits.h"
#include "engine/query/query_watch.h"
#include "engine/tsdb.h"

// Why the response is built as a whole: a snappy block begins with its size. It counts in the query
// memory while it grows.

namespace hourcell {
namespace {

using protozero::pbf_writer;

// Approximate size of a sample in a message.
constexpr size_t kSampleBytes = 20;

std::string MessageOfLabels(std::string_view metric, std::vector<PromLabel> labels) {
  // Prometheus requires labels sorted by name.
  labels.push_back({.name = "__name__", .value = std::string(metric)});
  std::ranges::sort(labels);
  std::string bytes;
  pbf_writer message(bytes);
  for (const PromLabel& one : labels) {
    pbf_writer label(message, 1);
    label.add_string(1, one.name);
    label.add_string(2, one.value);
  }
  return bytes;
}

struct Sample {
  double value = 0;
  int64_t ms = 0;
};

void AppendSample(const Sample& sample, std::string* message) {
  pbf_writer series(*message);
  pbf_writer out(series, 2);
  out.add_double(1, sample.value);
  out.add_int64(2, sample.ms);
}

std::string MessageOfSamples(const SpanView& points) {
  std::string bytes;
  for (size_t i = 0; i < points.size(); ++i)
    AppendSample({.value = points.value(i).ToDouble(), .ms = points.t[i]}, &bytes);
  return bytes;
}

std::vector<Sample> SamplesOf(std::string_view message) {
  std::vector<Sample> samples;
  protozero::pbf_reader series(message.data(), message.size());
  while (series.next(2)) {
    protozero::pbf_reader fields = series.get_message();
    Sample& sample = samples.emplace_back();
    while (fields.next()) {
      if (fields.tag() == 1) {
        sample.value = fields.get_double();
      } else {
        sample.ms = fields.get_int64();
      }
    }
  }
  return samples;
}

// Merges by time; at equal times the sample of `first` wins.
std::string MergedSamples(std::string_view first, std::string_view second) {
  std::vector<Sample> all = SamplesOf(first);
  const std::vector<Sample> others = SamplesOf(second);
  all.insert(all.end(), others.begin(), others.end());
  std::ranges::stable_sort(all, {}, &Sample::ms);
  all.erase(std::ranges::unique(all, {}, &Sample::ms).begin(), all.end());
  std::string merged;
  for (const Sample& sample : all)
    AppendSample(sample, &merged);
  return merged;
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

// Collects the series of one query.
class PromReadHandler::Sink : public QuerySink {
 public:
  Sink(const PromLabels* labels, const PromSelection* selection, MemoryHold* memory)
      : labels_(*labels), selection_(*selection), memory_(*memory) {}

  absl::Status OnSeries(const SeriesView& series) override {
    if (series.points.empty()) return absl::OkStatus();
    std::vector<PromLabel> labels = labels_.Of(series.tags);
    if (!selection_.TakesTags(series.tags, labels)) return absl::OkStatus();
    // Copying the series needs twice its size.
    HOURCELL_RETURN_IF_ERROR(memory_.Take(2 * series.points.size() * kSampleBytes));
    std::string key = MessageOfLabels(labels_.Metric(series.metric), std::move(labels));
    Rank rank{std::string(series.metric), {series.tags.begin(), series.tags.end()}};
    const auto [found, is_new] = series_.try_emplace(std::move(key));
    One& one = found->second;
    const std::string samples = MessageOfSamples(series.points);
    if (is_new) {
      one = {.rank = std::move(rank), .samples = samples};
    } else if (rank < one.rank) {
      one = {.rank = std::move(rank), .samples = MergedSamples(samples, one.samples)};
    } else {
      one.samples = MergedSamples(one.samples, samples);
    }
    return absl::OkStatus();
  }

  // The message with the result.
  std::string Result() const {
    std::string result;
    pbf_writer message(result);
    for (const auto& [labels, one] : series_) {
      message.add_message(1, labels + one.samples);
    }
    return result;
  }

 private:
  // The metric and tags, which decide the precedence of points.
  using Rank = std::pair<std::string, std::vector<std::pair<std::string, std::string>>>;
  struct One {
    Rank rank;
    std::string samples;
  };

  const PromLabels& labels_;
  const PromSelection& selection_;
  MemoryHold& memory_;
  std::map<std::string, One> series_;  // by labels
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

// Compiling counts as query work, within the query's time and memory limits.
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
    HOURCELL_ASSIGN_OR_RETURN(
        PromSelection selection,
        PromSelection::Create(query.matchers, names_, &labels_, before_regexp));
    selections.push_back(std::move(selection));
  }
  return selections;
}

absl::Status PromReadHandler::Answer(std::span<const PromReadQuery> queries,
                                     int64_t deadline_ms,
                                     QueryControl* control,
                                     std::string* body) const {
  const std::unique_ptr<MemoryAccount> account = service_.tsdb->queries().LeaseQueryMemory(control);
  if (account == nullptr) return absl::UnavailableError("The store is closed");
  MemoryHold memory(account.get());
  // Compiles all before the first query: a request with any bad matcher is refused.
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<PromSelection> selections,
                            SelectionsOf(queries, deadline_ms, *control, &memory));
  std::string message;
  for (size_t i = 0; i < queries.size(); ++i) {
    Sink sink(&labels_, &selections[i], &memory);
    HOURCELL_RETURN_IF_ERROR(AnswerQuery(queries[i], selections[i], deadline_ms, control, &sink));
    const std::string result = sink.Result();
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
  QuerySpec spec{.start_ms = std::max<int64_t>(query.start_ms, 0),
                 .end_ms = std::min(query.end_ms, kTimestampMsMax),
                 .queries = {std::move(each)},
                 .deadline_ms = deadline_ms,
                 .special_values = true,
                 .annotations = false};
  if (spec.end_ms < spec.start_ms) return absl::OkStatus();
  const auto keys_of = [&](const std::string& label) {
    return StoredNames(UidKind::kTagk, label, deadline_ms, control);
  };
  const auto is_stored = [&](const std::string& value) -> absl::StatusOr<bool> {
    bool found = false;
    const auto visit = [&](std::string_view name) {
      found = name == value;  // the first name with that prefix
      return false;
    };
    const NameQuery begins_so{.kind = UidKind::kTagv, .prefix = value, .deadline_ms = deadline_ms};
    HOURCELL_RETURN_IF_ERROR(service_.tsdb->names().VisitNames(begins_so, visit, control));
    return found;
  };
  HOURCELL_ASSIGN_OR_RETURN(const auto filters, selection.FiltersOf(keys_of, is_stored));
  HOURCELL_ASSIGN_OR_RETURN(const std::vector<std::string> metrics,
                            MetricsOf(selection, deadline_ms, control));
  for (const std::string& metric : metrics) {
    spec.queries.front().metric = metric;
    for (const PromSelection::Filters& list : filters) {
      spec.queries.front().filters = list;
      const absl::Status status = service_.tsdb->queries().Query(spec, sink, control);
      // A name unknown to the store has no series.
      if (!status.ok() && !absl::IsNotFound(status)) return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> PromReadHandler::StoredNames(UidKind kind,
                                                                      const std::string& shown,
                                                                      int64_t deadline_ms,
                                                                      QueryControl* control) const {
  bool exact = false;
  const std::string_view prefix = labels_.PrefixOf(shown, &exact);
  std::vector<std::string> names;
  if (std::string by_rule = names_.Apply(shown); exact || by_rule != shown) {
    names.push_back(std::move(by_rule));
  }
  if (exact && names.front() != shown) names.push_back(shown);
  if (exact) return names;
  const auto visit = [&](std::string_view name) {
    const std::string as =
        kind == UidKind::kMetric ? labels_.Metric(name) : labels_.LabelName(name);
    const bool is_new = names.empty() || name != names.front();
    if (is_new && (name == shown || as == shown)) names.emplace_back(name);
    return true;
  };
  const NameQuery all{.kind = kind, .prefix = std::string(prefix), .deadline_ms = deadline_ms};
  HOURCELL_RETURN_IF_ERROR(service_.tsdb->names().VisitNames(all, visit, control));
  return names;
}

absl::StatusOr<std::vector<std::string>> PromReadHandler::MetricsOf(const PromSelection& selection,
                                                                    int64_t deadline_ms,
                                                                    QueryControl* control) const {
  std::vector<std::string> metrics;
  if (!selection.metric().empty()) {
    HOURCELL_ASSIGN_OR_RETURN(
        metrics, StoredNames(UidKind::kMetric, selection.metric(), deadline_ms, control));
    std::erase_if(metrics, [&](const std::string& name) { return !selection.TakesMetric(name); });
    return metrics;
  }
  const NameQuery all{.kind = UidKind::kMetric, .prefix = "", .deadline_ms = deadline_ms};
  const auto visit = [&](std::string_view name) {
    if (selection.TakesMetric(name)) metrics.emplace_back(name);
    return metrics.size() <= kPromMetricsMax;
  };
  HOURCELL_RETURN_IF_ERROR(service_.tsdb->names().VisitNames(all, visit, control));
  if (metrics.size() <= kPromMetricsMax) return metrics;
  return absl::ResourceExhaustedError(
      fmt::format("The matchers fit more than {} metrics; name one by __name__", kPromMetricsMax));
}

}  // namespace hourcell
