// SocketWriter: the output of a socket, in order, at the speed of the reader.
//
// Queued bytes are written in one system call if possible; the rest is kept, and written when the
// socket takes more. The owner learns the number of bytes sent. Everything runs on the strand of
// the socket.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include <absl/container/inlined_vector.h>

namespace hourcell {

struct Socket;

// A reader that takes less than this within its timeout counts as stalled: it must not delay a
// query for hours at a byte a minute.
inline constexpr size_t kTakenBytesMin = 64 * 1024;

class SocketWriter {
 public:
  // Is notified, and kept alive by a pending write.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnSent(size_t bytes) = 0;
    virtual void OnAllSent() = 0;
    virtual void OnBroken() = 0;  // the connection failed; writing has ended
  };

  // `socket` is borrowed.
  explicit SocketWriter(Socket* socket) : socket_(socket) {}

  // Adds bytes after all others; Write sends them.
  void Queue(std::string bytes);
  // Begins to write the queue; a write in progress continues with it instead.
  void Write(const std::shared_ptr<Owner>& owner);

  bool is_writing() const { return !sending_.empty(); }
  bool has_queued() const { return !queued_.empty(); }
  // Queued or in progress.
  size_t unsent_bytes() const { return unsent_bytes_; }
  // How long the other side has been stalled (kTakenBytesMin); 0 if nothing is unsent.
  std::chrono::steady_clock::duration stalled_for() const;

 private:
  // The head and the body of an answer fit without an allocation.
  using Strings = absl::InlinedVector<std::string, 2>;

  void WriteRest(const std::shared_ptr<Owner>& owner, size_t written);
  void CountUpTo(size_t total, Owner* owner);
  void Count(size_t bytes, Owner* owner);
  void EndWrite(const std::shared_ptr<Owner>& owner);

  Socket* const socket_;
  Strings queued_;                                  // next
  Strings sending_;                                 // in progress
  size_t unsent_bytes_ = 0;                         // in both
  size_t counted_bytes_ = 0;                        // of the write in progress, reported as sent
  size_t taken_bytes_ = 0;                          // since taken_at_
  std::chrono::steady_clock::time_point taken_at_;  // or the last time when nothing was unsent
};

}  // namespace hourcell
