// Formats HTTP responses as bytes. No I/O; thread-safe.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/http/http_message.h"

namespace hourcell {

// Shorter bodies are sent uncompressed: the gzip header and the work would cost more.
inline constexpr size_t kGzipBodyBytesMin = 256;

// A response ready to send: `head` (status line, headers, empty line), then `body`.
struct HttpWire {
  std::string head;
  std::string body;    // compressed if the client accepts gzip; empty for HEAD
  bool close = false;  // close the connection once both are sent
  bool cut = false;    // close it at once: a started body cannot be finished
};

// Formats a response without a producer. Always includes Content-Length, Connection and
// X-Content-Type-Options. The connection closes if the response requests it or the request does not
// keep it alive. Control characters in header values become blanks, so that echoed client text
// cannot add a header. For HEAD, omits the body but keeps its length.
HttpWire FormatResponse(const HttpRequest& request, HttpResponse response);

// The response to a HEAD where GET would send a body of `body_bytes`, uncompressed. Ignores
// HttpResponse.body.
HttpWire FormatHeadAnswer(const HttpRequest& request,
                          const HttpResponse& response,
                          uint64_t body_bytes);

// The head of a response with a streamed body of unknown length. Ignores HttpResponse.body.
struct StreamHead {
  std::string text;      // status line, headers, empty line
  bool gzip = false;     // compress the body
  bool chunked = false;  // frame in chunks; else the body ends with the connection (1.0)
  bool close = false;    // close the connection once the body is sent
};
StreamHead FormatStreamHead(const HttpRequest& request, const HttpResponse& response);

// True if an Accept-Encoding header allows gzip: named, or by "*", and not with q=0.
bool AcceptsGzip(std::string_view accept_encoding);

// "OK" for 200 and so on; "Status" for a code that the server never sends.
std::string_view ReasonPhrase(int status);

// Compresses `bytes` with gzip, at libdeflate's fastest level.
std::string Gzip(std::string_view bytes);
// Compresses to the smallest size; slow, for data that is kept.
std::string GzipForKeeps(std::string_view bytes);

}  // namespace hourcell
