// AnswerTracker: follows the answers of an HTTP server, so that a relay adds its own answer only
// between two of them: clients may pipeline requests.
//
// It follows Content-Length and chunks. It gives up at an answer that ends with its connection, at
// a HEAD request, and at bytes that are not HTTP; is_between() is false from then on.
//
// No I/O. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

class AnswerTracker {
 public:
  // Gives up at a longer head.
  static constexpr size_t kHeadBytesMax = size_t{64} << 10;

  // Takes the next bytes of the client, and of the server.
  void OnRequestBytes(std::string_view bytes);
  void OnAnswerBytes(std::string_view bytes);

  // True if the last answer is complete, or no answer has begun.
  bool is_between() const { return state_ == State::kHead && line_.empty(); }

 private:
  enum class State : uint8_t { kHead, kBody, kChunkSize, kChunk, kTrailer, kLost };

  void EndHead();
  void EndChunkSize();
  // Moves bytes up to `end` into line_. True if `end` was found.
  bool TakeUntil(std::string_view end, std::string_view* bytes);

  State state_ = State::kHead;
  std::string line_;        // start of the head, or of a line between chunks
  uint64_t left_ = 0;       // bytes missing from the body, or from the chunk with its line end
  std::string last_asked_;  // the client's last bytes
};

}  // namespace hourcell
