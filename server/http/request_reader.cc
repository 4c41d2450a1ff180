#include "server/http/request_reader.h"

#include <fmt/format.h>

#include "server/http/http_error.h"

namespace hourcell {

using std::chrono::milliseconds;

RequestReader::RequestReader(const Limits& limits)
    : limits_(limits), parser_(limits.body_bytes_max, kSmallBodyBytesMax), hold_(limits.memory) {}

void RequestReader::Feed(std::string_view bytes) {
  fed_bytes_ += bytes.size();
  parser_.Feed(bytes);
}

RequestReader::Event RequestReader::Next(TimePoint now) {
  if (error_status_ != 0) return Event::kError;
  const Event event = parser_.Next();
  if (event == Event::kRequest) {
    received_in_ = begun_at_.has_value() ? now - *begun_at_ : TimePoint::duration::zero();
    begun_at_.reset();
  } else if (!begun_at_.has_value() && parser_.is_inside_request()) {
    begun_at_ = now;
    fed_bytes_ = 0;
  }
  // Who may not send it is told that, not that there is no room: kLargeBody comes first.
  if (event == Event::kLargeBody || event == Event::kError) return event;
  const size_t bytes = parser_.body_bytes();
  if (bytes > kSmallBodyBytesMax && !hold_.Grow(bytes)) {
    error_status_ = 503;
    error_text_ = kNoRequestBodyBudget;
    return Event::kError;
  }
  return event;
}

RequestReader::Event RequestReader::Finish() {
  return error_status_ != 0 ? Event::kError : parser_.Finish();
}

HttpRequest RequestReader::TakeRequest() {
  return parser_.TakeRequest();
}

std::optional<RequestReader::TimePoint> RequestReader::due() const {
  if (!begun_at_.has_value() || limits_.timeout_ms == 0) return std::nullopt;
  const size_t earned = parser_.is_inside_body() ? fed_bytes_ * 1000 / kBodyBytesPerSMin : 0;
  return *begun_at_ + milliseconds(limits_.timeout_ms) + milliseconds(earned);
}

HttpResponse RequestReader::ErrorResponse() const {
  HttpResponse response =
      HttpError(error_status(), error_status_ != 0 ? error_text_ : parser_.error_text());
  response.close = true;
  return response;
}

void RequestReader::Expire() {
  error_status_ = 408;
  error_text_ =
      fmt::format("The request took longer than {} ms; a body must arrive at {} bytes/s or faster",
                  limits_.timeout_ms, kBodyBytesPerSMin);
}

}  // namespace hourcell
