// HttpClient: a small blocking HTTP/1.1 client for the tools that talk to a running server.
//
// One connection, kept open between requests; opened again when the server closed it meanwhile.
// Requests may be sent twice then, so send only what may be repeated. The token of the environment
// variable HOURCELL_TOKEN goes with every request: an argument would be seen by everybody on the
// machine. Thread-compatible.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

struct HttpUrl {
  std::string host = {};  // without the brackets of an IPv6 address
  std::string port = "4242";
  std::string prefix = {};  // path in front of every target, without a '/' at its end
};

// "http://host[:port][/prefix]", or "host:port". kInvalidArgument: another scheme, no host, a port
// that is no number of 1 to 65535.
absl::StatusOr<HttpUrl> ParseHttpUrl(std::string_view text);

inline constexpr int kHttpOk = 200;

struct HttpReply {
  int status = 0;
  std::string body = {};
  int64_t retry_after_s = 0;  // 0 = not said
};

// A message out of an error reply: OpenTSDB's error.message and details, else the body's beginning.
std::string HttpErrorText(const HttpReply& reply);

// A query over much data takes long.
inline constexpr int64_t kReplyTimeoutMs = 600'000;

class HttpClient {
 public:
  // A server that says nothing for `reply_timeout_ms` is given up; so is one that takes nothing.
  explicit HttpClient(HttpUrl url, int64_t reply_timeout_ms = kReplyTimeoutMs);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sends a request, a POST with a JSON body, and waits for the reply, whatever its status.
  // `content_encoding` may be empty. kUnavailable: no connection, none any more, or a reply that is
  // not HTTP or does not come.
  absl::StatusOr<HttpReply> Get(std::string_view target);
  absl::StatusOr<HttpReply> Post(std::string_view target,
                                 std::string_view body,
                                 std::string_view content_encoding = {});

  // True once there was a connection: what was sent may have arrived.
  bool has_connected() const { return has_connected_; }

  // "host:port", for messages.
  std::string address() const;

 private:
  absl::Status Connect();
  void Disconnect();
  absl::Status SendAll(std::string_view bytes);
  absl::StatusOr<HttpReply> ReadReply();
  absl::StatusOr<HttpReply> Exchange(std::string_view head, std::string_view body);
  absl::StatusOr<HttpReply> ExchangeOrReconnect(std::string_view head, std::string_view body);
  absl::Status Broken(std::string_view what, int error) const;

  const HttpUrl url_;
  const int64_t reply_timeout_ms_;
  std::string authorization_;  // the header's line; empty = none
  int socket_ = -1;
  bool has_connected_ = false;
};

}  // namespace hourcell
