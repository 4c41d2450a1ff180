// InstructionCounter: the instructions that a thread executes in user mode. Their number depends on
// the program and on the work, and hardly on the machine's load. Linux counts them
// (perf_event_open) where the kernel allows it: kernel.perf_event_paranoid is at most 2, no filter
// of a container refuses the call, and the processor, often a virtual one, has such a counter. Used
// by one thread.

#pragma once

#include <cstdint>
#include <optional>

namespace hourcell::layouts {

class InstructionCounter {
 public:
  // Counts the instructions of the calling thread.
  InstructionCounter();
  ~InstructionCounter();
  InstructionCounter(const InstructionCounter&) = delete;
  InstructionCounter& operator=(const InstructionCounter&) = delete;

  // The instructions since the construction; nothing if the kernel does not count them.
  std::optional<uint64_t> Count() const;

  // The instructions since an earlier Count(), with those of the call itself, some hundred; 0 if
  // one of both is missing.
  uint64_t Since(const std::optional<uint64_t>& earlier) const;

 private:
  int fd_;  // -1: the kernel refused
};

}  // namespace hourcell::layouts
