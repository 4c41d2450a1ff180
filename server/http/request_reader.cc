#include "server/http/request_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "server/http/http_error.h"

namespace hourcell {

using std::chrono::milliseconds;

namespace {

constexpr size_t kPressedBytes = kBodyBytesPerSPressed * kPressedFor.count();

}  // namespace

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
    begun_at_ = mark_at_ = now;
    fed_bytes_ = mark_bytes_ = 0;
    is_announced_ = false;
  }
  if (fed_bytes_ - mark_bytes_ >= kPressedBytes) {
    mark_at_ = now;
    mark_bytes_ = fed_bytes_;
  }
  // kLargeBody comes first: clients without the right get that error, not the one about memory.
  if (event == Event::kLargeBody || event == Event::kError) return event;
  const size_t announced = parser_.body_bytes();
  if (announced <= kSmallBodyBytesMax) return event;
  // Refuse at the announcement, not halfway through the body.
  const bool is_new = !std::exchange(is_announced_, true);
  if (is_new && limits_.memory != nullptr && !limits_.memory->MayTake(announced))
    return RefuseForMemory(now);
  const size_t here = parser_.body_bytes_here();
  if (here > kSmallBodyBytesMax && !hold_.Grow(here)) return RefuseForMemory(now);
  return event;
}

RequestReader::Event RequestReader::RefuseForMemory(TimePoint now) {
  limits_.memory->NoteRefused(now);
  error_status_ = 503;
  error_text_ = kNoRequestBodyBudget;
  return Event::kError;
}

RequestReader::Event RequestReader::Finish() {
  return error_status_ != 0 ? Event::kError : parser_.Finish();
}

HttpRequest RequestReader::TakeRequest() {
  return parser_.TakeRequest();
}

std::optional<RequestReader::TimePoint> RequestReader::due(TimePoint now) const {
  if (!begun_at_.has_value() || limits_.timeout_ms == 0) return std::nullopt;
  const size_t earned = parser_.is_inside_body() ? fed_bytes_ * 1000 / kBodyBytesPerSMin : 0;
  const TimePoint due = *begun_at_ + milliseconds(limits_.timeout_ms) + milliseconds(earned);
  const bool is_pressed = has_memory() && limits_.memory->IsPressed(now);
  return is_pressed ? std::min(due, mark_at_ + kPressedFor) : due;
}

HttpResponse RequestReader::ErrorResponse() const {
  HttpResponse response =
      HttpError(error_status(), error_status_ != 0 ? error_text_ : parser_.error_text());
  response.close = true;
  return response;
}

void RequestReader::Expire() {
  error_status_ = 408;
  error_text_ = fmt::format(
      "The request took longer than {} ms; a body must arrive at {} bytes/s or faster, "
      "and at {} bytes/s while others find no room",
      limits_.timeout_ms, kBodyBytesPerSMin, kBodyBytesPerSPressed);
}

}  // namespace hourcell
