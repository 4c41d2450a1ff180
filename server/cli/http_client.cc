#include "server/cli/http_client.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/field.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

namespace http = boost::beast::http;

constexpr size_t kReplyReadBytes = 64 * 1024;
constexpr size_t kErrorBytesShown = 200;

template <typename Number>
bool ParseNumber(std::string_view text, Number* number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
  return error == std::errc() && end == text.data() + text.size();
}

absl::Status BadUrl(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(
      fmt::format("url: {}: {}; must be http://host:port", why, QuoteForMessage(text)));
}

int64_t RetryAfter(std::string_view text) {
  int64_t seconds = 0;
  return ParseNumber(text, &seconds) && seconds > 0 ? seconds : 0;
}

}  // namespace

absl::StatusOr<HttpUrl> ParseHttpUrl(std::string_view text) {
  std::string_view rest = text;
  if (const size_t scheme = rest.find("://"); scheme != std::string_view::npos) {
    if (rest.substr(0, scheme) != "http") return BadUrl(text, "only http is supported");
    rest.remove_prefix(scheme + 3);
  }
  HttpUrl url;
  std::string_view authority = rest.substr(0, rest.find('/'));
  url.prefix = rest.substr(authority.size());
  while (url.prefix.ends_with('/'))
    url.prefix.pop_back();

  // The last colon separates the port, unless it is within the brackets of an IPv6 address.
  const size_t colon = authority.rfind(':');
  const size_t bracket = authority.rfind(']');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    url.port = authority.substr(colon + 1);
    authority = authority.substr(0, colon);
    uint16_t number = 0;
    if (!ParseNumber(url.port, &number) || number == 0) return BadUrl(text, "bad port");
  }
  if (authority.starts_with('[') && authority.ends_with(']')) {
    authority = authority.substr(1, authority.size() - 2);
  }
  url.host = authority;
  if (url.host.empty()) return BadUrl(text, "no host");
  return url;
}

std::string HttpErrorText(const HttpReply& reply) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  std::string_view message;
  if (parser.parse(reply.body).get(document) == simdjson::SUCCESS &&
      document.at_pointer("/error/message").get(message) == simdjson::SUCCESS) {
    std::string_view details;
    if (document.at_pointer("/error/details").get(details) == simdjson::SUCCESS &&
        details != message) {
      return fmt::format("{} {}: {}", reply.status, message, details);
    }
    return fmt::format("{} {}", reply.status, message);
  }
  const std::string_view body(reply.body);
  return fmt::format("{} {}", reply.status, QuoteForMessage(body.substr(0, kErrorBytesShown)));
}

HttpClient::HttpClient(HttpUrl url, int64_t reply_timeout_ms)
    : url_(std::move(url)), reply_timeout_ms_(reply_timeout_ms) {
  const char* const token = std::getenv("HOURCELL_TOKEN");
  // A line end in it would be a header of its own.
  if (token != nullptr && std::string_view(token).find_first_of("\r\n") == std::string_view::npos) {
    authorization_ = fmt::format("Authorization: Bearer {}\r\n", token);
  }
}

HttpClient::~HttpClient() {
  Disconnect();
}

std::string HttpClient::address() const {
  return fmt::format("{}:{}", url_.host, url_.port);
}

absl::Status HttpClient::Broken(std::string_view what, int error) const {
  const std::string why =
      error == EAGAIN ? "no answer in time" : std::generic_category().message(error);
  return absl::UnavailableError(fmt::format("{}: {}: {}", address(), what, why));
}

absl::Status HttpClient::Connect() {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(url_.host.c_str(), url_.port.c_str(), &hints, &found);
      error != 0) {
    return absl::UnavailableError(fmt::format("{}: {}", address(), gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);

  int last_error = 0;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    socket_ = ::socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
    if (socket_ >= 0 && ::connect(socket_, at->ai_addr, at->ai_addrlen) == 0) break;
    last_error = errno;
    Disconnect();
  }
  if (socket_ < 0) return Broken("connect", last_error);
  has_connected_ = true;

  const timeval timeout{.tv_sec = reply_timeout_ms_ / 1000,
                        .tv_usec = reply_timeout_ms_ % 1000 * 1000};
  if (setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) != 0 ||
      setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) != 0) {
    return Broken("set the timeout", errno);
  }
  return absl::OkStatus();
}

void HttpClient::Disconnect() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

absl::Status HttpClient::SendAll(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return Broken("send", errno);
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return absl::OkStatus();
}

absl::StatusOr<HttpReply> HttpClient::ReadReply() {
  http::response_parser<http::string_body> parser;
  parser.eager(true);
  parser.body_limit(boost::none);
  std::string buffer;
  boost::beast::error_code error;
  while (!parser.is_done()) {
    const size_t held = buffer.size();
    buffer.resize(held + kReplyReadBytes);
    const ssize_t got = ::recv(socket_, buffer.data() + held, kReplyReadBytes, 0);
    if (got < 0 && errno != EINTR) return Broken("receive", errno);
    buffer.resize(held + static_cast<size_t>(got < 0 ? 0 : got));
    if (got == 0) {
      if (!parser.got_some()) return Broken("receive", ECONNRESET);
      parser.put_eof(error);
      if (error || !parser.is_done()) return Broken("receive", ECONNRESET);
      break;
    }
    const size_t used = parser.put(boost::asio::buffer(buffer), error);
    if (error && error != http::error::need_more) {
      return absl::UnavailableError(
          fmt::format("{}: the answer is not HTTP: {}", address(), error.message()));
    }
    buffer.erase(0, used);
  }
  const bool keep = parser.keep_alive();
  if (!keep) Disconnect();
  http::response<http::string_body> response = parser.release();
  const auto retry_after = response[http::field::retry_after];
  return HttpReply{.status = static_cast<int>(response.result_int()),
                   .body = std::move(response.body()),
                   .retry_after_s = RetryAfter({retry_after.data(), retry_after.size()})};
}

absl::StatusOr<HttpReply> HttpClient::Exchange(std::string_view head, std::string_view body) {
  if (socket_ < 0) HOURCELL_RETURN_IF_ERROR(Connect());
  absl::Status sent = SendAll(head);
  if (sent.ok()) sent = SendAll(body);
  // A server that refuses early (413, say) answers and closes before it has read all: look for the
  // answer even if sending failed.
  absl::StatusOr<HttpReply> reply = ReadReply();
  if (!reply.ok()) Disconnect();
  return reply;
}

absl::StatusOr<HttpReply> HttpClient::ExchangeOrReconnect(std::string_view head,
                                                          std::string_view body) {
  const bool was_connected = socket_ >= 0;
  absl::StatusOr<HttpReply> reply = Exchange(head, body);
  // An idle connection may have been closed by the server just now; a fresh one tells the truth.
  if (!reply.ok() && was_connected) reply = Exchange(head, body);
  return reply;
}

absl::StatusOr<HttpReply> HttpClient::Get(std::string_view target) {
  return ExchangeOrReconnect(fmt::format("GET {}{} HTTP/1.1\r\nHost: {}\r\n{}\r\n", url_.prefix,
                                         target, address(), authorization_),
                             "");
}

absl::StatusOr<HttpReply> HttpClient::Post(std::string_view target,
                                           std::string_view body,
                                           std::string_view content_encoding) {
  std::string head = fmt::format(
      "POST {}{} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: "
      "{}\r\n{}",
      url_.prefix, target, address(), body.size(), authorization_);
  if (!content_encoding.empty()) {
    head += fmt::format("Content-Encoding: {}\r\n", content_encoding);
  }
  head += "\r\n";
  return ExchangeOrReconnect(head, body);
}

}  // namespace hourcell
