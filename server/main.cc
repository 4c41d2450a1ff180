// The hourcell program: finds the command (server/cli/) and calls it with the rest of the words.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "server/cli/import/import.h"
#include "server/cli/lab/bench.h"
#include "server/cli/lab/simulate.h"
#include "server/cli/names/uid.h"
#include "server/cli/query/export.h"
#include "server/cli/query/query.h"
#include "server/cli/query/scan.h"
#include "server/cli/query/search.h"
#include "server/cli/serve/serve.h"
#include "server/cli/setting_flags.h"
#include "server/cli/store/backup.h"
#include "server/cli/store/doctor.h"
#include "server/cli/store/fsck.h"
#include "server/cli/store/job.h"
#include "server/cli/store/migrate.h"
#include "server/cli/store/region.h"
#include "server/cli/store/store.h"
#include "server/cli/terminal.h"
#include "server/cli/transfer/compare.h"
#include "server/cli/user.h"
#include "server/cli/version.h"
#include "server/cli/watch/top.h"

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
    {"compare", "ask two servers the same queries, and say what differs", &CompareMain},
    {"scan", "print stored rows", &ScanMain},
    {"export", "print the points of a store for other programs", &ExportMain},
    {"search", "list series by metric and tags", &SearchMain},
    {"uid", "show and change names and UIDs", &UidMain},
    {"mkmetric", "assign UIDs to metrics", &MkmetricMain},
    {"top", "show what a running server does", &TopMain},
    {"store", "seal, flush or compact a store, or set its TTLs or salt", &AdminMain},
    {"backup", "make, list, verify and prune backups", &BackupMain},
    {"restore", "make a store from a backup", &RestoreMain},
    {"fsck", "check and repair a store", &FsckMain},
    {"doctor", "look at a machine and a store, and say what to change", &DoctorMain},
    {"migrate", "copy a store to another layout", &MigrateMain},
    {"region", "list, check, split and merge regions", &RegionMain},
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
  fmt::print(file, "usage: hourcell COMMAND [OPTION ...] [ARGUMENT ...]\n\n");
  for (const Command& command : kCommands) {
    fmt::print(file, "  {:<10}{}\n", command.name, command.summary);
  }
  fmt::print(file, "\nRun 'hourcell help COMMAND' or 'hourcell COMMAND --help' for details.\n");
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
    fmt::print(terminal.err, "hourcell: unknown command {}\n\n", args[0]);
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
