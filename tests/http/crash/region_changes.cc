#include "tests/http/crash/region_changes.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "codec/base/random.h"
#include "tests/http/server_process.h"

namespace hourcell {

int ChangeRegionsUntilGone(uint16_t port, uint64_t seed) {
  int made = 0;
  Random random(seed);
  const std::string uri = "/api/admin/regions";
  const auto change = [&](std::string_view what, const std::string& body) {
    if (HttpCall(port, "POST", fmt::format("{}/{}?wait", uri, what), body).status == 200) ++made;
  };
  for (int i = 0; i < 4000; ++i) {
    const std::string regions = HttpCall(port, "GET", uri).body;
    if (regions.empty()) break;
    std::vector<std::string> ids;
    for (size_t at = 0; (at = regions.find("\"id\":", at)) != std::string::npos; ++at)
      ids.push_back(std::to_string(std::atoll(regions.c_str() + at + 5)));
    const size_t first = random.Below(ids.size());
    if (ids.size() > 3 || (first + 1 < ids.size() && random.Below(2) == 0)) {
      const size_t left = std::min(first, ids.size() - 2);
      change("merge", fmt::format(R"({{"regions":["{}","{}"]}})", ids[left], ids[left + 1]));
    } else {
      // Between two series of the metric in the first hour, or between hours.
      change("split", fmt::format(R"({{"region":"{}","at":"\\x00\\x00\\x01P\\xE2'\\x{:02X}"}})",
                                  ids[first], random.Below(16)));
      change("split", fmt::format(R"({{"region":"{}"}})", ids[first]));
    }
  }
  return made;
}

}  // namespace hourcell
