// HttpParser: the bytes of an HTTP/1.0 or 1.1 connection in, requests out. No sockets.
//
//   parser.Feed(bytes);
//   switch (parser.Next()) ...
//
// Takes Content-Length and chunked bodies, `Expect: 100-continue` and pipelined requests. However
// the bytes are cut into Feeds, the same events come out. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "codec/limits.h"
#include "server/http/http_message.h"

namespace hourcell {

// The longest target taken; OpenTSDB's 4,096 bytes for the whole line are too few for long queries.
inline constexpr size_t kTargetBytesMax = 64 * 1024;
// Request line and headers together. The name and the value of a header are shorter than 64 KiB.
inline constexpr size_t kHeaderBytesMax = kTargetBytesMax + 16 * 1024;
// One chunk header, or the trailer, of a chunked body, with its line ends.
inline constexpr size_t kChunkHeaderBytesMax = 8 * 1024;

class HttpParser {
 public:
  enum class Event : uint8_t {
    kNeedMore,   // feed more bytes
    kContinue,   // the client waits for "100 Continue" before it sends the body; once a request
    kLargeBody,  // a body over small_body_bytes_max follows; once a request, before kContinue. head
                 // says whose: let it come by Next, or end the connection
    kRequest,    // a request is complete: TakeRequest
    kError,  // error_status and error_text say what to answer; the connection is of no use any more
  };

  // `small_body_bytes_max`: up to which bodies are none that kLargeBody tells of.
  explicit HttpParser(size_t body_bytes_max = kBodyBytesMax,
                      size_t small_body_bytes_max = kBodyBytesMax);
  ~HttpParser();
  HttpParser(const HttpParser&) = delete;
  HttpParser& operator=(const HttpParser&) = delete;

  // Adds bytes as they came from the connection, borrowed until the next call of Next: what that
  // leaves is copied. The parser holds what it was fed until it is taken as requests: feed no more
  // while a request is being answered.
  void Feed(std::string_view bytes);

  // The next event. After kRequest, call TakeRequest before Next.
  Event Next();

  // No more bytes will come: kNeedMore if the connection may simply end, kError if a request was
  // cut.
  Event Finish();

  // The request that kRequest announced; body not inflated, target not decoded.
  HttpRequest TakeRequest();

  // The request whose header is here and whose body is not; what is set in it stays.
  // REQUIRES: kLargeBody was the last event.
  HttpRequest* head();

  // Whether a request was begun that is not complete.
  bool is_inside_request() const;
  // Whether its header is here.
  bool is_inside_body() const { return message_ != nullptr; }
  // What the body of the request begun takes up: as announced, or as far as it is here.
  size_t body_bytes() const;
  // What of it is here.
  size_t body_bytes_here() const;

  int error_status() const { return error_status_; }
  const std::string& error_text() const { return error_text_; }

 private:
  class Message;  // Beast's parser of one request

  Event Parse();
  Event ParseHeader();
  Event ParseBody();
  bool TellsOfBody();  // once
  void Keep();         // puts what is left of input_ into pending_
  Event Fail(int status, std::string text);

  const size_t body_bytes_max_;
  const size_t small_body_bytes_max_;
  std::string_view input_;            // fed, not parsed: what Feed was given, or pending_'s end
  std::string pending_;               // what was kept, empty if input_ is
  size_t scanned_ = 0;                // of input_: searched for the header's end
  std::unique_ptr<Message> message_;  // set between a request's header and TakeRequest
  bool told_of_body_ = false;         // kLargeBody, of the request in message_
  bool wants_continue_ = false;
  bool complete_ = false;
  int error_status_ = 0;  // 0 = none
  std::string error_text_;
};

}  // namespace hourcell
