// AnswerTracker: where in the answers of an HTTP server a relay is, so that it adds an answer of
// its own only where one may begin: a client may send a request before it has the whole answer to
// the one before.
//
// It follows Content-Length and chunks. It gives up at an answer that ends with its connection, at
// a request of HEAD, and at bytes that are not HTTP; from then on, is_between() is false.
//
// Pure. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hourcell {

class AnswerTracker {
 public:
  // A longer head is not followed.
  static constexpr size_t kHeadBytesMax = size_t{64} << 10;

  // The next bytes of the client, and of the server.
  void OnRequestBytes(std::string_view bytes);
  void OnAnswerBytes(std::string_view bytes);

  // Whether the last answer is complete, or none has begun.
  bool is_between() const { return state_ == State::kHead && line_.empty(); }

 private:
  enum class State : uint8_t { kHead, kBody, kChunkSize, kChunk, kTrailer, kLost };

  void EndHead();
  void EndChunkSize();
  // Takes bytes up to `end` into line_; whether it is there.
  bool TakeUntil(std::string_view end, std::string_view* bytes);

  State state_ = State::kHead;
  std::string line_;        // the beginning of the head, or of a line between chunks
  uint64_t left_ = 0;       // of the body, or of the chunk with its line end
  std::string last_asked_;  // the last bytes of the client
};

}  // namespace hourcell
