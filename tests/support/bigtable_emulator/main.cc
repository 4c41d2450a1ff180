// A GoogleEmulator as a program, for tests of several nodes.
//
//   hourcell_google_emulator [PORT]
//
// It listens on 127.0.0.1, port 8086 by default, until SIGINT or SIGTERM. Rows end with it.

#include <charconv>
#include <csignal>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "tests/support/bigtable/google_emulator.h"

int main(int argc, char** argv) {
  int port = 8086;
  const std::string_view word = argc > 1 ? argv[1] : "8086";
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), port);
  if (argc > 2 || error != std::errc() || end != word.data() + word.size()) {
    fmt::print(stderr, "usage: hourcell_google_emulator [PORT]\n");
    return 2;
  }
  if (const std::string missing = hourcell::MissingEmulator(); !missing.empty()) {
    fmt::print(stderr, "hourcell_google_emulator: {}\n", missing);
    return 1;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const hourcell::GoogleEmulator emulator(port);
  fmt::print("BIGTABLE_EMULATOR_HOST={}\n", emulator.address());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  return 0;
}
