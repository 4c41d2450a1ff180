// What a server says of itself at one moment, as `hourcell top` reads it: /metrics,
// /api/stats/query and /api/admin/regions/loads.
//
// Pure, but for TakeTopSample; thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/cli/http_client.h"

namespace hourcell {

struct TopQuery {
  uint64_t id = 0;
  std::string user = {};    // empty: it has none
  std::string client = {};  // "127.0.0.1:50000"
  std::string text = {};    // "sum:cpu.user", "SCAN cpu.user"; else its JSON
  int64_t age_ms = 0;
  uint64_t rows = 0;
  uint64_t points = 0;
  uint64_t memory = 0;  // bytes
};

// A region of the data table.
struct TopRegion {
  uint64_t id = 0;
  std::string start = {};   // its first key in hex; empty: the first region
  double points_per_s = 0;  // written, in the last whole step
  uint64_t bytes = 0;       // of its files and memory
};

struct TopSample {
  int64_t at_ms = 0;                          // Clock::MonotonicMs
  std::map<std::string, double> values = {};  // of /metrics, by name and labels as they stand there
  std::vector<TopQuery> queries = {};         // that run, oldest first
  std::vector<TopRegion> regions = {};        // none if the user may not see them
};

// The finite values of a text in Prometheus' format. Other lines are left out.
std::map<std::string, double> ParseTopMetrics(std::string_view text);

// kDataLoss: the text is not such an answer.
absl::StatusOr<std::vector<TopQuery>> ParseTopQueries(std::string_view body);
absl::StatusOr<std::vector<TopRegion>> ParseTopRegions(std::string_view body);

// Asks the server. kUnavailable: it does not answer, or refuses /metrics or the list of queries.
absl::StatusOr<TopSample> TakeTopSample(HttpClient* client, int64_t now_ms);

}  // namespace hourcell
