// ServiceManager: tells systemd how the server is, by the protocol of sd_notify(3): a unit with
// Type=notify is started once the server is ready, and WatchdogSec= restarts one that hangs.
//
// The protocol is documented and stable: a datagram of lines to the socket that the environment
// names. libsystemd would load five libraries of compression and cryptography for it.
//
// Without that socket everything here does nothing. Thread-safe.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

class ServiceManager {
 public:
  // What the environment says: NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  static ServiceManager FromEnvironment();

  // `socket`: a path, or a name after '@' that is in no directory; empty: nobody is told.
  // `watchdog_us`: Beat is expected within such a time; 0: it is not.
  ServiceManager(std::string socket, int64_t watchdog_us);

  // The server serves; `status` is a line that `systemctl status` shows.
  bool Ready(std::string_view status) const;
  // It reads its files again; Ready must follow.
  bool Reloading() const;
  bool Stopping(std::string_view status) const;
  // It works. To be called every BeatMs().
  bool Beat() const;

  // Half of the time within which a beat is expected; 0: none is.
  int64_t BeatMs() const { return watchdog_us_ / 2000; }

 private:
  // False: there is nobody to tell, or that failed.
  bool Send(std::string_view state) const;

  const std::string socket_;
  const int64_t watchdog_us_;
};

}  // namespace hourcell
