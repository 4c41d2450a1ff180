// The hourcell program: takes the command line apart and calls the command (server/cli/).

#include <signal.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "server/cli/admin.h"
#include "server/cli/backup.h"
#include "server/cli/bench.h"
#include "server/cli/fsck.h"
#include "server/cli/import.h"
#include "server/cli/migrate.h"
#include "server/cli/query.h"
#include "server/cli/region.h"
#include "server/cli/scan.h"
#include "server/cli/search.h"
#include "server/cli/serve.h"
#include "server/cli/setting_flags.h"
#include "server/cli/simulate.h"
#include "server/cli/store.h"
#include "server/cli/terminal.h"
#include "server/cli/uid.h"
#include "server/cli/user.h"
#include "server/cli/version.h"

namespace hourcell {
namespace {

using Args = std::vector<std::string>;

// Parses `args`; kParsed if the command shall run, else the exit code: help was printed, or the
// command line makes no sense.
constexpr int kParsed = -1;
constexpr std::string_view kProgram = "hourcell ";  // before the command, in the name of each App
int Parse(CLI::App& app, const Args& args, Terminal& terminal) {
  try {
    app.parse(Args(args.rbegin(), args.rend()));  // CLI11 takes them last first
    return kParsed;
  } catch (const CLI::CallForHelp&) {
    fmt::print(terminal.out, "{}", app.help());
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    return FailUsage(terminal, app.get_name().substr(kProgram.size()), error.what());
  }
}

void AddStoreOptions(CLI::App& app, StoreOptions* store) {
  app.add_option("--data", store->data, "the store's directory (default ./hourcell-data)")
      ->type_name("DIR");
  app.add_option("--config", store->config_file, "settings, a Java properties file as OpenTSDB's")
      ->type_name("FILE");
  app.add_option("--set", store->settings, "one setting; also --tsd.x.y=VALUE")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
}

void AddUrl(CLI::App& app, std::string* url) {
  app.add_option("--url", *url, "a running server instead of a directory")
      ->type_name("http://HOST:PORT");
}

// Commands that need the directory itself say so when they are pointed at a server.
void RefuseUrl(CLI::App& app) {
  app.add_option_function<std::string>(
         "--url",
         [](const std::string&) {
           throw CLI::ValidationError(
               "--url: this command works on the store's directory (--data) while no server has it "
               "open");
         })
      ->group("");
}

int Serve(const Args& args, Terminal& terminal) {
  CLI::App app("Serves OpenTSDB's telnet and HTTP protocols on one port, until SIGTERM.",
               "hourcell serve");
  StoreOptions store;
  ServeFlags flags;
  bool help_settings = false;
  AddStoreOptions(app, &store);
  app.add_option("--port", flags.port, "port to listen on (default 4242)")->type_name("N");
  app.add_option("--bind", flags.bind, "address to listen on (default 127.0.0.1; 0.0.0.0 = all)")
      ->type_name("ADDRESS");
  app.add_option("--max-connections", flags.max_connections, "connections at once (default: any)")
      ->type_name("N");
  app.add_option("--backlog", flags.backlog, "connections waiting to be accepted")->type_name("N");
  app.add_flag("--auto-metric", flags.auto_metric, "puts may create metrics (the default here)");
  app.add_flag("--read-only", flags.read_only, "refuse puts (tsd.mode=ro)");
  app.add_flag("--help-settings", help_settings, "list every setting with its default");
  app.footer(DurabilityHelp() +
             "\nExamples:\n"
             "  hourcell serve\n"
             "  hourcell serve --bind 0.0.0.0 --tsd.auth.file=users --data /var/lib/hourcell\n"
             "  hourcell serve --config opentsdb.conf --tsd.storage.sync=always\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  if (help_settings) {
    fmt::print(terminal.out, "{}", SettingsHelp());
    return kExitOk;
  }
  return RunServe(store, flags, terminal);
}

int Import(const Args& args, Terminal& terminal) {
  CLI::App app("Imports points from files, one a line: metric timestamp value tagk=tagv ...",
               "hourcell import");
  ImportOptions options;
  bool auto_metric = false;
  AddStoreOptions(app, &options.store);
  AddUrl(app, &options.url);
  app.add_flag("--skip-errors", options.skip_errors, "go on after a bad line");
  app.add_flag("--auto-metric", auto_metric, "create metrics (the default here)");
  app.add_option("--batch", options.batch_points, "points stored at once (default 10000)")
      ->type_name("N");
  app.add_option("--threads", options.threads,
                 "that parse and store (default: one less than processors)")
      ->type_name("N");
  app.add_option("PATH", options.paths, "files, plain or gzip; - = the standard input");
  app.footer(
      "Timestamps are integers, in seconds or milliseconds by magnitude. Times may come in any\n"
      "order, which OpenTSDB refuses; of two points of one series and instant the later line "
      "wins.\n"
      "A bad line is named as FILE:LINE: reason: text. Without --skip-errors the first one ends "
      "the\n"
      "import with exit 1: all good lines before it are stored, lines behind it may be, as far as\n"
      "they were in its batch. With --skip-errors bad lines are counted by reason, and exit is 0.\n"
      "\nExamples:\n"
      "  hourcell import points.txt more.gz\n"
      "  zcat old.gz | hourcell import --skip-errors -\n"
      "  hourcell import --url http://localhost:4242 points.txt\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  if (auto_metric) options.store.settings.emplace_back("tsd.core.auto_create_metrics=true");
  return RunImport(options, terminal);
}

int Query(const Args& args, Terminal& terminal) {
  CLI::App app("Answers a query, a line a point: metric timestamp_ms value {tagk=tagv, ...}",
               "hourcell query");
  QueryOptions options;
  AddStoreOptions(app, &options.store);
  AddUrl(app, &options.url);
  app.add_flag("--json", options.json, "print what /api/query answers, times in milliseconds");
  app.add_flag("--explain", options.explain,
               "say on the standard error how each sub query was read and what it cost; with "
               "--json, in the answer");
  app.add_option("-m", options.m_texts, "a sub query as in /api/query?m=; may be repeated")
      ->allow_extra_args(false)
      ->type_name("M");
  app.add_option("WORD", options.words,
                 "START [END] and, without -m, one or more of: AGG [rate [counter[,max[,reset]]]] "
                 "[downsample N FUNC] metric [tagk=tagv ...]");
  app.footer(
      "Times: 1h-ago, 2013/01/01-00:00:00 (UTC), seconds or milliseconds since 1970, now. The\n"
      "second word is END if it reads as a time. N is in milliseconds, or a duration such as 1h.\n"
      "Integers are printed plain, floating-point values in full as Java prints them (OpenTSDB's\n"
      "tool rounds them to six decimals).\n"
      "\nExamples:\n"
      "  hourcell query 1h-ago sum cpu.user host=web01\n"
      "  hourcell query 2013/01/01 2013/01/02 avg rate counter downsample 60000 avg net.bytes\n"
      "  hourcell query 1d-ago -m 'sum:1h-avg:cpu.user{host=*}'\n"
      "  hourcell query --url http://localhost:4242 --json 1h-ago sum cpu.user\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunQuery(options, terminal);
}

int Scan(const Args& args, Terminal& terminal) {
  CLI::App app("Prints stored rows in row-key order; without arguments the whole store.",
               "hourcell scan");
  ScanOptions options;
  bool is_import = false;
  bool is_hex = false;
  AddStoreOptions(app, &options.store);
  RefuseUrl(app);
  CLI::Option* const import_flag =
      app.add_flag("--import", is_import, "print lines for hourcell import");
  app.add_flag("--hex", is_hex, "print key, qualifiers and values of each row in hex")
      ->excludes(import_flag);
  app.add_option("WORD", options.words, "START [END] [metric [tagk=tagv ...]]");
  app.footer(
      "Rows are whole hours: those that touch START..END are printed with all their points. The\n"
      "bytes are OpenTSDB's, whatever format is stored; dates are in UTC.\n"
      "\nExamples:\n"
      "  hourcell scan --import > points.txt\n"
      "  hourcell scan 2013/01/01 2013/01/02 cpu.user host=web01\n"
      "  hourcell scan --hex 1d-ago | head\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  if (is_import) options.format = ScanFormat::kImport;
  if (is_hex) options.format = ScanFormat::kHex;
  return RunScan(options, terminal);
}

int UidTool(const Args& args, Terminal& terminal) {
  CLI::App app("Shows and changes names and UIDs; kind is metrics, tagk or tagv.", "hourcell uid");
  UidCommandOptions options;
  AddStoreOptions(app, &options.store);
  RefuseUrl(app);
  app.add_flag("-i,--ignore-case", options.ignore_case, "grep without regard to case");
  app.add_option("WORD", options.words, "a subcommand and its words, see below");
  app.footer(
      "Subcommands:                          exit, besides 0 and 2 (usage)\n"
      "  grep [kind] RE                      1 if no name matches\n"
      "  assign kind name...                 3 if one cannot be assigned\n"
      "  rename kind name newname            1 if refused\n"
      "  delete kind name                    1 if unknown\n"
      "  fsck [fix]                          the number of errors, 125 at most\n"
      "  [kind] name, [kind] N               1 if unknown; N is a UID in decimal\n"
      "Mappings are printed as OpenTSDB does: metrics cpu.user: [0, 0, 1]\n"
      "\nExamples:\n"
      "  hourcell uid grep metrics '^cpu'\n"
      "  hourcell uid assign tagk host dc\n"
      "  hourcell uid metrics 1\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunUid(options, terminal);
}

int Mkmetric(const Args& args, Terminal& terminal) {
  CLI::App app("Gives metrics their UIDs: uid assign metrics NAME...", "hourcell mkmetric");
  StoreOptions store;
  std::vector<std::string> names;
  AddStoreOptions(app, &store);
  RefuseUrl(app);
  app.add_option("NAME", names, "metrics");
  app.footer("Example:\n  hourcell mkmetric cpu.user cpu.system\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunMkmetric(store, names, terminal);
}

int Search(const Args& args, Terminal& terminal) {
  CLI::App app("Lists the series of a store, a line each: tsuid, metric, tags.", "hourcell search");
  SearchOptions options;
  AddStoreOptions(app, &options.store);
  AddUrl(app, &options.url);
  app.add_option("WORD", options.words, "lookup [METRIC] [TAGK=TAGV ...]");
  app.footer(
      "A metric that is left out or * is any; so is an empty or * side of a tag. A key again with\n"
      "another value is 'or', another key is 'and'. Series are listed whether or not they still\n"
      "have points. Exit 1 if there is none.\n"
      "\nExamples:\n"
      "  hourcell search lookup cpu.user\n"
      "  hourcell search lookup cpu.user host=web01 host=web02 'dc=*'\n"
      "  hourcell search lookup host=web01 --url http://localhost:4242\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunSearch(options, terminal);
}

int Store(const Args& args, Terminal& terminal) {
  CLI::App app("Does at once what a store does by itself all the time, or says what it keeps.",
               "hourcell store");
  AdminOptions options;
  AddStoreOptions(app, &options.store);
  AddUrl(app, &options.url);
  app.add_option("ACTION", options.words, "seal, flush, compact, ttl or salt");
  app.footer(
      "Actions:\n"
      "  seal      the points in memory become cells; hours open again with their next point\n"
      "  flush     seals, writes all memory to files and empties the journal: an open after it\n"
      "            replays nothing\n"
      "  compact   flushes, and merges the files of each table until nothing is left to merge.\n"
      "            For a store at rest: before its size or its queries are measured\n"
      "  ttl       without more words, how long points are kept; with METRIC TTL, sets it for one\n"
      "            metric: 30d, 12h, seconds, forever, or default (as tsd.storage.ttl). Points "
      "that\n"
      "            are older are invisible at once, and their disk space comes back later\n"
      "  salt      without more words, the salt buckets by time; with BUCKETS [FROM], rows of "
      "hours\n"
      "            from FROM on are spread over so many, or as soon as can be. What is stored\n"
      "            stays where it is. Only for stores whose rows are salted\n"
      "The first three change no answer, and none is ever needed: points are safe as soon as they\n"
      "are acknowledged, and 'hourcell backup' needs none of them.\n"
      "Without --url the directory is opened, replayed and closed again, and the time says so.\n"
      "\nExamples:\n"
      "  hourcell store compact --url http://localhost:4242\n"
      "  hourcell store flush --data /var/lib/hourcell\n"
      "  hourcell store ttl debug.requests 7d --url http://localhost:4242\n"
      "  hourcell store salt 64 2027/01/01-00:00 --url http://localhost:4242\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunAdmin(options, terminal);
}

int Backup(const Args& args, Terminal& terminal) {
  CLI::App app("Makes, lists, verifies and prunes backups of a store.", "hourcell backup");
  BackupCommandOptions options;
  AddStoreOptions(app, &options.store);
  AddUrl(app, &options.url);
  app.add_option("--keep", options.keep, "prune: so many of the newest stay")->type_name("N");
  app.add_option("WORD", options.words, "a subcommand and its words, or a directory, see below");
  app.footer(
      "Subcommands:\n"
      "  DIR                  makes a backup in DIR, which has several and shares their files:\n"
      "                       what one of them has is not copied again\n"
      "  list DIR             a line a backup, ascending\n"
      "  verify DIR [ID]      reads all files of all backups, or of one; exit 1 if one is damaged\n"
      "  prune DIR --keep N   removes all but the newest N\n"
      "With --url a running server makes it, where its setting tsd.storage.backup.directory says,\n"
      "while it is written to and read. It has all points that were acknowledged before.\n"
      "See also 'hourcell restore', and docs/backup.md.\n"
      "\nExamples:\n"
      "  hourcell backup --url http://localhost:4242\n"
      "  hourcell backup /var/backups/hourcell --data /var/lib/hourcell\n"
      "  hourcell backup verify /var/backups/hourcell\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunBackup(options, terminal);
}

int Restore(const Args& args, Terminal& terminal) {
  CLI::App app("Makes a store out of a backup, in a new directory.", "hourcell restore");
  RestoreOptions options;
  app.add_option("--id", options.id, "which backup (default: the newest)")->type_name("N");
  app.add_option("BACKUPS", options.from, "a directory of backups")->required();
  app.add_option("STORE", options.to, "a directory that is empty, or none")->required();
  app.footer(
      "Every file is checked while it is copied. STORE is there only once it is whole; until then\n"
      "it is called STORE.restoring.\n"
      "\nExample:\n"
      "  hourcell restore /var/backups/hourcell /var/lib/hourcell\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunRestore(options, terminal);
}

int CheckStore(const Args& args, Terminal& terminal) {
  CLI::App app("Checks a store: every row, name, series and region, and the journal.",
               "hourcell fsck");
  FsckCommandOptions options;
  AddStoreOptions(app, &options.store);
  AddUrl(app, &options.url);
  app.add_flag("--fix-cells", options.fix_cells,
               "repair cells; what is replaced or removed is kept in meta under aside/row/");
  app.add_flag("--fix-uids", options.fix_uids, "repair names and UIDs, as 'hourcell uid fsck fix'");
  app.add_flag("--fix-index", options.fix_index,
               "repair what finds series by their tags: numbers, tsuids, posting sets");
  app.add_flag("--json", options.json, "print the report as one JSON object");
  app.add_option("--examples", options.examples, "findings printed of each kind (default 10)")
      ->type_name("N");
  app.footer(
      "Exit: 0 no faults, 1 faults (fixed or not), 2 usage, 3 it could not be checked.\n"
      "Nothing is written without a --fix flag, but for what every open of a store does. Without\n"
      "--url, and for repairs, no process may have the store open.\n"
      "What is looked at and what is not: docs/fsck.md.\n"
      "\nExamples:\n"
      "  hourcell fsck --data /var/lib/hourcell\n"
      "  hourcell fsck --fix-cells --json\n"
      "  hourcell fsck --url http://localhost:4242\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunFsckCommand(options, terminal);
}

int Migrate(const Args& args, Terminal& terminal) {
  CLI::App app("Writes a store again in another layout.", "hourcell migrate");
  MigrateOptions options;
  AddStoreOptions(app, &options.store);
  RefuseUrl(app);
  app.add_flag("--skip-compare", options.skip_compare, "do not read both again at the end");
  app.add_option("FROM", options.from, "the directory of a store that no process has open")
      ->required();
  app.add_option("TO", options.to, "a directory that is empty, or none")->required();
  app.footer(
      "The settings are those of the new store: UID widths, salt, form of cells. Names, points,\n"
      "annotations and TTLs of metrics are written to it, and then the points of both are read\n"
      "and compared. FROM is left as it is. A migration that was ended may be run again.\n"
      "To change the number of salt buckets only, see 'hourcell store salt': nothing moves.\n"
      "\nExample:\n"
      "  hourcell migrate /var/lib/old /var/lib/new --set tsd.storage.salt.width=1 \\\n"
      "      --set tsd.storage.salt.buckets=64\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunMigrate(options, terminal);
}

int Region(const Args& args, Terminal& terminal) {
  CLI::App app("Lists, checks, splits and merges the regions of a table.", "hourcell region");
  RegionOptions options;
  AddStoreOptions(app, &options.store);
  AddUrl(app, &options.url);
  app.add_option("--table", options.table, "data (the default) or annotation")->type_name("TABLE");
  app.add_flag("--explain", options.explain, "list: say in words where each region begins");
  app.add_flag("--json", options.json, "print what /api/admin/regions answers");
  app.add_option("--at", options.at, "split: the key at which")->type_name("KEY");
  app.add_option("--into", options.into, "split: into so many parts of equal size")
      ->excludes("--at")
      ->type_name("N");
  app.add_flag("--abandon", options.abandon, "rolling-split: forget the one that was ended");
  app.add_option("WORD", options.words, "a subcommand and its words, see below");
  app.footer(
      "Subcommands:\n"
      "  list                     a line a region, ascending by start\n"
      "  check                    what is wrong with them; exit 1 if anything is\n"
      "  split REGION             at a key, into N parts, or in two where the settings say\n"
      "  merge REGION REGION...   neighbours become one\n"
      "  rolling-split SPEC       on a store in use, cut after cut until every key of SPEC begins "
      "a\n"
      "                           region; SPEC is as for tsd.region.presplit. Without it, goes on\n"
      "                           with one that was ended before it was through\n"
      "REGION is an id, an encoded name, a full name, or a key in it (key:KEY if it looks like "
      "one\n"
      "of those). Keys are written as HBase's shell does: \\x00 is the byte 0.\n"
      "\nExamples:\n"
      "  hourcell region list --explain\n"
      "  hourcell region split 1 --at '\\x00\\x00\\x02' --url http://localhost:4242\n"
      "  hourcell region split '\\x00\\x00\\x02' --into 4\n"
      "  hourcell region rolling-split uniform:16 --url http://localhost:4242\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunRegion(options, terminal);
}

void AddSimulateSource(CLI::App& app, SimulateOptions* options) {
  app.add_option("--fleet", options->fleet, "puts of a made-up fleet, see below")
      ->type_name("SPEC");
  app.add_option("--trace", options->trace, "puts of a file: lines as of telnet or import")
      ->type_name("FILE");
  app.add_option("--keys", options->keys, "a file of row keys: KEY [tab PUTS [tab MS]]")
      ->type_name("FILE");
  app.add_option("--ids", options->ids, "so many ids in turn, as region-helper's generators")
      ->type_name("N");
  app.add_flag("--store", options->from_store, "the rows of the store at --data");
  app.add_option("--rate", options->rate, "ids or keys a second (default 100000)")->type_name("N");
}

void AddSimulateDesign(CLI::App& app, SimulateOptions* options) {
  app.add_option("--layout", options->layout,
                 "how a row key is made (default opentsdb; of ids: id; of a store: stored)")
      ->type_name("FIELDS");
  app.add_option("--distributor", options->distributor, "what spreads keys (default none)")
      ->type_name("SPEC");
  app.add_option("--presplit", options->presplit, "hex:16, salt, keys:a,b, file:F, sample:16 ...")
      ->type_name("SPEC");
  app.add_option("--engine", options->engine, "hourcell or hbase: defaults, and size of a cell")
      ->type_name("NAME");
  app.add_option("--site", options->site, "settings: hbase-site.xml, or a properties file")
      ->type_name("FILE");
  app.add_option("--seed", options->seed, "of all that is random (default 1)")->type_name("N");
  app.add_option("--design", options->designs,
                 "'NAME: layout=.. presplit=.. setting=..'; again to compare several")
      ->allow_extra_args(false)
      ->type_name("TEXT");
}

void AddSimulateReport(CLI::App& app, SimulateOptions* options) {
  static constexpr std::pair<std::string_view, SimulateFormat> kFormats[] = {
      {"table", SimulateFormat::kTable},
      {"classic", SimulateFormat::kClassic},
      {"csv", SimulateFormat::kCsv},
      {"json", SimulateFormat::kJson}};
  app.add_option_function<std::string>(
         "--format",
         [options](const std::string& name) {
           for (const auto& [known, format] : kFormats) {
             if (name == known) {
               options->format = format;
               return;
             }
           }
           throw CLI::ValidationError("--format: want table, classic, csv or json");
         },
         "table (the default), classic (region-helper's), csv or json")
      ->type_name("NAME");
  app.add_flag("--heat", options->heat, "a map of keys and time, too");
  app.add_option("--heatmap", options->heatmap, "draw that map to a file: .png or .svg")
      ->type_name("FILE");
  app.add_option("--regions", options->regions_max, "lines of regions (default 40)")
      ->type_name("N");
  app.add_option("--timeline", options->timeline_max, "lines of the timeline (default 20)")
      ->type_name("N");
  app.add_option("--window", options->window, "by which the hottest region is looked for")
      ->type_name("1m");
  app.add_option("--settle", options->settle, "time that passes after the last put")
      ->type_name("1h");
  app.add_option("--validate", options->validate,
                 "put the same rows into a store in this empty directory, and compare its regions")
      ->type_name("DIR");
  app.add_option("--max-ratio", options->ratio_max,
                 "exit 1 if a region gets more than so many times the mean")
      ->type_name("R");
}

int Simulate(const Args& args, Terminal& terminal) {
  CLI::App app("Foretells how a design of row keys and regions will do: sizes, splits, hot spots.",
               "hourcell simulate");
  SimulateOptions options;
  AddStoreOptions(app, &options.store);
  RefuseUrl(app);
  AddSimulateSource(app, &options);
  AddSimulateDesign(app, &options);
  AddSimulateReport(app, &options);
  app.footer(
      "A fleet: metrics=10,tags=host:1000/cpu:8,interval=10s,duration=1d,churn=0.05,skew=1,\n"
      "late=0.01:6h; all of it may be left out. FIELDS: opentsdb, salted:20, hash-prefix:2,\n"
      "reversed-metric, tags-first, time-first, newest-first, partition:20, or fields joined by "
      "'+'.\n"
      "Settings are those of regions by HBase's names or ours, and tsd.simulate.*; see\n"
      "docs/simulate.md. Nothing is read but the files named, and nothing written.\n"
      "\nExamples:\n"
      "  hourcell simulate --fleet metrics=100,tags=host:500,duration=7d --heat\n"
      "  hourcell simulate --layout salted:20 --presplit salt --max-ratio 1.2\n"
      "  hourcell simulate --ids 100000000 --distributor md5-8hex --presplit hex:10 "
      "--format classic\n"
      "  hourcell simulate --trace puts.gz --design 'plain: layout=opentsdb' \\\n"
      "      --design 'salted: layout=salted:20 presplit=salt'\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunSimulate(options, terminal);
}

int Bench(const Args& args, Terminal& terminal) {
  CLI::App app("Measures row-key layouts and cell forms on the real engine.", "hourcell bench");
  BenchOptions options;
  const auto add_list = [&](const char* name, std::vector<std::string>* list, const char* help) {
    app.add_option(name, *list, help)->delimiter(',')->allow_extra_args(false)->type_name("A,B");
  };
  app.add_option("WHAT", options.words, "layouts");
  app.add_flag("--short", options.is_short, "some cases of 60,000 points: half a minute");
  app.add_flag("--full", options.is_full, "every combination of 200,000 points: hours");
  app.add_flag("--list", options.lists_names, "list layouts, cells, split rules and workloads");
  app.add_option("--out", options.out, "directory of the report: text, CSV, JSON, SVG, PNG")
      ->type_name("DIR");
  add_list("--layouts", &options.layouts, "only these");
  add_list("--cells", &options.cells, "only these cell forms");
  add_list("--rules", &options.rules, "only these split rules");
  add_list("--workloads", &options.workloads, "only these");
  app.add_option("--layout", options.layouts, "a key template; may be repeated")
      ->allow_extra_args(false)
      ->type_name("TEMPLATE");
  app.add_option("--points", options.points, "of a case (default: 1,000,000)")->type_name("N");
  app.add_option("--seed", options.seed, "of the data (default: 1)")->type_name("N");
  app.add_option("--dir", options.scratch, "where stores are made and removed")->type_name("DIR");
  app.footer(
      "Each case writes a workload in one layout to a store of its own, has regions cut on the\n"
      "way, reads, and compares every answer with what was written; exit 1 if one is wrong.\n"
      "A key template is a list of fields, with a distributor before it if there is one:\n"
      "  [salt:N+ | xxh3:N+ | md5-4hex+ | round-robin:N+ | ...]metric,time,tags\n"
      "  fields: metric or reversed-metric, time or reversed-time, tags\n"
      "\nExamples:\n"
      "  hourcell bench layouts --short\n"
      "  hourcell bench layouts --out report --layouts opentsdb,salt-16 --workloads fleet,hot\n"
      "  hourcell bench layouts --layout xxh3:8+metric,tags,time --cells packed\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunBench(options, terminal);
}

int UserTool(const Args& args, Terminal& terminal) {
  CLI::App app("Makes users of a server: prints a line for the file of tsd.auth.file.",
               "hourcell user");
  UserOptions options;
  app.add_option("--role", options.role, "read (the default), write, read+write, admin or none")
      ->type_name("ROLE");
  app.add_flag("--generate", options.generate,
               "make the secret, and say the token NAME.SECRET on the standard error");
  app.add_option("WORD", options.words, "add NAME");
  app.footer(
      "The secret is the first line of the standard input. What is printed holds its salted hash\n"
      "only. The server reads the file again within a second of a change; see docs/security.md.\n"
      "Clients send user and secret (HTTP basic authentication), a token (Authorization: Bearer\n"
      "NAME.SECRET), or on telnet: auth NAME SECRET. Commands with --url take their token from\n"
      "the variable HOURCELL_TOKEN.\n"
      "\nExamples:\n"
      "  hourcell user add grafana >> users\n"
      "  hourcell user add tcollector --role write --generate >> users 2> token\n"
      "  hourcell serve --bind 0.0.0.0 --tsd.auth.file=users\n");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunUser(options, terminal);
}

int Version(const Args& args, Terminal& terminal) {
  CLI::App app("Says which version this is and how it was built.", "hourcell version");
  if (const int code = Parse(app, args, terminal); code != kParsed) return code;
  return RunVersion(terminal);
}

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Args& args, Terminal& terminal);
};

constexpr Command kCommands[] = {
    {"serve", "serve OpenTSDB's protocols on a store", &Serve},
    {"import", "import points from files", &Import},
    {"query", "answer a query", &Query},
    {"scan", "print stored rows", &Scan},
    {"search", "list series by metric and tags", &Search},
    {"uid", "show and change names and UIDs", &UidTool},
    {"mkmetric", "give metrics their UIDs", &Mkmetric},
    {"store", "seal, flush or compact a store, set its TTLs or its salt", &Store},
    {"backup", "make, list, verify and prune backups", &Backup},
    {"restore", "make a store out of a backup", &Restore},
    {"fsck", "check a store, and repair it", &CheckStore},
    {"migrate", "write a store again in another layout", &Migrate},
    {"region", "list, check, split and merge regions", &Region},
    {"simulate", "foretell how a design of row keys will do", &Simulate},
    {"bench", "measure row-key layouts", &Bench},
    {"user", "make users of a server", &UserTool},
    {"version", "say which version this is", &Version},
};

const Command* FindCommand(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

void PrintCommands(std::FILE* file) {
  fmt::print(file, "usage: hourcell COMMAND [OPTION ...] [ARGUMENT ...]\n\n");
  for (const Command& command : kCommands) {
    fmt::print(file, "  {:<10}{}\n", command.name, command.summary);
  }
  fmt::print(file, "\nSee 'hourcell help COMMAND', or 'hourcell COMMAND --help'.\n");
}

// The command and its arguments, with `help COMMAND` and `--version` as what they stand for.
Args Normalise(Args args) {
  if (args.empty()) return args;
  if (args[0] == "--version") args[0] = "version";
  if (args[0] == "-h" || args[0] == "--help") args[0] = "help";
  if (args[0] == "help" && args.size() > 1) return {args[1], "--help"};
  return args;
}

int Main(const Args& raw_args) {
  Terminal terminal{.is_tty = isatty(STDERR_FILENO) == 1};
  const Args args = Normalise(raw_args);
  if (args.empty()) {
    PrintCommands(terminal.err);
    return kExitUsage;
  }
  if (args[0] == "help") {
    PrintCommands(terminal.out);
    return kExitOk;
  }
  const Command* const command = FindCommand(args[0]);
  if (command == nullptr) {
    fmt::print(terminal.err, "hourcell: no command {}\n\n", args[0]);
    PrintCommands(terminal.err);
    return kExitUsage;
  }
  return command->run(RewriteSettingFlags({args.begin() + 1, args.end()}), terminal);
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  // A reader that goes away (`hourcell scan | head`) shows as a failed write, and ends us quietly.
  signal(SIGPIPE, SIG_IGN);
  return hourcell::Main({argv + 1, argv + argc});
}
