// OpenTsdbSource: reads a running OpenTSDB 2.2 or later, or Hourcell, by its HTTP API.
//
// After a temporary failure (no connection, 429, 500, 502, 503) it repeats the request, with pauses
// that double. If an answer is too large or takes too long, the caller should request less.
//
// It uses the token of HOURCELL_SOURCE_TOKEN. Thread-compatible; use one per thread.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "engine/query.h"
#include "server/http/http_client.h"

namespace hourcell {

inline constexpr std::string_view kSourceTokenVariable = "HOURCELL_SOURCE_TOKEN";

struct SourcePatience {
  size_t reply_bytes_max = size_t{32} << 20;
  int64_t reply_timeout_ms = 120'000;
  int tries = 8;               // per request
  int64_t pause_ms = 250;      // after the first try; doubles after each further one
  size_t names_max = 100'000;  // per request
};

class OpenTsdbSource {
 public:
  // `cancelled` may be null; once it is true, requests fail with kCancelled.
  explicit OpenTsdbSource(const HttpUrl& url,
                          SourcePatience patience = {},
                          const std::atomic<bool>* cancelled = nullptr);

  // All metrics, or those with `prefix`, in the order of bytes. If an answer has names_max names,
  // it requests parts instead, each with one more character of the prefix.
  absl::StatusOr<std::vector<std::string>> Metrics(const std::string& prefix = {});

  // kResourceExhausted: the answer is too large or takes too long; request a shorter range.
  // kInvalidArgument: the server refuses the query; the message has its reason. kUnavailable: the
  // server remains unavailable. kDataLoss: the reply is not an answer.
  absl::StatusOr<std::vector<ResultSeries>> Query(const QuerySpec& spec);

  // The tags of at most `limit` series of a metric, by /api/search/lookup. Errors as Query.
  using Tags = std::vector<std::pair<std::string, std::string>>;
  absl::StatusOr<std::vector<Tags>> Lookup(std::string_view metric, size_t limit);

  // "host:port".
  const std::string& address() const { return client_.address(); }

 private:
  absl::StatusOr<std::string> Ask(std::string_view target, std::string_view body);
  absl::Status Refusal(const HttpReply& reply) const;

  const SourcePatience patience_;
  const std::atomic<bool>* const cancelled_;
  HttpClient client_;
};

// The names in an answer of /api/suggest. kDataLoss: the text is not a list of names.
absl::StatusOr<std::vector<std::string>> ParseNameList(std::string_view body);

// The tags in an answer of /api/search/lookup. kDataLoss: the text is not such an answer.
absl::StatusOr<std::vector<OpenTsdbSource::Tags>> ParseLookupReply(std::string_view body);

}  // namespace hourcell
