// Keys as they are pressed, for commands that show a screen: the terminal gives single keys and
// does not echo them while a KeyInput lives. SIGINT and SIGTERM end a wait.
//
// Thread-compatible; one at a time in the process.

#pragma once

#include <signal.h>
#include <termios.h>

#include <cstdint>
#include <optional>

namespace hourcell {

class KeyInput {
 public:
  // `terminal_fd`: of a terminal to read keys from; -1 = none, only signals end a wait.
  explicit KeyInput(int terminal_fd);
  ~KeyInput();
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;

  // Waits for a key. Nothing after `wait_ms` milliseconds, or once a signal came.
  std::optional<char> Wait(int64_t wait_ms);

  // The signal that came; 0: none.
  static int signal();

 private:
  int fd_;
  termios before_ = {};
  struct sigaction interrupt_ = {};  // what they were
  struct sigaction terminate_ = {};
};

}  // namespace hourcell
