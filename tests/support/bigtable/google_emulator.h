// GoogleEmulator: Google's own emulator of Bigtable in a separate process, reached through a server
// of ours on a free port of this machine. The server lets one call at a time through, and reads
// each stream to its end first. Without that, a read during a write of a new column of its row may
// miss a column or have one twice: in the emulator, not in the service. Rows end with the process.

#pragma once

#include <grpcpp/server.h>
#include <sys/types.h>

#include <memory>
#include <string>

#include "tests/support/temp_dir.h"

namespace hourcell {

// The program: HOURCELL_BIGTABLE_EMULATOR of the environment, or where its Debian package
// google-cloud-cli-bigtable-emulator has it.
std::string GoogleEmulatorPath();
// Why the emulator is missing, for the message of a skipped test; empty: it is installed.
std::string MissingEmulator();
// CI=true: a missing one is a failure.
bool MustHaveEmulator();

// First in a test, or in a fixture's SetUp.
#define HOURCELL_WANT_EMULATOR()                                                   \
  if (const std::string missing = hourcell::MissingEmulator(); !missing.empty()) { \
    if (hourcell::MustHaveEmulator()) GTEST_FAIL() << missing;                     \
    GTEST_SKIP() << missing;                                                       \
  }                                                                                \
  static_assert(true)

// Thread-safe.
class GoogleEmulator {
 public:
  // On a port of 127.0.0.1; 0: any free one. The emulator ends with the thread that calls this,
  // even by kill -9. REQUIRES: MissingEmulator() is empty.
  explicit GoogleEmulator(int port = 0);
  ~GoogleEmulator();
  GoogleEmulator(const GoogleEmulator&) = delete;
  GoogleEmulator& operator=(const GoogleEmulator&) = delete;

  // "127.0.0.1:<port>"
  const std::string& address() const { return address_; }

 private:
  class Proxy;

  const TempDir directory_;  // of the emulator's socket
  pid_t emulator_ = -1;
  std::string address_;
  std::unique_ptr<Proxy> proxy_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace hourcell
