#include "server/cli/admin/region.h"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/region_admin.h"
#include "engine/tsdb.h"
#include "server/admin/region_handler.h"
#include "server/admin/region_json.h"
#include "server/cli/admin/region_text.h"
#include "server/cli/command_line.h"
#include "server/cli/server_job.h"
#include "server/cli/store_flags.h"
#include "server/http/http_client.h"
#include "server/http/http_message.h"

namespace hourcell {
namespace {

using simdjson::dom::element;

constexpr std::string_view kRegionCommand = "region";
constexpr std::string_view kRegionTarget = "/api/admin/regions";
constexpr std::string_view kFilePrefix = "file:";
constexpr std::string_view kKeysPrefix = "keys:";

// A request to a server, or to the same handler on a directory.
struct Question {
  std::string_view path;  // below kRegionTarget
  HttpResponse (RegionHandler::*handler)(const HttpRequest&) = nullptr;
  std::string body;  // empty: a GET
  bool is_explained = false;
  bool needs_rows = false;  // it needs the points of the journal in the tables
};

struct RegionSubcommand {
  std::string_view name;
  absl::StatusOr<Question> (*read)(const RegionOptions& options);
  absl::StatusOr<int> (*print)(element answer, const RegionOptions& options, Terminal& terminal);
};

absl::Status WantWords(const RegionOptions& options, size_t least, size_t most, const char* want) {
  const size_t words = options.words.size() - 1;
  if (words >= least && words <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("{0}: expected {2}, got {1}", options.words[0], words, want));
}

absl::StatusOr<Question> ReadList(const RegionOptions& options) {
  HOURCELL_RETURN_IF_ERROR(WantWords(options, 0, 0, "no arguments"));
  return Question{.path = "",
                  .handler = &RegionHandler::List,
                  .body = {},
                  .is_explained = options.explain,
                  .needs_rows = false};
}

absl::StatusOr<Question> ReadCheck(const RegionOptions& options) {
  HOURCELL_RETURN_IF_ERROR(WantWords(options, 0, 0, "no arguments"));
  return Question{.path = "/check", .handler = &RegionHandler::Check, .body = {}};
}

absl::StatusOr<Question> ReadSplit(const RegionOptions& options) {
  HOURCELL_RETURN_IF_ERROR(WantWords(options, 1, 1, "one region"));
  if (options.at.has_value() && options.into.has_value()) {
    return absl::InvalidArgumentError("split: expected --at or --into, got both");
  }
  const SplitBody body{.split = {.table = options.table,
                                 .region = options.words[1],
                                 .at = options.at,
                                 .into = options.into.value_or(2)},
                       .is_dry_run = options.dry_run};
  return Question{.path = "/split",
                  .handler = &RegionHandler::Split,
                  .body = SplitJson(body),
                  .is_explained = false,
                  .needs_rows = true};
}

absl::StatusOr<Question> ReadMerge(const RegionOptions& options) {
  HOURCELL_RETURN_IF_ERROR(WantWords(options, 2, SIZE_MAX, "two or more regions"));
  const MergeRequest request{.table = options.table,
                             .regions = {options.words.begin() + 1, options.words.end()}};
  return Question{.path = "/merge", .handler = &RegionHandler::Merge, .body = MergeJson(request)};
}

absl::StatusOr<std::string> ReadSplitsFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return absl::InvalidArgumentError(
        fmt::format("split keys: the file {} cannot be read", QuoteForMessage(path)));
  }
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return SplitOfFile(text);
}

absl::StatusOr<Question> ReadRolling(const RegionOptions& options) {
  HOURCELL_RETURN_IF_ERROR(WantWords(options, 0, 1, "at most one argument, the split keys"));
  RollingSplitRequest request{.table = options.table, .split = {}, .abandon = options.abandon};
  if (options.words.size() > 1) request.split = options.words[1];
  if (request.abandon && !request.split.empty()) {
    return absl::InvalidArgumentError("rolling-split: expected --abandon or split keys, got both");
  }
  if (request.split.starts_with(kFilePrefix)) {
    HOURCELL_ASSIGN_OR_RETURN(request.split,
                              ReadSplitsFile(request.split.substr(kFilePrefix.size())));
  }
  return Question{
      .path = "/rolling", .handler = &RegionHandler::Rolling, .body = RollingJson(request)};
}

absl::Status StrangeAnswer() {
  return absl::UnavailableError("unexpected answer; the server may be of another version");
}

// False if `region` is not a region.
bool ReadRow(element region, RegionRow* row) {
  const auto text = [&](const char* field, std::string* out) {
    std::string_view value;
    if (region[field].get(value) != simdjson::SUCCESS) return false;
    *out = value;
    return true;
  };
  const auto number = [&](const char* field, uint64_t* out) {
    return region[field].get(*out) == simdjson::SUCCESS;
  };
  std::string_view words;
  if (region["explained"]["text"].get(words) == simdjson::SUCCESS) row->explained = words;
  return number("id", &row->id) && text("encoded", &row->encoded_name) &&
         text("start", &row->start) && text("end", &row->end) && text("state", &row->state) &&
         number("files", &row->files) && number("fileBytes", &row->file_bytes) &&
         number("memoryBytes", &row->memory_bytes) &&
         number("pinnedUntil", &row->pinned_until_ms) &&
         region["references"].get(row->has_references) == simdjson::SUCCESS;
}

absl::Status PrintTable(element regions, const RegionOptions& options, Terminal& terminal) {
  simdjson::dom::array array;
  if (regions.get(array) != simdjson::SUCCESS) return StrangeAnswer();
  std::vector<RegionRow> rows;
  for (const element region : array) {
    if (!ReadRow(region, &rows.emplace_back())) return StrangeAnswer();
  }
  PrintTo(terminal.out, "{}", RegionTable(rows, terminal.clock->NowMs(), options.explain));
  return absl::OkStatus();
}

// The specification, shortened to kBytesMax bytes.
std::string SplitText(std::string_view split) {
  constexpr size_t kBytesMax = 64;
  if (split.size() <= kBytesMax || !split.starts_with(kKeysPrefix)) return std::string(split);
  return fmt::format("{}...", split.substr(0, kBytesMax));
}

absl::StatusOr<int> PrintList(element answer, const RegionOptions& options, Terminal& terminal) {
  element regions;
  if (answer["regions"].get(regions) != simdjson::SUCCESS) return StrangeAnswer();
  HOURCELL_RETURN_IF_ERROR(PrintTable(regions, options, terminal));
  std::string_view split;
  uint64_t keys = 0;
  uint64_t made = 0;
  const simdjson::simdjson_result<element> rolling = answer["rolling"];
  if (rolling["split"].get(split) == simdjson::SUCCESS &&
      rolling["keys"].get(keys) == simdjson::SUCCESS &&
      rolling["made"].get(made) == simdjson::SUCCESS) {
    PrintTo(terminal.err, "rolling split {}: {} cuts made for {} keys, unfinished\n",
            SplitText(split), made, keys);
  }
  return kExitOk;
}

absl::StatusOr<int> PrintCheck(element answer, const RegionOptions&, Terminal& terminal) {
  simdjson::dom::array findings;
  if (answer["findings"].get(findings) != simdjson::SUCCESS) return StrangeAnswer();
  for (const element finding : findings) {
    std::string_view text;
    if (finding.get(text) != simdjson::SUCCESS) return StrangeAnswer();
    PrintTo(terminal.out, "{}\n", text);
  }
  PrintTo(terminal.out, "{}\n", Counted(findings.size(), "finding"));
  return findings.size() == 0 ? kExitOk : kExitFailure;
}

absl::StatusOr<int> PrintPlan(element answer, Terminal& terminal) {
  uint64_t parent = 0;
  std::string_view note;
  simdjson::dom::array daughters;
  if (answer["parent"].get(parent) != simdjson::SUCCESS ||
      answer["note"].get(note) != simdjson::SUCCESS ||
      answer["daughters"].get(daughters) != simdjson::SUCCESS) {
    return StrangeAnswer();
  }
  std::vector<PlanRow> rows;
  for (const element daughter : daughters) {
    PlanRow& row = rows.emplace_back();
    std::string_view start;
    std::string_view words;
    if (daughter["start"].get(start) != simdjson::SUCCESS ||
        daughter["explained"]["text"].get(words) != simdjson::SUCCESS ||
        daughter["bytes"].get(row.bytes) != simdjson::SUCCESS) {
      return StrangeAnswer();
    }
    row.start = start;
    row.explained = words;
    double share = 0;
    if (daughter["writeShare"].get(share) == simdjson::SUCCESS) row.write_share = share;
  }
  PrintTo(terminal.out, "region {} would be split into\n{}", parent, PlanTable(rows));
  if (!note.empty()) PrintTo(terminal.out, "{}\n", note);
  return kExitOk;
}

absl::StatusOr<int> PrintSplit(element answer, const RegionOptions& options, Terminal& terminal) {
  if (options.dry_run) return PrintPlan(answer, terminal);
  uint64_t parent = 0;
  element daughters;
  if (answer["parent"].get(parent) != simdjson::SUCCESS ||
      answer["daughters"].get(daughters) != simdjson::SUCCESS) {
    return StrangeAnswer();
  }
  PrintTo(terminal.out, "region {} was split into\n", parent);
  HOURCELL_RETURN_IF_ERROR(PrintTable(daughters, options, terminal));
  return kExitOk;
}

absl::StatusOr<int> PrintMerge(element answer, const RegionOptions& options, Terminal& terminal) {
  element merged;
  RegionRow row;
  if (answer["merged"].get(merged) != simdjson::SUCCESS || !ReadRow(merged, &row)) {
    return StrangeAnswer();
  }
  PrintTo(terminal.out, "{} regions were merged into\n{}", options.words.size() - 1,
          RegionTable({&row, 1}, terminal.clock->NowMs(), /*with_words=*/false));
  return kExitOk;
}

absl::StatusOr<int> PrintRolling(element answer, const RegionOptions&, Terminal& terminal) {
  bool is_abandoned = false;
  if (answer["abandoned"].get(is_abandoned) == simdjson::SUCCESS) {
    PrintTo(terminal.out, "rolling split abandoned; the cuts already made remain\n");
    return kExitOk;
  }
  const simdjson::simdjson_result<element> rolling = answer["rolling"];
  std::string_view split;
  uint64_t keys = 0;
  uint64_t made = 0;
  uint64_t there = 0;
  if (rolling["split"].get(split) != simdjson::SUCCESS ||
      rolling["keys"].get(keys) != simdjson::SUCCESS ||
      rolling["made"].get(made) != simdjson::SUCCESS ||
      rolling["there"].get(there) != simdjson::SUCCESS) {
    return StrangeAnswer();
  }
  PrintTo(terminal.out, "rolling split {}: {} keys, {} cuts made, {} were region starts before\n",
          SplitText(split), keys, made, there);
  return kExitOk;
}

constexpr RegionSubcommand kRegionSubcommands[] = {{"list", &ReadList, &PrintList},
                                                   {"check", &ReadCheck, &PrintCheck},
                                                   {"split", &ReadSplit, &PrintSplit},
                                                   {"merge", &ReadMerge, &PrintMerge},
                                                   {"rolling-split", &ReadRolling, &PrintRolling}};

const RegionSubcommand* FindSubcommand(const RegionOptions& options) {
  for (const RegionSubcommand& subcommand : kRegionSubcommands) {
    if (!options.words.empty() && options.words[0] == subcommand.name) return &subcommand;
  }
  return nullptr;
}

// Refuses options of another subcommand.
absl::Status CheckOptions(const RegionOptions& options) {
  const std::string& name = options.words[0];
  const auto belongs = [&](bool is_given, std::string_view option, std::string_view owner) {
    if (!is_given || name == owner) return absl::OkStatus();
    return absl::InvalidArgumentError(
        fmt::format("{}: {} works only with {}", name, option, owner));
  };
  absl::Status status = belongs(options.at.has_value(), "--at", "split");
  status.Update(belongs(options.into.has_value(), "--into", "split"));
  status.Update(belongs(options.dry_run, "--dry-run", "split"));
  status.Update(belongs(options.explain, "--explain", "list"));
  status.Update(belongs(options.abandon, "--abandon", "rolling-split"));
  return status;
}

// Names of tables need no escapes; the server refuses other names.
std::string TargetOf(const Question& question, const RegionOptions& options) {
  std::string target = fmt::format("{}{}", kRegionTarget, question.path);
  if (!question.body.empty()) return target;
  target += "?table=" + options.table;
  return question.is_explained ? target + "&explain" : target;
}

absl::StatusOr<std::string> AskServer(const HttpUrl& url,
                                      const Question& question,
                                      const RegionOptions& options,
                                      Terminal& terminal) {
  const std::string target = TargetOf(question, options);
  HOURCELL_ASSIGN_OR_RETURN(const HttpReply reply,
                            question.body.empty()
                                ? HttpClient(url).Get(target)
                                : RunServerJob(url, target, question.body, terminal));
  if (reply.status == kHttpOk) return reply.body;
  return absl::UnavailableError(fmt::format("{}:{}: {}", url.host, url.port, HttpErrorText(reply)));
}

absl::StatusOr<std::string> AskStore(Tsdb* tsdb,
                                     const Question& question,
                                     const RegionOptions& options) {
  // Points from the journal are not in a region until they are sealed.
  if (question.needs_rows) HOURCELL_RETURN_IF_ERROR(tsdb->maintenance().Seal());
  HttpRequest request;
  request.body = question.body;
  request.params = {{"table", options.table}};
  if (question.is_explained) request.params.emplace_back("explain", "");
  RegionHandler handler(tsdb);
  HttpResponse response = (handler.*question.handler)(request);
  HOURCELL_RETURN_IF_ERROR(tsdb->Close());
  if (response.status == kHttpOk) return std::move(response.body);
  return absl::FailedPreconditionError(
      HttpErrorText({.status = response.status, .body = std::move(response.body)}));
}

int Print(const absl::StatusOr<std::string>& answer,
          const RegionSubcommand& subcommand,
          const RegionOptions& options,
          Terminal& terminal) {
  if (!answer.ok()) return Fail(terminal, kRegionCommand, answer.status());
  simdjson::dom::parser parser;
  element document;
  if (parser.parse(*answer).get(document) != simdjson::SUCCESS) {
    return Fail(terminal, kRegionCommand, StrangeAnswer());
  }
  if (options.json) {
    PrintTo(terminal.out, "{}\n", *answer);
    simdjson::dom::array findings;
    const bool is_bad =
        document["findings"].get(findings) == simdjson::SUCCESS && findings.size() > 0;
    return is_bad ? kExitFailure : kExitOk;
  }
  const absl::StatusOr<int> code = subcommand.print(document, options, terminal);
  return code.ok() ? *code : Fail(terminal, kRegionCommand, code.status());
}

}  // namespace

int RunRegion(const RegionOptions& options, Terminal& terminal) {
  const RegionSubcommand* const subcommand = FindSubcommand(options);
  if (subcommand == nullptr) {
    return FailWords(terminal, kRegionCommand, options.words,
                     "list, check, split, merge or rolling-split");
  }
  const absl::Status given = CheckOptions(options);
  if (!given.ok()) return FailUsage(terminal, kRegionCommand, StatusText(given));
  const absl::StatusOr<Question> question = subcommand->read(options);
  if (!question.ok()) return FailUsage(terminal, kRegionCommand, StatusText(question.status()));
  if (!options.url.empty()) {
    const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
    if (!url.ok()) return FailUsage(terminal, kRegionCommand, StatusText(url.status()));
    return Print(AskServer(*url, *question, options, terminal), *subcommand, options, terminal);
  }
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(options.store, StoreUse::kExisting);
  if (!tsdb.ok()) return FailStore(terminal, kRegionCommand, tsdb.status());
  return Print(AskStore(tsdb->get(), *question, options), *subcommand, options, terminal);
}

int RegionMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("region", "Lists, checks, splits and merges the regions of a table.");
  RegionOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddOption("--table", &options.table, "TABLE", "table: data (the default) or annotation");
  line.AddFlag("--explain", &options.explain, "list: describe in words where each region begins");
  line.AddFlag("--json", &options.json, "print the JSON answer of /api/admin/regions");
  line.AddOption("--at", &options.at, "KEY",
                 "split: key to split at, or hottest: the key that divides the recent writes");
  line.AddOption("--into", &options.into, "N", "split: number of parts of equal size");
  line.Exclude("--into", "--at");
  line.AddFlag("--dry-run", &options.dry_run, "split: print the daughters, and split nothing");
  line.AddFlag("--abandon", &options.abandon, "rolling-split: abandon the unfinished one");
  line.AddWords("SUBCOMMAND", &options.words, "a subcommand and its arguments; see below");
  line.set_footer(
      "Subcommands:\n"
      "  list                     list the regions, one per line, ordered by start key\n"
      "  check                    print the faults of the regions; exit 1 if there are any\n"
      "  split REGION             split at a key, into N parts, or in two as the settings say\n"
      "  merge REGION REGION...   merge neighboring regions into one\n"
      "  rolling-split SPEC       split a store in use, one cut at a time, until every key of\n"
      "                           SPEC begins a region; SPEC is as for tsd.region.presplit.\n"
      "                           Without SPEC, continue an unfinished rolling split\n"
      "REGION is an id, an encoded name, a full name, or a key in the region (key:KEY if the\n"
      "key looks like one of the others).\n"
      "Keys are written as in HBase's shell: \\x00 is the byte 0.\n"
      "\nExamples:\n"
      "  hourcell region list --explain\n"
      "  hourcell region split 1 --at '\\x00\\x00\\x02' --url http://localhost:4242\n"
      "  hourcell region split '\\x00\\x00\\x02' --into 4\n"
      "  hourcell region split 1 --at hottest --dry-run --url http://localhost:4242\n"
      "  hourcell region rolling-split uniform:16 --url http://localhost:4242\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunRegion(options, terminal);
}

}  // namespace hourcell
