// HttpParser: parses the bytes of an HTTP/1.0 or 1.1 connection into requests. No sockets.
//
//   parser.Feed(bytes);
//   switch (parser.Next()) ...
//
// Supports Content-Length and chunked bodies, `Expect: 100-continue` and pipelining. The events do
// not depend on how the bytes are split into Feeds. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "codec/limits.h"
#include "server/http/http_message.h"

namespace hourcell {

// The longest target; OpenTSDB's 4,096 bytes for the whole line are too few for long queries.
inline constexpr size_t kTargetBytesMax = 64 * 1024;
// Limit of request line plus headers. The name and the value of a header are below 64 KiB each.
inline constexpr size_t kHeaderBytesMax = kTargetBytesMax + 16 * 1024;
// Limit of one chunk header, or of a chunked body's trailer, with line ends.
inline constexpr size_t kChunkHeaderBytesMax = 8 * 1024;

class HttpParser {
 public:
  enum class Event : uint8_t {
    kNeedMore,   // feed more bytes
    kContinue,   // the client waits for "100 Continue" before it sends the body; once per request
    kLargeBody,  // a body over small_body_bytes_max follows; once per request, before kContinue.
                 // Decide by head(): call Next to accept it, or end the connection
    kRequest,    // a request is complete: TakeRequest
    kError,      // answer with error_status and error_text; the connection is unusable
  };

  // `small_body_bytes_max`: bodies up to this size cause no kLargeBody.
  explicit HttpParser(size_t body_bytes_max = kBodyBytesMax,
                      size_t small_body_bytes_max = kBodyBytesMax);
  ~HttpParser();
  HttpParser(const HttpParser&) = delete;
  HttpParser& operator=(const HttpParser&) = delete;

  // Adds bytes from the connection, borrowed until the next call of Next, which copies unparsed
  // bytes. The parser buffers bytes until they are taken as requests: do not feed while a request
  // is being answered.
  void Feed(std::string_view bytes);

  // The next event. After kRequest, call TakeRequest before Next.
  Event Next();

  // No more bytes will come: kNeedMore if the connection may simply end, kError if a request was
  // truncated.
  Event Finish();

  // The request that kRequest announced; body not inflated, target not decoded.
  HttpRequest TakeRequest();

  // The request with its header but without its body; changes to it are kept. REQUIRES: kLargeBody
  // was the last event.
  HttpRequest* head();

  // True if a request has begun and is incomplete.
  bool is_inside_request() const;
  // True if the request's header is complete.
  bool is_inside_body() const { return message_ != nullptr; }
  // Size of the current request's body: as announced, or the bytes received.
  size_t body_bytes() const;
  // The body bytes received.
  size_t body_bytes_here() const;

  int error_status() const { return error_status_; }
  const std::string& error_text() const { return error_text_; }

 private:
  class Message;  // Beast's parser of one request

  Event Parse();
  Event ParseHeader();
  Event ParseBody();
  bool TellsOfBody();  // once per request
  void Keep();         // moves the rest of input_ into pending_
  Event Fail(int status, std::string text);

  const size_t body_bytes_max_;
  const size_t small_body_bytes_max_;
  std::string_view input_;            // unparsed: Feed's argument, or pending_'s end
  std::string pending_;               // buffered bytes; empty if input_ is
  size_t scanned_ = 0;                // part of input_ searched for the header's end
  std::unique_ptr<Message> message_;  // set between a request's header and TakeRequest
  bool large_body_reported_ = false;  // kLargeBody was returned for message_
  bool wants_continue_ = false;
  bool complete_ = false;
  int error_status_ = 0;  // 0 = none
  std::string error_text_;
};

}  // namespace hourcell
