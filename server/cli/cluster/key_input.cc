#include "server/cli/cluster/key_input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>

#include <climits>

namespace hourcell {
namespace {

std::atomic<int> key_signal = 0;

void NoteKeySignal(int signal) {
  key_signal = signal;
}

}  // namespace

KeyInput::KeyInput(int terminal_fd) : fd_(terminal_fd) {
  key_signal = 0;
  struct sigaction action = {};
  action.sa_handler = &NoteKeySignal;  // without SA_RESTART, so that a signal ends poll
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
  if (fd_ < 0) return;
  if (tcgetattr(fd_, &before_) != 0) {
    fd_ = -1;
    return;
  }
  termios keys = before_;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(fd_, TCSANOW, &keys);
}

KeyInput::~KeyInput() {
  if (fd_ >= 0) tcsetattr(fd_, TCSANOW, &before_);
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

std::optional<char> KeyInput::Wait(int64_t wait_ms) {
  if (signal() != 0) return std::nullopt;
  // poll ignores a negative descriptor.
  pollfd input = {.fd = fd_, .events = POLLIN, .revents = 0};
  const auto timeout = static_cast<int>(std::clamp<int64_t>(wait_ms, 0, INT_MAX));
  if (poll(&input, 1, timeout) <= 0 || (input.revents & POLLIN) == 0) return std::nullopt;
  char key = 0;
  if (read(fd_, &key, 1) == 1) return key;
  fd_ = -1;  // the terminal was closed
  return std::nullopt;
}

int KeyInput::signal() {
  return key_signal;
}

}  // namespace hourcell
