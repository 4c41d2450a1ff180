// Reads from a non-blocking socket into a buffer of the thread: connections that wait for input
// need no buffer, and stay small.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hourcell {

struct Socket;

// Maximum bytes of one read: some 4,000 lines, which take 2 ms, so that a connection does not delay
// others for long. Each read of lines ends in a commit, and sixteen commits in a change of threads,
// so smaller reads cost more of both: 64 KiB needed four times the reads.
inline constexpr size_t kReadBytesMax = 256 * 1024;

// The result of one read.
struct SocketInput {
  enum class Kind : uint8_t {
    kBytes,
    kNothing,  // no input at the moment
    kEnd,      // the other side sends no more
    kBroken,
  };
  Kind kind = Kind::kNothing;
  std::string_view bytes = {};  // valid until this thread's next read; empty except for kBytes
};

SocketInput ReadSocket(Socket* socket);

}  // namespace hourcell
