#include "server/cli/admin/undo.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/status_macros.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/server_job.h"
#include "server/cli/store_flags.h"
#include "server/http/http_client.h"
#include "server/text/deletion_text.h"
#include "server/text/salt_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kUndoCommand = "undo";
constexpr std::string_view kUndoTarget = "/api/admin/undo";

// The request: show the deletes, or end one.
struct UndoRequest {
  std::optional<uint64_t> id;
  bool forget = false;
};

absl::StatusOr<UndoRequest> ReadUndoRequest(const UndoOptions& options) {
  const std::vector<std::string>& words = options.store.words;
  UndoRequest request{.id = {}, .forget = options.forget};
  if (words.size() > 1) {
    return absl::InvalidArgumentError(
        fmt::format("undo: expected none or an id, got {} arguments", words.size()));
  }
  if (words.empty() && options.forget) return absl::InvalidArgumentError("--forget: needs an id");
  if (!words.empty()) {
    HOURCELL_ASSIGN_OR_RETURN(request.id, ParseDeletionId(words[0]));
  }
  return request;
}

absl::StatusOr<std::vector<Deletion>> DeletionsOfServer(const HttpUrl& url,
                                                        const UndoRequest& request,
                                                        Terminal& terminal) {
  absl::StatusOr<HttpReply> reply = absl::UnknownError("not asked");
  if (request.id.has_value()) {
    const std::string target =
        fmt::format("{}?id={}{}", kUndoTarget, *request.id, request.forget ? "&forget" : "");
    reply = RunServerJob(url, target, "", terminal);
  } else {
    reply = HttpClient(url).Get(kUndoTarget);
  }
  HOURCELL_RETURN_IF_ERROR(reply.status());
  if (reply->status == kHttpOk) return ParseDeletionsJson(reply->body);
  return absl::UnavailableError(
      fmt::format("{}:{}: {}", url.host, url.port, HttpErrorText(*reply)));
}

absl::StatusOr<std::vector<Deletion>> DeletionsOfStore(Tsdb* tsdb, const UndoRequest& request) {
  if (request.id.has_value()) {
    HOURCELL_RETURN_IF_ERROR(request.forget ? tsdb->points().Forget(*request.id)
                                            : tsdb->points().Undo(*request.id));
  }
  HOURCELL_ASSIGN_OR_RETURN(std::vector<Deletion> deletions, tsdb->points().Deletions());
  HOURCELL_RETURN_IF_ERROR(tsdb->Close());
  return deletions;
}

std::string DeletionTimeText(int64_t ms) {
  return EpochStartText(static_cast<uint64_t>(std::max<int64_t>(ms, 0)) / 1000);
}

// "7 deleted 2026/11/27-10:00:00, undo until 2026/12/04-10:00:00: 2 series of m, from ... to ...".
std::string DeletionLine(const Deletion& deletion) {
  const std::string until =
      deletion.can_be_undone
          ? fmt::format("undo until {}", DeletionTimeText(deletion.undo_until_ms))
          : std::string("cannot be undone any more");
  return fmt::format("{} deleted {}, {}: {} series of {}, from {} to {}", deletion.id,
                     DeletionTimeText(deletion.deleted_ms), until, deletion.series,
                     fmt::join(deletion.metrics, ", "), DeletionTimeText(deletion.start_ms),
                     DeletionTimeText(deletion.end_ms));
}

// What was done, and the deletes that are left.
int PrintDeletions(const absl::StatusOr<std::vector<Deletion>>& deletions,
                   const UndoRequest& request,
                   bool as_json,
                   Terminal& terminal) {
  if (!deletions.ok()) return Fail(terminal, kUndoCommand, deletions.status());
  if (as_json) {
    PrintTo(terminal.out, "{}\n", DeletionsJson(*deletions));
    return kExitOk;
  }
  if (request.id.has_value()) {
    PrintTo(terminal.out, "delete {}: {}\n", *request.id,
            request.forget ? "its points are removed" : "its points are back");
  } else if (deletions->empty()) {
    PrintTo(terminal.out, "no delete can be undone\n");
  }
  for (const Deletion& deletion : *deletions)
    PrintTo(terminal.out, "{}\n", DeletionLine(deletion));
  return kExitOk;
}

}  // namespace

int RunUndo(const UndoOptions& options, Terminal& terminal) {
  const absl::StatusOr<UndoRequest> request = ReadUndoRequest(options);
  if (!request.ok()) return FailUsage(terminal, kUndoCommand, StatusText(request.status()));
  const bool as_json = options.store.json;
  return RunOnEither(options.store,
                     {.on_server =
                          [&](const HttpUrl& url) {
                            return PrintDeletions(DeletionsOfServer(url, *request, terminal),
                                                  *request, as_json, terminal);
                          },
                      .on_store =
                          [&](Tsdb* tsdb) {
                            return PrintDeletions(DeletionsOfStore(tsdb, *request), *request,
                                                  as_json, terminal);
                          }},
                     terminal);
}

int UndoMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("undo", "Lists the deletes of points that can be undone, or undoes one.");
  UndoOptions options;
  options.store.command = kUndoCommand;
  AddStoreOptions(&line, &options.store.store);
  AddUrl(&line, &options.store.url, &options.store.trust);
  line.AddFlag("--forget", &options.forget, "remove the points from disk now, for good");
  line.AddFlag("--json", &options.store.json, "print the JSON of /api/admin/undo");
  line.AddWords("ID", &options.store.words, "the delete to undo; without it, list them");
  line.set_footer(
      "A delete can be undone for the tsd.storage.undo that was set when it was made, by default\n"
      "7 days. Points that were put since stay, also at the same instant. Points that another\n"
      "delete hides stay hidden. Histograms are deleted at once and do not come back. Until its\n"
      "time is over, or --forget, the deleted points take space on disk.\n"
      "\nExamples:\n"
      "  hourcell undo --url http://localhost:4242\n"
      "  hourcell undo 7 --url http://localhost:4242\n"
      "  hourcell undo --forget 7 --data /var/lib/hourcell\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunUndo(options, terminal);
}

}  // namespace hourcell
