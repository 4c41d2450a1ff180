#include "server/admin/salt_handler.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <fmt/format.h>
#include <simdjson.h>

#include "codec/base/status_macros.h"
#include "codec/base/strings.h"
#include "engine/salt_admin.h"
#include "server/admin/job_handler.h"
#include "server/http/http_error.h"
#include "server/http/http_status.h"
#include "server/text/salt_text.h"

namespace hourcell {
namespace {

constexpr size_t kSaltBodyBytesMax = 64 << 10;

struct SaltChange {
  uint32_t buckets = 0;
  std::optional<uint64_t> from_s;
};

// A number or a string as text.
std::string TextOf(simdjson::dom::element value) {
  std::string_view text;
  return value.get(text) == simdjson::SUCCESS ? std::string(text) : simdjson::to_string(value);
}

absl::StatusOr<SaltChange> ReadChange(const std::string& body, int64_t now_ms) {
  if (body.size() > kSaltBodyBytesMax) {
    return absl::InvalidArgumentError(
        fmt::format("body: expected at most {} bytes, got {}", kSaltBodyBytesMax, body.size()));
  }
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (const auto error = parser.parse(body).get(object)) {
    return absl::InvalidArgumentError(
        fmt::format("body: {}; expected an object with buckets and maybe from",
                    simdjson::error_message(error)));
  }
  SaltChange change;
  for (const auto [key, value] : object) {
    if (key == "buckets") {
      HOURCELL_ASSIGN_OR_RETURN(change.buckets, ParseBuckets(TextOf(value)));
    } else if (key == "from" && !value.is_null()) {
      HOURCELL_ASSIGN_OR_RETURN(change.from_s, ParseEpochStart(TextOf(value), now_ms));
    } else if (key != "from") {
      return absl::InvalidArgumentError(
          fmt::format("body: expected buckets and maybe from, got {}",
                      QuoteForMessage(fmt::format("{}: {}", key, simdjson::to_string(value)))));
    }
  }
  if (change.buckets == 0) return absl::InvalidArgumentError("buckets: missing");
  return change;
}

HttpResponse ListSalt(Tsdb* tsdb) {
  const absl::StatusOr<std::vector<SaltEpoch>> epochs = tsdb->maintenance().salt()->Epochs();
  if (!epochs.ok()) return FailureResponse(Failed::kChange, epochs.status());
  HttpResponse response;
  response.body = SaltEpochsJson(*epochs);
  return response;
}

HttpResponse ChangeSalt(const SaltChange& change, Tsdb* tsdb) {
  const absl::Status done = tsdb->maintenance().salt()->Change(change.buckets, change.from_s);
  if (!done.ok()) return FailureResponse(Failed::kChange, done);
  return ListSalt(tsdb);
}

}  // namespace

HttpResponse HandleSalt(const HttpRequest& request,
                        Tsdb* tsdb,
                        int64_t now_ms,
                        std::string_view group,
                        JobRegistry* jobs) {
  if (request.method != "POST") return ListSalt(tsdb);
  const absl::StatusOr<SaltChange> change = ReadChange(request.body, now_ms);
  if (!change.ok()) return HttpError(400, change.status());
  return StartJob(
      request,
      {.kind = "salt",
       .group = group,
       .work = [change = *change, tsdb](JobWatch* /*watch*/) { return ChangeSalt(change, tsdb); }},
      jobs);
}

}  // namespace hourcell
