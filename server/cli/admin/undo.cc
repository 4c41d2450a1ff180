#include "server/cli/admin/undo.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>

#include "codec/base/bytes.h"
#include "codec/base/status_macros.h"
#include "engine/tsdb.h"
#include "server/admin/undo_handler.h"
#include "server/cli/command_line.h"
#include "server/cli/server_job.h"
#include "server/cli/store_flags.h"
#include "server/http/http_client.h"
#include "server/text/deletion_text.h"
#include "server/text/salt_text.h"
#include "server/text/ttl_text.h"

namespace hourcell {
namespace {

constexpr std::string_view kUndoCommand = "undo";
constexpr std::string_view kUndoTarget = "/api/admin/undo";

// The request: show the changes, or end one.
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

absl::StatusOr<UndoList> UndoListOfServer(const HttpUrl& url,
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
  if (reply->status == kHttpOk) return ParseUndoListJson(reply->body);
  return absl::UnavailableError(
      fmt::format("{}:{}: {}", url.host, url.port, HttpErrorText(*reply)));
}

absl::StatusOr<UndoList> UndoListOfStore(Tsdb* tsdb, const UndoRequest& request) {
  if (request.id.has_value()) {
    HOURCELL_RETURN_IF_ERROR(EndChange(*request.id, request.forget, tsdb));
  }
  HOURCELL_ASSIGN_OR_RETURN(UndoList list, ListUndo(tsdb));
  HOURCELL_RETURN_IF_ERROR(tsdb->Close());
  return list;
}

std::string ChangeTimeText(int64_t ms) {
  return EpochStartText(static_cast<uint64_t>(std::max<int64_t>(ms, 0)) / 1000);
}

// "7 deleted 2026/11/27-10:00:00, undo until 2026/12/04-10:00:00: 2 series of m, from ... to ...".
std::string DeletionLine(const Deletion& deletion) {
  const std::string until =
      deletion.can_be_undone ? fmt::format("undo until {}", ChangeTimeText(deletion.undo_until_ms))
                             : std::string("cannot be undone any more");
  return fmt::format("{} deleted {}, {}: {} series of {}, from {} to {}", deletion.id,
                     ChangeTimeText(deletion.deleted_ms), until, deletion.series,
                     fmt::join(deletion.metrics, ", "), ChangeTimeText(deletion.start_ms),
                     ChangeTimeText(deletion.end_ms));
}

std::string ShortTtlText(std::optional<int64_t> ttl_s) {
  return ttl_s.has_value() ? TtlText(*ttl_s) : "that of the store";
}

// "8 shortened 2026/11/27-10:00:00, undo until 2026/12/04-10:00:00: TTL of m from 30d to 7d".
std::string ShortenedTtlLine(const ShortenedTtl& ttl) {
  return fmt::format("{} shortened {}, undo until {}: TTL of {} from {} to {}", ttl.id,
                     ChangeTimeText(ttl.changed_ms), ChangeTimeText(ttl.undo_until_ms),
                     ttl.metric.empty() ? "the store" : ttl.metric, ShortTtlText(ttl.before_s),
                     ShortTtlText(ttl.shortened_s));
}

// "9 renamed 2026/11/27-10:00:00, undo until 2026/12/04-10:00:00: metrics 000001 from a to b".
std::string RenameLine(const UidRename& rename) {
  return fmt::format("{} renamed {}, undo until {}: {} {} from {} to {}", rename.id,
                     ChangeTimeText(rename.renamed_ms), ChangeTimeText(rename.undo_until_ms),
                     KindName(rename.row.kind), ToUpperHex(rename.row.uid_bytes), rename.old_name,
                     rename.row.name);
}

// What was done, and the changes that are left.
int PrintUndoList(const absl::StatusOr<UndoList>& list,
                  const UndoRequest& request,
                  bool as_json,
                  Terminal& terminal) {
  if (!list.ok()) return Fail(terminal, kUndoCommand, list.status());
  if (as_json) {
    PrintTo(terminal.out, "{}\n", UndoListJson(*list));
    return kExitOk;
  }
  if (request.id.has_value()) {
    PrintTo(terminal.out, "{}: {}\n", *request.id,
            request.forget ? "cannot be undone any more" : "undone");
  } else if (list->empty()) {
    PrintTo(terminal.out, "nothing can be undone\n");
  }
  for (const Deletion& deletion : list->deletions)
    PrintTo(terminal.out, "{}\n", DeletionLine(deletion));
  for (const ShortenedTtl& ttl : list->ttls)
    PrintTo(terminal.out, "{}\n", ShortenedTtlLine(ttl));
  for (const UidRename& rename : list->renames)
    PrintTo(terminal.out, "{}\n", RenameLine(rename));
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
                            return PrintUndoList(UndoListOfServer(url, *request, terminal),
                                                 *request, as_json, terminal);
                          },
                      .on_store =
                          [&](Tsdb* tsdb) {
                            return PrintUndoList(UndoListOfStore(tsdb, *request), *request, as_json,
                                                 terminal);
                          }},
                     terminal);
}

int UndoMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line(
      "undo", "Lists the deletes, shortened TTLs and renames that can be undone, or undoes one.");
  UndoOptions options;
  options.store.command = kUndoCommand;
  AddStoreOptions(&line, &options.store.store);
  AddUrl(&line, &options.store.url, &options.store.trust);
  line.AddFlag("--forget", &options.forget, "remove the points from disk now, or let them expire");
  line.AddFlag("--json", &options.store.json, "print the JSON of /api/admin/undo");
  line.AddWords("ID", &options.store.words, "the change to undo; without it, list all");
  line.set_footer(
      "A change can be undone for the tsd.storage.undo that was set when it was made, by default\n"
      "7 days. Until its time is over, or --forget, the points take space on disk.\n"
      "\nAn undo of a delete brings the points back. Points that were put since stay, also at the\n"
      "same instant. Points that another delete hides stay hidden. Histograms are deleted at once\n"
      "and do not come back.\n"
      "\nAn undo of a shortened TTL, of a metric or of the store, sets the one before: its points\n"
      "are visible again. Set tsd.storage.ttl, too, or the next start shortens it again.\n"
      "\nAn undo of a rename gives the UID its old name, unless another one has it now.\n"
      "\nExamples:\n"
      "  hourcell undo --url http://localhost:4242\n"
      "  hourcell undo 7 --url http://localhost:4242\n"
      "  hourcell undo --forget 7 --data /var/lib/hourcell\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunUndo(options, terminal);
}

}  // namespace hourcell
