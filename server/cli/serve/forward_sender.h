// ForwardSender: the points of a spool to /api/put?details of another server, OpenTSDB or Hourcell.
//
//   answer                                       what becomes of the points
//   2xx                                          sent
//   details that name single points              those are refused, the others sent
//   details with "Storage exception" or          sent again, all of them
//     "Please throttle"
//   400 or 413 without details                   sent in halves, until it is one point: refused
//   any other, or none                           sent again
//
// Before points are sent again it waits: from kForwardRetryMs on twice as long each time, up to
// kForwardRetryMaxMs, or as long as Retry-After says. No point overtakes another. OpenTSDB without
// tsd.http.request.enable_chunked answers bodies above 8 KiB with 400, so the number of points in a
// request stays low then. Thread-compatible.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <absl/status/statusor.h>

#include "codec/base/clock.h"
#include "codec/point.h"
#include "engine/spool/point_spool.h"
#include "engine/stats.h"
#include "server/cli/http_client.h"

namespace hourcell {

inline constexpr int64_t kForwardIdleMs = 100;  // until it looks for points again
inline constexpr int64_t kForwardRetryMs = 200;
inline constexpr int64_t kForwardRetryMaxMs = 30'000;
inline constexpr size_t kForwardPointsMax = 5'000;  // in a request

class ForwardSender {
 public:
  // What it works on; borrowed, outlives it.
  struct Parts {
    PointSpool* spool = nullptr;
    Stats* stats = nullptr;  // gets forward.points
    Clock* clock = Clock::System();
    // Sends a gzip'd body. An error: no answer came.
    std::function<absl::StatusOr<HttpReply>(std::string_view body)> post = {};
    // Gets a line now and then of what is wrong. May be null.
    std::function<void(std::string_view message)> warn = {};
  };
  explicit ForwardSender(Parts parts);

  // Sends one request, if there are points. Returns how many milliseconds to wait before the next
  // call.
  int64_t Step();

 private:
  std::span<const PointView> NextPiece() const;
  int64_t HandleReply(const HttpReply& reply, std::span<const PointView> piece);
  int64_t HandleDetails(const HttpReply& reply, std::span<const PointView> piece);
  int64_t Halve(std::string_view text, std::span<const PointView> piece);
  int64_t Finish(size_t points, size_t refused);
  int64_t Retry(std::string_view why, int64_t least_ms);
  void Warn(std::string_view message);

  const Parts parts_;
  Counter* const sent_;
  Counter* const refused_;
  SpooledBatch batch_;
  size_t next_ = 0;  // point of the batch
  size_t request_points_ = kForwardPointsMax;
  int64_t retry_ms_ = kForwardRetryMs;
  int64_t warned_ms_ = 0;  // 0: not yet
};

}  // namespace hourcell
