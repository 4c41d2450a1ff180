#include "server/cli/names/uid.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codec/base/bytes.h"
#include "codec/base/json_writer.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "codec/rows/uid.h"
#include "codec/text/name.h"
#include "engine/options.h"
#include "engine/tsdb.h"
#include "server/cli/command_line.h"
#include "server/cli/data/java_text.h"
#include "server/cli/local_store.h"
#include "server/cli/names/mapping_source.h"
#include "server/cli/names/uid_lines.h"
#include "server/cli/store_flags.h"
#include "server/cli/terminal.h"
#include "server/cluster/storage_choice.h"

namespace hourcell {
namespace {

constexpr std::string_view kUidCommand = "uid";

using UidWords = std::span<const std::string>;

void PrintMapping(const UidRow& row, bool as_json, Terminal& terminal) {
  if (as_json) {
    std::string object;
    JsonWriter json(&object);
    json.OpenObject();
    json.Field("kind", KindName(row.kind));
    json.Field("name", row.name);
    json.Field("uid", ToUpperHex(row.uid_bytes));
    json.CloseObject();
    PrintTo(terminal.out, "{}\n", object);
    return;
  }
  std::string line = fmt::format("{} {}: ", KindName(row.kind), row.name);
  AppendJavaBytes(row.uid_bytes, &line);
  PrintTo(terminal.out, "{}\n", line);
}

// Removes the kind from the words and returns it; all kinds if the first word is not a kind, or is
// the only one.
std::vector<UidKind> TakeKinds(UidWords* words) {
  if (words->size() > 1) {
    if (const absl::StatusOr<UidKind> kind = ParseKindName(words->front()); kind.ok()) {
      *words = words->subspan(1);
      return {*kind};
    }
  }
  return {std::begin(kUidKinds), std::end(kUidKinds)};
}

int Grep(MappingSource* uids,
         UidWords words,
         const UidCommandOptions& options,
         Terminal& terminal) {
  const std::vector<UidKind> kinds = TakeKinds(&words);
  bool found = false;
  for (const UidKind kind : kinds) {
    const absl::Status searched =
        uids->Grep(kind, words.front(), options.ignore_case, [&](const UidRow& row) {
          PrintMapping(row, options.json, terminal);
          found = true;
          return true;
        });
    if (!searched.ok()) return FailStore(terminal, kUidCommand, searched);
  }
  return found ? kExitOk : kExitFailure;
}

int Assign(MappingSource* uids, UidKind kind, UidWords names, bool as_json, Terminal& terminal) {
  for (const std::string& name : names) {
    const absl::StatusOr<UidRow> row = uids->Assign(kind, name);
    if (!row.ok()) {
      Fail(terminal, kUidCommand, row.status());
      return kExitAssignFailed;
    }
    PrintMapping(*row, as_json, terminal);
  }
  return kExitOk;
}

int Rename(MappingSource* uids, UidKind kind, UidWords names, Terminal& terminal) {
  if (const absl::Status renamed = uids->Rename(kind, names[0], names[1]); !renamed.ok()) {
    return Fail(terminal, kUidCommand, renamed);
  }
  PrintTo(terminal.out, "{} {} -> {}\n", KindName(kind), names[0], names[1]);
  return kExitOk;
}

int Delete(MappingSource* uids, UidKind kind, UidWords names, Terminal& terminal) {
  if (const absl::Status deleted = uids->Delete(kind, names[0]); !deleted.ok()) {
    return Fail(terminal, kUidCommand, deleted);
  }
  PrintTo(terminal.out, "UID {} {} deleted.\n", KindName(kind), names[0]);
  return kExitOk;
}

int Fsck(Tsdb* tsdb, bool repair, Terminal& terminal) {
  const int64_t start_ms = terminal.clock->MonotonicMs();
  const absl::StatusOr<UidFsckResult> result = tsdb->names().CheckUids(repair);
  if (!result.ok()) return Fail(terminal, kUidCommand, result.status());
  const int64_t ms = std::max<int64_t>(terminal.clock->MonotonicMs() - start_ms, 1);

  for (const std::string& line : result->lines)
    PrintTo(terminal.out, "{}\n", line);
  PrintTo(terminal.out, "{} KVs analyzed in {}ms (~{} KV/s)\n", result->mappings, ms,
          result->mappings * 1000 / static_cast<uint64_t>(ms));
  if (result->errors == 0) {
    PrintTo(terminal.out, "No errors found.\n");
  } else {
    PrintTo(terminal.out, "{} errors found.\n", result->errors);
  }
  return static_cast<int>(std::min<uint64_t>(result->errors, kExitUidErrorsMax));
}

int PurgeTree(Tsdb* tsdb, uint16_t tree, Terminal& terminal) {
  using Text = std::optional<std::string>;
  const absl::Status removed =
      tsdb->names().ChangeTree(tree, [tree](const Text& before) -> absl::StatusOr<Text> {
        if (before.has_value()) return Text();
        return absl::NotFoundError(fmt::format("tree {}: not found", tree));
      });
  if (!removed.ok()) return Fail(terminal, kUidCommand, removed);
  PrintTo(terminal.out, "Tree {} deleted.\n", tree);
  return kExitOk;
}

// Creates a missing store for the first mapping: a file without one must not make a store.
int Import(const Config& config, const std::string& path, Terminal& terminal) {
  LateStore store(config);
  if (const auto names = store.OpenIfItExists(); !names.ok()) {
    return FailStore(terminal, kUidCommand, names.status());
  }
  const absl::StatusOr<UidLinesRead> read = ImportUidLines(path, &store);
  const absl::Status closed = store.Close();
  if (!read.ok()) return Fail(terminal, kUidCommand, read.status());
  if (!closed.ok()) return Fail(terminal, kUidCommand, closed);
  PrintTo(terminal.out, "{} names have the UIDs of {}; {} other lines skipped\n", read->mappings,
          path, read->skipped);
  return read->mappings == 0 ? kExitFailure : kExitOk;
}

std::optional<Uid> ParseDecimal(std::string_view text) {
  Uid uid = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), uid);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return uid;
}

int Lookup(MappingSource* uids, UidWords words, bool as_json, Terminal& terminal) {
  const std::vector<UidKind> kinds = TakeKinds(&words);
  const std::string& text = words.front();
  const std::optional<Uid> uid = ParseDecimal(text);
  bool found = false;
  for (const UidKind kind : kinds) {
    const absl::StatusOr<UidRow> row =
        uid.has_value() ? uids->FindName(kind, *uid) : uids->FindUid(kind, text);
    if (row.ok()) {
      PrintMapping(*row, as_json, terminal);
      found = true;
    } else if (!absl::IsNotFound(row.status()) || kinds.size() == 1) {
      return Fail(terminal, kUidCommand, row.status());
    }
  }
  if (found) return kExitOk;
  return Fail(terminal, kUidCommand,
              absl::NotFoundError(fmt::format("{}: no such {} of any kind", text,
                                              uid.has_value() ? "UID" : "name")));
}

// A subcommand: the number of words after its name, and its use of the store.
struct UidSubcommand {
  std::string_view name;
  std::string_view usage;
  size_t words_min = 0;
  size_t words_max = 0;
  StoreUse use = StoreUse::kExisting;
};

constexpr size_t kAnyNumber = ~size_t{0};
constexpr UidSubcommand kUidSubcommands[] = {
    {"grep", "grep [kind] RE", 1, 2, StoreUse::kRead},
    {"assign", "assign kind name...", 2, kAnyNumber, StoreUse::kCreate},
    {"rename", "rename kind name newname", 3, 3, StoreUse::kExisting},
    {"delete", "delete kind name", 2, 2, StoreUse::kExisting},
    {"import", "import FILE", 1, 1, StoreUse::kCreate},
    {"fsck", "fsck [fix]", 0, 1, StoreUse::kExisting},
    {"metasync", "metasync without arguments", 0, 0},
    {"metapurge", "metapurge without arguments", 0, 0},
    {"treesync", "treesync without arguments", 0, 0},
    {"treepurge", "treepurge ID [true]", 1, 2, StoreUse::kExisting},
};
constexpr UidSubcommand kLookup = {"", "[kind] name|N", 1, 2, StoreUse::kRead};

const UidSubcommand& FindSubcommand(std::string_view word) {
  for (const UidSubcommand& subcommand : kUidSubcommands) {
    if (subcommand.name == word) return subcommand;
  }
  return kLookup;
}

// The number of a tree; 0: not one.
uint16_t ParseTreeNumber(std::string_view text) {
  const std::optional<Uid> number = ParseDecimal(text);
  return number.has_value() && *number <= UINT16_MAX ? static_cast<uint16_t>(*number) : uint16_t{0};
}

// OpenTSDB's help says "definition", its program takes "true".
std::string TreeWordsFault(UidWords words) {
  if (ParseTreeNumber(words.front()) == 0) {
    return fmt::format("treepurge: expected the number of a tree, 1 to 65535, got {}",
                       QuoteForMessage(words.front()));
  }
  if (words.size() == 2 && words.back() != "true" && words.back() != "definition") {
    return fmt::format("treepurge: expected true or nothing, got {}",
                       QuoteForMessage(words.back()));
  }
  return {};
}

// The fault of a subcommand's words; empty if they are valid.
std::string WordsFault(const UidSubcommand& subcommand, UidWords words) {
  if (words.size() < subcommand.words_min || words.size() > subcommand.words_max) {
    return fmt::format(
        "expected {}, got {}", subcommand.usage,
        words.empty() ? "no argument" : QuoteForMessage(fmt::format("{}", fmt::join(words, " "))));
  }
  const bool kind_first = subcommand.usage.find(" kind ") != std::string_view::npos;
  // If the kind is optional, it is the first of two words.
  const bool kind_is_optional = subcommand.usage.find("[kind]") != std::string_view::npos;
  if (kind_first || (kind_is_optional && words.size() == 2)) {
    const absl::StatusOr<UidKind> kind = ParseKindName(words.front());
    if (!kind.ok()) return std::string(StatusText(kind.status()));
  }
  if (subcommand.name == "fsck" && !words.empty() && words.front() != "fix") {
    return fmt::format("fsck: expected fix or nothing, got {}", words.front());
  }
  return subcommand.name == "treepurge" ? TreeWordsFault(words) : std::string();
}

// OpenTSDB's scripts call these; they must not fail.
bool HasNothingToDo(const UidSubcommand& subcommand, UidWords words) {
  return subcommand.name == "metasync" || subcommand.name == "metapurge" ||
         subcommand.name == "treesync" || (subcommand.name == "treepurge" && words.size() == 1);
}

int DoNothing(const UidSubcommand& subcommand, Terminal& terminal) {
  if (subcommand.name.starts_with("tree")) {
    PrintTo(terminal.out,
            "{}: nothing to do; branches are computed on request, and only treepurge ID true and "
            "DELETE /api/tree with definition=true remove a tree\n",
            subcommand.name);
    return kExitOk;
  }
  PrintTo(terminal.out,
          "{}: nothing to do; the meta data of UIDs and series come from the index, and only "
          "DELETE /api/uid/uidmeta and tsmeta remove texts that users set\n",
          subcommand.name);
  return kExitOk;
}

int RunSubcommand(MappingSource* uids,
                  std::string_view name,
                  UidWords words,
                  const UidCommandOptions& options,
                  Terminal& terminal) {
  if (name == "grep") return Grep(uids, words, options, terminal);
  if (name.empty()) return Lookup(uids, words, options.json, terminal);
  const UidKind kind = *ParseKindName(words.front());  // WordsFault has checked it
  const UidWords names = words.subspan(1);
  if (name == "assign") return Assign(uids, kind, names, options.json, terminal);
  return name == "rename" ? Rename(uids, kind, names, terminal)
                          : Delete(uids, kind, names, terminal);
}

int RunOnServer(std::string_view name,
                UidWords words,
                const UidCommandOptions& options,
                Terminal& terminal) {
  if (name == "fsck") {
    return FailUsage(
        terminal, kUidCommand,
        "fsck: needs the directory; of a server, hourcell fsck --url checks the names");
  }
  if (name == "import") {
    return FailUsage(terminal, kUidCommand, "import: needs the directory; use --data");
  }
  if (name == "treepurge") {
    return FailUsage(terminal, kUidCommand,
                     "treepurge: needs the directory; of a server, send DELETE /api/tree with "
                     "definition=true");
  }
  const absl::StatusOr<HttpUrl> url = ParseHttpUrl(options.url, options.trust);
  if (!url.ok()) return FailUsage(terminal, kUidCommand, StatusText(url.status()));
  return RunSubcommand(MappingsOf(*url).get(), name, words, options, terminal);
}

// Checks that need no store, so that a faulty command does not make one.
absl::Status CheckBeforeStore(const UidSubcommand& subcommand,
                              UidWords words,
                              const Config& config) {
  if (subcommand.name != "assign" || HasStore(config)) return absl::OkStatus();
  HOURCELL_ASSIGN_OR_RETURN(const Options options, OptionsOfStore(config));
  for (const std::string& name : words.subspan(1)) {
    const std::string fault = NameFault(name, options.layout.names, options.extra_name_chars);
    if (!fault.empty()) return absl::FailedPreconditionError(NameFaultText(name, fault));
  }
  return absl::OkStatus();
}

int RunOnStore(const UidSubcommand& subcommand,
               UidWords words,
               const UidCommandOptions& options,
               Terminal& terminal) {
  const absl::StatusOr<Config> config = LoadConfig(options.store);
  if (!config.ok()) return FailStore(terminal, kUidCommand, config.status());
  if (const absl::Status fault = CheckBeforeStore(subcommand, words, *config); !fault.ok()) {
    Fail(terminal, kUidCommand, fault);
    return kExitAssignFailed;
  }
  if (subcommand.name == "import") return Import(*config, words.front(), terminal);
  const absl::StatusOr<std::unique_ptr<Tsdb>> tsdb = OpenStore(*config, subcommand.use);
  if (!tsdb.ok()) return FailStore(terminal, kUidCommand, tsdb.status());
  int exit_code = kExitOk;
  if (subcommand.name == "fsck") {
    exit_code = Fsck(tsdb->get(), /*repair=*/!words.empty(), terminal);
  } else if (subcommand.name == "treepurge") {
    exit_code = PurgeTree(tsdb->get(), ParseTreeNumber(words.front()), terminal);
  } else {
    exit_code =
        RunSubcommand(MappingsOf(tsdb->get()).get(), subcommand.name, words, options, terminal);
  }
  if (const absl::Status closed = (*tsdb)->Close(); !closed.ok()) {
    return Fail(terminal, kUidCommand, closed);
  }
  return exit_code;
}

}  // namespace

int RunUid(const UidCommandOptions& options, Terminal& terminal) {
  UidWords words(options.words);
  if (words.empty()) return FailWords(terminal, kUidCommand, {}, "a subcommand or a name");
  const UidSubcommand& subcommand = FindSubcommand(words.front());
  if (!subcommand.name.empty()) words = words.subspan(1);
  if (const std::string fault = WordsFault(subcommand, words); !fault.empty()) {
    return FailUsage(terminal, kUidCommand, fault);
  }

  const bool prints_mappings =
      subcommand.name.empty() || subcommand.name == "grep" || subcommand.name == "assign";
  if (options.json && !prints_mappings) {
    return FailUsage(terminal, kUidCommand, "--json: only mappings are printed as JSON");
  }

  if (HasNothingToDo(subcommand, words)) return DoNothing(subcommand, terminal);
  return options.url.empty() ? RunOnStore(subcommand, words, options, terminal)
                             : RunOnServer(subcommand.name, words, options, terminal);
}

int RunMkmetric(UidCommandOptions options, Terminal& terminal) {
  if (options.words.empty()) return FailWords(terminal, "mkmetric", {}, "one or more metrics");
  options.words.insert(options.words.begin(), {"assign", "metrics"});
  return RunUid(options, terminal);
}

int UidMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("uid", "Shows and changes names and UIDs; kind is metrics, tagk or tagv.");
  UidCommandOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddFlag("-i,--ignore-case", &options.ignore_case, "ignore case in grep");
  line.AddFlag("--json", &options.json, "print each mapping as a JSON object on a line");
  line.AddWords("SUBCOMMAND", &options.words, "a subcommand and its arguments; see below");
  line.set_footer(
      "Subcommands:                          exit codes other than 0 and 2 (usage)\n"
      "  grep [kind] RE                      1 if no name matches\n"
      "  assign kind name...                 3 if a name cannot be assigned\n"
      "  rename kind name newname            1 if refused\n"
      "  delete kind name                    1 if unknown\n"
      "  import FILE                         1 if a name or a UID is taken; FILE has mappings\n"
      "  fsck [fix]                          the number of errors, at most 125\n"
      "  metasync, metapurge                 both do nothing: the index has the meta data\n"
      "  treesync                            does nothing: branches of trees are computed\n"
      "  treepurge ID [true]                 1 if unknown; true deletes the definition\n"
      "  [kind] name, [kind] N               1 if unknown; N is a UID in decimal\n"
      "import gives names the UIDs that they have in OpenTSDB, in a new store. - is the standard "
      "input.\n"
      "import and fsck work on the directory only; hourcell fsck --url checks the names of a "
      "server.\n"
      "Mappings are printed as in OpenTSDB: metrics cpu.user: [0, 0, 1]\n"
      "\nExamples:\n"
      "  hourcell uid grep metrics '^cpu'\n"
      "  hourcell uid assign tagk host dc\n"
      "  hourcell uid metrics 1\n"
      "  tsdb uid grep . | hourcell uid import - --data store\n"
      "  hourcell uid grep metrics '^cpu' --url http://localhost:4242\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunUid(options, terminal);
}

int MkmetricMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("mkmetric", "Assigns UIDs to metrics, like uid assign metrics NAME...");
  UidCommandOptions options;
  AddStoreOptions(&line, &options.store);
  AddUrl(&line, &options.url, &options.trust);
  line.AddWords("NAME", &options.words, "names of metrics");
  line.set_footer("Example:\n  hourcell mkmetric cpu.user cpu.system\n");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunMkmetric(std::move(options), terminal);
}

}  // namespace hourcell
