#include "server/put/put_handler.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/text/point_text.h"
#include "server/http/http_error.h"
#include "server/put/put_json.h"
#include "server/put/put_json_fast.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

Counter* ReasonCounter(Tsdb* tsdb, PointErrorKind kind) {
  return tsdb->stats().counter("rpc.put.errors",
                               {{"reason", std::string(PointErrorKindName(kind))}});
}

// What /api/put says of a point the store refused.
std::string RefusalText(const PointError& error) {
  switch (error.kind) {
    case PointErrorKind::kInvalidValue:
      return "Unable to parse value to a number";
    case PointErrorKind::kIllegalArgument:
      return error.text;
    case PointErrorKind::kUnknownName:
      return "Unknown metric";
    case PointErrorKind::kThrottled:
      return "Please throttle";
    case PointErrorKind::kStorage:
      return "Storage exception: " + error.text;
  }
  HOURCELL_CHECK(false);
}

// Nothing if sync_timeout is no number.
std::optional<PutFlags> ParseFlags(const HttpRequest& request) {
  PutFlags flags{.summary = request.has_param("summary"),
                 .details = request.has_param("details"),
                 .sync = request.has_param("sync"),
                 .may_wait = request.may_wait};
  const std::string* timeout = request.param("sync_timeout");
  if (!flags.sync || timeout == nullptr) return flags;
  const char* const end = timeout->data() + timeout->size();
  const auto parsed = std::from_chars(timeout->data(), end, flags.sync_timeout_ms);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return flags;
}

HttpResponse MustWait() {
  HttpResponse response;
  response.must_wait = true;
  return response;
}

// How long points of new series wait, where they may.
constexpr int64_t kSeriesWaitMs = 1000;

// Whether the same points may be taken later.
bool IsForLater(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
}

// Whether it is the points that are not wanted, as a StoreObserver may say of them.
bool IsUnwanted(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsPermissionDenied(status);
}

// The answer for points of which none is acknowledged.
HttpResponse StorageFailure(const absl::Status& status) {
  if (IsUnwanted(status)) {
    return HttpError(absl::IsPermissionDenied(status) ? 403 : 400, "Points are refused",
                     std::string(status.message()));
  }
  const bool later = IsForLater(status);
  return later ? HttpError(503, "Please throttle", std::string(status.message()))
               : HttpError(500, "Storage exception", std::string(status.message()));
}

// 200 or 204 without errors. A full store outweighs a broken one, and that a bad point: the sender
// must know that sending again helps.
int StatusFor(const std::vector<PutPointError>& errors) {
  const auto has = [&errors](PointErrorKind kind) {
    return std::any_of(errors.begin(), errors.end(),
                       [kind](const PutPointError& error) { return error.kind == kind; });
  };
  if (errors.empty()) return 200;
  if (has(PointErrorKind::kThrottled)) return 503;
  return has(PointErrorKind::kStorage) ? 500 : 400;
}

// What became of the points of a body that are not acknowledged.
struct PutFailures {
  std::vector<PutPointError> errors;  // ascending by index
  size_t timeouts = 0;                // how many of them only took too long
};

// `json` has what was sent as the errors; null if there are none.
std::string SummaryJson(size_t sent,
                        const PutFailures& failures,
                        const PutFlags& flags,
                        const PutJson* json) {
  const std::vector<PutPointError>& errors = failures.errors;
  std::string body = fmt::format("{{\"success\":{},\"failed\":{}", sent - errors.size(),
                                 errors.size() - failures.timeouts);
  if (flags.sync_timeout_ms > 0) body += fmt::format(",\"timeouts\":{}", failures.timeouts);
  if (flags.details) {
    body += ",\"errors\":[";
    for (size_t i = 0; i < errors.size(); ++i) {
      if (i > 0) body += ',';
      body += "{\"error\":";
      AppendJsonString(errors[i].text, &body);
      body += ",\"datapoint\":";
      json->AppendSent(errors[i].index, &body);
      body += '}';
    }
    body += ']';
  }
  return body + "}";
}

// What is said without a summary.
HttpResponse FailuresError(size_t sent, int status, const PutFailures& failures) {
  constexpr std::string_view kDetails =
      "Please see the TSD logs or append \"details\" to the put request";
  if (failures.timeouts == 0) {
    return HttpError(status, "One or more data points had errors", kDetails);
  }
  return HttpError(
      status,
      fmt::format("The put call has timedout with {} successful writes, {} failed writes and {} "
                  "timed out writes.",
                  sent - failures.errors.size(), failures.errors.size() - failures.timeouts,
                  failures.timeouts),
      kDetails);
}

HttpResponse Answer(size_t sent,
                    const PutFailures& failures,
                    const PutFlags& flags,
                    const PutJson* json) {
  const int status = failures.timeouts > 0 ? 400 : StatusFor(failures.errors);
  HttpResponse response;
  response.status = status;
  if (flags.summary || flags.details) {
    response.body = SummaryJson(sent, failures, flags, json);
    if (status == 503) response.headers.emplace_back("Retry-After", "1");
  } else if (failures.errors.empty()) {
    response.status = 204;
  } else {
    response = FailuresError(sent, status, failures);
  }
  return response;
}

// Adds the points that were not refused.
void AddTimeouts(const PutJson& json,
                 std::span<const RefusedPoint> refused,
                 PutFailures* failures) {
  auto next = refused.begin();
  for (size_t point = 0; point < json.points().size(); ++point) {
    if (next != refused.end() && next->index == point) {
      ++next;
      continue;
    }
    failures->errors.push_back({json.IndexOf(point), PointErrorKind::kStorage, "Write timedout"});
    ++failures->timeouts;
  }
}

// The scan for a body: this thread's, used again for its memory, or `*own` for a huge one.
PutJsonFast* ScanFor(const std::string& body, std::optional<PutJsonFast>* own) {
  constexpr size_t kKeptBodyBytesMax = 1 << 20;
  if (body.size() > kKeptBodyBytesMax) return &own->emplace();
  thread_local const auto scan = std::make_unique<PutJsonFast>();
  return scan.get();
}

}  // namespace

PutHandler::PutHandler(Tsdb* tsdb, Settings settings)
    : tsdb_(tsdb),
      settings_(std::move(settings)),
      points_(tsdb->stats().counter("rpc.put.points")),
      invalid_values_(ReasonCounter(tsdb, PointErrorKind::kInvalidValue)),
      illegal_arguments_(ReasonCounter(tsdb, PointErrorKind::kIllegalArgument)),
      unknown_names_(ReasonCounter(tsdb, PointErrorKind::kUnknownName)),
      throttled_(ReasonCounter(tsdb, PointErrorKind::kThrottled)),
      storage_errors_(ReasonCounter(tsdb, PointErrorKind::kStorage)),
      timeouts_(tsdb->stats().counter("rpc.put.errors", {{"reason", "timeout"}})) {}

HttpResponse PutHandler::Handle(const HttpRequest& request) {
  const std::optional<PutFlags> flags = ParseFlags(request);
  if (!flags) return HttpError(400, "Unable to parse 'sync_timeout' as a number");

  PutRules rules{.tags_max = settings_.tags_max};
  if (const std::string_view header =
          settings_.tag_header.empty() ? "" : request.header(settings_.tag_header);
      !header.empty()) {
    const Parsed<TagView> tag = ParseTagWord(header);
    if (!tag.ok()) return HttpError(400, tag.error().text);
    rules.extra_tag = *tag;
  }
  // The tag of a header is not among the tags that a scan keeps as text.
  std::optional<PutJsonFast> own_scan;
  if (PutJsonFast* const scan = ScanFor(request.body, &own_scan);
      !rules.extra_tag && scan->Scan(request.body, rules.tags_max)) {
    std::vector<RefusedPoint> refused;
    const absl::Status stored = Store(scan->points(), *flags, &refused);
    if (absl::IsAborted(stored)) return MustWait();
    if (stored.ok() && refused.empty()) {
      points_->Add(scan->points().size());
      return Answer(scan->points().size(), {}, *flags, /*json=*/nullptr);
    }
    // Points that fail are named as they were sent.
    PutJson json;
    HOURCELL_CHECK(!json.Parse(request.body, rules));
    return Finish(json, stored, refused, *flags);
  }
  PutJson json;
  if (const auto error = json.Parse(request.body, rules)) {
    illegal_arguments_->Add(1);
    return HttpError(400, error->message, error->details);
  }
  std::vector<RefusedPoint> refused;
  const absl::Status stored = Store(json.points(), *flags, &refused);
  if (absl::IsAborted(stored)) return MustWait();
  return Finish(json, stored, refused, *flags);
}

template <typename Point>
absl::Status PutHandler::Store(std::span<const Point> points,
                               const PutFlags& flags,
                               std::vector<RefusedPoint>* refused) const {
  if (points.empty()) return absl::OkStatus();
  // Who has to wait for room is told to come again: the thread serves other connections, too.
  const AppendOptions options{.sync = flags.sync,
                              .wait_ms = flags.may_wait ? kSeriesWaitMs : 0,
                              .all_or_none = !flags.may_wait};
  const CommitTicket ticket = settings_.append ? settings_.append(points.size(), refused, options)
                                               : tsdb_->Append(points, refused, options);
  return flags.sync_timeout_ms > 0 ? ticket.WaitFor(flags.sync_timeout_ms) : ticket.Wait();
}

HttpResponse PutHandler::Finish(const PutJson& json,
                                const absl::Status& stored,
                                std::span<const RefusedPoint> refused,
                                const PutFlags& flags) const {
  const bool timed_out = absl::IsDeadlineExceeded(stored);
  if (!stored.ok() && !timed_out) {
    Counter* const reason = IsForLater(stored)   ? throttled_
                            : IsUnwanted(stored) ? illegal_arguments_
                                                 : storage_errors_;
    reason->Add(json.points().size());
    return StorageFailure(stored);
  }
  PutFailures failures;
  failures.errors.assign(json.errors().begin(), json.errors().end());
  for (const RefusedPoint& point : refused) {
    failures.errors.push_back(
        {json.IndexOf(point.index), point.error.kind, RefusalText(point.error)});
  }
  for (const PutPointError& error : failures.errors)
    ErrorCounter(error.kind)->Add(1);
  const size_t taken = json.points().size() - refused.size();
  (timed_out ? timeouts_ : points_)->Add(taken);
  if (timed_out) AddTimeouts(json, refused, &failures);
  std::ranges::sort(failures.errors, {}, &PutPointError::index);
  return Answer(json.size(), failures, flags, &json);
}

Counter* PutHandler::ErrorCounter(PointErrorKind kind) const {
  switch (kind) {
    case PointErrorKind::kInvalidValue:
      return invalid_values_;
    case PointErrorKind::kIllegalArgument:
      return illegal_arguments_;
    case PointErrorKind::kUnknownName:
      return unknown_names_;
    case PointErrorKind::kThrottled:
      return throttled_;
    case PointErrorKind::kStorage:
      return storage_errors_;
  }
  HOURCELL_CHECK(false);
}

}  // namespace hourcell
