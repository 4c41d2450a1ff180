// A program as a child process, which may be killed, stopped and continued.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hourcell {

class ChildProcess {
 public:
  // Starts it. `words` are the program and its arguments; `environment` is "NAME=value", beside
  // that of this process. What it prints is appended to a file.
  ChildProcess(std::vector<std::string> words,
               const std::vector<std::string>& environment,
               const std::string& output_file);
  // Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // True once it has ended; its remains are gone then.
  bool HasEnded();
  // Waits for its end for so long; kills it then.
  void EndWithin(int64_t ms);

 private:
  pid_t pid_ = -1;  // -1: it has ended
};

// A port of 127.0.0.1 that nobody listens on.
uint16_t FreePort();
// False: nobody listens within so many milliseconds.
bool ListensWithin(uint16_t port, int64_t ms);

}  // namespace hourcell
