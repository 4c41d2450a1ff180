// `hourcell version`.

#pragma once

#include <string>
#include <vector>

#include "server/cli/terminal.h"

namespace hourcell {

// "hourcell 0.1.0", with the build options, the commit, and the versions of libraries.
std::string VersionText();

// The same as a JSON object with the names of /api/version, and a line end.
std::string VersionJson();

int RunVersion(bool as_json, Terminal& terminal);

// `hourcell version` with these flags and words. The exit code is RunVersion's, or kExitUsage if
// they are invalid.
int VersionMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
