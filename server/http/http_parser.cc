#include "server/http/http_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/base/strings.h"
#include "server/text/ascii.h"

namespace hourcell {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using BeastError = boost::beast::error_code;
using BeastView = boost::beast::string_view;

// Most requests have fewer headers.
constexpr size_t kUsualHeaders = 8;
// The name and the value of a header are shorter than this, with the two bytes after each.
constexpr size_t kFieldBytesMax = 64 * 1024 - 1;
// Room for an announced body, made before its first byte: a header alone must not cost 64 MiB.
constexpr size_t kReservedBodyBytesMax = 1 << 20;

std::string_view StdView(BeastView text) {
  return {text.data(), text.size()};
}

// A value that continues in the next line may end with blanks.
std::string_view WithoutOuterBlanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Finds the end of the header that begins at text[0], searching from `from` on; 0 if it is
// incomplete. An empty line ends it, even one of bare line feeds, which Beast then refuses: waiting
// for more would leave such a client without a response.
size_t HeaderEnd(std::string_view text, size_t from) {
  for (size_t at = text.find('\n', from); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    if (rest.starts_with('\n')) return at + 2;
    if (rest.starts_with("\r\n")) return at + 3;
  }
  return 0;
}

// True if the chunk header at the start of `rest` is complete and leaves a quote open. Beast then
// searches for its end beyond the line, and each attempt subtracts the chunk from the body limit
// again.
bool HasOpenQuote(std::string_view rest) {
  if (rest.starts_with("\r\n")) rest.remove_prefix(2);  // the end of the previous chunk
  const std::string_view line = rest.substr(0, rest.find("\r\n"));
  if (line.size() == rest.size()) return false;
  bool is_open = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') is_open = !is_open;
    if (is_open && line[i] == '\\') ++i;
  }
  return is_open;
}

int StatusOfError(const BeastError& error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit) return 431;
  return 400;
}

}  // namespace

// Beast's grammar, which fills in a request as it goes. Beast's own message would keep each header
// in a map first: a request with one header took three allocations more.
class HttpParser::Message final : private http::basic_parser<true> {
 public:
  explicit Message(size_t body_bytes_max) {
    eager(true);
    header_limit(kHeaderBytesMax + 1);
    body_limit(body_bytes_max);
    request_.headers.reserve(kUsualHeaders);
  }

  // Parses from the start of `bytes`; returns the number of bytes used.
  size_t Put(std::string_view bytes, BeastError* error) {
    const size_t used = put(asio::const_buffer(bytes.data(), bytes.size()), *error);
    if (*error == http::error::need_more) *error = {};
    return used;
  }

  bool header_done() const { return is_header_done(); }
  using http::basic_parser<true>::chunked;
  bool done() const { return is_done(); }

  HttpRequest* request() { return &request_; }

  size_t body_bytes_here() const { return request_.body.size(); }

  // The announced size, or the bytes received.
  size_t body_bytes() const {
    const size_t here = body_bytes_here();
    if (chunked() || !content_length()) return here;
    return std::max(here, static_cast<size_t>(*content_length()));
  }

  HttpRequest Take() { return std::move(request_); }

 private:
  void on_request_impl(http::verb /*method*/,
                       BeastView method,
                       BeastView target,
                       int version,
                       BeastError& /*error*/) override {
    request_.method = StdView(method);
    request_.target = StdView(target);
    request_.http10 = version == 10;
  }

  void on_response_impl(int /*code*/,
                        BeastView /*reason*/,
                        int /*version*/,
                        BeastError& /*error*/) override {}

  // Of the header, and of the trailer of a chunked body, whose fields are left out.
  void on_field_impl(http::field /*field*/,
                     BeastView name,
                     BeastView value,
                     BeastError& error) override {
    if (std::max(name.size(), value.size()) + 2 > kFieldBytesMax) {
      error = http::error::header_limit;
    } else if (!is_header_read_) {
      request_.headers.emplace_back(LowerCase(StdView(name)), WithoutOuterBlanks(StdView(value)));
    }
  }

  void on_header_impl(BeastError& /*error*/) override {
    is_header_read_ = true;
    request_.keep_alive = keep_alive();
  }

  void on_body_init_impl(const boost::optional<std::uint64_t>& length,
                         BeastError& /*error*/) override {
    const auto bytes = static_cast<size_t>(length.value_or(0));
    request_.body.reserve(std::min(bytes, kReservedBodyBytesMax));
  }

  size_t on_body_impl(BeastView bytes, BeastError& /*error*/) override {
    request_.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }

  void on_chunk_header_impl(std::uint64_t /*size*/,
                            BeastView /*extensions*/,
                            BeastError& /*error*/) override {}

  size_t on_chunk_body_impl(std::uint64_t /*rest*/, BeastView bytes, BeastError& error) override {
    return on_body_impl(bytes, error);
  }

  void on_finish_impl(BeastError& /*error*/) override {}

  HttpRequest request_;
  bool is_header_read_ = false;
};

HttpParser::HttpParser(size_t body_bytes_max, size_t small_body_bytes_max)
    : body_bytes_max_(body_bytes_max), small_body_bytes_max_(small_body_bytes_max) {}
HttpParser::~HttpParser() = default;

void HttpParser::Feed(std::string_view bytes) {
  if (input_.empty()) {
    input_ = bytes;
    return;
  }
  Keep();
  pending_.erase(0, pending_.size() - input_.size());
  pending_.append(bytes);
  input_ = pending_;
}

void HttpParser::Keep() {
  if (input_.empty()) {
    pending_.clear();
  } else if (pending_.empty()) {
    pending_ = input_;
    input_ = pending_;
  }
}

HttpParser::Event HttpParser::Fail(int status, std::string text) {
  error_status_ = status;
  error_text_ = std::move(text);
  input_ = {};
  pending_.clear();
  message_.reset();
  return Event::kError;
}

HttpParser::Event HttpParser::Next() {
  HOURCELL_CHECK(!complete_);
  const Event event = Parse();
  Keep();
  return event;
}

HttpParser::Event HttpParser::Parse() {
  if (error_status_ != 0) return Event::kError;
  return message_ == nullptr ? ParseHeader() : ParseBody();
}

HttpParser::Event HttpParser::ParseHeader() {
  // Some clients send an empty line after a body; RFC 9112 says that servers should skip it.
  input_.remove_prefix(std::min(input_.find_first_not_of("\r\n"), input_.size()));
  const size_t end = HeaderEnd(input_, scanned_);
  if ((end == 0 ? input_.size() : end) > kHeaderBytesMax) {
    const bool is_target = input_.find('\n') > kTargetBytesMax;
    return is_target ? Fail(414, fmt::format("request target over {} bytes", kTargetBytesMax))
                     : Fail(431, fmt::format("request headers over {} bytes", kHeaderBytesMax));
  }
  if (end == 0) {
    scanned_ = std::max<size_t>(input_.size(), 2) - 2;
    return Event::kNeedMore;
  }
  scanned_ = 0;

  auto message = std::make_unique<Message>(body_bytes_max_);
  BeastError error;
  const size_t used = message->Put(input_.substr(0, end), &error);
  if (error == http::error::header_limit) {
    return Fail(431, "the name or value of a request header takes 64 KiB");
  }
  if (error) return Fail(StatusOfError(error), "malformed request: " + error.message());
  if (!message->header_done() || used != end) return Fail(400, "malformed request header");
  const HttpRequest& request = *message->request();
  if (request.target.size() > kTargetBytesMax) {
    return Fail(414, fmt::format("request target over {} bytes", kTargetBytesMax));
  }
  const std::string encoding = LowerCase(request.header("transfer-encoding"));
  if (!encoding.empty() && encoding != "chunked") {
    return Fail(501, "Transfer-Encoding: only chunked is supported");
  }
  input_.remove_prefix(end);
  wants_continue_ =
      !request.http10 && !message->done() && LowerCase(request.header("expect")) == "100-continue";
  large_body_reported_ = false;
  message_ = std::move(message);
  return ParseBody();
}

HttpParser::Event HttpParser::ParseBody() {
  if (TellsOfBody()) return Event::kLargeBody;
  if (std::exchange(wants_continue_, false)) return Event::kContinue;
  // Beast asserts that it never gets a last chunk, "0\r\n\r\n", in parts. Nothing shorter ends a
  // chunked body, so a possible last chunk waits for the rest.
  constexpr size_t kLastChunkBytes = 5;
  // A chunked body goes to Beast in pieces of at most the longest chunk header: so a longer header
  // is refused however its bytes arrive.
  const size_t piece_bytes = message_->chunked() ? kChunkHeaderBytesMax : input_.size();
  for (size_t used = 1; used > 0 && !message_->done() && !input_.empty();) {
    if (message_->chunked() && input_.starts_with('0') && input_.size() < kLastChunkBytes) {
      return Event::kNeedMore;
    }
    BeastError error;
    used = message_->Put(input_.substr(0, piece_bytes), &error);
    if (error) return Fail(StatusOfError(error), "malformed request: " + error.message());
    input_.remove_prefix(used);
  }
  if (message_->chunked() && !message_->done() && HasOpenQuote(input_)) {
    return Fail(400,
                "malformed request: " + BeastError(http::error::bad_chunk_extension).message());
  }
  if (TellsOfBody()) return Event::kLargeBody;  // chunked: the size was unknown before
  if (message_->done()) {
    complete_ = true;
    return Event::kRequest;
  }
  // Beast takes body bytes at once; the rest is an unfinished chunk header or trailer.
  if (input_.size() >= kChunkHeaderBytesMax) {
    return Fail(400, fmt::format("chunk header or trailer over {} bytes", kChunkHeaderBytesMax));
  }
  return Event::kNeedMore;
}

bool HttpParser::TellsOfBody() {
  if (large_body_reported_ || message_->body_bytes() <= small_body_bytes_max_) return false;
  large_body_reported_ = true;
  return true;
}

HttpRequest* HttpParser::head() {
  HOURCELL_CHECK(message_ != nullptr);
  return message_->request();
}

size_t HttpParser::body_bytes_here() const {
  return message_ == nullptr ? 0 : message_->body_bytes_here();
}

bool HttpParser::is_inside_request() const {
  return message_ != nullptr || input_.find_first_not_of("\r\n") != std::string_view::npos;
}

size_t HttpParser::body_bytes() const {
  return message_ == nullptr ? 0 : message_->body_bytes();
}

HttpParser::Event HttpParser::Finish() {
  if (error_status_ != 0) return Event::kError;
  if (message_ == nullptr && input_.find_first_not_of("\r\n") == std::string::npos) {
    return Event::kNeedMore;
  }
  return Fail(400, "the connection ended within a request");
}

HttpRequest HttpParser::TakeRequest() {
  HOURCELL_CHECK(complete_);
  complete_ = false;
  HttpRequest request = message_->Take();
  message_.reset();
  return request;
}

}  // namespace hourcell
