#include "server/http/http_client.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <array>
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
#include <absl/strings/ascii.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/check.h"
#include "codec/base/status_macros.h"
#include "codec/base/strings.h"

namespace hourcell {
namespace {

constexpr std::string_view kPlain = "http";
constexpr std::string_view kTls = "https";
constexpr size_t kErrorBytesShown = 200;

// The functions of libcurl in use. The library is loaded at the first use, because linking it would
// load 24 libraries into every process, including the server: Kerberos, LDAP, SSH, a second TLS.
// They took 4 MB, and 5 ms of the 14 ms that `hourcell version` takes.
struct Curl {
  decltype(&curl_global_init) global_init = nullptr;
  decltype(&curl_easy_init) easy_init = nullptr;
  decltype(&curl_easy_setopt) easy_setopt = nullptr;
  decltype(&curl_easy_getinfo) easy_getinfo = nullptr;
  decltype(&curl_easy_perform) easy_perform = nullptr;
  decltype(&curl_easy_cleanup) easy_cleanup = nullptr;
  decltype(&curl_easy_strerror) easy_strerror = nullptr;
  decltype(&curl_slist_append) slist_append = nullptr;
  decltype(&curl_slist_free_all) slist_free_all = nullptr;
  decltype(&curl_url) url = nullptr;
  decltype(&curl_url_set) url_set = nullptr;
  decltype(&curl_url_get) url_get = nullptr;
  decltype(&curl_url_cleanup) url_cleanup = nullptr;
  decltype(&curl_url_strerror) url_strerror = nullptr;
  decltype(&curl_free) free = nullptr;
};

template <typename Function>
void FindFunction(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  HOURCELL_CHECK(*function != nullptr);
}

absl::StatusOr<Curl> LoadCurlOnce() {
  void* const library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(fmt::format("{}; install libcurl4", dlerror()));
  }
  Curl curl;
  FindFunction(library, "curl_global_init", &curl.global_init);
  FindFunction(library, "curl_easy_init", &curl.easy_init);
  FindFunction(library, "curl_easy_setopt", &curl.easy_setopt);
  FindFunction(library, "curl_easy_getinfo", &curl.easy_getinfo);
  FindFunction(library, "curl_easy_perform", &curl.easy_perform);
  FindFunction(library, "curl_easy_cleanup", &curl.easy_cleanup);
  FindFunction(library, "curl_easy_strerror", &curl.easy_strerror);
  FindFunction(library, "curl_slist_append", &curl.slist_append);
  FindFunction(library, "curl_slist_free_all", &curl.slist_free_all);
  FindFunction(library, "curl_url", &curl.url);
  FindFunction(library, "curl_url_set", &curl.url_set);
  FindFunction(library, "curl_url_get", &curl.url_get);
  FindFunction(library, "curl_url_cleanup", &curl.url_cleanup);
  FindFunction(library, "curl_url_strerror", &curl.url_strerror);
  FindFunction(library, "curl_free", &curl.free);
  HOURCELL_CHECK(curl.global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK);
  return curl;
}

const absl::StatusOr<Curl>& LoadCurl() {
  static const absl::StatusOr<Curl> curl = LoadCurlOnce();
  return curl;
}

// REQUIRES: LoadCurl has succeeded, as in ParseHttpUrl.
const Curl& LoadedCurl() {
  HOURCELL_CHECK(LoadCurl().ok());
  return *LoadCurl();
}

using UrlHandle = std::unique_ptr<CURLU, decltype(&curl_url_cleanup)>;
using HeaderList = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

absl::Status BadUrl(std::string_view text, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format(
      "url: {}: {}; expected http://host:port or https://host:port", why, QuoteForMessage(text)));
}

// A part of a URL; empty if the URL lacks it.
std::string UrlPart(const Curl& curl, CURLU* url, CURLUPart part) {
  char* text = nullptr;
  if (curl.url_get(url, part, &text, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owner(text, curl.free);
  return text;
}

// The host as a URL writes it.
std::string UrlHost(const HttpUrl& url) {
  return url.host.find(':') == std::string::npos ? url.host : fmt::format("[{}]", url.host);
}

std::string BaseUrl(const HttpUrl& url) {
  return fmt::format("{}://{}:{}{}", url.scheme, UrlHost(url), url.port, url.prefix);
}

void AddHeader(const Curl& curl, const std::string& header, HeaderList* headers) {
  curl_slist* const list = curl.slist_append(headers->get(), header.c_str());
  HOURCELL_CHECK(list != nullptr);
  [[maybe_unused]] curl_slist* const same = headers->release();
  headers->reset(list);
}

}  // namespace

absl::StatusOr<HttpUrl> ParseHttpUrl(std::string_view text, const TlsTrust& trust) {
  const bool has_scheme = text.find("://") != std::string_view::npos;
  const std::string whole = has_scheme ? std::string(text) : fmt::format("{}://{}", kPlain, text);
  HOURCELL_ASSIGN_OR_RETURN(const Curl curl, LoadCurl());
  const UrlHandle parsed(curl.url(), curl.url_cleanup);
  HOURCELL_CHECK(parsed != nullptr);
  const CURLUcode code =
      curl.url_set(parsed.get(), CURLUPART_URL, whole.c_str(), CURLU_DISALLOW_USER);
  if (code == CURLUE_USER_NOT_ALLOWED) {
    // Without the text, which may contain a password.
    return absl::InvalidArgumentError(
        "url: has a user; set the environment variable HOURCELL_TOKEN instead");
  }
  HttpUrl url{.scheme = UrlPart(curl, parsed.get(), CURLUPART_SCHEME), .trust = trust};
  if (code == CURLUE_UNSUPPORTED_SCHEME ||
      (code == CURLUE_OK && url.scheme != kPlain && url.scheme != kTls)) {
    return BadUrl(text, "only http and https are supported");
  }
  if (code != CURLUE_OK) return BadUrl(text, curl.url_strerror(code));

  url.host = UrlPart(curl, parsed.get(), CURLUPART_HOST);
  if (url.host.starts_with('[')) url.host = url.host.substr(1, url.host.size() - 2);
  const std::string zone = UrlPart(curl, parsed.get(), CURLUPART_ZONEID);
  if (!zone.empty()) url.host += "%25" + zone;
  const std::string port = UrlPart(curl, parsed.get(), CURLUPART_PORT);
  if (port == "0") return BadUrl(text, "bad port");
  if (!port.empty()) url.port = port;
  url.prefix = UrlPart(curl, parsed.get(), CURLUPART_PATH);
  while (url.prefix.ends_with('/'))
    url.prefix.pop_back();
  if (!UrlPart(curl, parsed.get(), CURLUPART_QUERY).empty() ||
      !UrlPart(curl, parsed.get(), CURLUPART_FRAGMENT).empty()) {
    return BadUrl(text, "has more than a path");
  }
  if (url.scheme != kTls && (trust.insecure || !trust.ca_file.empty())) {
    return BadUrl(text, "--ca-file and --insecure are for https");
  }
  return url;
}

std::string UrlFlags(const HttpUrl& url) {
  std::string flags = "--url " + BaseUrl(url);
  if (!url.trust.ca_file.empty()) flags += " --ca-file " + url.trust.ca_file;
  if (url.trust.insecure) flags += " --insecure";
  return flags;
}

std::string EscapeParam(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || std::string_view("-._~").find(c) != std::string_view::npos) {
      escaped += c;
    } else {
      escaped += {'%', kDigits[byte >> 4U], kDigits[byte & 0xFU]};
    }
  }
  return escaped;
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

// State of libcurl for one client: the connection, and the text of the last error.
struct HttpClient::Session {
  Session() { HOURCELL_CHECK(handle != nullptr); }
  ~Session() { LoadedCurl().easy_cleanup(handle); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  template <typename Value>
  void Set(CURLoption option, Value value) {
    HOURCELL_CHECK(LoadedCurl().easy_setopt(handle, option, value) == CURLE_OK);
  }

  template <typename Value>
  Value Get(CURLINFO info) const {
    Value value = 0;
    LoadedCurl().easy_getinfo(handle, info, &value);
    return value;
  }

  // libcurl's callback for the bytes of a body. Returning a number other than `size` makes libcurl
  // end the transfer with an error.
  static size_t Take(const char* bytes, size_t /*one*/, size_t size, void* session) {
    return static_cast<Session*>(session)->TakeBytes({bytes, size}) ? size : 0;
  }

  // False once `take` returned false, or the body is too long.
  bool TakeBytes(std::string_view bytes) {
    if (bytes.size() > body_bytes_max - body.size()) {
      is_too_long = true;
      return false;
    }
    // Searches only the new bytes for line ends, so that a long line costs linear time.
    const size_t known = body.size();
    body.append(bytes);
    if (take == nullptr || Get<long>(CURLINFO_RESPONSE_CODE) != kHttpOk) return true;
    size_t begin = 0;
    for (size_t end = body.find('\n', known); end != std::string::npos && !has_enough;
         end = body.find('\n', begin)) {
      has_enough = !(*take)(std::string_view(body).substr(begin, end - begin));
      begin = end + 1;
    }
    body.erase(0, begin);
    return !has_enough;
  }

  CURL* const handle = LoadedCurl().easy_init();
  std::array<char, CURL_ERROR_SIZE> error = {};
  std::string body;
  const TakeLine* take = nullptr;  // of GetLines
  bool has_enough = false;
  size_t body_bytes_max = std::numeric_limits<size_t>::max();
  bool is_too_long = false;
};

HttpClient::HttpClient(HttpUrl url, int64_t reply_timeout_ms)
    : url_(std::move(url)),
      address_(fmt::format("{}:{}", UrlHost(url_), url_.port)),
      reply_timeout_ms_(reply_timeout_ms),
      session_(std::make_unique<Session>()) {
  Session& session = *session_;
  session.Set(CURLOPT_URL, BaseUrl(url_).c_str());
  // Keeps libcurl from interrupting threads of this process with SIGALRM.
  session.Set(CURLOPT_NOSIGNAL, 1L);
  session.Set(CURLOPT_PROTOCOLS_STR, "http,https");
  session.Set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  session.Set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  // Only the named server shall receive the token: "" disables proxies, even those of the
  // environment. Redirects and .netrc are off by default.
  session.Set(CURLOPT_PROXY, "");
  if (!url_.trust.ca_file.empty()) {
    session.Set(CURLOPT_CAINFO, url_.trust.ca_file.c_str());
    session.Set(CURLOPT_CAPATH, static_cast<char*>(nullptr));
  }
  if (url_.trust.insecure) {
    session.Set(CURLOPT_SSL_VERIFYPEER, 0L);
    session.Set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
  // Limits the silence, not the whole transfer: an answer may take long while bytes arrive.
  session.Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(reply_timeout_ms_));
  session.Set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  session.Set(CURLOPT_LOW_SPEED_TIME, static_cast<long>((reply_timeout_ms_ + 999) / 1000));
  session.Set(CURLOPT_WRITEFUNCTION, &Session::Take);
  session.Set(CURLOPT_WRITEDATA, &session);
  session.Set(CURLOPT_ERRORBUFFER, session.error.data());
}

HttpClient::~HttpClient() = default;

void HttpClient::set_reply_bytes_max(size_t bytes) {
  session_->body_bytes_max = bytes;
}

absl::Status HttpClient::Broken(int code) const {
  const std::string_view said(session_->error.data());
  const std::string_view why =
      said.empty() ? LoadedCurl().easy_strerror(static_cast<CURLcode>(code)) : said;
  const auto broken = [this](std::string_view what, std::string_view cause) {
    return absl::UnavailableError(fmt::format("{}: {}: {}", address_, what, cause));
  };
  const auto os_error = session_->Get<long>(CURLINFO_OS_ERRNO);
  const bool was_connected = session_->Get<curl_off_t>(CURLINFO_CONNECT_TIME_T) > 0;
  switch (code) {
    case CURLE_COULDNT_CONNECT:
      return broken("connect", os_error == 0
                                   ? std::string(why)
                                   : std::generic_category().message(static_cast<int>(os_error)));
    case CURLE_OPERATION_TIMEDOUT:
      return broken(was_connected ? "receive" : "connect", "no answer in time");
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
      return broken("receive", "the server closed the connection");
    case CURLE_UNSUPPORTED_PROTOCOL:  // libcurl reads it as HTTP/0.9
    case CURLE_WEIRD_SERVER_REPLY:
      return broken("the answer is not HTTP", why);
    case CURLE_PEER_FAILED_VERIFICATION:
      return broken(
          "TLS",
          fmt::format("{}; trust a certificate with --ca-file, and name its host in --url", why));
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
      return absl::UnavailableError(fmt::format("{}: {}", address_, why));
    default:
      return broken(url_.scheme == kTls ? "TLS" : "HTTP", why);
  }
}

absl::StatusOr<HttpReply> HttpClient::Exchange(std::string_view target,
                                               std::string_view content_encoding,
                                               std::string_view header) {
  Session& session = *session_;
  const Curl& curl = LoadedCurl();
  HeaderList headers(nullptr, curl.slist_free_all);
  // A line end in the token would add a header.
  const char* const token = std::getenv(url_.token_variable.c_str());
  if (token != nullptr && std::string_view(token).find_first_of("\r\n") == std::string_view::npos) {
    AddHeader(curl, fmt::format("Authorization: Bearer {}", token), &headers);
  }
  AddHeader(curl, "Content-Type: application/json", &headers);
  if (!content_encoding.empty()) {
    AddHeader(curl, fmt::format("Content-Encoding: {}", content_encoding), &headers);
  }
  if (!header.empty()) AddHeader(curl, std::string(header), &headers);
  // With "Expect:", libcurl waits up to a second before it sends a large body.
  AddHeader(curl, "Expect:", &headers);
  session.Set(CURLOPT_HTTPHEADER, headers.get());
  // Sends the path unchanged: libcurl neither shortens nor escapes it.
  session.Set(CURLOPT_REQUEST_TARGET, (url_.prefix + std::string(target)).c_str());

  session.body.clear();
  session.has_enough = false;
  session.is_too_long = false;
  session.error[0] = '\0';
  const CURLcode code = curl.easy_perform(session.handle);
  session.Set(CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  has_connected_ = has_connected_ || session.Get<long>(CURLINFO_REQUEST_SIZE) > 0;
  if (session.is_too_long) {
    return absl::ResourceExhaustedError(
        fmt::format("{}: the answer has more than {} bytes", address_, session.body_bytes_max));
  }
  if (code != CURLE_OK && !session.has_enough) return Broken(code);
  return HttpReply{.status = static_cast<int>(session.Get<long>(CURLINFO_RESPONSE_CODE)),
                   .body = std::exchange(session.body, {}),
                   .retry_after_s = session.Get<curl_off_t>(CURLINFO_RETRY_AFTER)};
}

absl::StatusOr<HttpReply> HttpClient::Get(std::string_view target) {
  session_->Set(CURLOPT_HTTPGET, 1L);
  return Exchange(target, {});
}

absl::StatusOr<HttpReply> HttpClient::Delete(std::string_view target) {
  session_->Set(CURLOPT_HTTPGET, 1L);
  session_->Set(CURLOPT_CUSTOMREQUEST, "DELETE");
  absl::StatusOr<HttpReply> reply = Exchange(target, {});
  session_->Set(CURLOPT_CUSTOMREQUEST, static_cast<char*>(nullptr));
  return reply;
}

absl::StatusOr<HttpReply> HttpClient::GetLines(std::string_view target, const TakeLine& take) {
  session_->take = &take;
  absl::StatusOr<HttpReply> reply = Get(target);
  session_->take = nullptr;
  return reply;
}

absl::StatusOr<HttpReply> HttpClient::Post(std::string_view target,
                                           std::string_view body,
                                           std::string_view content_encoding,
                                           std::string_view header) {
  session_->Set(CURLOPT_POST, 1L);
  session_->Set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body.size()));
  session_->Set(CURLOPT_POSTFIELDS, body.empty() ? "" : body.data());
  return Exchange(target, content_encoding, header);
}

}  // namespace hourcell
