// A FakeBigtable as a program, to try Hourcell on Bigtable on one machine: its rows are in memory,
// and end with it.
//
//   hourcell_fake_bigtable [PORT]    listens on 127.0.0.1, port 8086 by default, until a signal

#include <charconv>
#include <csignal>
#include <cstdio>
#include <string_view>

#include <fmt/format.h>

#include "tests/support/bigtable/fake_bigtable.h"

int main(int argc, char** argv) {
  int port = 8086;
  const std::string_view text = argc > 1 ? argv[1] : "8086";
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (argc > 2 || error != std::errc() || end != text.data() + text.size()) {
    fmt::print(stderr, "hourcell_fake_bigtable: got {}; want a port\n", text);
    return 2;
  }
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const hourcell::FakeBigtable fake(port);
  fmt::print("BIGTABLE_EMULATOR_HOST={}\n", fake.address());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&signals, &signal);
  return 0;
}
