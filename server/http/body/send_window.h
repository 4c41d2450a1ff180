// SendWindow: limits how far a response's producer may be ahead of the socket.
//
// The producer's thread counts the bytes it hands over, and waits while too many are unsent. The
// connection counts the bytes sent, and closes the window when the client disconnects. The window
// binds the producing query, if any, to the client (BodyWriter::Bind). Thread-safe.

#pragma once

#include <cstddef>
#include <memory>

#include "codec/base/mutex.h"
#include "engine/query.h"

namespace hourcell {

// Unsent bytes above which the producer waits.
inline constexpr size_t kUnsentBytesMax = size_t{1} << 20;

class SendWindow {
 public:
  // Called by the producer: `bytes` were handed over.
  void Add(size_t bytes);

  // Waits until at most kUnsentBytesMax are unsent. False: the window is closed, or the bound query
  // is cancelled (noticed within kLookAtQueryMs).
  bool WaitForRoom();

  // Called by the connection: `bytes` were sent. An excess is ignored.
  void Sent(size_t bytes);

  // Nothing more will be sent: cancels the bound query and releases the producer. Idempotent.
  void Close();

  // Call at most once.
  void Bind(std::shared_ptr<QueryControl> control);

  bool is_closed() const;
  size_t unsent_bytes() const;

 private:
  mutable Mutex mutex_;
  CondVar changed_;
  size_t unsent_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  bool closed_ ABSL_GUARDED_BY(mutex_) = false;
  std::shared_ptr<QueryControl> control_ ABSL_GUARDED_BY(mutex_);
};

// How often a waiting producer checks whether its query is cancelled.
inline constexpr int kLookAtQueryMs = 100;

}  // namespace hourcell
