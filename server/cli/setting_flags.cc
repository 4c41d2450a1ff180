#include "server/cli/setting_flags.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hourcell {

std::vector<std::string> RewriteSettingFlags(const std::vector<std::string>& args) {
  constexpr std::string_view kDashes = "--";
  std::vector<std::string> rewritten;
  bool is_open = true;  // no `--` seen yet
  for (size_t i = 0; i < args.size(); ++i) {
    is_open = is_open && args[i] != kDashes;
    std::string setting = is_open && args[i].starts_with("--tsd.") ? args[i].substr(2) : "";
    if (!setting.empty() && setting.find('=') == std::string::npos) {
      if (i + 1 == args.size()) {
        setting.clear();
      } else {
        setting += "=" + args[++i];
      }
    }
    if (setting.empty()) {
      rewritten.push_back(args[i]);
    } else {
      rewritten.emplace_back("--set");
      rewritten.push_back(setting);
    }
  }
  return rewritten;
}

}  // namespace hourcell
