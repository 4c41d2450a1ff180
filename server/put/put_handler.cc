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
#include "server/http/http_status.h"
#include "server/put/put_json.h"
#include "server/put/put_json_fast.h"
#include "server/put/put_writer.h"
#include "server/text/json_text.h"

namespace hourcell {
namespace {

// Nothing if sync_timeout is not a number.
std::optional<PutFlags> ParseFlags(const HttpRequest& request) {
  PutFlags flags{.summary = request.has_param("summary"),
                 .details = request.has_param("details"),
                 .sync = request.has_param("sync"),
                 .may_wait = request.may_wait,
                 .new_series = request.new_series_limit(),
                 .via = request.header("x-hourcell-via")};
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

// The response if no point is acknowledged.
HttpResponse StorageFailure(const absl::Status& status) {
  if (IsUnwanted(status)) {
    return HttpError(absl::IsPermissionDenied(status) ? 403 : 400, "Points are refused",
                     std::string(status.message()));
  }
  const int code = HttpStatusOf(Failed::kStore, status.code());
  std::string_view message = "Storage exception";
  if (IsForLater(status)) {
    message = "Please throttle";
  } else if (code == 503) {
    message = "Storage is not available";
  }
  return HttpError(code, message, std::string(status.message()));
}

// 200 or 204 without errors. A full store outweighs a broken one, which outweighs a bad point: the
// sender must learn that a retry helps.
int StatusFor(const std::vector<PutPointError>& errors) {
  const auto has = [&errors](PointErrorKind kind) {
    return std::any_of(errors.begin(), errors.end(),
                       [kind](const PutPointError& error) { return error.kind == kind; });
  };
  if (errors.empty()) return 200;
  if (has(PointErrorKind::kThrottled)) return 503;
  return has(PointErrorKind::kStorage) ? 500 : 400;
}

// The points of a body that are not acknowledged.
struct PutFailures {
  std::vector<PutPointError> errors;  // ascending by index
  size_t timeouts = 0;                // errors that are timeouts only
};

// `json` supplies the sent objects for the errors; null without errors.
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

// The response without a summary.
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

// Adds a timeout for each point that was not refused.
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

// The scan for a body: this thread's, which keeps its memory, or `*own` for a huge body.
PutJsonFast* ScanFor(const std::string& body, std::optional<PutJsonFast>* own) {
  constexpr size_t kKeptBodyBytesMax = 1 << 20;
  if (body.size() > kKeptBodyBytesMax) return &own->emplace();
  thread_local const auto scan = std::make_unique<PutJsonFast>();
  return scan.get();
}

// Whether the memory of all bodies has room for the objects made from this one.
bool Charge(const HttpRequest& request, size_t (*bytes)(std::string_view body)) {
  RequestBodyBudget::Hold* const memory = request.memory;
  if (memory == nullptr || request.body.size() <= kSmallBodyBytesMax) return true;
  return memory->Grow(memory->bytes() + bytes(request.body));
}

HttpResponse NoMemory() {
  return HttpError(503, kNoRequestBodyBudget);
}

// A body is not stored if its work has ended while it was read.
bool HasEnded(BodyWork* work) {
  return work != nullptr && !work->Look();
}

}  // namespace

PutHandler::PutHandler(Tsdb* tsdb, Settings settings)
    : settings_(std::move(settings)), writer_(tsdb, settings_.append) {}

HttpResponse PutHandler::Handle(const HttpRequest& request, BodyWork* work) {
  const std::optional<PutFlags> flags = ParseFlags(request);
  if (!flags) return HttpError(400, "Unable to parse 'sync_timeout' as a number");

  const RollupRules* const rollups = settings_.rollups;
  if (rollups != nullptr && !rollups->config.has_value()) {
    return HttpError(400, kRollupsAreOff);
  }
  PutRules rules{.tags_max = settings_.tags_max, .wants_texts = flags->details, .rollups = rollups};
  if (const std::string_view header =
          settings_.tag_header.empty() ? "" : request.header(settings_.tag_header);
      !header.empty()) {
    const Parsed<TagView> tag = ParseTagWord(header);
    if (!tag.ok()) return HttpError(400, tag.error().text);
    rules.extra_tag = *tag;
  }
  // The header's tag would be missing in the tags that a scan keeps as text; a rollup has more
  // fields than it reads.
  if (!rules.extra_tag && rollups == nullptr) {
    if (auto response = StoreUsual(request, rules, *flags, work)) return *std::move(response);
  }
  return StoreOther(request, rules, *flags, work);
}

std::optional<HttpResponse> PutHandler::StoreUsual(const HttpRequest& request,
                                                   const PutRules& rules,
                                                   const PutFlags& flags,
                                                   BodyWork* work) const {
  if (!Charge(request, &PutBytesFast)) return NoMemory();
  std::optional<PutJsonFast> own_scan;
  PutJsonFast* const scan = ScanFor(request.body, &own_scan);
  if (!scan->Scan(request.body, rules.tags_max)) return std::nullopt;
  if (HasEnded(work)) return HttpError(503, work->status());
  std::vector<RefusedPoint> refused;
  const absl::Status stored = Store(scan->points(), flags, &refused);
  if (absl::IsAborted(stored)) return MustWait();
  if (stored.ok() && refused.empty()) {
    writer_.CountAcknowledged(scan->points().size());
    return Answer(scan->points().size(), {}, flags, /*json=*/nullptr);
  }
  // Errors quote points as they were sent.
  if (!Charge(request, &PutBytesOther)) {
    writer_.CountFailed(absl::UnavailableError(std::string(kNoRequestBodyBudget)),
                        scan->points().size());
    return NoMemory();
  }
  PutJson json;
  HOURCELL_CHECK(!json.Parse(request.body, rules));
  return Finish(json, stored, refused, flags);
}

HttpResponse PutHandler::StoreOther(const HttpRequest& request,
                                    const PutRules& rules,
                                    const PutFlags& flags,
                                    BodyWork* work) const {
  if (!Charge(request, rules.rollups != nullptr ? &PutBytesRollups : &PutBytesOther)) {
    return NoMemory();
  }
  PutJson json;
  if (const auto error = json.Parse(request.body, rules)) {
    writer_.CountRefused(PointErrorKind::kIllegalArgument, 1);
    return HttpError(400, error->message, error->details);
  }
  if (HasEnded(work)) return HttpError(503, work->status());
  std::vector<RefusedPoint> refused;
  const absl::Status stored = Store(json.points(), flags, &refused);
  if (absl::IsAborted(stored)) return MustWait();
  return Finish(json, stored, refused, flags);
}

template <typename Point>
absl::Status PutHandler::Store(std::span<const Point> points,
                               const PutFlags& flags,
                               std::vector<RefusedPoint>* refused) const {
  if (points.empty()) return absl::OkStatus();
  const PutMode mode{.sync = flags.sync,
                     .may_wait = flags.may_wait,
                     .new_series = flags.new_series,
                     .via = flags.via};
  const CommitTicket ticket = writer_.Append(points, refused, mode);
  return flags.sync_timeout_ms > 0 ? ticket.WaitFor(flags.sync_timeout_ms) : ticket.Wait();
}

HttpResponse PutHandler::Finish(const PutJson& json,
                                const absl::Status& stored,
                                std::span<const RefusedPoint> refused,
                                const PutFlags& flags) const {
  const bool timed_out = absl::IsDeadlineExceeded(stored);
  if (!stored.ok() && !timed_out) {
    writer_.CountFailed(stored, json.points().size());
    return StorageFailure(stored);
  }
  PutFailures failures;
  failures.errors.assign(json.errors().begin(), json.errors().end());
  for (const RefusedPoint& point : refused) {
    failures.errors.push_back(
        {json.IndexOf(point.index), point.error.kind, RefusalText(point.error)});
  }
  for (const PutPointError& error : failures.errors)
    writer_.CountRefused(error.kind, 1);
  const size_t taken = json.points().size() - refused.size();
  if (timed_out) {
    writer_.CountLate(taken);
    AddTimeouts(json, refused, &failures);
  } else {
    writer_.CountAcknowledged(taken);
  }
  std::ranges::sort(failures.errors, {}, &PutPointError::index);
  return Answer(json.size(), failures, flags, &json);
}

}  // namespace hourcell
