// StatsdSocket: a port for datagrams of StatsD, and the timer that ends an interval. Thread-safe.

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

// Bytes of the longest datagram.
inline constexpr size_t kStatsdDatagramBytesMax = 65'536;

class StatsdSocket {
 public:
  // Pointers are borrowed and outlive the object.
  struct Parts {
    StatsdInput* input = nullptr;
    IoContext* io = nullptr;
    WorkerPool* pool = nullptr;                         // where points wait for the store
    std::function<bool(std::string_view)> may_write{};  // of a sender, by its address without port
  };

  // Binds and reads from now on; port 0 = any. Errors: kInvalidArgument: `bind` is no address;
  // kUnavailable: it cannot be listened on.
  static absl::StatusOr<std::unique_ptr<StatsdSocket>> Open(const std::string& bind,
                                                            uint16_t port,
                                                            Parts parts);
  ~StatsdSocket();
  StatsdSocket(const StatsdSocket&) = delete;
  StatsdSocket& operator=(const StatsdSocket&) = delete;

  uint16_t port() const;

  // Reads what has arrived, then no more, and writes what was gathered. Blocks; not to be called
  // from a thread of the IoContext. Idempotent.
  void Stop();

 private:
  class Impl;
  explicit StatsdSocket(std::shared_ptr<Impl> impl);
  const std::shared_ptr<Impl> impl_;  // shared with the handlers under way
};

}  // namespace hourcell
