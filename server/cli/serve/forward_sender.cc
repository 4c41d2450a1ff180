#include "server/cli/serve/forward_sender.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <absl/status/status.h>
#include <fmt/format.h>

#include "engine/append.h"
#include "server/cli/transfer/point_sink.h"
#include "server/http/http_response.h"

// Why errors of a whole request are never taken for a fault of its points, but for 400 and 413: a
// server that is down, overloaded or wants other credentials would cost points that it takes once
// that is mended. And why one request at a time: of two, the later one could arrive first, and then
// the older value of an instant would win.

namespace hourcell {
namespace {

constexpr size_t kReadBytes = 1 << 20;
constexpr int64_t kWarnPauseMs = 10'000;
constexpr int64_t kRetryAfterMaxMs = 60'000;

bool HasDetails(const HttpReply& reply) {
  return reply.body.starts_with("{") && reply.body.find("\"errors\"") != std::string::npos;
}

std::string TextOf(const PointView& point) {
  std::string text(point.metric);
  for (const TagView& tag : point.tags)
    text += fmt::format(" {}={}", tag.key, tag.value);
  return fmt::format("{} at {} ms", text, point.timestamp.ms);
}

}  // namespace

ForwardSender::ForwardSender(Parts parts)
    : parts_(std::move(parts)),
      sent_(parts_.stats->counter("forward.points", {{"type", "sent"}})),
      refused_(parts_.stats->counter("forward.points", {{"type", "refused"}})) {}

int64_t ForwardSender::Step() {
  if (next_ >= batch_.read.points.size()) {
    next_ = 0;
    const absl::StatusOr<bool> read = parts_.spool->Read(kReadBytes, &batch_);
    if (!read.ok()) {
      return Retry(fmt::format("the spool cannot be read: {}", read.status().ToString()), 0);
    }
    if (!*read) return kForwardIdleMs;
  }
  const std::span<const PointView> piece = NextPiece();
  const absl::StatusOr<HttpReply> reply = parts_.post(Gzip(PutBody(piece)));
  if (!reply.ok()) return Retry(std::string(reply.status().message()), 0);
  return HandleReply(*reply, piece);
}

std::span<const PointView> ForwardSender::NextPiece() const {
  const std::span<const PointView> points(batch_.read.points);
  return points.subspan(next_, std::min(request_points_, points.size() - next_));
}

int64_t ForwardSender::HandleReply(const HttpReply& reply, std::span<const PointView> piece) {
  if ((reply.status == 200 || reply.status == 400) && HasDetails(reply)) {
    return HandleDetails(reply, piece);
  }
  if (reply.status / 100 == 2) return Finish(piece.size(), 0);
  const std::string text = fmt::format("HTTP {}: {}", reply.status, HttpErrorText(reply));
  if (reply.status == 400 || reply.status == 413) return Halve(text, piece);
  return Retry(text, std::min(reply.retry_after_s * 1000, kRetryAfterMaxMs));
}

int64_t ForwardSender::HandleDetails(const HttpReply& reply, std::span<const PointView> piece) {
  std::vector<RefusedPoint> refused;
  const absl::Status parsed = ParsePutReply(reply.body, piece, &refused);
  if (absl::IsUnavailable(parsed)) return Retry(std::string(parsed.message()), 0);
  if (!parsed.ok()) return Halve(std::string(parsed.message()), piece);
  if (!refused.empty()) {
    Warn(fmt::format("{} of {} points were refused, among them {}: {}", refused.size(),
                     piece.size(), TextOf(piece[refused.front().index]),
                     refused.front().error.text));
  }
  return Finish(piece.size(), refused.size());
}

int64_t ForwardSender::Halve(std::string_view text, std::span<const PointView> piece) {
  if (piece.size() > 1) {
    request_points_ = (piece.size() + 1) / 2;
    return 0;
  }
  Warn(fmt::format("refused: {}: {}", TextOf(piece.front()), text));
  request_points_ = kForwardPointsMax;  // it was the point, not the size
  return Finish(1, 1);
}

int64_t ForwardSender::Finish(size_t points, size_t refused) {
  refused_->Add(refused);
  sent_->Add(points - refused);
  retry_ms_ = kForwardRetryMs;
  next_ += points;
  if (next_ < batch_.read.points.size()) return 0;
  if (const absl::Status done = parts_.spool->Done(batch_); !done.ok()) {
    Warn(std::string(done.message()));  // they may be sent twice
  }
  return 0;
}

int64_t ForwardSender::Retry(std::string_view why, int64_t least_ms) {
  Warn(fmt::format("points wait, and are sent again: {}", why));
  return std::max(least_ms, std::exchange(retry_ms_, std::min(2 * retry_ms_, kForwardRetryMaxMs)));
}

void ForwardSender::Warn(std::string_view message) {
  if (!parts_.warn) return;
  const int64_t now_ms = parts_.clock->MonotonicMs();
  if (warned_ms_ != 0 && now_ms - warned_ms_ < kWarnPauseMs) return;
  warned_ms_ = now_ms;
  parts_.warn(message);
}

}  // namespace hourcell
