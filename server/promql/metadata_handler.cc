#include "server/promql/metadata_handler.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>

#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/query/memory_account.h"
#include "engine/query/query_watch.h"
#include "engine/tsdb.h"
#include "server/http/body/body_writer.h"
#include "server/promql/prom_response.h"
#include "server/promql/request_params.h"
#include "server/query/query_run.h"

namespace hourcell {
namespace {

// The approximate memory of an entry, without its texts.
constexpr size_t kEntryBytes = 192;

struct MetadataRequest {
  std::string metric;             // empty: all
  std::optional<uint64_t> limit;  // nullopt: none
  uint64_t limit_per_metric = 0;  // 0: none
  int64_t deadline_ms = 0;
};

// The JSON of entries, by metric.
using Entries = std::map<std::string, std::vector<std::string>>;

std::optional<HttpResponse> ReadMetadataRequest(const HttpRequest& request,
                                                MetadataRequest* parsed) {
  const absl::StatusOr<PromParams> params = PromParams::Of(request);
  if (!params.ok()) return PromBadData(MessageOf(params.status()));
  parsed->metric = params->Get("metric");
  parsed->deadline_ms = request.deadline_ms;
  for (const std::string_view name : {"limit", "limit_per_metric"}) {
    std::string_view digits = params->Get(name);
    if (digits.empty()) continue;
    const bool is_negative = digits.starts_with('-');
    if (is_negative || digits.starts_with('+')) digits.remove_prefix(1);
    const std::optional<uint64_t> limit = ParseUnsigned(digits);
    // Prometheus' text.
    if (!limit.has_value()) return PromBadData(std::string(name) + " must be a number");
    if (is_negative) continue;
    if (name == "limit") {
      parsed->limit = limit;
    } else {
      parsed->limit_per_metric = *limit;
    }
  }
  return std::nullopt;
}

std::string EntryOf(const MetricMetadata& metadata) {
  std::string entry;
  JsonWriter json(&entry);
  json.OpenObject();
  json.Field("type", MetadataTypeText(metadata.type));
  json.Field("help", metadata.help);
  json.Field("unit", metadata.unit);
  json.CloseObject();
  return entry;
}

absl::StatusOr<Entries> CollectEntries(const MetadataRequest& parsed,
                                       const PromSeriesReader& reader,
                                       const MetadataKeeper& metadata,
                                       const QueryWatch& watch,
                                       MemoryHold* memory) {
  Entries entries;
  absl::Status ended;
  const auto visit = [&](const MetricMetadata& one) {
    ended = watch.Check();
    if (!ended.ok()) return false;
    const std::string name = reader.labels().Metric(one.metric);
    if (!parsed.metric.empty() && name != parsed.metric && one.metric != parsed.metric) return true;
    const auto found = entries.find(name);
    const size_t others = found == entries.end() ? 0 : found->second.size();
    if (others == 0 && parsed.limit.has_value() && entries.size() >= *parsed.limit) return true;
    if (parsed.limit_per_metric != 0 && others >= parsed.limit_per_metric) return true;
    std::string entry = EntryOf(one);
    ended = memory->Take(kEntryBytes + name.size() + entry.size());
    if (ended.ok()) entries[name].push_back(std::move(entry));
    return ended.ok();
  };
  HOURCELL_RETURN_IF_ERROR(metadata.Visit(visit));
  HOURCELL_RETURN_IF_ERROR(ended);
  return entries;
}

absl::Status PrintEntries(const Entries& entries, BodyWriter* body) {
  body->buffer() += R"({"status":"success","data":{)";
  bool is_first_metric = true;
  for (const auto& [metric, of_metric] : entries) {
    if (!is_first_metric) body->buffer() += ',';
    is_first_metric = false;
    AppendJsonString(metric, &body->buffer());
    body->buffer() += ":[";
    for (const std::string& entry : of_metric) {
      if (&entry != &of_metric.front()) body->buffer() += ',';
      body->buffer() += entry;
    }
    body->buffer() += ']';
    HOURCELL_RETURN_IF_ERROR(body->Offer());
  }
  body->buffer() += "}}";
  return absl::OkStatus();
}

}  // namespace

HttpResponse HandlePromMetadata(const HttpRequest& request,
                                const PromSeriesReader& reader,
                                const MetadataKeeper& metadata) {
  MetadataRequest parsed;
  if (auto refusal = ReadMetadataRequest(request, &parsed)) return *std::move(refusal);
  const auto print = [parsed, &reader, &metadata](QueryControl* control,
                                                  BodyWriter* body) -> absl::Status {
    const QueryService& service = reader.service();
    const std::unique_ptr<MemoryAccount> account =
        service.tsdb->queries().LeaseQueryMemory(control);
    if (account == nullptr) return absl::UnavailableError("The store is closed");
    MemoryHold memory(account.get());
    const QueryWatch watch(service.clock, control, parsed.deadline_ms, /*timeout_ms=*/0);
    HOURCELL_ASSIGN_OR_RETURN(const Entries entries,
                              CollectEntries(parsed, reader, metadata, watch, &memory));
    return PrintEntries(entries, body);
  };
  return ListedResponse(reader.service(), request, R"({"type":"PROMQL_METADATA"})", print,
                        &PromFailure);
}

}  // namespace hourcell
