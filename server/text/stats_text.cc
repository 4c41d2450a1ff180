#include "server/text/stats_text.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace hourcell {

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
  return name.data();
}

StatTags TagsWithOrigin(const StatSample& sample, const StatOrigin& origin) {
  StatTags tags = sample.tags;
  tags.emplace_back("host", origin.host);
  if (origin.port.has_value()) tags.emplace_back("port", std::to_string(*origin.port));
  return tags;
}

void AppendStatLines(const Stats& stats,
                     int64_t now_s,
                     const StatOrigin& origin,
                     std::string* out) {
  for (const StatSample& sample : stats.Snapshot()) {
    fmt::format_to(std::back_inserter(*out), "tsd.{} {} {}", sample.name, now_s, sample.value);
    for (const auto& [key, value] : TagsWithOrigin(sample, origin)) {
      fmt::format_to(std::back_inserter(*out), " {}={}", key, value);
    }
    out->push_back('\n');
  }
}

}  // namespace hourcell
