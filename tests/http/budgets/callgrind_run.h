// A server under callgrind, which counts instructions and calls and not time.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hourcell {

struct WorkCost {
  double instructions = 0;
  double allocations = 0;  // calls of malloc and its relatives
};

// Whether valgrind is on this machine.
bool HasCallgrind();

// Starts a server on an empty store with these arguments, lets `work` use its port, stops it with
// SIGTERM, and returns what all that took. What start and stop take is in it: take the difference
// of two runs.
WorkCost RunUnderCallgrind(const std::function<void(uint16_t port)>& work,
                           const std::vector<std::string>& arguments = {});

}  // namespace hourcell
