// RequestReader: the requests of one connection as they come in, and what one of them may take
// until it is here: time, and its share of the memory of all bodies. Small bodies
// (request_body_budget.h) come in without a look at who sends them: the answer to them may be had
// on the same connection. Of larger ones the header alone decides. They take their share of the
// memory as they come in: one that is only announced keeps no other out. No sockets, no clock.
//
//   intake.Feed(bytes);
//   switch (intake.Next(now)) ...    // as HttpParser; kError also for want of memory
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

// How fast a body must come in on the whole, besides the time that every request has.
inline constexpr size_t kBodyBytesPerSMin = 1024;
// How fast a large one must while others find no room (request_body_budget.h): so much in each
// kPressedFor.
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
  // What the body of the request that was taken has of the memory.
  RequestBodyBudget::Hold TakeHold() {
    return std::exchange(hold_, RequestBodyBudget::Hold(limits_.memory));
  }
  HttpRequest* head() { return parser_.head(); }

  // Whether the beginning of a further request is here.
  bool has_more() const { return parser_.is_inside_request(); }

  // How long the request that Next said is here took to come in, since its first byte.
  TimePoint::duration received_in() const { return received_in_; }

  // When the request that was begun must be here; nothing if none was, or there is no limit. Its
  // header has the limit's time; its body more, the more of it is here. A body that has a share of
  // the memory has less while others find no room, so that this must be asked again now and then.
  std::optional<TimePoint> due(TimePoint now) const;
  bool has_memory() const { return hold_.bytes() > 0; }

  // What the next event is an error for: the request took too long.
  void Expire();

  // The body that was coming in is gone.
  void Release() { hold_.Release(); }

  // The answer to what kError was about; it ends the connection.
  HttpResponse ErrorResponse() const;
  int error_status() const { return error_status_ != 0 ? error_status_ : parser_.error_status(); }

 private:
  Event RefuseForMemory(TimePoint now);

  const Limits limits_;
  HttpParser parser_;
  RequestBodyBudget::Hold hold_;
  TimePoint::duration received_in_ = {};
  std::optional<TimePoint> begun_at_;  // the request that is coming in
  size_t fed_bytes_ = 0;               // of it, about
  TimePoint mark_at_;                  // when it last had kPressedFor's worth of bytes more
  size_t mark_bytes_ = 0;              // fed_bytes_ then
  bool is_announced_ = false;          // its size was looked at
  int error_status_ = 0;               // of ours; 0 = none
  std::string error_text_;
};

}  // namespace hourcell
