// A FakeBigtable as a program, to try Hourcell on Bigtable on one machine.
//
//   hourcell_fake_bigtable [PORT] [--data DIR] [--faults SEED] [--latency MS]
//
// It listens on 127.0.0.1, port 8086 by default, until SIGINT or SIGTERM. Rows are in memory and
// end with it, or are kept in DIR: then answered writes are there after kill -9. With --faults,
// calls fail in every way by chance. SIGUSR1 prints how many calls there were.

#include <charconv>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "tests/support/bigtable/fake_bigtable.h"

namespace hourcell {
namespace {

struct FakeFlags {
  int port = 8086;
  std::string data = {};
  std::optional<uint64_t> faults = {};
  int64_t latency_ms = 0;
};

template <typename Number>
bool Parse(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

// False: the flags are invalid.
bool ParseFlags(int argc, char** argv, FakeFlags* flags) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (!word.starts_with("--")) {
      if (!Parse(word, &flags->port)) return false;
      continue;
    }
    if (++i == argc) return false;
    if (word == "--data") {
      flags->data = argv[i];
    } else if (word == "--faults") {
      if (!Parse(argv[i], &flags->faults.emplace())) return false;
    } else if (word != "--latency" || !Parse(argv[i], &flags->latency_ms)) {
      return false;
    }
  }
  return true;
}

int RunFake(const FakeFlags& flags) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1})
    sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  FakeBigtable fake(flags.port, flags.data);
  BigtableFaults faults;
  if (flags.faults.has_value()) faults = MixedFaults(*flags.faults);
  if (flags.latency_ms > 0) faults.latency_ms = flags.latency_ms;
  fake.SetFaults(faults);
  fmt::print("BIGTABLE_EMULATOR_HOST={}\n", fake.address());
  std::fflush(stdout);
  for (int signal = 0; sigwait(&signals, &signal) == 0 && signal == SIGUSR1;) {
    fmt::print("{}\n", CallsText(*fake.calls()));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace hourcell

int main(int argc, char** argv) {
  hourcell::FakeFlags flags;
  if (hourcell::ParseFlags(argc, argv, &flags)) return hourcell::RunFake(flags);
  fmt::print(stderr,
             "usage: hourcell_fake_bigtable [PORT] [--data DIR] [--faults SEED] [--latency MS]\n");
  return 2;
}
