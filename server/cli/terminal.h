// Terminal: output streams and clock of a command. Exit codes.
//
// Results go to `out`, messages about them to `err`. Thread-compatible.

#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "codec/base/clock.h"

namespace hourcell {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailure = 1;
inline constexpr int kExitUsage = 2;

struct Terminal {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
  bool is_tty = false;             // `err` is a terminal: progress overwrites its line
  Clock* clock = Clock::System();  // borrowed
};

// Writes text to a stream. It does not report failures: the stream remembers them, and FinishOutput
// checks. Never throws, unlike fmt::print.
void PrintText(std::FILE* file, std::string_view text) noexcept;

template <typename... Args>
void PrintTo(std::FILE* file, fmt::format_string<Args...> format, Args&&... args) {
  PrintText(file, fmt::format(format, std::forward<Args>(args)...));
}

// "1 bad line", "2 bad lines", "3 queries", "1 query": `noun` is the singular.
std::string Counted(uint64_t count, std::string_view noun);

// Call it after a command. Returns kExitFailure, with a message on `err`, if `exit_code` is kExitOk
// but a write to `out` failed; else `exit_code`.
int FinishOutput(Terminal& terminal, std::string_view command, int exit_code);

// The message of a status, valid as long as the status.
std::string_view StatusText(const absl::Status& status);

// Prints "hourcell <command>: <message>" on `err`. Returns kExitFailure.
int Fail(Terminal& terminal, std::string_view command, const absl::Status& status);

// The same for an invalid command line, with a hint at --help. Returns kExitUsage.
int FailUsage(Terminal& terminal, std::string_view command, std::string_view message);

// The same for unexpected words: `expected WANT, got "a b"`, or `expected WANT, got no argument`.
int FailWords(Terminal& terminal,
              std::string_view command,
              std::span<const std::string> got,
              std::string_view want);

// Buffers text and writes it to a stream in large pieces. After a failure it writes nothing more. A
// reader that closes the pipe (`hourcell scan | head`) is a failure like any other, so that a
// script notices a truncated file.
class TextOutput {
 public:
  explicit TextOutput(std::FILE* file) : file_(file) {}
  TextOutput(const TextOutput&) = delete;
  TextOutput& operator=(const TextOutput&) = delete;

  // The pending text; append to it.
  std::string* buffer() { return &buffer_; }

  // Writes the buffer if it is large. False after a failure of the stream: stop.
  bool WriteIfLarge();

  // Writes the rest. kUnavailable if the stream failed.
  absl::Status Finish();

 private:
  void Write();

  std::FILE* const file_;
  std::string buffer_;
  int error_ = 0;  // errno of the first failure
};

}  // namespace hourcell
