// HttpClient: requests of the tools to a running server, by HTTP/1.1 or HTTPS.
//
// libcurl does the work. It is loaded when first used, and included in http_client.cc only. One
// connection, kept open between requests; opened again when the server closed it meanwhile.
// Requests may be sent twice then, so send only what may be repeated. The token of an environment
// variable, HOURCELL_TOKEN unless the URL says another, goes with every request: an argument would
// be seen by everybody on the machine. No other file and no other variable is read: no .netrc, no
// proxy. A redirect is not followed. Thread-compatible.

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
  bool insecure = false;     // do not verify it: anybody on the way can pass for the server
};

struct HttpUrl {
  std::string scheme = "http";  // or "https"
  std::string host = {};        // without the brackets of an IPv6 address
  std::string port = "4242";
  std::string prefix = {};  // path in front of every target, without a '/' at its end
  TlsTrust trust = {};
  // The environment variable that has the token of the server.
  std::string token_variable = "HOURCELL_TOKEN";
};

// "http://host[:port][/prefix]", the same with https, or "host:port". kInvalidArgument: another
// scheme, no host, a port that is no number of 1 to 65535, a user, a query; or `trust` that says
// something of a URL without TLS. kUnavailable: libcurl is not installed.
absl::StatusOr<HttpUrl> ParseHttpUrl(std::string_view text, const TlsTrust& trust = {});

// The URL and what was said of its certificate, as flags of a command line.
std::string UrlFlags(const HttpUrl& url);

inline constexpr int kHttpOk = 200;

struct HttpReply {
  int status = 0;
  std::string body = {};
  int64_t retry_after_s = 0;  // 0 = not said
};

// A message out of an error reply: OpenTSDB's error.message and details, else the body's beginning.
std::string HttpErrorText(const HttpReply& reply);

// `text` as the value of a parameter in a target: all but letters, digits and -._~ as %XX.
std::string EscapeParam(std::string_view text);

// A query over much data takes long.
inline constexpr int64_t kReplyTimeoutMs = 600'000;

class HttpClient {
 public:
  // A server that says nothing for `reply_timeout_ms`, rounded up to seconds, is given up; so is
  // one that takes nothing.
  explicit HttpClient(HttpUrl url, int64_t reply_timeout_ms = kReplyTimeoutMs);
  ~HttpClient();

  // An answer with a body of more bytes is given up with kResourceExhausted. No limit at first.
  void set_reply_bytes_max(size_t bytes);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Sends a request, a POST with a JSON body, and waits for the reply, whatever its status.
  // `content_encoding` may be empty, and so may `header`, "Name: value". kUnavailable: no
  // connection, none any more, a certificate that is not trusted, or a reply that is not HTTP or
  // does not come.
  absl::StatusOr<HttpReply> Get(std::string_view target);
  absl::StatusOr<HttpReply> Post(std::string_view target,
                                 std::string_view body,
                                 std::string_view content_encoding = {},
                                 std::string_view header = {});

  absl::StatusOr<HttpReply> Delete(std::string_view target);

  // As Get, but gives the lines of a body with status 200 to `take`, each without its end, while
  // they arrive; the reply has the rest, which has no line end. It ends when `take` returns false,
  // with what was received.
  using TakeLine = std::function<bool(std::string_view line)>;
  absl::StatusOr<HttpReply> GetLines(std::string_view target, const TakeLine& take);

  // True once a request was sent: it may have arrived.
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
