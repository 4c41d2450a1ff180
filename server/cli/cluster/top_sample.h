// State of a server at one moment, as `hourcell top` reads it from /metrics, /api/stats/query and
// /api/admin/regions/loads.
//
// Pure, except TakeTopSample; thread-compatible.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "server/http/http_client.h"

namespace hourcell {

struct TopQuery {
  uint64_t id = 0;
  std::string user = {};    // empty: anonymous
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
  double points_per_s = 0;  // written, during the last complete step
  uint64_t bytes = 0;       // of its files and memory
};

struct TopSample {
  int64_t at_ms = 0;                          // by MonotonicClock
  std::map<std::string, double> values = {};  // of /metrics, by name and labels
  std::vector<TopQuery> queries = {};         // running ones, oldest first
  std::vector<TopRegion> regions = {};        // empty if the user may not see them
};

// The finite values of a text in Prometheus' format. Skips other lines.
std::map<std::string, double> ParseTopMetrics(std::string_view text);

// Parse answers. kDataLoss: the text is not such an answer.
absl::StatusOr<std::vector<TopQuery>> ParseTopQueries(std::string_view body);
absl::StatusOr<std::vector<TopRegion>> ParseTopRegions(std::string_view body);

// Reads the three targets. kUnavailable: the server does not answer, or refuses /metrics or the
// list of queries.
absl::StatusOr<TopSample> TakeTopSample(HttpClient* client, int64_t now_ms);

}  // namespace hourcell
