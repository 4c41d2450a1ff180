// A program as a child process, which may be killed, stopped and continued.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hourcell {

class ChildProcess {
 public:
  // Starts it; it is killed when the thread that calls this ends. `words` are the program and its
  // arguments; `environment` is "NAME=value", added to that of this process. Its output is appended
  // to a file.
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
  // Waits at most `ms` for its end; then kills it and returns false.
  bool EndWithin(int64_t ms);
  // The signal that ended it, once it has ended; 0: no signal.
  int ended_by() const { return ended_by_; }

 private:
  pid_t pid_ = -1;  // -1: it has ended
  int ended_by_ = 0;
};

// A port of 127.0.0.1 on which no process listens.
uint16_t FreePort();
// False: no process listens within `ms`.
bool ListensWithin(uint16_t port, int64_t ms);

}  // namespace hourcell
