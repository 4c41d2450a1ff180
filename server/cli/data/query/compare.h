// `hourcell compare URL_A URL_B`: sends random queries to two servers and compares their answers.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/query.h"
#include "server/cli/terminal.h"
#include "server/http/http_client.h"

namespace hourcell {

struct CompareOptions {
  std::string url_a = {};
  std::string url_b = {};
  TlsTrust trust = {};
  std::string start = "1d-ago";  // query times (query_time.h)
  std::string end = "now";
  uint64_t queries = 100;
  uint64_t seed = 1;
  bool json = false;
};

// The differences of answers A and B, as sentences: series and instants that only one has, and
// values that differ by more than one part in 10^9. Ignores series without points. Pure.
std::vector<std::string> DifferencesOf(const std::vector<ResultSeries>& a,
                                       const std::vector<ResultSeries>& b);

// Takes metrics and tags from A. Prints the queries with differences, then counts. kExitOk: all
// answers agree. kExitFailure: one differs, or a server does not answer. kExitUsage: invalid URLs
// or times.
int RunCompare(const CompareOptions& options, Terminal& terminal);

// `hourcell compare` with these flags and words.
int CompareMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
