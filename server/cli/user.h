// `hourcell user add`: a line of the file of users (server/access/credentials.h), from a secret on
// the standard input. Never from an argument: those are seen by everybody on the machine.

#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "server/cli/terminal.h"

namespace hourcell {

struct UserOptions {
  std::vector<std::string> words = {};  // add NAME
  std::string role = "read";
  bool generate = false;  // makes a secret, and says its token on `err`
  std::FILE* in = stdin;  // the secret is its first line
};

// Prints the line on `out`. kExitUsage: no such subcommand, name or role; a secret that is empty,
// longer than kSecretBytesMax, or has control characters.
int RunUser(const UserOptions& options, Terminal& terminal);

// `hourcell user` with these flags and words. The exit code is that of RunUser, or
// kExitUsage if they make no sense.
int UserMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
