// LongWork: runs long work of a command on this machine. It shows progress and handles SIGINT and
// SIGTERM: the work stops at its next step, in the state that the command's help describes. A
// second signal ends the process at once.
//
// Progress: one line that overwrites itself on a terminal; else nothing. Thread-compatible; one at
// a time in the process.

#pragma once

#include <signal.h>

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "server/cli/terminal.h"

namespace hourcell {

class LongWork {
 public:
  // `name`: of the command, such as "backup verify".
  LongWork(Terminal& terminal, std::string_view name);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  // Shows "<name>: [<phase>: ]<done> of <total> <unit> (<n> %)". `total` 0: unknown. False: a
  // signal came, and the work must end.
  bool Update(std::string_view phase, uint64_t done, uint64_t total, std::string_view unit);

  // Removes the line from the terminal, so that other text can be printed.
  void Clear();

  // The signal that came; 0: none.
  static int signal();
  // True once a signal came, for work that polls a flag.
  static std::atomic<bool>* cancelled();

  // Prints "hourcell <name>: interrupted; <left>" and returns the exit code, 128 plus the signal:
  // 130 or 143. REQUIRES: a signal came.
  int FailInterrupted(std::string_view left);

 private:
  Terminal& terminal_;
  const std::string name_;
  int64_t shown_ms_ = 0;
  bool is_shown_ = false;
  struct sigaction interrupt_ = {};  // the previous handlers
  struct sigaction terminate_ = {};
};

}  // namespace hourcell
