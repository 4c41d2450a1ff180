// NamedThread: a thread that has a name and is joined. All threads of the product are started here,
// so that `top -H`, a debugger and a core dump say what each of them does.
//
//   NamedThread thread("hc-sealer", [this] { Loop(); });
//
// A name must fit into the 15 bytes that Linux keeps of it. Names begin with
// "hc-", because the threads may run in the process of another program.
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

  // Starts a thread that calls `run`. Throws std::system_error if the system has no thread left.
  // REQUIRES: a name of 1 to 15 bytes.
  NamedThread(std::string name, std::function<void()> run);

  ~NamedThread() { Join(); }
  NamedThread(NamedThread&&) = default;
  NamedThread& operator=(NamedThread&& other) noexcept;
  NamedThread(const NamedThread&) = delete;
  NamedThread& operator=(const NamedThread&) = delete;

  // True until Join.
  bool is_joinable() const { return thread_.joinable(); }

  // Waits until `run` has returned. Does nothing if there is no thread.
  void Join();

 private:
  std::thread thread_;
};

// How many threads of this process run in parallel: as many as there are processors that it may use
// (taskset, cpusets of containers). At least 1.
size_t ProcessorCount();

}  // namespace hourcell
