// NamedThread: a thread with a name, joined at its end. All threads of the product start here, so
// that `top -H`, a debugger and a core dump show the purpose of each.
//
//   NamedThread thread("hc-sealer", [this] { Loop(); });
//
// A name must fit into the 15 bytes that Linux keeps. Names begin with "hc-", because the threads
// may run in the process of another program.
//
// Thread-compatible.

#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <thread>

namespace hourcell {

class NamedThread {
 public:
  // No thread.
  NamedThread() = default;

  // Starts a thread that calls `run`. Throws std::system_error if the system cannot start another
  // thread. REQUIRES: a name of 1 to 15 bytes.
  NamedThread(std::string name, std::function<void()> run);

  ~NamedThread() { Join(); }
  NamedThread(NamedThread&&) = default;
  NamedThread& operator=(NamedThread&& other) noexcept;
  NamedThread(const NamedThread&) = delete;
  NamedThread& operator=(const NamedThread&) = delete;

  // True until Join.
  bool is_joinable() const { return thread_.joinable(); }

  // Waits until `run` has returned. Does nothing without a thread.
  void Join();

 private:
  std::thread thread_;
};

// Number of threads of this process that run in parallel: the processors that it may use (taskset,
// cpusets of containers). At least 1.
size_t ProcessorCount();

}  // namespace hourcell
