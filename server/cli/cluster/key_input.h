// Reads single keys for commands that show a screen: while a KeyInput lives, the terminal passes
// each key at once and does not echo it. SIGINT and SIGTERM end a wait.
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
  // `terminal_fd`: the terminal to read keys from; -1 = none, only signals end a wait.
  explicit KeyInput(int terminal_fd);
  ~KeyInput();
  KeyInput(const KeyInput&) = delete;
  KeyInput& operator=(const KeyInput&) = delete;

  // Waits for a key. nullopt after `wait_ms` milliseconds, or once a signal came.
  std::optional<char> Wait(int64_t wait_ms);

  // The signal that came; 0: none.
  static int signal();

 private:
  int fd_;
  termios before_ = {};
  struct sigaction interrupt_ = {};  // the previous handlers
  struct sigaction terminate_ = {};
};

}  // namespace hourcell
