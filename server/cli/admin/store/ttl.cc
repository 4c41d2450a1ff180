#include "server/cli/admin/store/ttl.h"

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
#include "engine/tsdb.h"
#include "server/cli/local_store.h"
#include "server/http/http_client.h"
#include "server/text/ttl_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kTtlCommand = "store";
constexpr std::string_view kTtlTarget = "/api/admin/ttl";

// The request: show, or set a metric's TTL.
struct TtlChange {
  bool is_change = false;
  std::string metric;
  std::string ttl_text;
  std::optional<int64_t> ttl_s;
};

// The TTLs of a store.
struct Ttls {
  int64_t store_s = 0;
  std::vector<MetricTtl> metrics;
};

absl::StatusOr<TtlChange> ReadTtlChange(const std::vector<std::string>& words) {
  TtlChange change;
  if (words.size() == 1) return change;
  if (words.size() != 3) {
    return absl::InvalidArgumentError(
        fmt::format("ttl: expected no arguments, or METRIC TTL, got {}", words.size() - 1));
  }
  change.is_change = true;
  change.metric = words[1];
  change.ttl_text = words[2];
  HOURCELL_ASSIGN_OR_RETURN(change.ttl_s, ParseTtl(words[2]));
  return change;
}

absl::StatusOr<Ttls> ParseTtlReply(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::object metrics;
  Ttls ttls;
  bool is_good = parser.parse(body).get(document) == simdjson::SUCCESS &&
                 document["store"].get(ttls.store_s) == simdjson::SUCCESS &&
                 document["metrics"].get(metrics) == simdjson::SUCCESS;
  if (is_good) {
    for (const auto [metric, value] : metrics) {
      int64_t seconds = 0;
      is_good = is_good && value.get(seconds) == simdjson::SUCCESS;
      ttls.metrics.push_back({.metric = std::string(metric), .ttl_s = seconds});
    }
  }
  if (is_good) return ttls;
  return absl::UnavailableError(fmt::format(
      "unexpected answer from the server: {}; expected an object with store and metrics",
      QuoteForMessage(body)));
}

absl::StatusOr<Ttls> AskServer(const HttpUrl& url, const TtlChange& change) {
  HttpClient client(url);
  std::string body;
  if (change.is_change) {
    JsonWriter json(&body);
    json.OpenObject();
    json.Field("metric", change.metric);
    json.Field("ttl", change.ttl_text);
    json.CloseObject();
  }
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, change.is_change ? client.Post(kTtlTarget, body)
                                                                    : client.Get(kTtlTarget));
  if (reply.status == kHttpOk) return ParseTtlReply(reply.body);
  return absl::UnavailableError(fmt::format("{}: {}", client.address(), HttpErrorText(reply)));
}

absl::StatusOr<Ttls> AskStore(Tsdb* tsdb, const TtlChange& change) {
  if (change.is_change)
    HOURCELL_RETURN_IF_ERROR(tsdb->retention().SetMetricTtl(change.metric, change.ttl_s));
  Ttls ttls{.store_s = tsdb->retention().store_ttl_s(), .metrics = {}};
  HOURCELL_ASSIGN_OR_RETURN(ttls.metrics, tsdb->retention().MetricTtls());
  HOURCELL_RETURN_IF_ERROR(tsdb->Close());
  return ttls;
}

std::string JsonOf(const Ttls& ttls) {
  std::string object;
  JsonWriter json(&object);
  json.OpenObject();
  json.Field("store", ttls.store_s);
  json.Key("metrics");
  json.OpenObject();
  for (const MetricTtl& ttl : ttls.metrics)
    json.Field(ttl.metric, ttl.ttl_s);
  json.CloseObject();
  json.CloseObject();
  return object;
}

int Print(const absl::StatusOr<Ttls>& ttls, bool as_json, Terminal& terminal) {
  if (!ttls.ok()) return Fail(terminal, kTtlCommand, ttls.status());
  if (as_json) {
    PrintTo(terminal.out, "{}\n", JsonOf(*ttls));
    return kExitOk;
  }
  PrintTo(terminal.out, "(default) {}\n", TtlText(ttls->store_s));
  for (const MetricTtl& ttl : ttls->metrics)
    PrintTo(terminal.out, "{} {}\n", ttl.metric, TtlText(ttl.ttl_s));
  return kExitOk;
}

}  // namespace

int RunTtl(const StoreCommandOptions& options, Terminal& terminal) {
  const absl::StatusOr<TtlChange> change = ReadTtlChange(options.words);
  if (!change.ok()) return FailUsage(terminal, kTtlCommand, StatusText(change.status()));
  return RunOnEither(
      options,
      {.on_server =
           [&](const HttpUrl& url) {
             return Print(AskServer(url, *change), options.json, terminal);
           },
       .on_store =
           [&](Tsdb* tsdb) { return Print(AskStore(tsdb, *change), options.json, terminal); }},
      terminal);
}

}  // namespace hourcell
