#include "server/cli/admin/store/store.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/clock.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/tsdb.h"
#include "server/cli/admin/store/salt.h"
#include "server/cli/admin/store/ttl.h"
#include "server/cli/command_line.h"
#include "server/cli/local_store.h"
#include "server/cli/long_work.h"
#include "server/cli/server_job.h"
#include "server/cli/store_flags.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {
namespace {

constexpr std::string_view kAdminCommand = "store";

struct Action {
  std::string_view name;
  absl::Status (*run)(Tsdb* tsdb, LongWork* work);
};

SealControl SealingOf(LongWork* work) {
  return {.cancelled = LongWork::cancelled(), .progress = [work](uint64_t done, uint64_t total) {
            work->Update("", done, total, "hours");
          }};
}

constexpr Action kActions[] = {
    {"seal", [](Tsdb* tsdb, LongWork* work) { return tsdb->maintenance().Seal(SealingOf(work)); }},
    {"flush",
     [](Tsdb* tsdb, LongWork* work) { return tsdb->maintenance().Flush(SealingOf(work)); }},
    {"compact", [](Tsdb* tsdb, LongWork* work) {
       return tsdb->maintenance().Compact(
           {.cancelled = LongWork::cancelled(),
            .progress = [work](std::string_view table, size_t done, size_t total) {
              work->Update(table, done, total, "tables");
            }});
     }}};

// The result of an action.
struct Outcome {
  int64_t hours = 0;  // sealed
  int64_t ms = 0;
};

const Action* FindAction(std::string_view name) {
  for (const Action& action : kActions) {
    if (action.name == name) return &action;
  }
  return nullptr;
}

absl::StatusOr<Outcome> ParseAdminReply(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  Outcome outcome;
  if (parser.parse(body).get(document) == simdjson::SUCCESS &&
      document["sealed"].get(outcome.hours) == simdjson::SUCCESS &&
      document["ms"].get(outcome.ms) == simdjson::SUCCESS) {
    return outcome;
  }
  return absl::UnavailableError(
      fmt::format("unexpected answer from the server: {}; expected an object with sealed and ms",
                  QuoteForMessage(body)));
}

absl::StatusOr<Outcome> AskServer(const HttpUrl& url, const Action& action, Terminal& terminal) {
  HOURCELL_ASSIGN_OR_RETURN(
      const HttpReply reply,
      RunServerJob(url, fmt::format("/api/admin/{}", action.name), "", terminal));
  if (reply.status == kHttpOk) return ParseAdminReply(reply.body);
  return absl::UnavailableError(fmt::format("{}:{}: {}", url.host, url.port, HttpErrorText(reply)));
}

absl::StatusOr<Outcome> AskStore(
    Tsdb* tsdb, const Action& action, LongWork* work, int64_t start_ms, MonotonicClock* clock) {
  absl::Status done = action.run(tsdb, work);
  work->Clear();
  done.Update(tsdb->Close());
  HOURCELL_RETURN_IF_ERROR(done);
  const uint64_t hours = tsdb->stats().counter("seal.hours", {{"type", "all"}})->value();
  return Outcome{.hours = static_cast<int64_t>(hours), .ms = clock->MonotonicMs() - start_ms};
}

int Print(const absl::StatusOr<Outcome>& outcome, const Action& action, Terminal& terminal) {
  if (!outcome.ok()) return Fail(terminal, kAdminCommand, outcome.status());
  PrintTo(terminal.out, "{}: {} sealed in {} ms\n", action.name,
          Counted(static_cast<uint64_t>(outcome->hours), "hour"), outcome->ms);
  return kExitOk;
}

}  // namespace

int RunOnEither(const StoreCommandOptions& options,
                const StoreCommandCalls& calls,
                Terminal& terminal) {
  if (!options.url.empty()) {
    const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
    if (!url.ok()) return FailUsage(terminal, options.command, StatusText(url.status()));
    return calls.on_server(*url);
  }
  const bool shows =
      options.words.size() == 1 && (options.words[0] == "ttl" || options.words[0] == "salt");
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb =
      OpenStore(options.store, shows ? StoreUse::kRead : StoreUse::kExisting);
  if (!tsdb.ok()) return FailStore(terminal, options.command, tsdb.status());
  return calls.on_store(tsdb->get());
}

int RunStoreCommand(const StoreCommandOptions& options, Terminal& terminal) {
  if (!options.words.empty() && options.words[0] == "ttl") return RunTtl(options, terminal);
  if (!options.words.empty() && options.words[0] == "salt") return RunSalt(options, terminal);
  const Action* const action = options.words.size() == 1 ? FindAction(options.words[0]) : nullptr;
  if (action == nullptr) {
    return FailWords(terminal, kAdminCommand, options.words,
                     "one of seal, flush, compact, ttl and salt");
  }
  if (options.json) {
    return FailUsage(terminal, kAdminCommand, "--json: only ttl and salt print a list");
  }
  // Measures from before the open to after the close: a replay is part of the work.
  const int64_t start_ms = terminal.clock->MonotonicMs();
  return RunOnEither(
      options,
      {.on_server =
           [&](const HttpUrl& url) {
             return Print(AskServer(url, *action, terminal), *action, terminal);
           },
       .on_store =
           [&](Tsdb* tsdb) {
             LongWork work(terminal, fmt::format("store {}", action->name));
             const absl::StatusOr<Outcome> outcome =
                 AskStore(tsdb, *action, &work, start_ms, terminal.clock);
             if (absl::IsCancelled(outcome.status()) && LongWork::signal() != 0) {
               return work.FailInterrupted("the store was closed, and no point is lost");
             }
             return Print(outcome, *action, terminal);
           }},
      terminal);
}

int StoreMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("store",
                   "Seals, flushes or compacts a store, or shows and sets its TTLs and salt.");
  StoreCommandOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("--json", &options.json, "ttl, salt: print the JSON of /api/admin/ttl or salt");
  line.AddWords("ACTION", &options.words, "seal, flush, compact, ttl or salt; see below");
  line.set_footer(
      "Actions:\n"
      "  seal      seal all open hours: their points in memory become cells. An hour opens\n"
      "            again with its next point\n"
      "  flush     seal, write all memory to files, and empty the journal. The next open\n"
      "            replays nothing\n"
      "  compact   flush, then merge the files of each table until nothing is left to merge.\n"
      "            Use it on an idle store, before its size or its queries are measured\n"
      "  ttl       without arguments, print how long points are kept. With METRIC TTL, set the\n"
      "            TTL of one metric: 30d, 12h, seconds, forever, or default (tsd.storage.ttl).\n"
      "            Queries hide expired points at once; their disk space is freed later\n"
      "  salt      without arguments, print the salt buckets by time. With BUCKETS [FROM],\n"
      "            spread the rows of hours from FROM on over that many buckets (default: from\n"
      "            the first hour that is possible). Stored rows do not move. Only for stores\n"
      "            with a salt\n"
      "Seal, flush and compact do not change the results of queries, and you never need them:\n"
      "an acknowledged point is safe, and 'hourcell backup' works without them.\n"
      "Without --url, the command opens the store, replays its journal and closes it again. The\n"
      "printed time includes this.\n"
      "\nExamples:\n"
      "  hourcell store compact --url http://localhost:4242\n"
      "  hourcell store flush --data /var/lib/hourcell\n"
      "  hourcell store ttl debug.requests 7d --url http://localhost:4242\n"
      "  hourcell store salt 64 2027/01/01-00:00 --url http://localhost:4242\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunStoreCommand(options, terminal);
}

}  // namespace hourcell
