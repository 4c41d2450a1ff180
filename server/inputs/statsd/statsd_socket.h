// StatsdSocket: a UDP port for StatsD, and the timer of the intervals. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

namespace hourcell {

class StatsdInput;
struct IoContext;
struct WorkerPool;

// Size of the longest datagram.
inline constexpr size_t kStatsdDatagramBytesMax = 65'536;

class StatsdSocket {
 public:
  // Pointers are borrowed and outlive the object.
  struct Parts {
    StatsdInput* input = nullptr;
    IoContext* io = nullptr;
    WorkerPool* pool = nullptr;                         // writes the points
    std::function<bool(std::string_view)> may_write{};  // by the sender's address without port
  };

  // Binds and starts reading; port 0 = any. kInvalidArgument: `bind` is not an address;
  // kUnavailable: cannot listen there.
  static absl::StatusOr<std::unique_ptr<StatsdSocket>> Open(const std::string& bind,
                                                            uint16_t port,
                                                            Parts parts);
  ~StatsdSocket();
  StatsdSocket(const StatsdSocket&) = delete;
  StatsdSocket& operator=(const StatsdSocket&) = delete;

  uint16_t port() const;

  // Reads pending datagrams, stops, and writes the points. Blocks; must not be called on a thread
  // of the IoContext. Idempotent.
  void Stop();

 private:
  class Impl;
  explicit StatsdSocket(std::shared_ptr<Impl> impl);
  const std::shared_ptr<Impl> impl_;  // shared with running handlers
};

}  // namespace hourcell
