// HTTP responses as bytes. Pure; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/http/http_message.h"

namespace hourcell {

// Bodies shorter than this are sent as they are: the gzip header and the work would cost more.
inline constexpr size_t kGzipBodyBytesMin = 256;

// A response ready to send: `head` (status line, headers, empty line), then `body`.
struct HttpWire {
  std::string head;
  std::string body;    // compressed if the client takes gzip; empty for HEAD
  bool close = false;  // end the connection once both are sent
  bool cut = false;    // end it at once: a body that was begun cannot be finished
};

// Of a response without a producer. Content-Length, Connection and X-Content-Type-Options are
// always there. The connection ends if the response says so or the request does not keep it alive.
// Control characters in header values become blanks, so that text of a client which a handler
// echoes cannot add a header. Of HEAD the body is left out, not its length.
HttpWire FormatResponse(const HttpRequest& request, HttpResponse response);

// The answer to a HEAD where GET would send `body_bytes` of body, not compressed.
// HttpResponse.body plays no part.
HttpWire FormatHeadAnswer(const HttpRequest& request,
                          const HttpResponse& response,
                          uint64_t body_bytes);

// The head of a response whose body follows in pieces, of a length nobody knows yet.
// HttpResponse.body plays no part.
struct StreamHead {
  std::string text;      // status line, headers, empty line
  bool gzip = false;     // the body is to be compressed
  bool chunked = false;  // it is framed in chunks; else it ends with the connection, as HTTP/1.0
  bool close = false;    // end the connection once the body is sent
};
StreamHead FormatStreamHead(const HttpRequest& request, const HttpResponse& response);

// True if an Accept-Encoding header allows gzip: named, or by "*", and not with q=0.
bool AcceptsGzip(std::string_view accept_encoding);

// "OK" for 200 and so on; "Status" for a code we never send.
std::string_view ReasonPhrase(int status);

// `bytes` as a gzip stream, at libdeflate's fastest level.
std::string Gzip(std::string_view bytes);
// The same, as small as it gets: slow, for what is kept.
std::string GzipForKeeps(std::string_view bytes);

}  // namespace hourcell
