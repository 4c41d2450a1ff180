// WriterWatch: detects at once that the writer has died. It keeps a silent connection to the
// writer, which the operating system closes when the process is killed. If nothing listens at that
// address afterwards, the writer is gone. A writer that stops in good order first sends a notice,
// and does not count as gone. Nor does a process that fails to prove that it knows the store's
// secret: it is not the writer.
//
// Owns a thread. Thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "server/net/nodes/relay_proof.h"

namespace hourcell {

class WriterWatch {
 public:
  // Delay of the second attempt after a refusal.
  static constexpr int64_t kRefusedPauseMs = 20;
  // Longest pause between attempts: for writers that are unreachable or close idle connections.
  static constexpr int64_t kPauseMaxMs = 1000;

  // `keys`: the secrets of the store's nodes. `on_gone` is called on the watch's thread, once per
  // writer, with its address.
  WriterWatch(std::shared_ptr<const RelayKeys> keys,
              std::function<void(const std::string& address)> on_gone);
  ~WriterWatch();
  WriterWatch(const WriterWatch&) = delete;
  WriterWatch& operator=(const WriterWatch&) = delete;

  // Watches the process at `address` (host:port) from now on; empty: watches none.
  void SetWriter(const std::string& address);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace hourcell
