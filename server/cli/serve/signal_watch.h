// SignalWatch: ends what the process serves at SIGTERM and SIGINT, without more ado at the second
// of them, and has it read its files again at SIGHUP. It also tells systemd that it works.
//
// It watches before the line is printed that says where the process listens: whoever reads that
// line may send a signal. What is served may change: a process that waits to write to a shared
// store serves in another way than one that writes.
//
// Thread-safe.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/monitor/service_manager.h"

namespace hourcell {

// What is served. Any of the functions may be null.
struct ServedThing {
  std::string status;            // what `systemctl status` shows
  std::function<void()> stop;    // may take long; called on a thread of its own
  std::function<void()> hurry;   // a stop under way, or to come, waits for nobody
  std::function<void()> reload;  // files of users and of TLS
  // Calls `works` soon on a thread that serves, if that thread works.
  std::function<void(std::function<void()> works)> probe;
};

class SignalWatch {
 public:
  // Watches from now on. Tells `manager`, which is borrowed, what it does.
  explicit SignalWatch(const ServiceManager* manager);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  // Signals go to `thing` from now on, and systemd is told that it serves. If a signal to stop has
  // come before, it is stopped at once.
  void Serve(ServedThing thing);
  // Signals go to nothing any more; waits for the stop that is under way.
  void Leave();

  // Whether a signal to stop has come.
  bool is_stopping() const;

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
