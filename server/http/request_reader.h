// RequestReader: reads the requests of one connection and limits the time and the share of the body
// budget until a request is complete. Small bodies (request_body_budget.h) are accepted without
// checking the sender, so that the connection can continue after an error response. Larger bodies
// are decided by the header alone. They take their share as they arrive: an announcement alone
// blocks no other body. No sockets, no clock.
//
//   intake.Feed(bytes);
//   switch (intake.Next(now)) ...    // as HttpParser; kError also for lack of memory
//   if (intake.due() <= now) intake.Expire();
//
// Thread-compatible.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/http/http_message.h"
#include "server/http/http_parser.h"
#include "server/http/request_body_budget.h"

namespace hourcell {

// Minimum average rate of a body, in addition to the request timeout.
inline constexpr size_t kBodyBytesPerSMin = 1024;
// Minimum rate of a large body while others are refused for lack of room (request_body_budget.h),
// measured over kPressedFor.
inline constexpr size_t kBodyBytesPerSPressed = 64 * 1024;

class RequestReader {
 public:
  using Event = HttpParser::Event;
  using TimePoint = std::chrono::steady_clock::time_point;

  struct Limits {
    size_t body_bytes_max = kBodyBytesMax;
    int64_t timeout_ms = 0;               // of a request, from its first byte to its last; 0 = none
    RequestBodyBudget* memory = nullptr;  // borrowed; null = not counted
  };

  explicit RequestReader(const Limits& limits);

  void Feed(std::string_view bytes);
  Event Next(TimePoint now);
  Event Finish();
  HttpRequest TakeRequest();
  // The budget share of the last request taken.
  RequestBodyBudget::Hold TakeHold() {
    return std::exchange(hold_, RequestBodyBudget::Hold(limits_.memory));
  }
  HttpRequest* head() { return parser_.head(); }

  // True if a further request has begun.
  bool has_more() const { return parser_.is_inside_request(); }

  // The time from the first byte to the last of the request that Next announced.
  TimePoint::duration received_in() const { return received_in_; }

  // Deadline of the current request; nullopt if none has begun or there is no limit. The header has
  // the timeout; the body extends it with each byte received. While others are refused for lack of
  // room, a body with a budget share has less time, so call this again now and then.
  std::optional<TimePoint> due(TimePoint now) const;
  bool has_memory() const { return hold_.bytes() > 0; }

  // Makes the next event an error: the request timed out.
  void Expire();

  // Call when the arriving body was discarded.
  void Release() { hold_.Release(); }

  // The response to kError; it closes the connection.
  HttpResponse ErrorResponse() const;
  int error_status() const { return error_status_ != 0 ? error_status_ : parser_.error_status(); }

 private:
  Event RefuseForMemory(TimePoint now);

  const Limits limits_;
  HttpParser parser_;
  RequestBodyBudget::Hold hold_;
  TimePoint::duration received_in_ = {};
  std::optional<TimePoint> begun_at_;  // start of the current request
  size_t fed_bytes_ = 0;               // approximate size so far
  TimePoint mark_at_;                  // when another kPressedFor's worth of bytes was complete
  size_t mark_bytes_ = 0;              // fed_bytes_ at mark_at_
  bool is_announced_ = false;          // its announced size was checked
  int error_status_ = 0;               // of this class; 0 = none
  std::string error_text_;
};

}  // namespace hourcell
