// A server under callgrind, which counts instructions and calls and not time.
//
//   CallgrindServer server;
//   Fill(server.port());
//   const WorkCost cost = server.CostOf([&] { Ask(server.port(), ...); });
//
// What is counted does not depend on the machine: the server believes in two processors, and takes
// the same variants of functions on all of them. Nor does it depend on how busy the machine is, but
// for the turns of background threads, which come by the clock: what they take while the server has
// nothing to do is measured beside the work, and taken off.

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

  // Waits until the server is idle. Then, what it takes while `work` runs, beyond what it takes idle
  // in that time.
  WorkCost CostOf(const std::function<void()>& work);

 private:
  struct Counted {
    WorkCost cost;
    double seconds = 0;
  };
  // What the idle server takes in a second.
  WorkCost WaitUntilIdle();
  Counted Count(const std::function<void()>& work);
  // Has valgrind do something: "zero", "dump".
  void Tell(const std::string& command) const;

  TempDir dir_;
  int dumps_ = 0;
  ServerProcess server_;
};

}  // namespace hourcell
