// The server's own statistics as OpenTSDB's telnet command `stats` prints them.
//
// Thread-safe.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/stats.h"

namespace hourcell {

// The tags every statistic carries.
struct StatOrigin {
  std::string host;
  std::optional<uint16_t> port;  // with tsd.core.stats_with_port
};

// This machine's name; "localhost" if it has none.
std::string HostName();

// The statistic's tags followed by the origin's.
StatTags TagsWithOrigin(const StatSample& sample, const StatOrigin& origin);

// Appends a line `tsd.<name> <now_s> <value> tagk=tagv ... host=<host>\n` for each statistic.
void AppendStatLines(const Stats& stats, int64_t now_s, const StatOrigin& origin, std::string* out);

}  // namespace hourcell
