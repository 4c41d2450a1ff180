#include "bench/lab/layouts/instruction_counter.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hourcell::layouts {
namespace {

int OpenInstructionCounter() {
  perf_event_attr wanted = {};
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.size = sizeof(wanted);
  wanted.config = PERF_COUNT_HW_INSTRUCTIONS;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  // Always on the processor: the kernel would otherwise share the counter with other programs in
  // turns, and count a part. If it cannot, a read gives no bytes.
  wanted.pinned = 1;
  constexpr pid_t kThisThread = 0;
  constexpr int kAnyProcessor = -1;
  constexpr int kNoGroup = -1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, kThisThread, kAnyProcessor,
                                    kNoGroup, PERF_FLAG_FD_CLOEXEC));
}

}  // namespace

InstructionCounter::InstructionCounter() : fd_(OpenInstructionCounter()) {}

InstructionCounter::~InstructionCounter() {
  if (fd_ >= 0) ::close(fd_);
}

std::optional<uint64_t> InstructionCounter::Count() const {
  uint64_t count = 0;
  if (fd_ < 0 || ::read(fd_, &count, sizeof(count)) != ssize_t{sizeof(count)}) return std::nullopt;
  return count;
}

uint64_t InstructionCounter::Since(const std::optional<uint64_t>& earlier) const {
  const std::optional<uint64_t> now = Count();
  return now.has_value() && earlier.has_value() ? *now - *earlier : 0;
}

}  // namespace hourcell::layouts
