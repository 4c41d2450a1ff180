// A program of another system, of a package of the group `peers`, as a child process.

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hourcell {

class PeerProgram {
 public:
  // Starts it; its output goes to `log`. `arguments` begin with its path.
  PeerProgram(std::vector<std::string> arguments, const std::string& log);
  // Ends it if it still runs.
  ~PeerProgram() { End(); }
  PeerProgram(const PeerProgram&) = delete;
  PeerProgram& operator=(const PeerProgram&) = delete;

  // Sends SIGTERM and waits for its end: it first sends its remaining data.
  void End();

 private:
  pid_t pid_ = -1;
};

// Whether a program is there to be tested with.
bool IsInstalled(const char* program);

// A port that is free now.
uint16_t FreePort();

// Checks every 100 ms, for at most a minute.
bool Eventually(const std::function<bool()>& holds);

}  // namespace hourcell
