// Parses the words of `hourcell query` and `hourcell scan`: OpenTSDB's command-line grammar.
//
//   query  START [END] { AGG [rate [counter[,max[,reset]]]] [downsample N FUNC] metric {k=v} }
//   scan   [START [END] [[AGG] metric {k=v}]]
//
// Times as in query_time.h. The second word is END if it parses as a time. N is in milliseconds, or
// a duration such as 1h. Pure.

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <absl/status/statusor.h>

#include "engine/query.h"
#include "engine/tsdb.h"

namespace hourcell {

// `m_texts` are the values of -m, each an m= of /api/query; with them, the words are only times.
// kInvalidArgument: names the first invalid word and the expected one.
absl::StatusOr<QuerySpec> ParseQueryWords(std::span<const std::string> words,
                                          std::span<const std::string> m_texts,
                                          int64_t now_ms);

// As ParseQueryWords, for a deletion: `m_texts` are as server/query/query_string.h's
// ParseDeletionText takes them, and the words are only times.
absl::StatusOr<QuerySpec> ParseDeletionWords(std::span<const std::string> words,
                                             std::span<const std::string> m_texts,
                                             int64_t now_ms);

// Without words: the whole store. Without END: to the end of the store. kInvalidArgument as above.
absl::StatusOr<ScanSpec> ParseScanWords(std::span<const std::string> words, int64_t now_ms);

}  // namespace hourcell
