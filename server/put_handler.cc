#include "server/put_handler.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "codec/base/check.h"
#include "codec/point_text.h"
#include "server/http_error.h"
#include "server/json_text.h"
#include "server/put_json.h"

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

// The flags of the URL.
struct PutFlags {
  bool summary = false;
  bool details = false;
  bool sync = false;
  int64_t sync_timeout_ms = 0;
};

// Nothing if sync_timeout is no number.
std::optional<PutFlags> ParseFlags(const HttpRequest& request) {
  PutFlags flags{.summary = request.has_param("summary"),
                 .details = request.has_param("details"),
                 .sync = request.has_param("sync")};
  const std::string* timeout = request.param("sync_timeout");
  if (!flags.sync || timeout == nullptr) return flags;
  const char* const end = timeout->data() + timeout->size();
  const auto parsed = std::from_chars(timeout->data(), end, flags.sync_timeout_ms);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return flags;
}

// Whether the same points may be taken later.
bool IsForLater(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsResourceExhausted(status);
}

// The answer for points of which none is acknowledged.
HttpResponse StorageFailure(const absl::Status& status) {
  const bool later = IsForLater(status);
  HttpResponse response = later
                              ? HttpError(503, "Please throttle", std::string(status.message()))
                              : HttpError(500, "Storage exception", std::string(status.message()));
  if (later) response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::string SummaryJson(const PutJson& json,
                        const std::vector<PutPointError>& errors,
                        const PutFlags& flags) {
  std::string body =
      fmt::format("{{\"success\":{},\"failed\":{}", json.size() - errors.size(), errors.size());
  if (flags.sync_timeout_ms > 0) body += ",\"timeouts\":0";
  if (flags.details) {
    body += ",\"errors\":[";
    for (size_t i = 0; i < errors.size(); ++i) {
      if (i > 0) body += ',';
      body += "{\"error\":";
      AppendJsonString(errors[i].text, &body);
      body += ",\"datapoint\":";
      json.AppendSent(errors[i].index, &body);
      body += '}';
    }
    body += ']';
  }
  return body + "}";
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

HttpResponse Answer(const PutJson& json,
                    const std::vector<PutPointError>& errors,
                    const PutFlags& flags) {
  const int status = StatusFor(errors);
  HttpResponse response;
  response.status = status;
  if (flags.summary || flags.details) {
    response.body = SummaryJson(json, errors, flags);
  } else if (errors.empty()) {
    response.status = 204;
  } else {
    response = HttpError(status, "One or more data points had errors",
                         "Please see the TSD logs or append \"details\" to the put request");
  }
  if (status == 503) response.headers.emplace_back("Retry-After", "1");
  return response;
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
      storage_errors_(ReasonCounter(tsdb, PointErrorKind::kStorage)) {}

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
  PutJson json;
  if (const auto error = json.Parse(request.body, rules)) {
    illegal_arguments_->Add(1);
    return HttpError(400, error->message, error->details);
  }

  std::vector<RefusedPoint> refused;
  const absl::Status stored = Store(json.points(), flags->sync, &refused);
  if (!stored.ok()) {
    (IsForLater(stored) ? throttled_ : storage_errors_)->Add(json.points().size());
    return StorageFailure(stored);
  }
  points_->Add(json.points().size() - refused.size());

  std::vector<PutPointError> errors(json.errors().begin(), json.errors().end());
  for (const RefusedPoint& point : refused) {
    errors.push_back({json.IndexOf(point.index), point.error.kind, RefusalText(point.error)});
  }
  std::sort(errors.begin(), errors.end(),
            [](const PutPointError& a, const PutPointError& b) { return a.index < b.index; });
  for (const PutPointError& error : errors)
    ErrorCounter(error.kind)->Add(1);
  return Answer(json, errors, *flags);
}

absl::Status PutHandler::Store(std::span<const PointView> points,
                               bool sync,
                               std::vector<RefusedPoint>* refused) const {
  if (points.empty()) return absl::OkStatus();
  // Who has to wait for room is told to come again: the thread serves other connections, too.
  const AppendOptions options{.sync = sync, .wait_ms = 0};
  const CommitTicket ticket = settings_.append ? settings_.append(points, refused, options)
                                               : tsdb_->Append(points, refused, options);
  return ticket.Wait();
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
