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

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>
#include <snappy.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
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
  HttpResponse response =
      ListedResponse(reader_.service(), request, std::move(text), print, &FailedRead);
  response.content_type = "application/x-protobuf";
  response.headers.emplace_back("Content-Encoding", "snappy");
  return response;
}

absl::Status PromReadHandler::Answer(std::span<const PromReadQuery> queries,
                                     int64_t deadline_ms,
                                     QueryControl* control,
                                     std::string* body) const {
  const std::unique_ptr<MemoryAccount> account =
      reader_.service().tsdb->queries().LeaseQueryMemory(control);
  if (account == nullptr) return absl::UnavailableError("The store is closed");
  MemoryHold memory(account.get());
  const PromReadWork work{.deadline_ms = deadline_ms, .control = control};
  // Compiles all before the first query: a request with any bad matcher is refused.
  std::vector<PromSelection> selections;
  for (const PromReadQuery& query : queries) {
    HOURCELL_ASSIGN_OR_RETURN(PromSelection selection,
                              reader_.SelectionOf(query.matchers, work, &memory));
    selections.push_back(std::move(selection));
  }
  std::string message;
  for (size_t i = 0; i < queries.size(); ++i) {
    Sink sink(&reader_.labels(), &selections[i], &memory);
    const PromReadRange range{.start_ms = queries[i].start_ms, .end_ms = queries[i].end_ms};
    HOURCELL_ASSIGN_OR_RETURN(const PromReadPlan plan, reader_.PlanOf(selections[i], work));
    HOURCELL_RETURN_IF_ERROR(reader_.Read(plan, range, work, &sink));
    const std::string result = sink.Result();
    HOURCELL_RETURN_IF_ERROR(memory.Take(result.size()));
    pbf_writer(message).add_message(1, result);
  }
  HOURCELL_RETURN_IF_ERROR(memory.Take(snappy::MaxCompressedLength(message.size())));
  snappy::Compress(message.data(), message.size(), body);
  return absl::OkStatus();
}

}  // namespace hourcell
