#include "server/cli/admin/backup.h"

#include <ctime>
#include <memory>
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
#include "engine/backup_admin.h"
#include "engine/backup_set.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/long_work.h"
#include "server/cli/server_job.h"
#include "server/cli/store_flags.h"
#include "server/http/http_client.h"

namespace hourcell {
namespace {

constexpr std::string_view kBackupCommand = "backup";
constexpr std::string_view kBackupTarget = "/api/admin/backup";

// A new backup, as the command reports it.
struct Made {
  uint64_t id = 0;
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint64_t copied_files = 0;
  uint64_t copied_bytes = 0;
};

// "2013-01-01T00:00:00Z".
std::string TimeText(int64_t ms) {
  const std::time_t seconds = ms / 1000;
  std::tm utc = {};
  char text[32] = "";
  if (gmtime_r(&seconds, &utc) != nullptr) std::strftime(text, sizeof text, "%FT%TZ", &utc);
  return text;
}

absl::StatusOr<Made> ParseBackupReply(const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  Made made;
  if (parser.parse(body).get(document) == simdjson::SUCCESS &&
      document["id"].get(made.id) == simdjson::SUCCESS &&
      document["files"].get(made.files) == simdjson::SUCCESS &&
      document["bytes"].get(made.bytes) == simdjson::SUCCESS &&
      document["copied_files"].get(made.copied_files) == simdjson::SUCCESS &&
      document["copied_bytes"].get(made.copied_bytes) == simdjson::SUCCESS) {
    return made;
  }
  return absl::UnavailableError(fmt::format(
      "unexpected answer from the server: {}; expected a backup", QuoteForMessage(body)));
}

absl::StatusOr<Made> AskServer(const HttpUrl& url, Terminal& terminal) {
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply, RunServerJob(url, kBackupTarget, "", terminal));
  if (reply.status == kHttpOk) return ParseBackupReply(reply.body);
  return absl::UnavailableError(fmt::format("{}:{}: {}", url.host, url.port, HttpErrorText(reply)));
}

// Shows progress in bytes.
BackupProgress BytesOf(LongWork* work) {
  return [work](uint64_t done, uint64_t total) { return work->Update("", done, total, "bytes"); };
}

absl::StatusOr<Made> AskStore(Tsdb* tsdb, const std::string& directory, LongWork* work) {
  const absl::StatusOr<BackupManifest> manifest =
      tsdb->maintenance().backups()->Make(directory, BytesOf(work));
  work->Clear();
  const absl::Status closed = tsdb->Close();
  HOURCELL_RETURN_IF_ERROR(manifest.status());
  HOURCELL_RETURN_IF_ERROR(closed);
  return Made{.id = manifest->id,
              .files = manifest->files.size(),
              .bytes = manifest->bytes(),
              .copied_files = manifest->copied_files,
              .copied_bytes = manifest->copied_bytes};
}

int PrintMade(const absl::StatusOr<Made>& made, int64_t start_ms, Terminal& terminal) {
  if (!made.ok()) return Fail(terminal, kBackupCommand, made.status());
  PrintTo(terminal.out, "backup {}: {}, {}; copied {}, {}, in {} ms\n", made->id,
          Counted(made->files, "file"), Counted(made->bytes, "byte"),
          Counted(made->copied_files, "file"), Counted(made->copied_bytes, "byte"),
          terminal.clock->MonotonicMs() - start_ms);
  return kExitOk;
}

int Make(const BackupCommandOptions& options, Terminal& terminal) {
  // Measures from before the open: a replay is part of the work.
  const int64_t start_ms = terminal.clock->MonotonicMs();
  if (!options.url.empty()) {
    if (!options.words.empty()) {
      return FailUsage(
          terminal, kBackupCommand,
          "--url: do not give a directory; the server makes backups in the directory of "
          "its setting tsd.storage.backup.directory");
    }
    const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
    if (!url.ok()) return FailUsage(terminal, kBackupCommand, StatusText(url.status()));
    return PrintMade(AskServer(*url, terminal), start_ms, terminal);
  }
  if (options.words.size() != 1) {
    return FailWords(terminal, kBackupCommand, options.words, "the directory of the backups");
  }
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(options.store, StoreUse::kExisting);
  if (!tsdb.ok()) return FailStore(terminal, kBackupCommand, tsdb.status());
  LongWork work(terminal, kBackupCommand);
  const absl::StatusOr<Made> made = AskStore(tsdb->get(), options.words[0], &work);
  if (absl::IsCancelled(made.status())) {
    return work.FailInterrupted(
        "no backup was made. The next backup in this directory removes what "
        "was copied");
  }
  return PrintMade(made, start_ms, terminal);
}

std::string ListedJson(uint64_t id, const absl::StatusOr<BackupManifest>& manifest) {
  std::string object;
  JsonWriter json(&object);
  json.OpenObject();
  json.Field("id", id);
  if (manifest.ok()) {
    json.Field("made_ms", manifest->made_ms);
    json.Field("files", uint64_t{manifest->files.size()});
    json.Field("bytes", manifest->bytes());
    json.Field("copied_files", manifest->copied_files);
    json.Field("copied_bytes", manifest->copied_bytes);
  } else {
    json.Field("damaged", StatusText(manifest.status()));
  }
  json.CloseObject();
  return object;
}

int List(const BackupSet& set, bool as_json, Terminal& terminal) {
  bool is_whole = true;
  for (const uint64_t id : set.ids()) {
    const absl::StatusOr<BackupManifest> manifest = set.Read(id);
    if (as_json) {
      PrintTo(terminal.out, "{}\n", ListedJson(id, manifest));
      is_whole = is_whole && manifest.ok();
      continue;
    }
    if (!manifest.ok()) {
      PrintTo(terminal.out, "{} damaged: {}\n", id, StatusText(manifest.status()));
      is_whole = false;
      continue;
    }
    PrintTo(terminal.out, "{} {} {} files {} bytes, copied {} files {} bytes\n", id,
            TimeText(manifest->made_ms), manifest->files.size(), manifest->bytes(),
            manifest->copied_files, manifest->copied_bytes);
  }
  return is_whole ? kExitOk : kExitFailure;
}

int Verify(const BackupSet& set, std::optional<uint64_t> id, Terminal& terminal) {
  const int64_t start_ms = terminal.clock->MonotonicMs();
  LongWork work(terminal, "backup verify");
  const absl::StatusOr<BackupCheck> check = set.Verify(id, BytesOf(&work));
  if (absl::IsCancelled(check.status())) {
    return work.FailInterrupted(StatusText(check.status()));
  }
  work.Clear();
  if (!check.ok()) return Fail(terminal, kBackupCommand, check.status());
  for (const std::string& fault : check->faults)
    PrintTo(terminal.out, "damaged: {}\n", fault);
  PrintTo(terminal.out, "verified {}, {}, {} in {} ms: {} damaged\n",
          Counted(check->backups, "backup"), Counted(check->files, "file"),
          Counted(check->bytes, "byte"), terminal.clock->MonotonicMs() - start_ms,
          check->faults.size());
  return check->faults.empty() ? kExitOk : kExitFailure;
}

int Prune(BackupSet* set, uint64_t keep, Terminal& terminal) {
  const absl::StatusOr<BackupPrune> pruned = set->Prune(keep);
  if (!pruned.ok()) return Fail(terminal, kBackupCommand, pruned.status());
  PrintTo(terminal.out, "pruned {}, {}, {}\n", Counted(pruned->backups, "backup"),
          Counted(pruned->files, "file"), Counted(pruned->bytes, "byte"));
  return kExitOk;
}

}  // namespace

int RunBackup(const BackupCommandOptions& options, Terminal& terminal) {
  const std::vector<std::string>& words = options.words;
  const std::string_view name = words.empty() ? "" : std::string_view(words[0]);
  if (options.json && name != "list") {
    return FailUsage(terminal, kBackupCommand, "--json: only list prints a list");
  }
  if (name != "list" && name != "verify" && name != "prune") return Make(options, terminal);
  const bool has_words = words.size() == 2 || (name == "verify" && words.size() == 3);
  if (!has_words) {
    return FailWords(terminal, kBackupCommand, words,
                     fmt::format("{} DIR{}", name, name == "verify" ? " [ID]" : ""));
  }
  if (!options.url.empty()) {
    return FailUsage(
        terminal, kBackupCommand,
        fmt::format("{}: --url is not supported; give a directory on this machine", name));
  }
  std::optional<uint64_t> id;
  if (words.size() == 3) {
    id = ParseUnsigned(words[2]);
    if (!id.has_value()) {
      return FailUsage(terminal, kBackupCommand,
                       fmt::format("verify: expected the number of a backup, got {}",
                                   QuoteForMessage(words[2])));
    }
  }
  if (name == "prune" && options.keep.value_or(0) == 0) {
    return FailUsage(terminal, kBackupCommand,
                     "prune: --keep: missing; expected a number of at least 1");
  }
  const absl::StatusOr<std::unique_ptr<BackupSet>> read =
      BackupSet::Open(words[1], BackupSet::Use::kRead);
  if (!read.ok()) return Fail(terminal, kBackupCommand, read.status());
  if (name == "list") return List(**read, options.json, terminal);
  if (name == "verify") return Verify(**read, id, terminal);
  const absl::StatusOr<std::unique_ptr<BackupSet>> set =
      BackupSet::Open(words[1], BackupSet::Use::kWrite);
  if (!set.ok()) return Fail(terminal, kBackupCommand, set.status());
  return Prune(set->get(), *options.keep, terminal);
}

int RunRestore(const RestoreOptions& options, Terminal& terminal) {
  constexpr std::string_view kRestore = "restore";
  const int64_t start_ms = terminal.clock->MonotonicMs();
  const absl::StatusOr<std::unique_ptr<BackupSet>> set =
      BackupSet::Open(options.from, BackupSet::Use::kRead);
  if (!set.ok()) return Fail(terminal, kRestore, set.status());
  if ((*set)->ids().empty()) {
    return Fail(terminal, kRestore,
                absl::NotFoundError(fmt::format("{}: the directory has no backups", options.from)));
  }
  const absl::StatusOr<BackupManifest> manifest =
      (*set)->Read(options.id.value_or((*set)->ids().back()));
  if (!manifest.ok()) return Fail(terminal, kRestore, manifest.status());
  LongWork work(terminal, kRestore);
  const absl::Status restored =
      RestoreBackup(**set, *manifest, options.to, /*env=*/nullptr, BytesOf(&work));
  if (absl::IsCancelled(restored)) {
    return work.FailInterrupted(
        fmt::format("{} is still without a store; the next restore to it removes {}.restoring",
                    options.to, options.to));
  }
  work.Clear();
  if (!restored.ok()) return Fail(terminal, kRestore, restored);
  PrintTo(terminal.out, "restored backup {} of {} to {}: {}, {} in {} ms\n", manifest->id,
          TimeText(manifest->made_ms), options.to, Counted(manifest->files.size(), "file"),
          Counted(manifest->bytes(), "byte"), terminal.clock->MonotonicMs() - start_ms);
  return kExitOk;
}

int BackupMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("backup", "Makes, lists, verifies and prunes backups of a store.");
  BackupCommandOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddOption("--keep", &options.keep, "N", "prune: number of newest backups to keep");
  line.AddFlag("--json", &options.json, "list: print each backup as a JSON object on a line");
  line.AddWords("SUBCOMMAND", &options.words,
                "a subcommand and its arguments, or a directory; see below");
  line.set_footer(
      "Subcommands:\n"
      "  DIR                  make a backup in DIR. The backups in DIR share files: a file that\n"
      "                       an earlier backup has is not copied again\n"
      "  list DIR             list the backups, one per line, oldest first\n"
      "  verify DIR [ID]      read all files of all backups, or of one; exit 1 if one is\n"
      "                       damaged\n"
      "  prune DIR --keep N   remove all but the newest N backups\n"
      "With --url, a running server makes the backup while it serves reads and writes, in the\n"
      "directory of its setting tsd.storage.backup.directory. The backup has all points that\n"
      "were acknowledged before it began.\n"
      "Ctrl-C or SIGTERM ends a command without --url at the next file, with exit code 130 or\n"
      "143, and without a new backup.\n"
      "See also 'hourcell restore' and docs/backup.md.\n"
      "\nExamples:\n"
      "  hourcell backup --url http://localhost:4242\n"
      "  hourcell backup /var/backups/hourcell --data /var/lib/hourcell\n"
      "  hourcell backup verify /var/backups/hourcell\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunBackup(options, terminal);
}

int RestoreMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("restore", "Restores a backup into a new directory.");
  RestoreOptions options;
  line.AddOption("--id", &options.id, "N", "number of the backup (default: the newest)");
  line.AddWord("BACKUPS", &options.from, "directory of backups");
  line.AddWord("STORE", &options.to, "new directory, or an empty one");
  line.set_footer(
      "Every file is checked while it is copied. Until the restore is complete, the directory\n"
      "is called STORE.restoring. Ctrl-C or SIGTERM ends the restore at the next file, with\n"
      "exit code 130 or 143.\n"
      "\nExample:\n"
      "  hourcell restore /var/backups/hourcell /var/lib/hourcell\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunRestore(options, terminal);
}

}  // namespace hourcell
