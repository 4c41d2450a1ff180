#include "server/monitor/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include <absl/strings/numbers.h>
#include <fmt/format.h>

namespace hourcell {
namespace {

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The time of this process's watchdog in microseconds; 0 without watchdog.
int64_t WatchdogOfEnvironment() {
  int64_t us = 0;
  if (!absl::SimpleAtoi(Environment("WATCHDOG_USEC"), &us) || us < 0) return 0;
  int64_t process = 0;
  const std::string for_process = Environment("WATCHDOG_PID");
  if (for_process.empty()) return us;
  return absl::SimpleAtoi(for_process, &process) && process == getpid() ? us : 0;
}

// By the clock with which systemd compares it.
int64_t MonotonicUs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

}  // namespace

ServiceManager ServiceManager::FromEnvironment() {
  return {Environment("NOTIFY_SOCKET"), WatchdogOfEnvironment()};
}

ServiceManager::ServiceManager(std::string socket, int64_t watchdog_us)
    : socket_(std::move(socket)), watchdog_us_(watchdog_us) {}

bool ServiceManager::Ready(std::string_view status) const {
  return Send(fmt::format("READY=1\nSTATUS={}\n", status));
}

bool ServiceManager::Reloading() const {
  return Send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}\n", MonotonicUs()));
}

bool ServiceManager::Stopping(std::string_view status) const {
  return Send(fmt::format("STOPPING=1\nSTATUS={}\n", status));
}

bool ServiceManager::Heartbeat() const {
  return Send("WATCHDOG=1\n");
}

bool ServiceManager::Send(std::string_view state) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.size() < 2 || socket_.size() > sizeof(address.sun_path)) return false;
  if (socket_[0] != '/' && socket_[0] != '@') return false;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const ssize_t sent = sendto(socket, state.data(), state.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), size);
  close(socket);
  return sent == static_cast<ssize_t>(state.size());
}

}  // namespace hourcell
