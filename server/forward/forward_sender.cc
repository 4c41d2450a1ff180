#include "server/forward/forward_sender.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "codec/text/point_text.h"
#include "server/forward/histogram_exchange.h"
#include "server/forward/put_exchange.h"
#include "server/http/http_response.h"

// Why most whole-request errors do not count as faults of the points: a server that is down,
// overloaded, behind a proxy or expects other credentials would cost points that it accepts once
// that is fixed. Why one request at a time: of two, the later one could arrive first, and then the
// older value of a timestamp would win.

namespace hourcell {
namespace {

constexpr size_t kReadBytes = 1 << 20;
constexpr int64_t kWarnPauseMs = 10'000;
constexpr int64_t kRetryAfterMaxMs = 60'000;
// Upper bound for the successful requests before a larger one is tried.
constexpr size_t kGrowAfterMax = 256;

bool Has(const HttpReply& reply, std::string_view member) {
  return reply.body.find(member) != std::string::npos;
}

// {"success":..,"failed":..,"errors":[..]}: counts with details, or without errors a summary.
bool HasCounts(const HttpReply& reply) {
  return reply.body.starts_with("{") && Has(reply, "\"success\"") && Has(reply, "\"failed\"");
}

// {"errors":[..]}: errors of single points.
bool HasDetails(const HttpReply& reply) {
  return reply.body.starts_with("{") && Has(reply, "\"errors\"");
}

// {"error":{"code":400,..}}: an error of the whole request.
bool HasError(const HttpReply& reply) {
  return reply.body.starts_with("{") && Has(reply, "\"error\"") && Has(reply, "\"code\"");
}

bool TakesNoHistograms(const HttpReply& reply) {
  if (reply.status == 503) return AreHistogramsOff(reply.body);
  return (reply.status == 404 || reply.status == 405) && HasError(reply);
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
      refused_(parts_.stats->counter("forward.points", {{"type", "refused"}})),
      returned_(parts_.stats->counter("forward.points", {{"type", "returned"}})),
      set_aside_(parts_.stats->counter("forward.points", {{"type", "set_aside"}})) {}

int64_t ForwardSender::Step() {
  if (next_ >= batch_.read.points.size()) {
    next_ = 0;
    const absl::StatusOr<bool> read = parts_.spool->Read(kReadBytes, &batch_);
    if (!read.ok()) {
      return Retry(fmt::format("the spool cannot be read: {}", read.status().ToString()), 0);
    }
    if (!*read) return kForwardIdleMs;
  }
  if (is_probing_) return Probe();
  const std::span<const PointView> piece = NextPiece();
  if (!piece.empty()) return Handle(Send(piece), piece);
  Warn(fmt::format("refused: {}: the other server would take this time for seconds",
                   TextOf(batch_.read.points[next_])));
  refused_->Add(1);
  return Finish(1);
}

std::span<const PointView> ForwardSender::NextPiece() const {
  const std::span<const PointView> points(batch_.read.points);
  const auto piece = points.subspan(next_, std::min(request_points_, points.size() - next_));
  const std::span<const std::string_view> cells = CellsOf(piece);
  size_t bytes = 0;
  size_t size = 0;
  while (size < piece.size() && IsNumberOfMagnitude(piece[size].timestamp) &&
         cells[size].empty() == cells[0].empty() && bytes < kForwardHistogramBytesMax) {
    bytes += cells[size++].size();
  }
  return piece.first(size);
}

std::span<const std::string_view> ForwardSender::CellsOf(std::span<const PointView> piece) const {
  const auto begin = static_cast<size_t>(piece.data() - batch_.read.points.data());
  return std::span<const std::string_view>(batch_.read.cells).subspan(begin, piece.size());
}

ForwardSender::Outcome ForwardSender::Send(std::span<const PointView> piece) {
  std::string via = parts_.spool->id();
  if (!batch_.via.empty()) via += ',' + batch_.via;
  const absl::StatusOr<HttpReply> reply =
      AreHistograms(piece)
          ? parts_.post("/api/histogram?details", Gzip(HistogramsBody(piece, CellsOf(piece))), via)
          : parts_.post("/api/put?details", Gzip(PutBody(piece)), via);
  if (!reply.ok()) return {.text = std::string(reply.status().message())};
  return OutcomeOf(*reply, piece);
}

ForwardSender::Outcome ForwardSender::OutcomeOf(const HttpReply& reply,
                                                std::span<const PointView> piece) const {
  using enum Outcome::Kind;
  if (reply.status == 204) return {.kind = kTaken};
  if (reply.status == 200 && HasCounts(reply)) {
    return HasDetails(reply) ? OutcomeOfDetails(reply, piece) : Outcome{.kind = kTaken};
  }
  if (reply.status == 400 && HasDetails(reply)) return OutcomeOfDetails(reply, piece);
  std::string text = fmt::format("HTTP {}: {}", reply.status, HttpErrorText(reply));
  if (reply.status == 400 && Has(reply, kOwnPointsText)) return {.kind = kOwn, .text = text};
  if (AreHistograms(piece) && TakesNoHistograms(reply)) return {.kind = kRefused, .text = text};
  if (reply.status == 413 || (reply.status == 400 && HasError(reply))) {
    return {.kind = kTooLarge, .text = text};
  }
  if (reply.status == 500) return {.kind = kBroken, .text = text};
  return {.text = text, .wait_ms = std::min(reply.retry_after_s * 1000, kRetryAfterMaxMs)};
}

ForwardSender::Outcome ForwardSender::OutcomeOfDetails(const HttpReply& reply,
                                                       std::span<const PointView> piece) const {
  using enum Outcome::Kind;
  Outcome outcome{.kind = kTaken};
  const absl::Status parsed = AreHistograms(piece)
                                  ? ParseHistogramReply(reply.body, piece.size(), &outcome.refused)
                                  : ParsePutReply(reply.body, piece, &outcome.refused);
  if (parsed.ok()) return outcome;
  const std::string text(parsed.message());
  if (!absl::IsUnavailable(parsed)) return {.kind = kTooLarge, .text = text};
  const bool is_broken = text.find("Storage exception") != std::string::npos;
  return {.kind = is_broken ? kBroken : kLater, .text = text};
}

int64_t ForwardSender::Handle(const Outcome& outcome, std::span<const PointView> piece) {
  if (outcome.kind != Outcome::Kind::kBroken) broken_tries_ = 0;
  switch (outcome.kind) {
    case Outcome::Kind::kTaken:
      return TakenOf(outcome, piece);
    case Outcome::Kind::kOwn:
      Warn(fmt::format("{} points have come from there: {}", piece.size(), outcome.text));
      returned_->Add(piece.size());
      return Finish(piece.size());
    case Outcome::Kind::kRefused:
      Warn(fmt::format("{} histograms were refused: {}", piece.size(), outcome.text));
      refused_->Add(piece.size());
      return Finish(piece.size());
    case Outcome::Kind::kTooLarge:
      return Halve(outcome.text, piece);
    case Outcome::Kind::kBroken:
      return HandleBroken(outcome.text, piece);
    case Outcome::Kind::kLater:
      break;
  }
  return Retry(outcome.text, outcome.wait_ms);
}

int64_t ForwardSender::TakenOf(const Outcome& outcome, std::span<const PointView> piece) {
  if (!outcome.refused.empty()) {
    const RefusedPoint& first = outcome.refused.front();
    Warn(fmt::format("{} of {} points were refused, among them {}: {}", outcome.refused.size(),
                     piece.size(), TextOf(piece[first.index]), first.error.text));
  }
  refused_->Add(outcome.refused.size());
  sent_->Add(piece.size() - outcome.refused.size());
  Grow(piece.size());
  return Finish(piece.size());
}

int64_t ForwardSender::Halve(std::string_view text, std::span<const PointView> piece) {
  if (piece.size() == 1) {
    Warn(fmt::format("refused: {}: {}", TextOf(piece.front()), text));
    refused_->Add(1);
    return Finish(1);
  }
  Shrink(piece.size());
  return std::exchange(has_shrunk_, true) ? Retry(text, 0) : 0;
}

int64_t ForwardSender::HandleBroken(std::string_view text, std::span<const PointView> piece) {
  if (++broken_tries_ < kForwardBrokenTries) return Retry(text, 0);
  if (piece.size() == 1) {
    broken_text_ = text;
    is_probing_ = true;
    return 0;
  }
  Shrink(piece.size());
  return kForwardRetryMs;
}

int64_t ForwardSender::Probe() {
  is_probing_ = false;
  const std::span<const PointView> point = ProbePoint();
  // No other point is available, or the one found proves nothing.
  if (point.empty() || !IsNumberOfMagnitude(point.front().timestamp)) return Retry(broken_text_, 0);
  const Outcome outcome = Send(point);
  if (outcome.kind == Outcome::Kind::kTaken && outcome.refused.empty()) return SetAside();
  return Retry(broken_text_, outcome.wait_ms);
}

// The distance doubles: the server may fail at all points of a metric.
std::span<const PointView> ForwardSender::ProbePoint() {
  if (next_ + 1 == batch_.read.points.size()) {
    const absl::StatusOr<bool> more = parts_.spool->ReadMore(kReadBytes, &batch_);
    if (!more.ok() || !*more) return {};
  }
  const std::span<const PointView> points(batch_.read.points);
  if (next_ + probe_distance_ >= points.size()) probe_distance_ = 1;
  const std::span<const PointView> point = points.subspan(next_ + probe_distance_, 1);
  probe_distance_ *= 2;
  return point;
}

int64_t ForwardSender::SetAside() {
  const PointView& point = batch_.read.points[next_];
  probe_distance_ = 1;
  if (const absl::Status kept = parts_.set_aside(point, batch_.read.cells[next_]); !kept.ok()) {
    Warn(fmt::format("refused: {}: {}; it was not set aside: {}", TextOf(point), broken_text_,
                     std::string(kept.message())));
    refused_->Add(1);
  } else {
    Warn(fmt::format("set aside: {}: {}", TextOf(point), broken_text_));
    set_aside_->Add(1);
  }
  broken_tries_ = kForwardBrokenTries;  // the server works: the next failure is not retried
  return Finish(1);
}

void ForwardSender::Grow(size_t points) {
  has_shrunk_ = false;
  if (points < request_points_) return;
  has_grown_ = false;
  if (request_points_ == kForwardPointsMax) {
    grow_after_ = 1;
    return;
  }
  if (++successes_ < grow_after_) return;
  successes_ = 0;
  has_grown_ = true;
  request_points_ = std::min(2 * request_points_, kForwardPointsMax);
}

void ForwardSender::Shrink(size_t points) {
  if (std::exchange(has_grown_, false)) grow_after_ = std::min(2 * grow_after_, kGrowAfterMax);
  successes_ = 0;
  request_points_ = (points + 1) / 2;
}

int64_t ForwardSender::Finish(size_t points) {
  retry_ms_ = kForwardRetryMs;
  next_ += points;
  if (next_ < batch_.read.points.size()) return 0;
  if (const absl::Status done = parts_.spool->Done(batch_); !done.ok()) {
    Warn(std::string(done.message()));  // points may be sent twice
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
