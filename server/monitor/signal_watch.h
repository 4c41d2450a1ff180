// SignalWatch: stops serving at SIGTERM and SIGINT, at once on a second signal, and reloads files
// at SIGHUP. It also notifies systemd.
//
// Signals are caught before the process prints its address, because a reader of that line may send
// one. The served object may change: a standby of a shared store serves through a relay, the writer
// through a server.
//
// Thread-safe.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/monitor/service_manager.h"

namespace hourcell {

// The served object. Any of the functions may be null.
struct ServedThing {
  std::string status;                // shown by `systemctl status`
  std::function<void()> stop;        // may take long; runs on a separate thread
  std::function<void()> skip_drain;  // makes a current or later stop immediate
  std::function<void()> reload;      // reloads user and TLS files
  // Calls `works` soon, on a serving thread, if that thread works.
  std::function<void(std::function<void()> works)> probe;
};

class SignalWatch {
 public:
  // Starts watching. Sends notifications to `manager`, which is borrowed.
  explicit SignalWatch(const ServiceManager* manager);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // Directs signals to `thing` from now on and notifies systemd. Stops `thing` at once if a signal
  // to stop has already arrived.
  void Serve(ServedThing thing);
  // Directs signals to nothing; waits for a running stop.
  void Leave();

  // True if a signal to stop has arrived.
  bool is_stopping() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
