// Reading from a socket that does not block, into a buffer of the thread: connections that wait for
// input have none, and stay small.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hourcell {

struct Socket;

// Bytes taken from a socket at once: some 4,000 lines, which take 2 ms, so that no connection keeps
// others waiting for long. Each read of lines ends in a commit, and sixteen commits in a change of
// threads, so that smaller reads cost more of both: with 64 KiB it was four times the reads.
inline constexpr size_t kReadBytesMax = 256 * 1024;

// What one read gave.
struct SocketInput {
  enum class Kind : uint8_t {
    kBytes,
    kNothing,  // for now
    kEnd,      // the other side sends no more
    kBroken,
  };
  Kind kind = Kind::kNothing;
  std::string_view bytes = {};  // until this thread's next read; empty but for kBytes
};

SocketInput ReadSocket(Socket* socket);

}  // namespace hourcell
