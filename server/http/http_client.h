// HttpClient: sends requests of the tools to a running server, by HTTP/1.1 or HTTPS.
//
// libcurl does the work. The first use loads it, and only http_client.cc includes it. The client
// keeps one connection open between requests, and reconnects if the server has closed it. A request
// may then be sent twice, so send only requests that may be repeated. Every request carries the
// token of an environment variable, HttpUrl::token_variable: other users of the machine can see an
// argument. The client reads no other file and no other variable: no .netrc, no proxy. It does not
// follow redirects. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace hourcell {

// How the certificate of an https server is verified.
struct TlsTrust {
  std::string ca_file = {};  // PEM; trusted instead of the system's certificates. Empty = those
  bool insecure = false;     // do not verify it: an attacker on the way can pass for the server
};

struct HttpUrl {
  std::string scheme = "http";  // or "https"
  std::string host = {};        // without the brackets of an IPv6 address
  std::string port = "4242";
  std::string prefix = {};  // path before every target, without a '/' at its end
  TlsTrust trust = {};
  // The environment variable that has the token of the server.
  std::string token_variable = "HOURCELL_TOKEN";
};

// "http://host[:port][/prefix]", the same with https, or "host:port". kInvalidArgument: another
// scheme, no host, a port outside 1 to 65535, a user, a query, a fragment; or `trust` is set for a
// URL without TLS. kUnavailable: libcurl is not installed.
absl::StatusOr<HttpUrl> ParseHttpUrl(std::string_view text, const TlsTrust& trust = {});

// The URL and `trust` as flags of a command line.
std::string UrlFlags(const HttpUrl& url);

inline constexpr int kHttpOk = 200;

struct HttpReply {
  int status = 0;
  std::string body = {};
  int64_t retry_after_s = 0;  // 0 = not given
};

// The message of an error reply: OpenTSDB's error.message and details, else the beginning of the
// body.
std::string HttpErrorText(const HttpReply& reply);

// `text` as the value of a parameter in a target: all bytes but letters, digits and -._~ as %XX.
std::string EscapeParam(std::string_view text);

// A query over much data takes minutes.
inline constexpr int64_t kReplyTimeoutMs = 600'000;

class HttpClient {
 public:
  // The client gives up on a server that sends or receives nothing for `reply_timeout_ms`, rounded
  // up to seconds.
  explicit HttpClient(HttpUrl url, int64_t reply_timeout_ms = kReplyTimeoutMs);
  ~HttpClient();

  // A longer body is an error, kResourceExhausted. The default is no limit.
  void set_reply_bytes_max(size_t bytes);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sends a request (Post: with a JSON body) and returns the reply, whatever its status.
  // `content_encoding` and `header`, "Name: value", may be empty. kUnavailable: the connection
  // cannot be made or breaks, the certificate is not trusted, the reply is not HTTP or does not
  // arrive.
  absl::StatusOr<HttpReply> Get(std::string_view target);
  absl::StatusOr<HttpReply> Post(std::string_view target,
                                 std::string_view body,
                                 std::string_view content_encoding = {},
                                 std::string_view header = {});

  absl::StatusOr<HttpReply> Delete(std::string_view target);

  // As Get, but passes each line of a body with status 200 to `take` as it arrives, without its
  // line end. The reply has the rest after the last line end. If `take` returns false, GetLines
  // stops reading and returns the reply so far.
  using TakeLine = std::function<bool(std::string_view line)>;
  absl::StatusOr<HttpReply> GetLines(std::string_view target, const TakeLine& take);

  // True once a request was sent; the server may have received it.
  bool has_connected() const { return has_connected_; }

  // "host:port", for messages.
  const std::string& address() const { return address_; }
  const HttpUrl& url() const { return url_; }

 private:
  struct Session;

  absl::StatusOr<HttpReply> Exchange(std::string_view target,
                                     std::string_view content_encoding,
                                     std::string_view header = {});
  absl::Status Broken(int code) const;

  const HttpUrl url_;
  const std::string address_;
  const int64_t reply_timeout_ms_;
  const std::unique_ptr<Session> session_;
  bool has_connected_ = false;
};

}  // namespace hourcell
