// WriterWatch: sees at once that the process that writes has died: it keeps a silent connection to
// it, which the system of a killed process ends. If nobody listens at that address then, the
// process is gone. One that stops in good order says so by a byte before it ends the connection,
// and is not taken for gone. A process that does not prove that it knows the store's secret is not
// the writer, and is not taken for gone either.
//
// Owns a thread. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "server/relay/relay_proof.h"

namespace hourcell {

// What a server says on a watch when it stops.
inline constexpr std::string_view kLeaves = "leaves\n";

class WriterWatch {
 public:
  // After a refusal it tries once more, so much later.
  static constexpr int64_t kRefusedPauseMs = 20;
  // Between two tries at the most: of a writer that is never reached, or closes idle connections.
  static constexpr int64_t kPauseMaxMs = 1000;

  // `keys`: what the processes on the store know. `on_gone` is called on the watch's thread, once
  // for each writer, with its address.
  WriterWatch(std::shared_ptr<const RelayKeys> keys,
              std::function<void(const std::string& address)> on_gone);
  ~WriterWatch();
  WriterWatch(const WriterWatch&) = delete;
  WriterWatch& operator=(const WriterWatch&) = delete;

  // Watches the process at `address` (host:port) from now on; empty: nobody.
  void SetWriter(const std::string& address);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
