// The server's statistics in the format of OpenTSDB's telnet command `stats`.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/stats.h"

namespace hourcell {

// The common tags of all statistics.
struct StatOrigin {
  std::string host;
  std::optional<uint16_t> port;  // with tsd.core.stats_with_port
};

// This machine's name; "localhost" if it is unknown.
std::string HostName();

// The statistic's tags followed by the origin's.
StatTags TagsWithOrigin(const StatSample& sample, const StatOrigin& origin);

// Appends a line `tsd.<name> <now_s> <value> tagk=tagv ... host=<host>\n` for each statistic.
void AppendStatLines(const Stats& stats, int64_t now_s, const StatOrigin& origin, std::string* out);

}  // namespace hourcell
