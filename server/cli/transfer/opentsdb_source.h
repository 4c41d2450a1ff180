// OpenTsdbSource: a running OpenTSDB 2.2 or later, or Hourcell, that is read by its HTTP API.
//
// A request that fails for a while (no connection, 429, 5xx) is sent again, with pauses that
// double. An answer that is too large, or takes too long, is no failure: ask for less.
//
// The token is that of HOURCELL_SOURCE_TOKEN. Thread-compatible; a thread has its own.

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
#include "server/cli/http_client.h"

namespace hourcell {

inline constexpr std::string_view kSourceTokenVariable = "HOURCELL_SOURCE_TOKEN";

struct SourcePatience {
  size_t reply_bytes_max = size_t{32} << 20;
  int64_t reply_timeout_ms = 120'000;
  int tries = 8;               // of one request
  int64_t pause_ms = 250;      // after the first try; twice as long after each further one
  size_t names_max = 100'000;  // asked for at once
};

class OpenTsdbSource {
 public:
  // `cancelled` may be null; once it is true, nothing is sent again.
  explicit OpenTsdbSource(const HttpUrl& url,
                          SourcePatience patience = {},
                          const std::atomic<bool>* cancelled = nullptr);

  // All metrics, or those that begin with `prefix`, in the order of bytes. An answer that is full
  // is asked again in parts: a character more of the prefix each.
  absl::StatusOr<std::vector<std::string>> Metrics(const std::string& prefix = {});

  // kResourceExhausted: the answer is too large or takes too long; ask for a shorter range.
  // kInvalidArgument: the server refuses the query, and why. kUnavailable: it stays away.
  // kDataLoss: the answer is not one.
  absl::StatusOr<std::vector<ResultSeries>> Query(const QuerySpec& spec);

  // Series of a metric, at most `limit`, by /api/search/lookup: their tags. Errors as Query.
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

// The names of an answer of /api/suggest. kDataLoss: it is no list of texts.
absl::StatusOr<std::vector<std::string>> ParseNameList(std::string_view body);

// The tags of an answer of /api/search/lookup. kDataLoss: it is none.
absl::StatusOr<std::vector<OpenTsdbSource::Tags>> ParseLookupReply(std::string_view body);

}  // namespace hourcell
