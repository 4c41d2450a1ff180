// The hourcell program: finds the command (server/cli/) and passes the other arguments to it.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/strings.h"
#include "server/cli/admin/backup.h"
#include "server/cli/admin/doctor.h"
#include "server/cli/admin/fsck.h"
#include "server/cli/admin/job.h"
#include "server/cli/admin/migrate/migrate.h"
#include "server/cli/admin/region.h"
#include "server/cli/admin/store/rollup.h"
#include "server/cli/admin/store/store.h"
#include "server/cli/admin/undo.h"
#include "server/cli/admin/user.h"
#include "server/cli/cluster/cluster.h"
#include "server/cli/cluster/top.h"
#include "server/cli/data/import/import.h"
#include "server/cli/data/query/compare.h"
#include "server/cli/data/query/delete.h"
#include "server/cli/data/query/query.h"
#include "server/cli/data/query/translate.h"
#include "server/cli/data/scan/export.h"
#include "server/cli/data/scan/scan.h"
#include "server/cli/lab/bench.h"
#include "server/cli/lab/simulate.h"
#include "server/cli/names/metric.h"
#include "server/cli/names/search.h"
#include "server/cli/names/uid.h"
#include "server/cli/opentsdb/opentsdb_command.h"
#include "server/cli/serve/serve.h"
#include "server/cli/setting_flags.h"
#include "server/cli/terminal.h"
#include "server/cli/version.h"
#include "server/text/nearest_name.h"

namespace hourcell {
namespace {

using Args = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Args& args, Terminal& terminal);
};

constexpr Command kCommands[] = {
    {"serve", "serve OpenTSDB's HTTP and telnet protocols from a store", &ServeMain},
    {"import", "import points from files or from a running OpenTSDB", &ImportMain},
    {"query", "run a query", &QueryMain},
    {"delete", "delete points, or count them", &DeleteMain},
    {"undo", "list the changes that can be undone, or undo one", &UndoMain},
    {"compare", "send the same queries to two servers and print the differences", &CompareMain},
    {"translate", "print queries of m= as PromQL, or the reverse", &TranslateMain},
    {"scan", "print stored rows", &ScanMain},
    {"export", "print the points of a store for other programs", &ExportMain},
    {"search", "list series by metric and tags", &SearchMain},
    {"uid", "show and change names and UIDs", &UidMain},
    {"metric", "list, define and drop virtual metrics", &MetricMain},
    {"mkmetric", "assign UIDs to metrics", &MkmetricMain},
    {"top", "show the activity of a running server", &TopMain},
    {"store", "seal, flush or compact a store, or set its TTLs or salt", &StoreMain},
    {"rollup", "plan, show and rebuild rollups by rules", &RollupMain},
    {"backup", "make, list, verify and prune backups", &BackupMain},
    {"restore", "make a store from a backup", &RestoreMain},
    {"fsck", "check and repair a store", &FsckMain},
    {"doctor", "check a machine and a store, and recommend changes", &DoctorMain},
    {"migrate", "copy a store to another layout", &MigrateMain},
    {"opentsdb", "take over an OpenTSDB's tables on Bigtable, or give them back", &OpenTsdbMain},
    {"region", "list, check, split and merge regions", &RegionMain},
    {"cluster", "list the processes that share a store", &ClusterMain},
    {"job", "list the jobs of a server, or wait for one", &JobMain},
    {"simulate", "predict region sizes, splits and hot spots of a row-key design", &SimulateMain},
    {"bench", "measure row-key layouts", &BenchMain},
    {"user", "create credentials for users of a server", &UserMain},
    {"version", "print the version", &VersionMain},
};

const Command* FindCommand(std::string_view name) {
  for (const Command& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

void PrintCommands(std::FILE* file) {
  PrintTo(file, "usage: hourcell COMMAND [OPTION ...] [ARGUMENT ...]\n\n");
  for (const Command& command : kCommands) {
    PrintTo(file, "  {:<10}{}\n", command.name, command.summary);
  }
  PrintTo(file, "\nRun 'hourcell help COMMAND' or 'hourcell COMMAND --help' for details.\n");
}

// The command and its arguments, with `help COMMAND` and `--version` in their full form.
Args Normalise(Args args) {
  if (args.empty()) return args;
  if (args[0] == "--version") args[0] = "version";
  if (args[0] == "-h" || args[0] == "--help") args[0] = "help";
  if (args[0] == "help" && args.size() > 1) return {args[1], "--help"};
  return args;
}

int RefuseCommand(const std::string& name, Terminal& terminal) {
  std::vector<std::string_view> names = {"help"};
  for (const Command& command : kCommands)
    names.push_back(command.name);
  const std::string_view nearest = NearestName(name, names);
  PrintTo(terminal.err, "hourcell: unknown command {}{}\nTry 'hourcell help'.\n",
          QuoteForMessage(name),
          nearest.empty() ? "" : fmt::format("; did you mean {}?", QuoteForMessage(nearest)));
  return kExitUsage;
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
    return FinishOutput(terminal, "help", kExitOk);
  }
  const Command* const command = FindCommand(args[0]);
  if (command == nullptr) return RefuseCommand(args[0], terminal);
  int exit_code = kExitFailure;
  try {
    exit_code = command->run(RewriteSettingFlags({args.begin() + 1, args.end()}), terminal);
  } catch (const std::exception& exception) {  // usually out of memory
    exit_code = Fail(terminal, command->name, absl::InternalError(exception.what()));
  }
  return FinishOutput(terminal, command->name, exit_code);
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  // A reader that closes the pipe (`hourcell scan | head`) shows as a failed write.
  signal(SIGPIPE, SIG_IGN);
  return hourcell::Main({argv + 1, argv + argc});
}
