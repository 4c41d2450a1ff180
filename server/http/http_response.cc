#include "server/http/http_response.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <libdeflate.h>

#include "codec/base/check.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\t';
}

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front()))
    text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back()))
    text.remove_suffix(1);
  return text;
}

// Removes the text before `separator` from the start of `*text`, and returns it.
std::string_view TakePartUntil(char separator, std::string_view* text) {
  const size_t at = text->find(separator);
  const std::string_view part = text->substr(0, at);
  *text = at == std::string_view::npos ? std::string_view() : text->substr(at + 1);
  return WithoutBlanks(part);
}

// True for q=0, q=0.0 and so on: weights have at most three decimals.
bool IsZeroWeight(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = TakePartUntil(';', &parameters);
    if (parameter.size() < 3 || LowerCase(parameter[0]) != 'q' || parameter[1] != '=') continue;
    return parameter.find_first_not_of("0.", 2) == std::string_view::npos;
  }
  return false;
}

// A usual head fits, so that it is allocated once.
constexpr size_t kHeadBytes = 256;

bool IsControl(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

void AppendHeader(std::string_view name, std::string_view value, std::string* head) {
  head->append(name).append(": ");
  const size_t begin = head->size();
  head->append(value);
  std::replace_if(head->data() + begin, head->data() + head->size(), &IsControl, ' ');
  head->append("\r\n");
}

void AppendNumber(uint64_t number, std::string* head) {
  const fmt::format_int digits(number);
  head->append(digits.data(), digits.size());
}

// The first line of a head, which has room for the others.
std::string StatusLine(int status) {
  std::string head;
  head.reserve(kHeadBytes);
  head.append("HTTP/1.1 ");
  AppendNumber(static_cast<uint64_t>(status), &head);
  head.append(" ").append(ReasonPhrase(status)).append("\r\n");
  return head;
}

void AppendConnection(bool close, std::string* head) {
  head->append(close ? "Connection: close\r\n\r\n" : "Connection: keep-alive\r\n\r\n");
}

void AppendLengthAndConnection(uint64_t body_bytes, bool close, std::string* head) {
  head->append("Content-Length: ");
  AppendNumber(body_bytes, head);
  head->append("\r\n");
  AppendConnection(close, head);
}

// Appends the response's own headers, and its content type if it has a body.
void AppendOwnHeaders(const HttpResponse& response, bool has_body, std::string* head) {
  if (!response.content_type.empty() && has_body) {
    head->append("Content-Type: ").append(response.content_type).append("\r\n");
  }
  head->append("X-Content-Type-Options: nosniff\r\n");
  for (const auto& [name, value] : response.headers)
    AppendHeader(name, value, head);
}

// libdeflate's level for the smallest result.
constexpr int kLevelMax = 12;

// True if a handler compressed the body.
bool IsEncoded(const HttpResponse& response) {
  return std::ranges::any_of(response.headers,
                             [](const auto& header) { return header.first == "Content-Encoding"; });
}

std::string GzipAt(int level, std::string_view bytes) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), &libdeflate_free_compressor);
  HOURCELL_CHECK(compressor != nullptr);
  std::string out(libdeflate_gzip_compress_bound(compressor.get(), bytes.size()), '\0');
  const size_t size = libdeflate_gzip_compress(compressor.get(), bytes.data(), bytes.size(),
                                               out.data(), out.size());
  HOURCELL_CHECK(size > 0);
  out.resize(size);
  return out;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  bool any = false;
  while (!accept_encoding.empty()) {
    std::string_view item = TakePartUntil(',', &accept_encoding);
    const std::string_view coding = TakePartUntil(';', &item);
    if (EqualsIgnoringCase(coding, "gzip") || EqualsIgnoringCase(coding, "x-gzip")) {
      return !IsZeroWeight(item);
    }
    if (coding == "*") any = !IsZeroWeight(item);
  }
  return any;
}

std::string Gzip(std::string_view bytes) {
  return GzipAt(1, bytes);
}

std::string GzipForKeeps(std::string_view bytes) {
  return GzipAt(kLevelMax, bytes);
}

HttpWire FormatResponse(const HttpRequest& request, HttpResponse response) {
  HttpWire wire{.head = StatusLine(response.status),
                .body = {},
                .close = response.close || !request.keep_alive};
  AppendOwnHeaders(response, !response.body.empty(), &wire.head);
  if (response.body.size() >= kGzipBodyBytesMin && !IsEncoded(response) &&
      AcceptsGzip(request.header("accept-encoding"))) {
    response.body = Gzip(response.body);
    AppendHeader("Content-Encoding", "gzip", &wire.head);
  }
  AppendLengthAndConnection(response.body.size(), wire.close, &wire.head);
  if (request.method != "HEAD") wire.body = std::move(response.body);
  return wire;
}

HttpWire FormatHeadAnswer(const HttpRequest& request,
                          const HttpResponse& response,
                          uint64_t body_bytes) {
  HttpWire wire{.head = StatusLine(response.status),
                .body = {},
                .close = response.close || !request.keep_alive};
  AppendOwnHeaders(response, body_bytes > 0, &wire.head);
  AppendLengthAndConnection(body_bytes, wire.close, &wire.head);
  return wire;
}

StreamHead FormatStreamHead(const HttpRequest& request, const HttpResponse& response) {
  StreamHead head{.text = StatusLine(response.status),
                  .gzip = AcceptsGzip(request.header("accept-encoding")),
                  .chunked = !request.http10,
                  .close = response.close || !request.keep_alive || request.http10};
  AppendOwnHeaders(response, /*has_body=*/true, &head.text);
  if (head.gzip) AppendHeader("Content-Encoding", "gzip", &head.text);
  if (head.chunked) AppendHeader("Transfer-Encoding", "chunked", &head.text);
  AppendConnection(head.close, &head.text);
  return head;
}

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Request Entity Too Large";
    case 414:
      return "Request-URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 424:
      return "Failed Dependency";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Status";
  }
}

}  // namespace hourcell
