// SocketWriter: the bytes that go out by a socket, in order, while the socket takes them.
//
// Bytes are queued and written in one system call where that is possible; what the socket does not
// take at once is kept, and written when it can be. The owner hears of what was sent. Everything
// runs on the strand of the socket.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace hourcell {

struct Socket;

// A reader that takes less than this within the time it has for taking anything counts as one that
// takes nothing: it must not hold up a query for hours, a byte a minute.
inline constexpr size_t kTakenBytesMin = 64 * 1024;

class SocketWriter {
 public:
  // Who is told, and kept alive by a write under way.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnSent(size_t bytes) = 0;
    virtual void OnAllSent() = 0;
    virtual void OnBroken() = 0;  // the connection; nothing is written any more
  };

  // `socket` is borrowed.
  explicit SocketWriter(Socket* socket) : socket_(socket) {}

  // Adds bytes after all others; Write sends them.
  void Queue(std::string bytes);
  // Begins to write what is queued, unless a write is under way: that goes on with it.
  void Write(const std::shared_ptr<Owner>& owner);

  bool is_writing() const { return !sending_.empty(); }
  bool has_queued() const { return !queued_.empty(); }
  // Queued or being written.
  size_t unsent_bytes() const { return unsent_bytes_; }
  // For how long the other side has taken nothing worth the name; 0 if nothing is to be taken.
  std::chrono::steady_clock::duration stalled_for() const;

 private:
  void WriteRest(const std::shared_ptr<Owner>& owner, size_t written);
  void CountUpTo(size_t total, Owner* owner);
  void Count(size_t bytes, Owner* owner);
  void EndWrite(const std::shared_ptr<Owner>& owner);

  Socket* const socket_;
  std::vector<std::string> queued_;                 // to be written next
  std::vector<std::string> sending_;                // being written
  size_t unsent_bytes_ = 0;                         // of both
  size_t counted_bytes_ = 0;                        // of the write under way, as sent
  size_t taken_bytes_ = 0;                          // since taken_at_
  std::chrono::steady_clock::time_point taken_at_;  // or nothing was unsent until then
};

}  // namespace hourcell
