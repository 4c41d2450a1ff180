// `hourcell version`.

#pragma once

#include <string>
#include <vector>

#include "server/cli/terminal.h"

namespace hourcell {

// "hourcell 0.1.0", how it was built, of which commit, and with which libraries.
std::string VersionText();

// The same as an object of JSON, with the names of /api/version, and a line end.
std::string VersionJson();

int RunVersion(bool as_json, Terminal& terminal);

// `hourcell version` with these flags and words. The exit code is that of RunVersion, or
// kExitUsage if they make no sense.
int VersionMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
