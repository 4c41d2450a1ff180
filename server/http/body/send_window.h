// SendWindow: how far a thread that produces a response may be ahead of the socket that sends it.
//
// The producing thread counts what it hands over and waits while too much of it is unsent; the
// connection counts what was sent, and closes the window when the client goes. The window ties the
// query that produces, if there is one, to the client (BodyWriter::Bind). Thread-safe.

#pragma once

#include <cstddef>
#include <memory>

#include "codec/base/mutex.h"
#include "engine/query.h"

namespace hourcell {

// How much of a response may be unsent before its producer waits.
inline constexpr size_t kUnsentBytesMax = size_t{1} << 20;

class SendWindow {
 public:
  // The producer hands over so much.
  void Add(size_t bytes);

  // Waits until at most kUnsentBytesMax are unsent. False: the window is closed, or the query
  // bound is cancelled (noticed within kLookAtQueryMs).
  bool WaitForRoom();

  // The connection: so much was sent. More than was added does no harm.
  void Sent(size_t bytes);

  // Nothing is sent any more: cancels the query bound, lets the producer go. Idempotent.
  void Close();

  // At most once.
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

// A query may be cancelled while its client does not read: how often a waiting producer looks.
inline constexpr int kLookAtQueryMs = 100;

}  // namespace hourcell
