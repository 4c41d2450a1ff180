// Computes the figures of `hourcell top` from two samples, as text or as JSON. Pure.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/cli/cluster/top_sample.h"

namespace hourcell {

// Rates are per second between the two samples; nullopt with only one sample.
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
  // Error counters above 0, by /metrics' names without "hourcell_" and "_total"; the
  // fastest-growing first.
  struct Errors {
    std::string name = {};
    uint64_t count = 0;
    std::optional<double> per_s = {};
  };
  std::vector<Errors> errors = {};
  std::vector<TopQuery> queries = {};
  std::vector<TopRegion> busy_regions = {};  // by points written, busiest first
};

// `before` may be null. A counter below its earlier value was reset: its rate counts from 0.
TopView MakeTopView(const TopSample* before,
                    const TopSample& now,
                    std::string_view server,
                    int64_t now_ms);

// Size of the text. Lines are cut at `width` characters.
struct TopSize {
  size_t rows = 24;
  size_t width = 120;
};

// Lines with their ends: the figures, then queries and regions while rows remain.
std::string TopText(const TopView& view, const TopSize& size);

// The same as a JSON object, without a line end; it contains all queries and regions.
std::string TopJson(const TopView& view);

}  // namespace hourcell
