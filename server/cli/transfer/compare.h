// `hourcell compare URL_A URL_B`: random queries asked of two servers, and how their answers
// differ.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/query.h"
#include "server/cli/http_client.h"
#include "server/cli/terminal.h"

namespace hourcell {

struct CompareOptions {
  std::string url_a = {};
  std::string url_b = {};
  TlsTrust trust = {};
  std::string start = "1d-ago";  // as query times (query_time.h)
  std::string end = "now";
  uint64_t queries = 100;
  uint64_t seed = 1;
  bool json = false;
};

// How answer B differs from A, in sentences: series that one lacks, instants that one lacks, values
// that differ by more than one part in 10^9. Series without points count as none. Pure.
std::vector<std::string> DifferencesOf(const std::vector<ResultSeries>& a,
                                       const std::vector<ResultSeries>& b);

// Metrics and tags are those of A. Names the queries that differ and why, then counts. kExitOk: no
// query differs. kExitFailure: one does, or a server does not answer. kExitUsage: URLs or times
// make no sense.
int RunCompare(const CompareOptions& options, Terminal& terminal);

// `hourcell compare` with these flags and words.
int CompareMain(const std::vector<std::string>& args, Terminal& terminal);

}  // namespace hourcell
