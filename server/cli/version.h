// `hourcell version`.

#pragma once

#include <string>

#include "server/cli/terminal.h"

namespace hourcell {

// "hourcell 0.1.0" and a line on how it was built.
std::string VersionText();

int RunVersion(Terminal& terminal);

}  // namespace hourcell
