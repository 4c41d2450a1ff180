// ForwardSender: sends the points of a spool to /api/put?details of another server, OpenTSDB or
// Hourcell, and the histograms to /api/histogram?details.
//
//   answer                                       result
//   204, or 200 with the counts of details       sent
//   details that name single points              those are refused, the others sent
//   400: the points came from that server        returned: it has them
//   to histograms: 404 or 405 in OpenTSDB's      those are refused
//   JSON, 503 without a codec
//   413, or 400 with an error of OpenTSDB        sent in halves, until it is one point: refused
//   500, or details with "Storage exception"     sent again; after kForwardBrokenTries in halves,
//                                                until it is one point: set aside
//   any other, or none                           sent again
//
// Retries wait kForwardRetryMs at first, then twice as long each time, up to kForwardRetryMaxMs, or
// as long as Retry-After demands. A second halving waits, too: the cause may be a server that is
// being set up. After a success the request size doubles again. If the server rejects larger
// requests (OpenTSDB without tsd.http.request.enable_chunked answers bodies above 8 KiB with 400),
// larger ones are tried ever more rarely.
//
// A point is set aside only if the same server accepts another one: the sender probes with later
// points, which it sends again in order afterwards. Apart from such probes, points are sent in
// order. Thread-compatible.

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
#include "server/http/http_client.h"

namespace hourcell {

inline constexpr int64_t kForwardIdleMs = 100;  // pause before looking for points again
inline constexpr int64_t kForwardRetryMs = 200;
inline constexpr int64_t kForwardRetryMaxMs = 30'000;
inline constexpr size_t kForwardPointsMax = 5'000;  // per request
// Of histograms in a request, as they are stored, before the last one.
inline constexpr size_t kForwardHistogramBytesMax = 1 << 20;
// Attempts for points at which the other server fails, before they are sent in halves.
inline constexpr int kForwardBrokenTries = 5;

class ForwardSender {
 public:
  // Dependencies; borrowed, must outlive the sender.
  struct Parts {
    PointSpool* spool = nullptr;
    Stats* stats = nullptr;  // gets forward.points
    MonotonicClock* clock = Clock::System();
    // Posts a gzip'd body to a target, with the ids of the servers that the points have passed
    // through. An error: no answer arrived.
    std::function<absl::StatusOr<HttpReply>(
        std::string_view target, std::string_view body, std::string_view via)>
        post = {};
    // Keeps a point, or the histogram with this cell, at which the other server fails.
    std::function<absl::Status(const PointView& point, std::string_view cell)> set_aside = {};
    // Called with warnings, rate-limited. May be null.
    std::function<void(std::string_view message)> warn = {};
  };
  explicit ForwardSender(Parts parts);

  // Sends one request if there are points. Returns the milliseconds to wait before the next call.
  int64_t Step();

 private:
  // The result of a request.
  struct Outcome {
    enum class Kind : uint8_t { kTaken, kOwn, kRefused, kTooLarge, kBroken, kLater };
    Kind kind = Kind::kLater;
    std::string text = {};                   // description of the error
    std::vector<RefusedPoint> refused = {};  // kTaken only
    int64_t wait_ms = 0;                     // kLater only: minimum wait
  };

  Outcome Send(std::span<const PointView> piece);
  Outcome OutcomeOf(const HttpReply& reply, std::span<const PointView> piece) const;
  Outcome OutcomeOfDetails(const HttpReply& reply, std::span<const PointView> piece) const;

  // Points that are all numbers, or all histograms, of a request.
  bool AreHistograms(std::span<const PointView> piece) const { return !CellsOf(piece)[0].empty(); }
  std::span<const std::string_view> CellsOf(std::span<const PointView> piece) const;

  // The points of the next request; empty if /api/put cannot express the next timestamp.
  std::span<const PointView> NextPiece() const;
  int64_t Handle(const Outcome& outcome, std::span<const PointView> piece);
  int64_t TakenOf(const Outcome& outcome, std::span<const PointView> piece);
  int64_t Halve(std::string_view text, std::span<const PointView> piece);
  int64_t HandleBroken(std::string_view text, std::span<const PointView> piece);
  // Sends a later point than the one at which the server fails. Returns as Step.
  int64_t Probe();
  // The next point to probe with; empty: none is left.
  std::span<const PointView> ProbePoint();
  int64_t SetAside();

  // Called after a successful request.
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
  size_t next_ = 0;  // index in the batch
  size_t request_points_ = kForwardPointsMax;
  size_t successes_ = 0;       // requests of this size
  size_t grow_after_ = 1;      // number of successes before requests grow
  bool has_grown_ = false;     // no success since
  bool has_shrunk_ = false;    // no success since
  int broken_tries_ = 0;       // for the next piece
  bool is_probing_ = false;    // the next request is a probe
  size_t probe_distance_ = 1;  // from the next point
  std::string broken_text_;    // the server's error for the next point
  int64_t retry_ms_ = kForwardRetryMs;
  int64_t warned_ms_ = 0;  // 0: never
};

}  // namespace hourcell
