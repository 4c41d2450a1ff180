// Terminal: where a command of the program writes, and what time it is there. Exit codes.
//
// Results go to `out`, everything said about them to `err`. Thread-compatible.

#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include <absl/status/status.h>

#include "codec/base/clock.h"

namespace hourcell {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

struct Terminal {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  bool is_tty = false;             // `err` is a terminal: progress overwrites itself there
  Clock* clock = Clock::System();  // borrowed
};

// The message of a status, as text that outlives nothing but the status.
std::string_view StatusText(const absl::Status& status);

// Says "hourcell <command>: <message>" on `err`. Returns kExitFailure.
int Fail(Terminal& terminal, std::string_view command, const absl::Status& status);

// The same for a command line that makes no sense, with a hint at --help. Returns kExitUsage.
int FailUsage(Terminal& terminal, std::string_view command, std::string_view message);

// Text on its way to a stream, in large pieces. A reader that goes away (`hourcell scan | head`) is
// no error: it had enough; nothing more is written then.
class TextOutput {
 public:
  explicit TextOutput(std::FILE* file) : file_(file) {}
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  // What is to be written next; append to it.
  std::string* buffer() { return &buffer_; }

  // Writes the buffer if it is large. False once the stream takes no more: stop.
  bool WriteIfLarge();

  // Writes the rest. kUnavailable if the stream failed for another reason than a reader gone.
  absl::Status Finish();

 private:
  void Write();

  std::FILE* const file_;
  std::string buffer_;
  int error_ = 0;  // errno of the first failure
};

}  // namespace hourcell
