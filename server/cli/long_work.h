// LongWork: work of a command on this machine that may take long. It shows how far the work is,
// and lets SIGINT and SIGTERM end it: the work stops at its next step and leaves what the help of
// its command promises. A second signal ends the process at once.
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
  // `name`: of the command, "backup verify".
  LongWork(Terminal& terminal, std::string_view name);
  ~LongWork();
  LongWork(const LongWork&) = delete;
  LongWork& operator=(const LongWork&) = delete;

  // Shows "<name>: [<phase>: ]<done> of <total> <unit> (<n> %)". `total` 0: it is not known. False:
  // a signal came, and the work is to end.
  bool Update(std::string_view phase, uint64_t done, uint64_t total, std::string_view unit);

  // Removes the line from the terminal, so that something else can be said.
  void Clear();

  // The signal that came; 0: none.
  static int signal();
  // Set once one came, for work that looks at it by itself.
  static std::atomic<bool>* cancelled();

  // Says "hourcell <name>: interrupted; <left>" and returns the exit code, 128 and the signal: 130
  // or 143. REQUIRES: a signal came.
  int FailInterrupted(std::string_view left);

 private:
  Terminal& terminal_;
  const std::string name_;
  int64_t shown_ms_ = 0;
  bool is_shown_ = false;
  struct sigaction interrupt_ = {};  // what they were
  struct sigaction terminate_ = {};
};

}  // namespace hourcell
