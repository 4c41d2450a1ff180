#include "server/version.h"

#include <cstdio>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "server/cli/terminal.h"
#include "server/cli/version.h"

namespace hourcell {
namespace {

#ifdef NDEBUG
constexpr std::string_view kChecks = "release";
#else
constexpr std::string_view kChecks = "with debug checks";
#endif

}  // namespace

std::string VersionText() {
  return fmt::format("hourcell {}\nspeaks OpenTSDB {}; built by {} {}, {}, {} bits\n",
                     kHourcellVersion, kOpenTsdbVersion,
#ifdef __clang__
                     "clang",
#else
                     "gcc",
#endif
                     __VERSION__, kChecks, sizeof(void*) * 8);
}

int RunVersion(Terminal& terminal) {
  fmt::print(terminal.out, "{}", VersionText());
  return kExitOk;
}

}  // namespace hourcell
