#include "server/config/version.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codec/base/json_writer.h"
#include "server/cli/command_line.h"
#include "server/cli/terminal.h"
#include "server/cli/version.h"
#include "server/config/build_info.h"

namespace hourcell {

std::string VersionText() {
  const BuildInfo& build = ThisBuild();
  return fmt::format(
      "hourcell {}\nspeaks OpenTSDB {}; built by {}, {} debug checks, {} bits\n"
      "commit {}; build type {}\n"
      "libraries: {}\n",
      kHourcellVersion, kOpenTsdbVersion, build.compiler,
      build.has_debug_checks ? "with" : "without", sizeof(void*) * 8, build.commit,
      build.build_type, build.libraries);
}

std::string VersionJson() {
  const BuildInfo& build = ThisBuild();
  std::string text;
  JsonWriter json(&text);
  json.OpenObject();
  json.Field("hourcell", kHourcellVersion);
  json.Field("version", kOpenTsdbVersion);
  json.Field("commit", build.commit);
  json.Field("build_type", build.build_type);
  json.Field("compiler", build.compiler);
  json.Field("debug_checks", build.has_debug_checks);
  json.Field("libraries", build.libraries);
  json.CloseObject();
  return text + "\n";
}

int RunVersion(bool as_json, Terminal& terminal) {
  PrintTo(terminal.out, "{}", as_json ? VersionJson() : VersionText());
  return kExitOk;
}

int VersionMain(const std::vector<std::string>& args, Terminal& terminal) {
  CommandLine line("version", "Prints the version and how it was built.");
  bool as_json = false;
  line.AddFlag("--json", &as_json, "print one JSON object, with the names of /api/version");
  if (const std::optional<int> code = line.Parse(args, terminal)) return *code;
  return RunVersion(as_json, terminal);
}

}  // namespace hourcell
