// ForwardSender: the points of a spool to /api/put?details of another server, OpenTSDB or Hourcell.
//
//   answer                                       what becomes of the points
//   204, or 200 with the counts of details       sent
//   details that name single points              those are refused, the others sent
//   400: they have come from that server         returned: it has them
//   413, or 400 with an error of OpenTSDB        sent in halves, until it is one point: refused
//   500, or details with "Storage exception"     sent again; after kForwardBrokenTries in halves,
//                                                until it is one point: set aside
//   any other, or none                           sent again
//
// Before points are sent again it waits: from kForwardRetryMs on twice as long each time, up to
// kForwardRetryMaxMs, or as long as Retry-After says; also before a second halving, which may be
// the fault of a server that is being set up. After a success requests grow again to twice the
// size. A server that takes no larger ones (OpenTSDB without tsd.http.request.enable_chunked
// answers bodies above 8 KiB with 400) is asked ever more rarely.
//
// A point is set aside only if the same server takes another one: the sender tries points after
// it, whose values it sends again in their order afterwards. But for that no point overtakes
// another. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/point.h"
#include "engine/append.h"
#include "engine/spool/point_spool.h"
#include "engine/stats.h"
#include "server/cli/http_client.h"

namespace hourcell {

inline constexpr int64_t kForwardIdleMs = 100;  // until it looks for points again
inline constexpr int64_t kForwardRetryMs = 200;
inline constexpr int64_t kForwardRetryMaxMs = 30'000;
inline constexpr size_t kForwardPointsMax = 5'000;  // in a request
// How often points are sent that the other server fails at before they are sent in halves.
inline constexpr int kForwardBrokenTries = 5;

class ForwardSender {
 public:
  // What it works on; borrowed, outlives it.
  struct Parts {
    PointSpool* spool = nullptr;
    Stats* stats = nullptr;  // gets forward.points
    Clock* clock = Clock::System();
    // Sends a gzip'd body with the ids of the servers that the points have come through. An error:
    // no answer came.
    std::function<absl::StatusOr<HttpReply>(std::string_view body, std::string_view via)> post = {};
    // Keeps a point that the other server fails at.
    std::function<absl::Status(const PointView& point)> set_aside = {};
    // Gets a line now and then of what is wrong. May be null.
    std::function<void(std::string_view message)> warn = {};
  };
  explicit ForwardSender(Parts parts);

  // Sends one request, if there are points. Returns how many milliseconds to wait before the next
  // call.
  int64_t Step();

 private:
  // What became of a request.
  struct Outcome {
    enum class Kind : uint8_t { kTaken, kOwn, kTooLarge, kBroken, kLater };
    Kind kind = Kind::kLater;
    std::string text = {};                   // what is wrong
    std::vector<RefusedPoint> refused = {};  // of kTaken
    int64_t wait_ms = 0;                     // of kLater: at least
  };

  Outcome Send(std::span<const PointView> piece);
  static Outcome OutcomeOf(const HttpReply& reply, std::span<const PointView> piece);
  static Outcome OutcomeOfDetails(const HttpReply& reply, std::span<const PointView> piece);

  // The points of the next request; none if /api/put has no form for the time of the next one.
  std::span<const PointView> NextPiece() const;
  int64_t Handle(const Outcome& outcome, std::span<const PointView> piece);
  int64_t TakenOf(const Outcome& outcome, std::span<const PointView> piece);
  int64_t Halve(std::string_view text, std::span<const PointView> piece);
  int64_t HandleBroken(std::string_view text, std::span<const PointView> piece);
  // Sends a point after the one that the server fails at. Returns as Step.
  int64_t Probe();
  // The point to be tried next after the first one; nothing: there is none.
  std::span<const PointView> ProbePoint();
  int64_t SetAside();

  // A request of the present size has succeeded.
  void Grow(size_t points);
  void Shrink(size_t points);
  int64_t Finish(size_t points);
  int64_t Retry(std::string_view why, int64_t least_ms);
  void Warn(std::string_view message);

  const Parts parts_;
  Counter* const sent_;
  Counter* const refused_;
  Counter* const returned_;
  Counter* const set_aside_;
  SpooledBatch batch_;
  size_t next_ = 0;  // point of the batch
  size_t request_points_ = kForwardPointsMax;
  size_t successes_ = 0;       // of requests of this size
  size_t grow_after_ = 1;      // so many, requests become larger
  bool has_grown_ = false;     // and no request has succeeded since
  bool has_shrunk_ = false;    // and no request has succeeded since
  int broken_tries_ = 0;       // of the next piece
  bool is_probing_ = false;    // the next request is of a point after the next one
  size_t probe_distance_ = 1;  // to it
  std::string broken_text_;    // what the server says of the next point
  int64_t retry_ms_ = kForwardRetryMs;
  int64_t warned_ms_ = 0;  // 0: not yet
};

}  // namespace hourcell
