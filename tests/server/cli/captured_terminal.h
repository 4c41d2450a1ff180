// A Terminal whose output a test can read, and files for its commands.

#pragma once

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "codec/base/check.h"
#include "codec/base/clock.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"
#include "server/http/http_response.h"

namespace hourcell {

class CapturedTerminal {
 public:
  explicit CapturedTerminal(int64_t now_ms = 1356998400000) : clock_(now_ms) {
    terminal_ = {.out = std::tmpfile(), .err = std::tmpfile(), .is_tty = false, .clock = &clock_};
    HOURCELL_CHECK(terminal_.out != nullptr && terminal_.err != nullptr);
  }
  ~CapturedTerminal() {
    std::fclose(terminal_.out);
    std::fclose(terminal_.err);
  }
  CapturedTerminal(const CapturedTerminal&) = delete;
  CapturedTerminal& operator=(const CapturedTerminal&) = delete;

  Terminal& get() { return terminal_; }
  ManualClock& clock() { return clock_; }

  // All that was written so far.
  std::string out() { return Text(terminal_.out); }
  std::string err() { return Text(terminal_.err); }

 private:
  static std::string Text(std::FILE* file) {
    std::fflush(file);
    std::rewind(file);
    std::string text;
    char piece[4096];
    while (const size_t got = std::fread(piece, 1, sizeof(piece), file))
      text.append(piece, got);
    return text;
  }

  ManualClock clock_;
  Terminal terminal_;
};

// A clock that sends the process a signal when it is asked for the n-th time: LongWork asks at each
// step. REQUIRES: the signal is handled then.
class SignallingClock : public ManualClock {
 public:
  SignallingClock(int signal, int looks) : ManualClock(0), signal_(signal), looks_(looks) {}
  int64_t MonotonicMs() override {
    if (--looks_ == 0) std::raise(signal_);
    return ManualClock::MonotonicMs();
  }
  bool has_sent() const { return looks_ <= 0; }

 private:
  const int signal_;
  int looks_;
};

inline std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  HOURCELL_CHECK(file.good());
}

inline void WriteGzipFile(const std::string& path, std::string_view bytes) {
  WriteFile(path, Gzip(bytes));
}

}  // namespace hourcell
