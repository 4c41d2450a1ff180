#include "server/config/version.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "server/cli/command_line.h"
#include "server/cli/terminal.h"
#include "server/cli/version.h"

namespace hourcell {
namespace {

#ifdef NDEBUG
constexpr std::string_view kChecks = "without debug checks";
#else
constexpr std::string_view kChecks = "with debug checks";
#endif

}  // namespace

std::string VersionText() {
  return fmt::format(
      "hourcell {}\nspeaks OpenTSDB {}; built by {} {}, {}, {} bits\n"
      "commit {}; build type {}\n"
      "libraries: {}\n",
      kHourcellVersion, kOpenTsdbVersion,
#ifdef __clang__
      "clang",
#else
      "gcc",
#endif
      __VERSION__, kChecks, sizeof(void*) * 8, HOURCELL_COMMIT, HOURCELL_BUILD_TYPE,
      HOURCELL_LIBRARIES);
}

int RunVersion(Terminal& terminal) {
  fmt::print(terminal.out, "{}", VersionText());
  return kExitOk;
}

int VersionMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("version", "Prints the version and how it was built.");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunVersion(terminal);
}

}  // namespace hourcell
