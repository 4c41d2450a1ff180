// A server under callgrind, which counts instructions and calls and not time.
//
//   CallgrindServer server;
//   Fill(server.port());
//   const WorkCost cost = server.CostOf([&] { Ask(server.port(), ...); });
//
// Counts do not depend on the machine: the server runs on two processors, and libc and simdjson use
// the same variants of their functions on each. Nor do they depend on the load. Background threads
// run by the clock, so a slow run has more of their work: CostOf measures it while the server is
// idle, and subtracts it.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/http/server_process.h"
#include "tests/support/temp_dir.h"

namespace hourcell {

struct WorkCost {
  double instructions = 0;
  double allocations = 0;  // calls of malloc and its relatives
};

// Whether valgrind is on this machine.
bool HasCallgrind();

class CallgrindServer {
 public:
  // A server on an empty store with these arguments.
  explicit CallgrindServer(const std::vector<std::string>& arguments = {});
  // Stops it with SIGTERM.
  ~CallgrindServer();
  CallgrindServer(const CallgrindServer&) = delete;
  CallgrindServer& operator=(const CallgrindServer&) = delete;

  uint16_t port() const { return server_.port(); }

  // Waits until the server is idle, runs `work`, and returns the cost of `work` without that of an
  // idle server in the same time.
  WorkCost CostOf(const std::function<void()>& work);

 private:
  struct Counted {
    WorkCost cost;
    double seconds = 0;
  };
  // The cost of a second of the idle server.
  WorkCost WaitUntilIdle();
  Counted Count(const std::function<void()>& work);
  // Has valgrind do something: "zero", "dump".
  void Tell(const std::string& command) const;

  TempDir dir_;
  int dumps_ = 0;
  ServerProcess server_;
};

}  // namespace hourcell
