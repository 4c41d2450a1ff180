#include "server/cli/admin/store/salt.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/clock.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/salt_admin.h"
#include "engine/tsdb.h"
#include "server/cli/local_store.h"
#include "server/cli/server_job.h"
#include "server/http/http_client.h"
#include "server/text/salt_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kSaltCommand = "store";
constexpr std::string_view kSaltTarget = "/api/admin/salt";

// The request: show, or a change.
struct SaltChange {
  std::optional<uint32_t> buckets;
  std::optional<uint64_t> from_s;
};

absl::StatusOr<SaltChange> ReadSaltChange(const std::vector<std::string>& words, int64_t now_ms) {
  SaltChange change;
  if (words.size() > 3) {
    return absl::InvalidArgumentError(
        fmt::format("salt: expected none, or BUCKETS [FROM], got {} arguments", words.size() - 1));
  }
  if (words.size() > 1) {
    HOURCELL_ASSIGN_OR_RETURN(change.buckets, ParseBuckets(words[1]));
  }
  if (words.size() > 2) {
    HOURCELL_ASSIGN_OR_RETURN(change.from_s, ParseEpochStart(words[2], now_ms));
  }
  return change;
}

absl::StatusOr<std::vector<SaltEpoch>> ParseSaltReply(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  simdjson::dom::array list;
  std::vector<SaltEpoch> epochs;
  bool is_good = parser.parse(body).get(document) == simdjson::SUCCESS &&
                 document["epochs"].get(list) == simdjson::SUCCESS;
  if (is_good) {
    for (const simdjson::dom::element entry : list) {
      uint64_t from_s = 0;
      uint64_t buckets = 0;
      is_good = is_good && entry["from"].get(from_s) == simdjson::SUCCESS &&
                entry["buckets"].get(buckets) == simdjson::SUCCESS && buckets <= UINT32_MAX;
      epochs.push_back({.from_s = from_s, .buckets = static_cast<uint32_t>(buckets)});
    }
  }
  if (is_good) return epochs;
  return absl::UnavailableError(
      fmt::format("unexpected answer from the server: {}; expected an object with epochs",
                  QuoteForMessage(body)));
}

absl::StatusOr<std::vector<SaltEpoch>> AskServer(const HttpUrl& url,
                                                 const SaltChange& change,
                                                 Terminal& terminal) {
  std::string body;
  if (change.buckets.has_value()) {
    JsonWriter json(&body);
    json.OpenObject();
    json.Field("buckets", *change.buckets);
    if (change.from_s.has_value()) json.Field("from", *change.from_s);
    json.CloseObject();
  }
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply,
                            body.empty() ? HttpClient(url).Get(kSaltTarget)
                                         : RunServerJob(url, kSaltTarget, body, terminal));
  if (reply.status == kHttpOk) return ParseSaltReply(reply.body);
  return absl::UnavailableError(fmt::format("{}:{}: {}", url.host, url.port, HttpErrorText(reply)));
}

absl::StatusOr<std::vector<SaltEpoch>> AskStore(Tsdb* tsdb, const SaltChange& change) {
  if (change.buckets.has_value()) {
    HOURCELL_RETURN_IF_ERROR(tsdb->maintenance().salt()->Change(*change.buckets, change.from_s));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<SaltEpoch> epochs, tsdb->maintenance().salt()->Epochs());
  HOURCELL_RETURN_IF_ERROR(tsdb->Close());
  return epochs;
}

int Print(const absl::StatusOr<std::vector<SaltEpoch>>& epochs, bool as_json, Terminal& terminal) {
  if (!epochs.ok()) return Fail(terminal, kSaltCommand, epochs.status());
  if (as_json) {
    PrintTo(terminal.out, "{}\n", SaltEpochsJson(*epochs));
    return kExitOk;
  }
  for (const SaltEpoch& epoch : *epochs)
    PrintTo(terminal.out, "{} {}\n", EpochStartText(epoch.from_s), epoch.buckets);
  return kExitOk;
}

}  // namespace

int RunSalt(const StoreCommandOptions& options, Terminal& terminal) {
  const absl::StatusOr<SaltChange> change = ReadSaltChange(options.words, terminal.clock->NowMs());
  if (!change.ok()) return FailUsage(terminal, kSaltCommand, StatusText(change.status()));
  return RunOnEither(
      options,
      {.on_server =
           [&](const HttpUrl& url) {
             return Print(AskServer(url, *change, terminal), options.json, terminal);
           },
       .on_store =
           [&](Tsdb* tsdb) { return Print(AskStore(tsdb, *change), options.json, terminal); }},
      terminal);
}

}  // namespace hourcell
