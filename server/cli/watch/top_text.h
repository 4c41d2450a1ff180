// What `hourcell top` shows of a server: figures of two samples, as text or as JSON. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/cli/watch/top_sample.h"

namespace hourcell {

// Rates are per second between the two samples; nothing where there is only one.
struct TopView {
  std::string server = {};  // "localhost:4242"
  int64_t now_ms = 0;       // Unix milliseconds
  int64_t up_s = 0;
  std::optional<double> points_per_s = {};
  std::optional<double> lines_per_s = {};     // of telnet connections
  std::optional<double> requests_per_s = {};  // HTTP
  std::optional<double> cpu = {};             // processors in use
  uint64_t memory = 0;                        // resident bytes
  uint64_t query_memory = 0;
  uint64_t journal_bytes = 0;
  uint64_t open_hours = 0;
  uint64_t disk_free = 0;
  uint64_t regions = 0;  // of the data table
  uint64_t queries_running = 0;
  uint64_t queries_waiting = 0;
  // Counters of errors that are not 0, by /metrics' names without "hourcell_" and "_total"; those
  // that grow first.
  struct Errors {
    std::string name = {};
    uint64_t count = 0;
    std::optional<double> per_s = {};
  };
  std::vector<Errors> errors = {};
  std::vector<TopQuery> queries = {};
  std::vector<TopRegion> busy_regions = {};  // those that were written, busiest first
};

// `before` may be null. A counter that is less than before began anew: its rate is that since then.
TopView MakeTopView(const TopSample* before,
                    const TopSample& now,
                    std::string_view server,
                    int64_t now_ms);

// How much is shown. A line is cut at `width` characters.
struct TopSize {
  size_t rows = 24;
  size_t width = 120;
};

// Lines with their ends: the figures, then queries and regions as far as there are rows.
std::string TopText(const TopView& view, const TopSize& size);

// The same as an object, without a line end; all queries and regions.
std::string TopJson(const TopView& view);

}  // namespace hourcell
