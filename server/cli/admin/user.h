// `hourcell user add`: makes a line of the file of users (server/access/credentials.h) from a
// secret on the standard input. The secret is never an argument, which other users of the machine
// can see.

#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "server/cli/terminal.h"

namespace hourcell {

struct UserOptions {
  std::vector<std::string> words = {};  // add NAME
  std::string role = "read";
  bool generate = false;  // makes a secret, and prints its token on `err`
  std::FILE* in = stdin;  // the secret is its first line
};

// Prints the line on `out`. kExitUsage: unknown subcommand or role, invalid name; a secret that is
// empty, longer than kSecretBytesMax, or has control characters.
int RunUser(const UserOptions& options, Terminal& terminal);

// `hourcell user` with these flags and words. The exit code is RunUser's, or kExitUsage if they are
// invalid.
int UserMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
