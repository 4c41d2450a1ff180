// ServiceManager: reports the server's state to systemd, by the protocol of sd_notify(3): a unit
// with Type=notify counts as started when the server is ready, and WatchdogSec= restarts a server
// that hangs.
//
// The protocol is documented and stable: a datagram of lines to the socket in the environment.
// libsystemd would load five libraries of compression and cryptography for it.
//
// Without that socket, the functions send nothing. Thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

class ServiceManager {
 public:
  // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  static ServiceManager FromEnvironment();

  // `socket`: a path, or '@' and an abstract name; empty: nothing is sent. `watchdog_us`: systemd
  // expects a Heartbeat within this time; 0: no watchdog.
  ServiceManager(std::string socket, int64_t watchdog_us);

  // The server serves; `status` is a line that `systemctl status` shows.
  bool Ready(std::string_view status) const;
  // The server rereads its files; Ready must follow.
  bool Reloading() const;
  bool Stopping(std::string_view status) const;
  // The server works. Call this every HeartbeatMs().
  bool Heartbeat() const;

  // Half of the watchdog's time; 0: no watchdog.
  int64_t HeartbeatMs() const { return watchdog_us_ / 2000; }

 private:
  // False: the socket is absent or invalid, or sending failed.
  bool Send(std::string_view state) const;

  const std::string socket_;
  const int64_t watchdog_us_;
};

}  // namespace hourcell
